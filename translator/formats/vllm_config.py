"""The file of `vllm serve --config`: read as the version's own load_config_file does, and written
so that it reads the same back.

Every key becomes `--key`. true becomes a bare flag. false is dropped by every version: newer ones
look for a negation, but in the parser of `vllm`, not in that of `vllm serve`. Any other value
follows as a token made by str(). Lists become several tokens from 0.10 on, objects one JSON token
from 0.16 on (facts of the catalog's grammar).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import yaml

from translator.argv.argparse_rules import LineRules, settings_of
from translator.argv.parser import parse
from translator.findings import Finding, finding, has_errors, one_line
from translator.formats.forms import CommandLine
from translator.settings.setting import same
from translator.tables.catalog import Catalog
from translator.tables.entries import CONFIG, MODEL, Flag
from translator.text import yaml_nodes
from translator.text.json_text import YamlError
from translator.text.quoting import quote
from translator.values.tokens import text_of

if TYPE_CHECKING:
    from translator.formats.forms import Written
    from translator.text.placed import Place


def tokens_of(
    config: Any, catalog: Catalog, path: str = "the file"
) -> tuple[list[str], list[Finding]]:
    """Return the tokens that a file's content stands for.

    Args:
        config: the parsed YAML of the file.
        catalog: the version's catalog.
        path: the file's path, as messages show it.

    Returns:
        The tokens, and findings: an error if vLLM would crash, a warning if it ignores something.
    """
    if not isinstance(config, dict):
        return [], [_crash("mapping", path, catalog)]
    tokens: list[str] = []
    findings: list[Finding] = []
    grammar = catalog.grammar
    for key, value in config.items():
        if not isinstance(key, str):
            findings.append(_crash("entry", path, catalog, key=str(key)))
            continue
        option, negation = f"--{key}", f"--no-{key}"
        if isinstance(value, bool) and grammar.config_words:
            tokens += [option, str(value)]
        elif value is True:
            tokens.append(option)
        elif value is False and grammar.config_false and negation in catalog.spellings():
            tokens.append(negation)
        elif value is False:
            findings.append(_ignored(key, path, catalog))
        elif isinstance(value, list) and grammar.config_lists:
            tokens += [option, *(str(item) for item in value)] if value else []
        elif isinstance(value, dict) and grammar.config_dicts:
            try:
                tokens += [option, json.dumps(value)]
            except (TypeError, ValueError) as error:
                facts = {"key": key, "problem": type(error).__name__}
                findings.append(_crash("entry", path, catalog, **facts))
        else:
            tokens += [option, str(value)]
    return tokens, findings


def _crash(case: str, path: str, catalog: Catalog, **facts: str) -> Finding:
    version = str(catalog.version)
    return finding("config-file", path, case=case, file=path, version=version, **facts)


def _ignored(key: str, path: str, catalog: Catalog) -> Finding:
    """Return the finding for `key: false`, with the negative flag if the version has one."""
    found = catalog.spellings().get(f"--{key}".replace("_", "-"))
    off = found[0].off if found is not None and not found[1] else None
    facts = {"version": str(catalog.version), "key": key}
    write = f"{off.removeprefix('--')}: true" if off else ""
    return finding("config-false", path, file=path, write=write, **facts)


def load(text: str, path: str) -> Any:
    """Return the parsed YAML of a string, or a Finding if it is not valid YAML."""
    try:
        return yaml_nodes.load(text)
    except YamlError as error:
        return finding("config-file", path, case="yaml", file=path, problem=str(error))


class ConfigFiles:
    """The `config` argument of `argv.reader.parse` that reads files.

    Attributes:
        findings: entries of the files that vLLM ignores.
        places: entry, as findings name it → its place.
    """

    def __init__(
        self, catalog: Catalog, read: Callable[[str], str], *, keep_missing: bool = False
    ) -> None:
        """Set up the reading of config files.

        Args:
            catalog: the version's catalog.
            read: returns a file's text, or raises an exception with the reason.
            keep_missing: whether a missing file may exist where vLLM runs: --config then stays
                unchanged.
        """
        self.catalog, self._read, self._keep_missing = catalog, read, keep_missing
        self.findings: list[Finding] = []
        self.places: dict[str, Place] = {}
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
                self.findings.append(finding("config-file-kept", path, file=path))
                return None
            return finding("config-file", path, case="unreadable", problem=one_line(str(error)))
        config = load(text, path)
        if isinstance(config, Finding):
            return config
        tokens, findings = tokens_of(config, self.catalog, path)
        bad = next((item for item in findings if item.severity == "error"), None)
        if bad is not None:
            return bad
        self.findings = [item for item in self.findings if item not in findings] + findings
        self.places.update(_places(text, path))
        return tokens


def _places(text: str, path: str) -> dict[str, Place]:
    """Return the places of a file's entries that have a line of their own."""
    found: dict[str, Place] = {}
    for number, line in enumerate(text.split("\n"), 1):
        name, sign, _ = line.partition(":")
        key = name.strip(" \"'")
        if sign and key and not line.startswith(" "):
            found[f"{path.rpartition('/')[2]}: --{key}"] = path, number, name.index(key) + 1
    return found


def write_argv(line: CommandLine) -> Written:
    """Write the config file equivalent to a command line."""
    text, findings = write(line.argv, line.catalog)
    return text, findings + line.left_out("yaml")


def write(argv: Sequence[str], catalog: Catalog) -> Written:
    """Write the config file equivalent to a command line.

    Args:
        argv: ["vllm", "serve", …], as returned by `env_to_args`.
        catalog: the version's catalog.
    """
    parsed = parse(list(argv[2:]), catalog)
    if has_errors(parsed.findings):
        return "", parsed.findings
    uses = settings_of(parsed.occurrences)
    version = str(catalog.version)
    entries: dict[str, Any] = {}
    findings: list[Finding] = []
    unsaid: list[str] = []
    head = ""
    if not catalog.knows(CONFIG):
        return "", [finding("flag-not-in-version", CONFIG, given=CONFIG, version=version)]
    if parsed.config is not None:
        findings.append(finding("cannot-be-said", CONFIG, case="config", file=parsed.config))
    if parsed.model is not None:
        uses.pop(MODEL, None)
        if catalog.grammar.model_beside_file:
            command = f"vllm serve {quote(parsed.model)} {CONFIG} FILE.yaml"
            findings.append(finding("model-beside-config", MODEL, version=version, command=command))
            head = f"# vllm serve {quote(one_line(parsed.model))} {CONFIG} THIS_FILE.yaml\n"
        elif _model_reads_back(parsed.model, catalog):
            entries["model"] = parsed.model
        else:
            unsaid.append(MODEL)
    for name, (value, _) in uses.items():
        flag = catalog.flag(name)
        if flag is None or name == CONFIG:
            continue
        ways = _candidates(flag, value, catalog)
        entry = next((item for item in ways if _reads_back(item, flag, value, catalog)), None)
        if entry is None or any(key in entries for key in entry):
            unsaid.append(name)
        else:
            entries.update(entry)
    if catalog.grammar.config_first and entries:
        # One that takes several values must not stand in front of the model.
        takes_more = {
            key
            for key in entries
            if (flag := catalog.flag(f"--{key}")) is not None and flag.kind == "list"
        }
        entries = dict(sorted(entries.items(), key=lambda item: item[0] not in takes_more))
        last = next(reversed(entries))
        if last in takes_more:
            unsaid.append(f"--{last}")
    findings += [finding("cannot-be-said", name, flag=name, version=version) for name in unsaid]
    return head + (yaml_nodes.dump(entries) if entries else "{}\n"), findings


def _candidates(flag: Flag, value: Any, catalog: Catalog) -> Iterator[dict[str, Any]]:
    """Yield the ways to write a value, the most readable first."""
    key = flag.flag.removeprefix("--")
    grammar = catalog.grammar
    if isinstance(value, bool) and flag.kind in ("switch", "toggle", "bool-value", "optional-str"):
        if value:
            yield {key: True}
        if flag.kind == "bool-value" and flag.false is not None:
            yield {key: "true" if value else flag.false}
        if flag.off and not value:
            yield {flag.off.removeprefix("--"): True}
        return
    if flag.kind in ("list", "append") and isinstance(value, list):
        texts = [text_of(flag, item) for item in value]
        if flag.kind == "list" and grammar.config_lists:
            pairs = zip(value, texts)
            yield {key: [item if isinstance(item, (int, str)) else text for item, text in pairs]}
        if len(texts) == 1:
            yield {key: texts[0]}
        # vLLM turns the key alone into `--key=text`.
        yield {f"{key}={text}": True for text in texts}
        return
    text = text_of(flag, value)
    if isinstance(value, dict) and grammar.config_dicts:
        yield {key: value}
    if not isinstance(value, (dict, list)):
        yield {key: value}
    yield {key: text}
    yield {f"{key}={text}": True}


def _tokens_read_back(entry: dict[str, Any], catalog: Catalog) -> list[str] | None:
    """Return the tokens that the version reads from a written entry; None if it is another one."""
    try:
        config = yaml.safe_load(yaml_nodes.dump(entry))
    except (yaml.YAMLError, UnicodeEncodeError):
        return None
    tokens, findings = tokens_of(config, catalog) if config == entry else ([], [])
    return None if findings else tokens or None


def _model_reads_back(model: str, catalog: Catalog) -> bool:
    tokens = _tokens_read_back({"model": model}, catalog)
    if tokens is None:
        return False
    rules = LineRules(lambda _: tokens)
    parsed = parse([CONFIG, "x.yaml"], catalog, rules)
    found = settings_of(parsed.occurrences).get(MODEL, (parsed.model,))[0]
    return not parsed.findings and found == model


def _reads_back(entry: dict[str, Any], flag: Flag, value: Any, catalog: Catalog) -> bool:
    """Return whether the version reads the written entry as the same value."""
    tokens = _tokens_read_back(entry, catalog)
    if tokens is None:
        return False
    # Another option must follow it.
    behind = next(
        item.flag for item in catalog.flags() if item.kind == "switch" and item.flag != flag.flag
    )
    parsed = parse(["model", *tokens, behind], catalog)
    found = settings_of(parsed.occurrences)
    if parsed.findings or parsed.model != "model" or set(found) != {flag.flag, behind}:
        return False
    return same(found[flag.flag][0], value)
