"""The values that were most likely meant by one that is refused, most likely first."""

from __future__ import annotations

from translator.core.settings.changes import with_keys
from translator.core.tables.shapes import UNKNOWN_KEY, expectation, ignored, problems
from translator.core.text.json_text import JsonError, dumps, integer, loads, repair, size, spaced
from translator.core.text.words import distance, nearest
from translator.core.values import FALSE_WORDS, LEVELS, TRUE_WORDS, BadValue, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from translator.core.tables.catalog import Catalog, Flag, Variable
    from translator.core.tables.entries import Shape


def of_variable(variable: Variable, text: str) -> Iterator[str]:
    """Yield what may be meant by the value of a variable of vLLM's own."""
    plain = cleaned(text)
    yield text
    yield plain
    yield from _of_kind(variable.kind.replace("bool-int", "bool"), plain, variable.choices)
    if word := _boolean(plain):
        yield "1" if word == "true" else "0"


def of_flag(flag: Flag, text: str, catalog: Catalog, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield what may be meant by the value of a flag, or of a key of one."""
    plain = cleaned(text)
    yield text
    yield plain
    shape = catalog.shape(flag.flag)
    if path:
        yield from _of_key(shape or {}, path, plain)
        return
    choices = choices_of(flag, catalog)
    if flag.element and choices is not None and "," in plain:
        items = [near_choice(item, choices) or item for item in plain.split(",")]
        yield ",".join(items)
    yield from _of_kind(flag.kind, plain, choices)
    if flag.kind in ("list", "append") or isinstance(flag.default, list):
        yield near_array(plain)
        yield ",".join(item for item in plain.split(",") if item.strip())
    written = spaced if '": ' in text else dumps
    for value in (*_json_values(text), *_json_values(plain)):
        yield written(value)
        if shape is not None:
            yield written(mended(value, shape, catalog))


def choices_of(flag: Flag, catalog: Catalog) -> Collection[Any] | None:
    """Return the values that a flag is limited to, by the parser or by the engine."""
    bounds = catalog.bounds(flag.flag)
    return flag.choices or (bounds and bounds.names) or None


def _of_kind(kind: str, text: str, choices: Collection[Any] | None) -> Iterator[str]:
    if choices is not None:
        number = near_integer(text) if any(isinstance(it, int) for it in choices) else ""
        yield near_choice(number or text, choices)
    elif kind in ("switch", "toggle", "bool-value", "bool"):
        yield _boolean(text)
    elif kind in ("int", "size", "size-or-auto"):
        # A decimal takes the suffixes of powers of ten only.
        yield text[:-1] + text[-1:].lower() if "." in text and text[-1:].isalpha() else ""
        if kind == "int" and text[-1:] in ("b", "B"):  # of a number of blocks, say
            return
        yield near_integer(text)
        yield "" if text.endswith("%") else near_number(text)
    elif kind == "float":
        yield near_number(text)
        yield near_number(f"{text}%")  # a percentage, where the bounds say so


def cleaned(text: str) -> str:
    """Return a value without blanks, quotes and commas around it, which docker's --env-file and
    copied JSON leave there.
    """
    plain = ""
    while plain != text:
        plain, text = text, text.strip().rstrip(",;").strip()
        inner = unquoted(text)  # of `'a','b'`, the quotes are those of its elements
        is_list = {'"', "'"} & {*inner} and inner[:1] not in "{['\""
        text = text if is_list else inner
    return plain


def _boolean(text: str) -> str:
    """`"yes"`, `t` and `fasle` are meant as "true" and "false"."""
    word = text.lower()
    if word in TRUE_WORDS or word[:1] in ("t", "y"):
        return "true"
    is_false = word in FALSE_WORDS or word[:1] in ("f", "n")
    return "false" if is_false and word != "none" else ""


def near_number(text: str) -> str:
    """`90%`, `0,9` and `4GB` are meant as 0.9, 0.9 and 4."""
    number = text.rstrip("%kKmMgGtTiIbB ").replace(",", ".")
    try:
        value = float(number)
    except ValueError:
        return ""
    return f"{value / 100 if text.endswith('%') else value:g}"


def unquoted(text: str) -> str:
    """Remove surrounding blanks and one pair of quotes (docker's --env-file keeps quotes)."""
    stripped = text.strip()
    is_quoted = len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "\"'"
    return stripped[1:-1].strip() if is_quoted else stripped


def near_integer(text: str) -> str:
    """Return the digits for `"8192"`, `8,192`, `8_192`, `8k`, `32kb`, `2.0`; "" if none fit."""
    plain = unquoted(text)
    parts = plain.replace("_", ",").split(",")
    whole = "".join(parts) if all(len(part) == 3 for part in parts[1:]) else plain
    without_unit = [plain[:-1], plain[:-2]] if plain[-1:] in ("b", "B") else []
    for candidate in (plain, whole, plain[:-1] + plain[-1:].lower(), *without_unit):
        try:
            return str(size(candidate))
        except JsonError:
            continue
    try:
        number = float(plain)
        return str(int(number)) if number >= 1 and number == int(number) else ""
    except (ValueError, OverflowError):
        return ""


def near_array(text: str) -> str:
    """Return the JSON array for `*`, `a,b`, `1,2,4`; "" for a string that looks like JSON."""
    if not text or text[0] in "[{":
        return ""
    items = [item.strip() for item in text.split(",") if item.strip()]
    try:
        return dumps([integer(item) for item in items])
    except JsonError:
        return dumps([unquoted(item) for item in items])


# A value that is no number and no word of JSON's.
_BARE_WORD = r"(:\s*)(?!(?:true|false|null)\s*[,}\]])([A-Za-z/_][\w./-]*)(?=\s*[,}\]])"


def near_json(text: str) -> str:
    """Return repaired JSON, or that of `image=1,video=0`; "" if it is neither. A template may have
    doubled its braces, a shell's quotes may have kept a backslash, or removed the quotes of keys.
    """
    import re  # no start of vLLM gets here

    stripped = text.strip()
    doubled = stripped[1:-1] if stripped[:2] == "{{" and stripped[-2:] == "}}" else text
    bare = re.sub(r"\\([{}\[\]\",:])", r"\1", text) if stripped[:2] == "\\{" else text
    has_quotes = '"' in text or "'" in text
    keyed = re.sub(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)", r'\1"\2"\3', "" if has_quotes else text)
    keyed = re.sub(_BARE_WORD, r'\1"\2"', keyed)
    for candidate in (text, doubled, bare, keyed):
        try:
            value, repaired = repair(candidate)
        except JsonError:
            continue
        return text if candidate is text and not repaired else dumps(value)
    try:
        return dumps(pairs(text)) if text.strip()[:1] not in ("{", "[") else ""
    except BadValue:
        return ""


def near_choice(text: str, choices: Iterable[object]) -> str:
    """Return the choice meant by a misspelt, abbreviated (`bf16`), quoted or differently cased
    string, or the nearest number; "" if there is none, and if several are as near.
    """
    near = near_choices(text, choices)
    return near[0] if len(near) == 1 else ""


def near_choices(text: str, choices: Iterable[object]) -> Sequence[str]:
    """Return the choices that may be meant by a string, all as near as each other."""
    numbers = sorted(item for item in choices if isinstance(item, int))
    if numbers and text.isdecimal():
        return [str(min(numbers, key=lambda item: abs(item - float(text))))]
    by_case = {str(item).casefold(): str(item) for item in choices}
    plain = unquoted(text)
    word = plain.casefold()
    # PyTorch's names: `fp16`
    if exact := by_case.get(word) or by_case.get(word.replace("fp", "float")):
        return [exact]
    # `FLASH_ATTENTION` is rather `FLASH_ATTN` than `FLEX_ATTENTION`.
    likely = nearest(plain, [*by_case.values()], 3)
    ranks = {choice: (choice[:3] != plain[:3], distance(plain, choice)) for choice in likely}
    near = [choice for choice, rank in ranks.items() if rank == min(ranks.values())]
    if not near and len(word) > 2:
        near = [choice for known, choice in by_case.items() if _holds(known, word)]
    return near


def _holds(word: str, letters: str) -> bool:
    """Return whether a word has letters in their order: `bfloat16` those of `bf16`."""
    rest = iter(word)
    return all(letter in rest for letter in letters)


# --- JSON


def _json_values(text: str) -> Iterator[Any]:
    """Yield the JSON values that a text may be meant as."""
    for candidate in (text, near_json(text), _closed(text)):
        try:
            yield repair(candidate)[0]
        except JsonError:
            continue


def _closed(text: str) -> str:
    """Return JSON with the brackets and the quote that are missing at its end."""
    missing, in_string, escaped = [], False, False
    for char in text:
        if in_string:
            in_string, escaped = escaped or char != '"', not escaped and char == "\\"
        elif char == '"':
            in_string = True
        elif char in "{[":
            missing.append("}" if char == "{" else "]")
        elif char in "}]" and missing:
            missing.pop()
    return text.rstrip(", ") + '"' * in_string + "".join(reversed(missing))


def mended(value: Any, shape: Shape, catalog: Catalog) -> Any:
    """Return a JSON value with the keys and the values that were most likely meant."""
    level = catalog.grammar.level
    if str(value) in LEVELS and level in shape.get("keys", {}):
        return {level: int(value)}
    for path, item, expected in list(problems(value, shape)):
        if expected == UNKNOWN_KEY:
            value = _changed(value, path, _near_key(shape, path))
        else:
            value = _changed(value, path, "", _near_item(shape, path, item, expected))
    for path in ignored(value, shape):
        value = _changed(value, path, _near_key(shape, path))
    return value


def _changed(value: Any, path: str, name: str, item: Any = None) -> Any:
    """Return a JSON object with another name, or another value, of the key at a dotted path."""
    *_, key = keys = path.split(".")
    if not isinstance(value, dict):
        return value
    return with_keys(value, keys, lambda old: {name: old} if name else {key: item})


def _of_key(shape: Shape, path: Sequence[str], text: str) -> Iterator[str]:
    """Yield what may be meant by the value of a key."""
    inner = _inner(shape, path)
    item = _near_item(shape, ".".join(path), text, expectation(inner)) if inner else text
    yield item if isinstance(item, str) else dumps(item)


def near_path(path: Sequence[str], shape: Shape) -> tuple[str, ...]:
    """Return the keys that some are misspellings of, outermost first."""
    near: tuple[str, ...] = ()
    for key in path:
        near = (*near, _near_key(shape, ".".join((*near, key))))
    return near


def _inner(shape: Shape, path: Iterable[str]) -> Shape:
    for part in path:
        shape = shape.get("keys", {}).get(part.partition("[")[0], {})
    return shape


def _near_key(shape: Shape, path: str) -> str:
    """Return the key that an unknown one is a misspelling of; itself for none."""
    *outer, name = path.split(".")
    known = sorted(_inner(shape, outer).get("keys", {}))
    alike = name.lower().replace("-", "_").strip()
    return alike if alike in known else next(iter(nearest(alike, known, 1)), name)


def _near_item(shape: Shape, path: str, item: Any, expected: str) -> Any:
    """Return the value of a key that was most likely meant; itself for none."""
    inner = _inner(shape, path.split("."))
    if not isinstance(item, str):
        return item
    text = cleaned(item)
    choices = [choice for choice in inner.get("choices", ()) if isinstance(choice, str)]
    if near := near_choice(text, choices):
        return near
    for near in (text, near_integer(text), near_number(text), _boolean(text)):
        try:
            value = loads(near)
        except JsonError:
            continue
        if not any(problems(value, inner)):
            return value
    if expected.startswith(expectation({"kind": "list"})):
        return loads(near_array(text) or '""')
    return item
