"""The file of `vllm serve --config`: read as the version's own load_config_file does, and written
so that it reads the same back.

Every key becomes `--key`. true becomes a bare flag. false is dropped by every version: newer ones
look for a negation, but in the parser of `vllm`, not in that of `vllm serve`. Any other value
follows as a token made by str(). Lists become several tokens from 0.10 on, objects one JSON token
from 0.16 on (facts of the catalog's grammar).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from translator.core.argv.parser import parse
from translator.core.argv.rewriting import LineRules, index_of
from translator.core.findings import Finding, finding, has_errors, one_line
from translator.core.settings import same
from translator.core.tables.catalog import CONFIG, MODEL, Catalog, Flag, Grammar
from translator.core.text.json_text import YamlError
from translator.core.text.words import KEY, TOKEN, Origin, Place, quote
from translator.core.values import text_of
from translator.formats.forms import CommandLine, Written
from translator.formats.places import whole


def tokens_of(
    config: Any, catalog: Catalog, path: str = "the file"
) -> tuple[list[str], list[Finding]]:
    """Return the tokens that the parsed YAML of a file stands for in a version, and findings: an
    error if vLLM would crash, a warning if it ignores something.
    """
    grammar = catalog.grammar
    tokens: list[str] = []
    findings: list[Finding] = []

    def report(code: str, key: str = "", **facts: str) -> None:
        origin = Origin(KEY, f"--{key}", inside=path.rpartition("/")[2]) if key else None
        facts |= {"file": path, "version": catalog.version, "key": key}
        findings.append(finding(code, path, **facts).of(origin))

    if not isinstance(config, dict):
        report("config-file", case="mapping")
        return tokens, findings
    for key, value in config.items():
        if not isinstance(key, str):
            report("config-file", case="entry", key=str(key))
            continue
        option, negation = f"--{key}", f"--no-{key}"
        if value is True and not grammar.config_words:
            tokens.append(option)
        elif value is False and not grammar.config_words:
            if grammar.config_false and negation in catalog.spellings():
                tokens.append(negation)
                continue
            spelled = catalog.spelled(option.replace("_", "-"))
            off = spelled[0].off if spelled is not None and not spelled[1] else None
            report("config-false", key=key, write=f"{off.removeprefix('--')}: true" if off else "")
        elif isinstance(value, list) and grammar.config_lists:
            tokens += [option, *map(str, value)] if value else []
        elif isinstance(value, dict) and grammar.config_dicts:
            import json  # lazy: few files have an object

            try:
                tokens += [option, json.dumps(value)]
            except (TypeError, ValueError) as error:
                report("config-file", case="entry", key=key, problem=type(error).__name__)
        else:
            tokens += [option, str(value)]
    return tokens, findings


class ConfigFiles:
    """The `config` argument of `argv.reader.parse` that reads files.

    Attributes:
        findings: entries of the files that vLLM ignores.
        places: entry, as findings name it → its place.
    """

    def __init__(
        self, catalog: Catalog, read: Callable[[str], str], *, keep_missing: bool = False
    ) -> None:
        """Set up the reading of files for a version. `read` returns the text of one, or raises an
        exception with the reason; with `keep_missing`, --config stays for a file that may exist
        where vLLM runs.
        """
        self.catalog, self._read, self._keep_missing = catalog, read, keep_missing
        self.findings: list[Finding] = []
        self.places: dict[str, Place] = {}
        self.tokens: Sequence[str] = ()  # of the last file
        self._known: dict[str, list[str] | Finding | None] = {}

    def __call__(self, path: str) -> list[str] | Finding | None:
        # A line with a mistake is read twice; its file may be long.
        if path not in self._known:
            self._known[path] = self._tokens(path)
        return self._known[path]

    def _tokens(self, path: str) -> list[str] | Finding | None:
        try:
            text = self._read(path)
        except Exception as error:
            if self._keep_missing:
                kept = finding("config-file-kept", path, file=path)
                self.findings.append(kept.of(Origin(TOKEN, path, index_of(path))))
                return None
            return finding("config-file", path, case="unreadable", problem=one_line(str(error)))
        from translator.formats import yaml_nodes

        try:
            config, places = yaml_nodes.load(whole(text, path))
        except YamlError as error:
            return finding("config-file", path, case="yaml", file=path, problem=str(error))
        tokens, findings = tokens_of(config, self.catalog, path)
        bad = next((item for item in findings if item.severity == "error"), None)
        if bad is not None:
            return bad
        self.findings = [item for item in self.findings if item not in findings] + findings
        file = path.rpartition("/")[2]
        self.places.update({f"{file}: --{key}": place for key, place in places.items()})
        self.tokens = tokens
        return tokens


def write_argv(line: CommandLine) -> Written:
    """Write the config file equivalent to a command line."""
    text, findings = write(line.argv, line.catalog)
    return text, findings + line.left_out("yaml")


def write(argv: Sequence[str], catalog: Catalog) -> Written:
    """Write the config file equivalent to ["vllm", "serve", …], as returned by `env_to_args`."""
    parsed = parse(list(argv[2:]), catalog)
    if has_errors(parsed.findings):
        return "", parsed.findings
    from translator.formats import yaml_nodes

    version, grammar = catalog.version, catalog.grammar
    if not catalog.knows(CONFIG):
        return "", [finding("flag-not-in-version", CONFIG, given=CONFIG, version=version)]
    values = {name: value for name, (value, _) in parsed.settings().items()}
    entries: dict[str, Any] = {}
    findings: list[Finding] = []
    unsaid: list[str] = []
    head = ""
    values.pop(CONFIG, None)
    if parsed.config is not None:
        findings.append(finding("not-expressible", CONFIG, case="config", file=parsed.config))
    if parsed.model is not None:
        values = {MODEL: parsed.model, **values}
        if names_no_model(grammar):
            del values[MODEL]
            command = f"vllm serve {quote(parsed.model)} {CONFIG} FILE.yaml"
            findings.append(finding("model-beside-config", MODEL, version=version, command=command))
            head = f"# vllm serve {quote(one_line(parsed.model))} {CONFIG} THIS_FILE.yaml\n"
    for name, value in values.items():
        flag = catalog.flag(name) if name != MODEL else None
        ways = [{"model": value}] if flag is None else _candidates(flag, value, grammar)
        entry = next((way for way in ways if _reads_back(way, name, value, catalog)), None)
        if entry is None or any(key in entries for key in entry):
            unsaid.append(name)
        else:
            entries.update(entry)
    if grammar.config_first and entries:
        # One that takes several values must not stand in front of the model.
        flags = {key: catalog.flag(f"--{key}") for key in entries}
        lists = [key for key, flag in flags.items() if flag is not None and flag.kind == "list"]
        entries = dict(sorted(entries.items(), key=lambda item: item[0] not in lists))
        if (last := next(reversed(entries))) in lists:
            unsaid.append(f"--{last}")
    findings += [finding("not-expressible", name, flag=name, version=version) for name in unsaid]
    return head + (yaml_nodes.dump(entries) if entries else "{}\n"), findings


def names_no_model(grammar: Grammar) -> bool:
    """Return whether a file for --config cannot name the model."""
    return grammar.model_required or grammar.model_option == "absent"


def _candidates(flag: Flag, value: Any, grammar: Grammar) -> Iterator[dict[str, Any]]:
    """Yield the ways to write a value, the most readable first."""
    key = flag.flag.removeprefix("--")
    if isinstance(value, bool) and flag.kind in ("switch", "toggle", "bool-value", "optional-str"):
        if value:
            yield {key: True}
        if flag.kind == "bool-value" and flag.false is not None:
            yield {key: "true" if value else flag.false}
        if flag.off and not value:
            yield {flag.off.removeprefix("--"): True}
        return
    several = flag.kind in ("list", "append") and isinstance(value, list)
    texts = [text_of(flag, item) for item in (value if several else [value])]
    if several and flag.kind == "list" and grammar.config_lists:
        pairs = zip(value, texts)
        yield {key: [item if isinstance(item, (int, str)) else text for item, text in pairs]}
    elif not isinstance(value, list) and (grammar.config_dicts or not isinstance(value, dict)):
        yield {key: value}
    if len(texts) == 1:
        yield {key: texts[0]}
    # vLLM turns the key alone into `--key=text`.
    yield {f"{key}={text}": True for text in texts}


def _reads_back(entry: dict[str, Any], name: str, value: Any, catalog: Catalog) -> bool:
    """Return whether the version reads a written entry as the same value of a flag."""
    import yaml

    from translator.formats import yaml_nodes

    try:
        config = yaml.safe_load(yaml_nodes.dump(entry))
    except (yaml.YAMLError, UnicodeEncodeError):
        return False
    tokens, findings = tokens_of(config, catalog) if config == entry else ([], [])
    if findings or not tokens:
        return False
    # Another option must follow it.
    switches = (item.flag for item in catalog.flags() if item.kind == "switch")
    behind = next(flag for flag in switches if flag != name)
    line = [*(["model"] if name != MODEL else []), CONFIG, "x.yaml"]
    parsed = parse(line, catalog, LineRules(lambda _: [*tokens, behind]))
    settings = {item: read for item, (read, _) in parsed.settings().items()}
    model = settings.pop(MODEL, parsed.model)
    if parsed.findings or settings.pop(behind, None) is not True:
        return False
    if name == MODEL:
        return bool(model == value and not settings)
    return model == "model" and settings.keys() == {name} and same(settings[name], value)
