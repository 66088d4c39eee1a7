"""Parse the command line of `vllm serve` as the real parser of a version does.

vLLM's FlexibleArgumentParser rewrites the tokens before argparse reads them. In this order, each
step only in the versions that have it:

    --model M …            M …                          the model first
    M --config f.yaml …    M (tokens of the file) …     so that the command line wins
    --some_flag            --some-flag
    -O3, -O=3, -O 3        the version's own flag for the level
    --f.a.b 1 --f.c+ x,y   --f '{"a": {"b": 1}, "c": ["x", "y"]}'      after everything else
"""

from __future__ import annotations

from translator.argv.argparse_rules import (
    MODULE_PART,
    STOP,
    THROUGHOUT,
    VERDICT,
    WHOLE_LINE,
    ArgumentParser,
    LineRules,
    settings_of,
)
from translator.argv.options import Refused, Rewritten, option_of, written
from translator.findings import Finding, finding
from translator.secrets.masking import MASK
from translator.secrets.secrets import secrets_of
from translator.settings.setting import nest
from translator.tables.entries import CONFIG, MODEL
from translator.text import json_text as jsontext
from translator.text.json_text import JsonError, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.argv.argparse_rules import Parsed
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag, Grammar


def parse(tokens: list[str], catalog: Catalog, rules: LineRules = WHOLE_LINE) -> Parsed:
    """Parse the tokens after `vllm serve`, up to the mistake at which the real parser stops.

    Args:
        tokens: the command line.
        catalog: the version's catalog.
        rules: how to parse it.
    """
    return _parse(tokens, catalog, rules, STOP)


def accepted(tokens: list[str], catalog: Catalog, rules: LineRules = WHOLE_LINE) -> Parsed | None:
    """Parse a command line; return None if the real parser refuses it, for whatever reason.

    The arguments are those of `parse`.
    """
    line = FlexibleArgumentParser(catalog, rules, VERDICT).read(tokens)
    return None if line.findings or line.unknown else line


def whole(
    parsed: Parsed, tokens: list[str], catalog: Catalog, rules: LineRules = WHOLE_LINE
) -> Parsed:
    """Return a parse with the options and the mistakes after the token at which the real parser
    stops, too.
    """
    if not parsed.findings:
        return parsed
    found = _parse(tokens, catalog, rules, THROUGHOUT)
    found.findings = list(dict.fromkeys([*found.findings, *parsed.findings]))
    return found


def _parse(tokens: list[str], catalog: Catalog, rules: LineRules, extent: str) -> Parsed:
    line = FlexibleArgumentParser(catalog, rules, extent).read(tokens)
    if not line.findings:
        return line
    keys = {
        at: flag
        for at, flag in secrets_of(catalog.tables).like_options(tokens).items()
        if not stands(tokens[at], catalog)
    }
    if keys:
        # A secret may begin with a dash. However argparse reads it, no message quotes a part of it.
        rest = [MASK if at in keys else text for at, text in enumerate(tokens)]
        line = FlexibleArgumentParser(catalog, rules, extent).read(rest)
        line.findings[:0] = [
            finding("missing-value", flag, case="dash", flag=flag, version=catalog.version)
            for flag in dict.fromkeys(map(written, keys.values()))
        ]
    return line


def stands(text: str, catalog: Catalog) -> bool:
    """Tell whether the real parser reads a separate token as a value, not as an option."""
    if not text.startswith("-"):
        return True
    grammar = catalog.grammar
    if with_level([with_dashes(text, grammar)], grammar) != [text]:
        return False
    if "." in text.partition("=")[0] and grammar.reads_dots:
        return False
    try:
        return text != "--" and option_of(text, catalog) is None
    except Refused:
        return False


class Misread(Exception):
    """vLLM refuses the tokens that the consumer passes on, or reads them as something else."""


def value_of(tokens: list[str], flag: Flag, catalog: Catalog) -> Any:
    """Return the value that vLLM reads from the tokens of one flag.

    Raises:
        Misread: vLLM refuses the tokens, or they set something else.
    """
    parsed = accepted(tokens, catalog, MODULE_PART)
    if parsed is None:
        raise Misread
    if flag.flag == MODEL and parsed.model is not None and len(tokens) == 2:
        return parsed.model
    found = settings_of(parsed.occurrences)
    if list(found) != [flag.flag] or parsed.model is not None:
        raise Misread
    return found[flag.flag][0]


class FlexibleArgumentParser(ArgumentParser):
    """vLLM's own parser: argparse's, behind the rewriting of tokens."""

    def read(self, tokens: list[str]) -> FlexibleArgumentParser:
        """Parse a line, as far as one was asked for; return the parser, which is the result."""
        try:
            self.assign(self._rewritten(tokens))
        except Refused as refused:
            self.findings.append(refused.finding)
        return self

    def _rewritten(self, tokens: list[str]) -> list[str]:
        """Return the tokens that argparse receives.

        Raises:
            Refused: vLLM refuses them before argparse runs, and the parse stops there.
        """
        grammar = self.grammar
        # Each step runs only if a quick test of the whole line shows that it may apply:
        # this saves 15 µs for most lines.
        if MODEL in "\n".join(tokens):
            tokens = self._with_model_first(tokens)
        if grammar.served_needs_model and tokens and tokens[0].startswith("-"):
            self._refuse_served_name(tokens, grammar.served_needs_model)
        if CONFIG in tokens and self.catalog.knows(CONFIG):  # 0.5 has none
            tokens = self._with_config(tokens)
        together = "\n" + "\n".join(tokens)
        if "_" in together:
            tokens = [with_dashes(text, grammar) if "_" in text else text for text in tokens]
        if "\n-O" in together:
            tokens = with_level(tokens, grammar)
        if grammar.reads_dots and any("." in text and text.startswith("-") for text in tokens):
            tokens = self._with_dotted(tokens)
        if grammar.model_option == "absent" and any(
            text.partition("=")[0] == MODEL for text in tokens
        ):
            self.refuse("model-option", MODEL)
        return tokens

    def _refuse_served_name(self, tokens: list[str], needs: str) -> None:
        """Refuse a served name without a model in front, unless a config file may name it."""
        served = [
            text
            for text in tokens
            if text.partition("=")[0].replace("_", "-") == needs and not text.endswith("=")
        ]
        has_file = any(text.partition("=")[0] == CONFIG and text != f"{CONFIG}=" for text in tokens)
        if served and not has_file:
            self.refuse("missing-model", written(served[0]), case="first", flag=needs)

    def _with_model_first(self, tokens: list[str]) -> list[str]:
        """Handle `--model X`: move it to the front (0.11 on), refuse it (0.8 to 0.10), or leave
        it.
        """
        rule = self.grammar.model_option
        if rule == "refused" and MODEL in tokens:
            self.refuse("model-option", MODEL)
            rule = "moved"
        if rule != "moved":
            return tokens
        for at, text in enumerate(tokens):
            name, sign, value = text.partition("=")
            if name != MODEL or (sign and not value and not self.grammar.model_option_empty):
                continue
            before, behind = tokens[:at], tokens[at + 1 :]
            if sign:
                return [Rewritten(value, text), *before, *behind]
            if not behind:
                self.refuse("missing-value", MODEL, given=MODEL)
                return before
            model = Rewritten(behind[0], f"{MODEL} {written(behind[0])}")
            return [model, *before, *behind[1:]]
        return tokens

    def _with_config(self, tokens: list[str]) -> list[str]:
        """Replace `--config FILE` by the tokens of the file.

        They follow the model directly, so that the command line wins. Up to 0.6.2 they even come
        before it, so that a list at their end takes the model.
        """
        if tokens.count(CONFIG) > 1:
            self.stop(finding("config-file", CONFIG, case="twice"))
        at = tokens.index(CONFIG)
        before, behind = tokens[:at], tokens[at + 2 :]
        if at == len(tokens) - 1:
            self.refuse("missing-value", CONFIG, given=CONFIG)
            return before
        path = tokens[at + 1]
        shown = written(path)
        if path.rpartition(".")[2] not in ("yaml", "yml"):
            self.refuse("config-file", shown, case="suffix", given=f"{CONFIG} {shown}")
            return before + behind
        found = self.rules.config(path)
        if isinstance(found, Finding):
            self.stop(found)
            return before + behind
        required, comes_first = self.grammar.model_required, self.grammar.config_first
        if required and not before and not comes_first:
            self.refuse("missing-model", CONFIG, case="first", flag=CONFIG)
        if found is None:
            self.config = str(path)
            return before + behind
        file = path.rpartition("/")[2]
        pulled: list[str] = [Rewritten(text, f"{file}: {text}") for text in found]
        model_first = bool(before) if required else not tokens[0].startswith("-")
        if model_first and not comes_first:
            return [tokens[0], *pulled, *before[1:], *behind]
        if not (required or comes_first or MODEL in found):
            self.refuse("missing-model", CONFIG, file=shown)
        return pulled + before + behind

    def _with_dotted(self, tokens: list[str]) -> list[str]:
        """Join `--flag.key value` and `--flag.key+ a,b` into one JSON value per flag.

        The values are appended after all other tokens, where they win.

        Raises:
            Refused: a key is too deep.
        """
        taken: set[int] = set()
        dicts: dict[str, dict[str, Any]] = {}
        origins: dict[str, list[str]] = {}
        are_texts = self.grammar.dotted_texts
        option = "--" if are_texts else "-"
        for at, text in enumerate(tokens):
            key, sign, given = text.partition("=")
            # Up to 0.9.1, a value that looks like a dotted key is read as one, too.
            is_value = at in taken and not are_texts
            if is_value or not text.startswith(option) or "." not in key:
                continue
            taken.add(at)
            origin = written(text)
            if not sign:
                if at + 1 == len(tokens):
                    self.refuse("missing-value", origin, given=origin)
                    continue
                taken.add(at + 1)
                given, origin = tokens[at + 1], f"{origin} {written(tokens[at + 1])}"
            if key.count(".") > jsontext.MAX_DEPTH:
                shown, limit = written(text), jsontext.MAX_DEPTH
                raise Refused(finding("bad-json", shown, given=shown, limit=limit))
            value: Any = str(given)
            if not are_texts:
                is_list = key.endswith("+")
                value = given.split(",") if is_list else dotted_value(given, self.catalog)
                key = key[:-1] if is_list else key
            name, *path = key.split(".")
            made = nest(tuple(path), value)
            dicts[name] = _update(dicts[name], made) if name in dicts else made
            origins.setdefault(name, []).append(origin)
        kept = [text for at, text in enumerate(tokens) if at not in taken]
        for name, joined in dicts.items():
            origin = " ".join(origins[name])
            kept += [Rewritten(name, origin), Rewritten(jsontext.spaced(joined), origin)]
        return kept


def with_dashes(text: str, grammar: Grammar) -> str:
    """Replace underscores in an option's name by dashes.

    In a dotted name, only those before the first dot are replaced (in 0.9.0, all).
    """
    if not text.startswith("--") or "_" not in text:
        return text
    key, sign, value = text.partition("=")
    if grammar.dotted or grammar.dotted_underscores:
        name, dot, rest = key.partition(".")
        key = name.replace("_", "-") + dot + rest
    else:
        key = key.replace("_", "-")
    made = key + sign + value
    return Rewritten(made, text) if made != text else text


_LEVELS = ("0", "1", "2", "3")


def with_level(tokens: list[str], grammar: Grammar) -> list[str]:
    """Rewrite `-O3`, `-O=3` and `-O 3` as vLLM does from 0.9 on (before, argparse alone does)."""
    target = grammar.level
    if not grammar.dotted or target is None:
        return tokens
    is_own_flag = target == "optimization-level"
    option = f"--{target}" if is_own_flag else f"-O.{target}"
    found: list[str] = []
    for at, text in enumerate(tokens):
        if text.startswith("-O") and text != "-O" and not (grammar.O_dotted and text[2] == "."):
            value = text[3:] if text[2] == "=" else text[2:]
            if is_own_flag:
                found += [Rewritten(option, text), Rewritten(value, text)]
            else:
                found.append(Rewritten(f"{option}={value}", text))
        elif text == "-O" and at + 1 < len(tokens) and tokens[at + 1] in _LEVELS:
            found.append(Rewritten(option, text))
        elif text.startswith("-O.") and is_own_flag and grammar.O_dotted:
            # 0.12 only: its parser renames the short flag
            found.append(Rewritten(text.replace("-O", "-cc", 1), text))
        else:
            found.append(text)
    return found


def dotted_value(text: str, catalog: Catalog) -> Any:
    """Return the value of a dotted key: JSON, a size in the versions that read them, or text."""
    try:
        return jsontext.loads(text)
    except JsonError:
        if catalog.grammar.dotted_sizes:
            try:
                return size(text)
            except JsonError:
                pass
        return text


def _update(old: Any, new: Any) -> Any:
    """Merge dotted keys into the old value as vLLM does: lists are appended to."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in new.items():
            old[key] = _update(old[key], value) if key in old else value
        return old
    if isinstance(old, list) and isinstance(new, list):
        old += new
        return old
    return new
