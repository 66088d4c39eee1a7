"""Token rewriting that vLLM's FlexibleArgumentParser does before argparse.

In this order, each step only in the versions that have it:

    --model M …            M …                          the model first
    M --config f.yaml …    M (tokens of the file) …     so that the command line wins
    --some_flag            --some-flag
    -O3, -O=3, -O 3        the version's own flag for the level
    --f.a.b 1 --f.c+ x,y   --f '{"a": {"b": 1}, "c": ["x", "y"]}'      after everything else
"""

from __future__ import annotations

from translator.argv.parsed import Refused
from translator.findings import Finding, finding
from translator.secrets.masking import Token, shown_text
from translator.secrets.secrets import secrets_of
from translator.settings.setting import nest
from translator.tables.entries import CONFIG, MODEL
from translator.text import json_text as jsontext
from translator.text.json_text import JsonError, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.argv.parsed import LineParse
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Grammar


_LEVELS = ("0", "1", "2", "3")


def rewrite(tokens: list[str], line: LineParse) -> list[str]:
    """Return the tokens that argparse receives.

    Raises:
        Refused: vLLM refuses them before argparse runs, and the parse stops there.
    """
    grammar = line.grammar
    # Each step runs only if a quick test of the whole line shows that it may apply:
    # this saves 15 µs for most lines.
    if MODEL in "\n".join(tokens):
        tokens = _move_model(tokens, line)
    if grammar.served_needs_model and tokens and tokens[0].startswith("-"):
        _refuse_served_name(tokens, grammar.served_needs_model, line)
    if CONFIG in tokens and line.catalog.knows(CONFIG):  # 0.5 has none
        tokens = _pull_config(tokens, line)
    together = "\n" + "\n".join(tokens)
    if "_" in together:
        tokens = [with_dashes(text, grammar) if "_" in text else text for text in tokens]
    if "\n-O" in together:
        tokens = with_level(tokens, grammar)
    if grammar.reads_dots and any("." in text and text.startswith("-") for text in tokens):
        tokens = _collect_dotted(tokens, line)
    if grammar.model_option == "absent" and any(text.partition("=")[0] == MODEL for text in tokens):
        line.refuse("model-option", MODEL)
    return tokens


def _refuse_served_name(tokens: list[str], needs: str, line: LineParse) -> None:
    """Refuse a served name without a model in front, unless a config file may name it."""
    served = [
        text
        for text in tokens
        if text.partition("=")[0].replace("_", "-") == needs and not text.endswith("=")
    ]
    has_file = any(text.partition("=")[0] == CONFIG and text != f"{CONFIG}=" for text in tokens)
    if served and not has_file:
        line.refuse("missing-model", shown_text(served[0]), case="served", flag=needs)


def _move_model(tokens: list[str], line: LineParse) -> list[str]:
    """Handle `--model X`: move it to the front (0.11 on), refuse it (0.8 to 0.10), or leave it."""
    rule = line.grammar.model_option
    if rule == "refused" and MODEL in tokens:
        line.refuse("model-option", MODEL)
        rule = "moved"
    if rule != "moved":
        return tokens
    empty_counts = line.grammar.model_option_empty
    for at, text in enumerate(tokens):
        name, sign, value = text.partition("=")
        if name != MODEL or (sign and not value and not empty_counts):
            continue
        before, behind = tokens[:at], tokens[at + 1 :]
        if sign:
            return [Token(value, shown_text(text)), *before, *behind]
        if not behind:
            line.refuse("missing-value", MODEL, given=MODEL)
            return before
        return [Token(behind[0], f"{MODEL} {shown_text(behind[0])}"), *before, *behind[1:]]
    return tokens


def _pull_config(tokens: list[str], line: LineParse) -> list[str]:
    """Replace `--config FILE` by the tokens of the file.

    They follow the model directly, so that the command line wins. Up to 0.6.2 they even come before
    it, so that a list at their end takes the model.
    """
    if tokens.count(CONFIG) > 1:
        line.stop(finding("config-file", CONFIG, case="twice"))
    at = tokens.index(CONFIG)
    before, behind = tokens[:at], tokens[at + 2 :]
    if at == len(tokens) - 1:
        line.refuse("missing-value", CONFIG, given=CONFIG)
        return before
    path = tokens[at + 1]
    shown = shown_text(path)
    if path.rpartition(".")[2] not in ("yaml", "yml"):
        given = f"{CONFIG} {shown}"
        line.refuse("config-file", shown_text(path), case="suffix", given=given)
        return before + behind
    found = line.rules.config(path)
    if isinstance(found, Finding):
        line.stop(found)
        return before + behind
    required, comes_first = line.grammar.model_required, line.grammar.config_first
    if required and not before and not comes_first:
        line.refuse("missing-model", CONFIG, case="config")
    if found is None:
        line.config = str(path)
        return before + behind
    secrets, file = secrets_of(line.catalog.tables), path.rpartition("/")[2]
    pulled = [Token(text, f"{file}: {shown_text(text)}") for text in secrets.clean_tokens(found)]
    model_first = bool(before) if required else not tokens[0].startswith("-")
    if model_first and not comes_first:
        return [tokens[0], *pulled, *before[1:], *behind]
    if not (required or comes_first or MODEL in found):
        line.refuse("missing-model", CONFIG, case="file", file=shown)
    return pulled + before + behind


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
    return Token(key + sign + value, shown_text(text))


def with_level(tokens: list[str], grammar: Grammar) -> list[str]:
    """Rewrite `-O3`, `-O=3` and `-O 3` as vLLM does from 0.9 on (before, argparse alone does)."""
    target = grammar.level
    if not grammar.dotted or target is None:
        return tokens
    found: list[str] = []
    for at, text in enumerate(tokens):
        if text.startswith("-O") and text != "-O" and not (grammar.O_dotted and text[2] == "."):
            value = text[3:] if text[2] == "=" else text[2:]
            if target == "optimization-level":
                found += [Token(f"--{target}", shown_text(text)), Token(value, shown_text(text))]
            else:
                found.append(Token(f"-O.{target}={value}", shown_text(text)))
        elif text == "-O" and at + 1 < len(tokens) and tokens[at + 1] in _LEVELS:
            found.append(
                Token(
                    f"--{target}" if target == "optimization-level" else f"-O.{target}",
                    shown_text(text),
                )
            )
        elif text.startswith("-O.") and target == "optimization-level" and grammar.O_dotted:
            found.append(
                Token(text.replace("-O", "-cc", 1), shown_text(text))
            )  # 0.12 only: its parser renames the short flag
        else:
            found.append(text)
    return found


def _collect_dotted(tokens: list[str], line: LineParse) -> list[str]:
    """Join `--flag.key value` and `--flag.key+ a,b` into one JSON value per flag.

    The values are appended after all other tokens, where they win.

    Raises:
        Refused: a key is too deep.
    """
    taken: set[int] = set()
    dicts: dict[str, dict[str, Any]] = {}
    origins: dict[str, list[str]] = {}
    are_texts = line.grammar.dotted_texts
    option = "--" if are_texts else "-"
    for at, text in enumerate(tokens):
        key, sign, given = text.partition("=")
        # Up to 0.9.1, a value that looks like a dotted key is read as one, too.
        is_value = at in taken and not are_texts
        if is_value or not text.startswith(option) or "." not in key:
            continue
        taken.add(at)
        origin = shown_text(text)
        if not sign:
            if at + 1 == len(tokens):
                line.refuse("missing-value", origin, given=origin)
                continue
            taken.add(at + 1)
            given, origin = tokens[at + 1], f"{origin} {shown_text(tokens[at + 1])}"
        if key.count(".") > jsontext.MAX_DEPTH:
            shown, limit = shown_text(text), jsontext.MAX_DEPTH
            raise Refused(finding("bad-json", shown, case="too-deep", given=shown, limit=limit))
        value: Any = str(given)
        if not are_texts:
            is_list = key.endswith("+")
            value = given.split(",") if is_list else dotted_value(given, line.catalog)
            key = key[:-1] if is_list else key
        name, *path = key.split(".")
        dicts[name] = _update(dicts.get(name, {}), nest(tuple(path), value))
        origins.setdefault(name, []).append(origin)
    kept = [text for at, text in enumerate(tokens) if at not in taken]
    for name, value in dicts.items():
        together = " ".join(origins[name])
        kept += [Token(name, together), Token(jsontext.spaced(value), together)]
    return kept


def dotted_value(text: str, catalog: Catalog) -> Any:
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
