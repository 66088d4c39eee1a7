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
from translator.findings import Finding, finding, show
from translator.secrets.masking import Token, shown_text
from translator.secrets.secrets import secrets_of
from translator.settings.setting import nest
from translator.tables.entries import CONFIG, MODEL, level_of
from translator.text import json_text as jsontext
from translator.text.json_text import JsonError, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.argv.parsed import ParseState
    from translator.tables.catalog import Catalog


_LEVELS = ("0", "1", "2", "3")


def rewrite(tokens: list[str], state: ParseState) -> list[str]:
    """Return the tokens that argparse receives.

    Raises:
        Refused: vLLM refuses them before argparse runs, and the parse is not thorough.
    """
    grammar = state.grammar
    # Each step runs only if a quick test of the whole line shows that it may apply:
    # this saves 15 µs for most lines.
    if MODEL in "\n".join(tokens):
        tokens = _move_model(tokens, state)
    if grammar.get("served_needs_model") and tokens and tokens[0].startswith("-"):
        served = [
            text
            for text in tokens
            if text.partition("=")[0].replace("_", "-") == grammar["served_needs_model"]
            and not text.endswith("=")
        ]
        if served and not any(
            text == CONFIG or (text.startswith(CONFIG + "=") and text != CONFIG + "=")
            for text in tokens
        ):
            state.refuse(
                finding(
                    "missing-model",
                    shown_text(served[0]),
                    case="served",
                    flag=grammar["served_needs_model"],
                    version=state.catalog.version,
                )
            )
    if CONFIG in tokens and state.catalog.knows(CONFIG):  # 0.5 has none
        tokens = _pull_config(tokens, state)
    together = "\n" + "\n".join(tokens)
    if "_" in together:
        tokens = [with_dashes(text, grammar) if "_" in text else text for text in tokens]
    if "\n-O" in together:
        tokens = with_level(tokens, grammar)
    if has_dotted(grammar) and any("." in text and text.startswith("-") for text in tokens):
        tokens = _collect_dotted(tokens, state)
    return tokens


def _move_model(tokens: list[str], state: ParseState) -> list[str]:
    """Handle `--model X`: move it to the front (0.11 on), refuse it (0.8 to 0.10), or leave it."""
    rule = state.grammar.get("model_option")
    if rule == "refused" and MODEL in tokens:
        state.refuse(finding("model-option", MODEL, version=state.catalog.version))
        rule = "moved"
    if rule != "moved":
        return tokens
    empty_counts = state.grammar.get("model_option_empty", False)
    for at, text in enumerate(tokens):
        if text == MODEL or (
            text.startswith(MODEL + "=") and (empty_counts or text != MODEL + "=")
        ):
            if text == MODEL:
                if at + 1 >= len(tokens):
                    state.refuse(
                        finding("missing-value", MODEL, given=MODEL, version=state.catalog.version)
                    )
                    return tokens[:at]
                return [
                    Token(tokens[at + 1], f"{MODEL} {shown_text(tokens[at + 1])}"),
                    *tokens[:at],
                    *tokens[at + 2 :],
                ]
            return [
                Token(text.partition("=")[2], shown_text(text)),
                *tokens[:at],
                *tokens[at + 1 :],
            ]
    return tokens


def _pull_config(tokens: list[str], state: ParseState) -> list[str]:
    """Replace `--config FILE` by the tokens of the file.

    They follow the model directly, so that the command line wins. Up to 0.6.2 they even come before
    it, so that a list at their end takes the model.
    """
    comes_first = state.grammar.get("config_first", False)
    if tokens.count(CONFIG) > 1:
        state.refuse(finding("config-file", CONFIG, case="twice"))
    at = tokens.index(CONFIG)
    if at == len(tokens) - 1:
        state.refuse(finding("missing-value", CONFIG, given=CONFIG, version=state.catalog.version))
        return tokens[:at]
    path = tokens[at + 1]
    if path.rpartition(".")[2] not in ("yaml", "yml"):
        state.refuse(
            finding(
                "config-file",
                shown_text(path),
                case="suffix",
                given=f"{CONFIG} {show(shown_text(path))}",
                version=state.catalog.version,
            )
        )
        return [*tokens[:at], *tokens[at + 2 :]]
    found = state.rules.config(path)
    model_first = not tokens[0].startswith("-")
    if isinstance(found, Finding):
        state.refuse(found)
        return [*tokens[:at], *tokens[at + 2 :]]
    if found is None:
        if state.grammar.get("model_required") and at == 0 and not comes_first:
            state.refuse(
                finding("missing-model", CONFIG, case="config", version=state.catalog.version)
            )
        state.parsed.config = str(path)
        return [*tokens[:at], *tokens[at + 2 :]]
    secrets = secrets_of(state.catalog.tables)
    pulled = secrets.clean_tokens(found, file=secrets.showing.path(path))
    if comes_first:
        return [*pulled, *tokens[:at], *tokens[at + 2 :]]
    if state.grammar.get("model_required"):
        if at == 0:
            state.refuse(
                finding("missing-model", CONFIG, case="config", version=state.catalog.version)
            )
            return [*pulled, *tokens[2:]]
        return [tokens[0], *pulled, *tokens[1:at], *tokens[at + 2 :]]
    if model_first:
        return [tokens[0], *pulled, *tokens[1:at], *tokens[at + 2 :]]
    if MODEL not in found:
        state.refuse(
            finding(
                "missing-model",
                CONFIG,
                case="file",
                file=show(shown_text(path)),
                version=state.catalog.version,
            )
        )
    return [*pulled, *tokens[:at], *tokens[at + 2 :]]


def has_dotted(grammar: dict[str, Any]) -> bool:
    """Tell whether dotted keys are read: as JSON, or (before 0.9.2) as text."""
    return bool(grammar.get("dotted") or grammar.get("dotted_texts"))


def with_dashes(text: str, grammar: dict[str, Any]) -> str:
    """Replace underscores in an option's name by dashes.

    In a dotted name, only those before the first dot are replaced (in 0.9.0, all).
    """
    if not text.startswith("--") or "_" not in text:
        return text
    key, sign, value = text.partition("=")
    if grammar.get("dotted") or grammar.get("dotted_underscores"):
        name, dot, rest = key.partition(".")
        key = name.replace("_", "-") + dot + rest
    else:
        key = key.replace("_", "-")
    return Token(key + sign + value, shown_text(text))


def with_level(tokens: list[str], grammar: dict[str, Any]) -> list[str]:
    """Rewrite `-O3`, `-O=3` and `-O 3` as vLLM does from 0.9 on (before, argparse alone does)."""
    target = level_of(grammar)
    if not grammar.get("dotted") or target is None:
        return tokens
    found: list[str] = []
    for at, text in enumerate(tokens):
        if (
            text.startswith("-O")
            and text != "-O"
            and not (grammar.get("O_dotted") and text[2] == ".")
        ):
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
        elif text.startswith("-O.") and target == "optimization-level" and grammar.get("O_dotted"):
            found.append(
                Token(text.replace("-O", "-cc", 1), shown_text(text))
            )  # 0.12 only: its parser renames the short flag
        else:
            found.append(text)
    return found


def _collect_dotted(tokens: list[str], state: ParseState) -> list[str]:
    """Join `--flag.key value` and `--flag.key+ a,b` into one JSON value per flag.

    The values are appended after all other tokens, where they win.
    """
    kept: list[str] = []
    dicts: dict[str, dict[str, Any]] = {}
    origins: dict[str, list[str]] = {}
    texts = state.grammar.get("dotted_texts", False)
    option = "--" if texts else "-"
    skip = False
    for at, text in enumerate(tokens):
        if skip:
            skip = False
            continue
        if (
            not text.startswith(option)
            or "." not in text
            or (text.startswith("--") and "." not in text.partition("=")[0] and "=" in text)
        ):
            kept.append(text)
            continue
        key, sign, value_text = text.partition("=")
        if sign and "." not in key:
            kept.append(text)
            continue
        shown = shown_text(text)
        if not sign:
            if at + 1 >= len(tokens):
                state.refuse(
                    finding(
                        "missing-value", shown, given=show(shown), version=state.catalog.version
                    )
                )
                continue
            value_text = tokens[at + 1]
            shown = f"{shown_text(text)} {shown_text(tokens[at + 1])}"
            skip = True
        if key.count(".") > jsontext.MAX_DEPTH:
            raise Refused(
                finding(
                    "bad-json",
                    shown_text(text),
                    case="too-deep",
                    given=show(shown_text(text)),
                    limit=jsontext.MAX_DEPTH,
                )
            )
        value: Any
        if texts:
            value = str(value_text)
        elif key.endswith("+"):
            key = key[:-1]
            value = value_text.split(",")
        else:
            value = dotted_value(value_text, state.catalog)
        name, *path = key.split(".")
        old = dicts.setdefault(name, {})
        dicts[name] = _update(old, nest(tuple(path), value))
        origins.setdefault(name, []).append(shown)
    for name, value in dicts.items():
        together = " ".join(origins[name])
        kept += [Token(name, together), Token(jsontext.spaced(value), together)]
    return kept


def dotted_value(text: str, catalog: Catalog) -> Any:
    try:
        return jsontext.loads(text)
    except JsonError:
        if catalog.grammar.get("dotted_sizes"):
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
