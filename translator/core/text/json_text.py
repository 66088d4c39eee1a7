"""JSON text to values and back, with vLLM's extensions: human-readable numbers, Python literals,
stray quotes.

JSON is read and written by the standard library. Its module `json` imports `re`, which costs the
entrypoint 6 ms of its 18; the parts written in C, as CPython has them, need neither. `json` is
imported only for input that they reject, since it has the best error messages.
"""

from __future__ import annotations

import os
from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner
from _thread import allocate_lock

from translator.core.text.words import is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_compiled")

_SIZES = {
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
    "T": 2**40,
}


# Python writes no integer with more than 4,300 digits (sys.int_info); a suffix adds 13.
_MOST_DIGITS = 4_287
_MOST_BITS = 14_284


class JsonError(ValueError):
    """A string is invalid; the message gives the reason for a person."""


class YamlError(ValueError):
    """A string is not YAML; one line says why. It is here: PyYAML takes long to import."""


def size(text: str, suffixes: str = "kKmMgGtT") -> int:
    """Parse an integer with a human-readable suffix, exactly as vLLM's human_readable_int does
    (through a float for decimal suffixes).

    >>> size("1k"), size("1K"), size("25.6k"), size(" 7 "), size("-1")
    (1000, 1024, 25600, 7, -1)

    Raises:
        JsonError: the string is not such an integer.
    """
    text = text.strip()
    number, suffix = text[:-1], text[-1:]
    if suffix and suffix in suffixes:
        whole, point, fraction = number.partition(".")
        if whole.isdecimal() and (not point or fraction.isdecimal()):
            if suffix.islower():
                try:
                    return int(float(number) * _SIZES[suffix])
                except OverflowError:  # 400 digits do not fit in a float
                    raise JsonError("it is too large") from None
            if point:
                raise JsonError(
                    f"decimals go with decimal suffixes only: {number}{suffix.lower()} is"
                    f" {size(number + suffix.lower())}"
                )
            if len(number) > _MOST_DIGITS:
                raise JsonError("it is too large")
            return integer(number) * _SIZES[suffix]
    return integer(text)


def integer(text: str) -> int:
    """Return Python's own `int(text)`, but with a short error message.

    Raises:
        JsonError: the string is not an integer.
    """
    try:
        return int(text)
    except ValueError as error:
        raise JsonError(
            "not an integer" if "invalid literal" in str(error) else str(error).partition(";")[0]
        ) from None


MAX_DEPTH = 200
"""The levels of a value: what works with values recurses into them."""
_TOO_DEEP = f"it nests deeper than {MAX_DEPTH}"


def loads(text: str) -> Any:
    """Parse JSON as Python's json does (including NaN and Infinity, as in vLLM's parser).

    Raises:
        JsonError: the string is not JSON, or nests too deeply.
    """
    try:
        value, end = scan(text, len(text) - len(text.lstrip(_BLANKS)))
        if end == len(text) or not text[end:].strip(_BLANKS):
            return value if len(text) <= MAX_DEPTH else _shallow(value, text)
    except (StopIteration, ValueError, SystemError):
        # SystemError: up to 3.11, the scanner cannot make its exception before json is imported
        pass
    except RecursionError:
        raise JsonError(_TOO_DEEP) from None
    import json

    try:
        return _shallow(json.loads(text), text)
    except json.JSONDecodeError as error:
        reason = _REASONS.get(error.msg, error.msg[:1].lower() + error.msg[1:])
        raise JsonError(f"{reason} at character {error.pos + 1}") from None
    except RecursionError:
        raise JsonError(_TOO_DEEP) from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise JsonError(str(error).partition(";")[0]) from None


_REASONS = {"Expecting property name enclosed in double quotes": "expecting a key in double quotes"}


def compiled(name: str) -> str:
    """Return the text of a compiled table of this package, also where it runs from a zip.

    Raises:
        OSError: there is none of this name.
    """
    path = os.path.join(_FOLDER, name)
    try:
        with open(path, "rb", 0) as file:
            return file.read().decode()
    except NotADirectoryError:
        content: bytes = __loader__.get_data(path)  # type: ignore[name-defined]
        return content.decode()


def lines_of(text: str) -> dict[str, str]:
    """Return the entries of a compiled file, a JSON object with one a line, as text by name: most
    processes need only a few of them. Names in files that are read this way need no escapes.
    """
    return dict([line.split('":', 1) for line in text.split('\n"')[1:]])


def _shallow(value: Any, text: str) -> Any:
    """Return a value that was read from a string, or raise a JsonError if it nests too deep."""
    if text.count("[") + text.count("{") + text.count("(") <= MAX_DEPTH:
        return value
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            if isinstance(item, (dict, list, tuple))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    if any(isinstance(item, (dict, list, tuple)) for item in level):
        raise JsonError(_TOO_DEEP)
    return value


class _Reading:
    """The attributes that json.JSONDecoder passes to the scanner by default."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {
        "NaN": float("nan"),
        "Infinity": float("inf"),
        "-Infinity": float("-inf"),
    }.__getitem__


scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Reading)  # type: ignore[arg-type]
"""Return the JSON value that begins at an index of a string, and the index of its end; raise
StopIteration or ValueError if none begins there.
"""

_BLANKS = " \t\n\r"  # of JSON


def dumps(value: Any) -> str:
    """Return compact JSON in which only lone surrogates, which argv cannot hold, are escaped."""
    text = "".join(_COMPACT(value, 0))
    return text if is_utf8(text) else "".join(_ASCII(value, 0))


def spaced(value: Any) -> str:
    """Return JSON as vLLM writes dotted keys back into one token: with spaces, ASCII only."""
    return "".join(_SPACED(value, 0))


def indented(value: Any) -> str:
    """Return indented JSON; lone surrogates (non-UTF-8 bytes) are escaped."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=False)
    return (text if is_utf8(text) else json.dumps(value, indent=2)) + "\n"


def _no_json(value: object) -> Any:
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


def _encoder(quote: Callable[[str], str], key: str, item: str) -> Callable[[Any, int], Any]:
    return make_encoder(None, _no_json, quote, None, key, item, False, False, True)


_COMPACT = _encoder(encode_basestring, ":", ",")
_ASCII = _encoder(encode_basestring_ascii, ":", ",")
_SPACED = _encoder(encode_basestring_ascii, ": ", ", ")


def expand_sizes(text: str) -> str:
    """Return `{"cpu_bytes_to_use": 80g}` with the number written out; numbers inside strings stay.

    vLLM does this itself from 0.20 on, in flags that are parsed into a class.
    """
    if not any(char in text for char in "kKmMgGtT"):
        return text
    out: list[str] = []
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char == '"':
            stop = at + 1
            while stop < end and text[stop] != '"':
                stop += 2 if text[stop] == "\\" else 1
            out.append(text[at : stop + 1])
            at = stop + 1
        elif char.isdecimal() and (at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_")):
            stop = at
            while stop < end and (text[stop].isalnum() or text[stop] in "._"):
                stop += 1
            word = text[at:stop]
            try:
                out.append(str(size(word)) if word[-1] in _SIZES else word)
            except JsonError:
                out.append(word)
            at = stop
        else:
            out.append(char)
            at += 1
    return "".join(out)


# Python 3.11 counts the depth of a syntax tree for all threads together, and raises SystemError
# where two parse at once; the filters of warnings are shared in every Python.
PARSER = allocate_lock()


def literal(text: str) -> Any:
    """Parse a Python literal (`{'a': True}`) that has a JSON equivalent.

    Raises:
        JsonError: the string is not such a literal.
    """
    import ast
    import warnings

    try:
        with PARSER, warnings.catch_warnings():
            # Python 3.12 prints one for `\\W`, with a part of the text.
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise JsonError("neither JSON nor a Python literal") from None
    return _plain(_shallow(value, text))


def _plain(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:  # read from hexadecimal
        raise JsonError("it is too large")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    raise JsonError("a Python literal that JSON cannot hold")


def repair(text: str) -> tuple[Any, str]:
    """Parse JSON from the forms that containers turn it into, and return the repair ("" for plain
    JSON).

    Raises:
        JsonError: the string cannot be repaired.
    """
    try:
        value = loads(text)
    except JsonError as error:
        first = error
    else:
        if isinstance(value, str) and value.strip()[:1] in ("{", "["):
            # The quotes of `"{\"a\": 1}"` turn it into a JSON string.
            return repair(value)[0], "quotes"
        return value, ""
    for parse, candidate, repaired in _repairs(text):
        try:
            return parse(candidate), repaired
        except JsonError:
            continue
    raise first


def _repairs(text: str) -> Iterator[tuple[Callable[[str], Any], str, str]]:
    """Yield what may read a string that is not JSON, its argument, and the name of the repair."""
    yield loads, expand_sizes(text), "numbers"
    stripped = text.strip()
    inner = stripped[1:-1]
    # docker's --env-file keeps quotes that a shell would remove.
    if stripped[:1] in ("'", '"') and stripped[-1:] == stripped[:1] and inner.strip()[:1] in "{[":
        for candidate in (inner, inner.replace('\\"', '"')):
            yield lambda given: repair(given)[0], candidate, "quotes"
    if stripped[:1] in "{[" and stripped[-1:] == ",":
        yield lambda given: repair(given)[0], stripped[:-1], "comma"
    elif stripped[:1] in "{[":
        yield literal, stripped, "literal"
        yield literal, expand_sizes(stripped), "literal"
