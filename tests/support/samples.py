"""Values to try for a flag, from what the catalog says about it.

In: one entry of a catalog's `flags`. Out: what to type by hand after the flag, and what to write
into its variable, meaning the same.
Nothing here needs to be valid: a parser is asked first, and what it refuses must be refused by us.
Nothing here asks the package under test.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Flag = dict[str, Any]
Shape = dict[str, Any]
Tokens = tuple[str, ...]

WORDS = (
    "abc", "two words", "-dash.dot", "a=b,c", 'it\'s "quoted"', "ünïcode ✓", "line\nbreak",
    "$HOME #x", "{not json", "[1]", "1", "true", "a.b_c", "*.py", "hf://a",
)  # fmt: skip
INTEGERS = ("1", "2", "64", "-1")
FLOATS = ("0.5", "1", "1.5", "1e-3")
JSONS = (
    '{"a": 1}', '{"a": {"b": [1, 2.5, null, true], "c-d": "x y"}, "ü": "-"}', "{}", '["a", "b"]',
    "3", '"x"', "null", '{"image": 2, "video": 0}',
)  # fmt: skip
ELEMENTS = {
    "int": ("3", "8"),
    "float": ("0.5", "2"),
    "named-path": ("one=org/one", "two=org/two"),
    "str": ("abc", "d.e-f_g"),
}
TRUE = ("true", "1", "yes", "ON")
FALSE = ("false", "0", "no", "Off")


def in_capitals(flag: str) -> str:
    """The variable by which every flag is reachable."""
    return flag.lstrip("-").upper().replace("-", "_").replace(".", "__")


@dataclass(frozen=True)
class ByEnv:
    """One way to set a flag by a variable, and the tokens that must mean the same (None: no value
    at all, must be refused).
    """

    name: str
    text: str
    typed: Tokens | None


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def written(flag: Flag, value: Any) -> str:
    """A JSON value as this flag wants it typed."""
    if flag.get("syntax") == "python":
        return repr(value)
    mark = {"pairs": "=", "colons": ":"}.get(flag.get("syntax", ""))
    if mark is not None and isinstance(value, dict):
        texts = [item if isinstance(item, str) else compact(item) for item in value.values()]
        return ",".join(f"{key}{mark}{text}" for key, text in zip(value, texts, strict=True))
    return compact(value)


# --- JSON flags with a shape ----------------------------------------------------------------------


def numbers(shape: Shape, whole: bool) -> list[Any]:
    """Numbers inside and outside the limits of a shape."""
    least = shape.get("ge", shape.get("gt", 0) + (1 if whole else 0.25) if "gt" in shape else None)
    most = shape.get("le", shape.get("lt"))
    usual: list[Any] = [1, 64] if whole else [0.5, 1]
    usual += [number for number in (least, most) if number is not None]
    usual += [least - 1] if least is not None else []
    return usual + ([1.5, "abc", True] if whole else ["abc", True])


def values(shape: Shape) -> list[Any]:
    """Python values to try where a shape is wanted, good ones first."""
    kind = shape["kind"]
    found: list[Any]
    if kind == "bool":
        found = [True, False, "abc", 7]
    elif kind in ("int", "float"):
        found = numbers(shape, kind == "int")
    elif kind == "choice":
        found = [*shape["choices"], "no-such-choice", 12345]
    elif kind == "str":
        found = ["abc", "x y.z", 1, True, ["a"]]
    elif kind == "list":
        items = shape.get("items")
        first = values(items)[:2] if isinstance(items, dict) else [1]
        found = [first[:1], first, "abc", {"a": 1}]
    elif kind == "map":
        inside = shape.get("values")
        items = values(inside)[:2] if isinstance(inside, dict) else [1]
        found = [*({"key": item} for item in items), "abc", 5]
    elif kind == "union":
        parts = [item for part in shape.get("of", ()) for item in values(part)[:3]]
        found = [*parts, "abc", 5, {"zzz": 1}]
    elif kind == "object":
        found = [minimal(shape), {"no_such_key": 1}, "abc", 5]
    else:
        found = [{"a": 1}, "abc", 5, [1], True]
    found += list(shape.get("also", ()))[:2] + list(shape.get("not", ()))[:2]
    return [*found, None]


def minimal(shape: Shape) -> dict[str, Any]:
    """The keys without which an object is refused."""
    return {
        key: values(part)[0]
        for key, part in shape.get("keys", {}).items()
        if part.get("required") is True or key in (shape.get("required") or ())
    }


def beside(shape: Shape, key: str, value: Any) -> dict[str, Any]:
    """What a rule of the object wants beside one of its keys."""
    found = minimal(shape)
    for rule in shape.get("rules", ()):
        if rule["key"] == key and ("values" not in rule or value in rule["values"]):
            found.update(
                {other: (allowed or ["abc"])[0] for other, allowed in rule.get("needs", {}).items()}
            )
    return found


def keys(
    shape: Shape, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any, dict[str, Any]]]:
    """Every key of an object, nested ones too, with each value to try: its path, the value, and the
    whole object that sets it.
    """
    for key, part in shape.get("keys", {}).items():
        here = (*path, key)
        for value in values(part):
            yield here, value, {**beside(shape, key, value), key: value}
        inner = (
            part
            if part["kind"] == "object"
            else next((item for item in part.get("of", ()) if item["kind"] == "object"), None)
        )
        if inner is not None and len(path) < 3:
            for deeper, value, whole in keys(inner, here):
                yield deeper, value, {**minimal(shape), key: whole}


def objects(flag: Flag) -> list[Any]:
    """JSON values to try for a flag, as Python values."""
    shape = flag.get("shape")
    if shape is None:
        return [json.loads(text) for text in JSONS]
    found = [whole for _, _, whole in keys(shape)] if shape["kind"] == "object" else values(shape)
    return [*found, {}, {"no_such_key": 1}, 3, "abc", [1]]


# --- what to type ---------------------------------------------------------------------------------


def uses(flag: Flag) -> list[tuple[Tokens, ...]]:
    """For a flag that takes a value: ways to use it, each a sequence of uses, each a sequence of
    value tokens.
    """
    kind = flag["kind"]
    if kind in ("list", "append"):
        known = ELEMENTS.get(flag.get("element", "str"), ELEMENTS["str"])
        elements = [str(item) for item in flag.get("choices") or known]
        one, two = elements[0], elements[-1]
        if kind == "append":
            return [((one,),), ((one,), (two,))]
        found: list[tuple[Tokens, ...]] = [((one,),), ((one, two),), ((one,), (two,))]
        found += [(("no such element",),)]
        if flag.get("element", "").startswith("named-path"):
            three, four = (
                compact({"name": name, "path": f"org/{name}"}) for name in ("three", "fo,ur")
            )
            found += [(("th,ree=org/th,ree",),), ((three,),), ((three, four),), ((one, three),)]
            found += [(('["not", "an", "object"]',),)]
        return found
    return [((text,),) for text in texts(flag)]


def texts(flag: Flag) -> list[str]:
    """Single value tokens to try for a flag."""
    kind = flag["kind"]
    if flag.get("choices"):
        choices = [str(item) for item in flag["choices"]]
        odd = (choices[0].swapcase(), choices[-1].replace("_", "-"), "no-such-choice", "")
        return [*choices, *odd]
    if kind == "bool-value":
        return ["true", "false", "True", "1", "0", "maybe", ""]
    if kind == "int":
        return [*INTEGERS, "two", "1.5", "1k", " 7 ", "1_000", ""]
    if kind in ("size", "size-or-auto"):
        sizes = (f"2{suffix}" for suffix in "kKmMgGtT")
        return [*INTEGERS, "4096", *sizes, "1.5k", "25.6k", "1.5K", "auto", "two", "0.0001k", ""]
    if kind == "float":
        return [*FLOATS, "nan", "-0.5", "abc", ""]
    if kind == "json":
        odd = ('{"a":', "{'a': True}", "None", "", *(("0", "1", "9") if flag.get("level") else ()))
        return [*(written(flag, value) for value in objects(flag)), *odd]
    if kind == "json-or-str":
        return [*JSONS[:3], *WORDS, "None", ""]
    return [*WORDS, "None", ""]


def lines(flag: Flag) -> Iterator[Tokens]:
    """A flag with every value that is tried for it, joined to it; a switch in each of its forms."""
    name = flag["flag"]
    if flag["kind"] in ("switch", "toggle"):
        yield (name,)
        yield from ((negation,) for negation in flag.get("negations", ()))
        return
    if flag.get("bare"):
        yield (name,)
    for use in uses(flag):
        if all(len(tokens) == 1 for tokens in use):
            yield tuple(f"{name}={tokens[0]}" for tokens in use)
        else:
            yield tuple(part for tokens in use for part in (name, *tokens))


# --- what to write into the variable --------------------------------------------------------------


def plain(flag: str, text: str) -> Tokens:
    return (f"{flag}={text}",)


def by_env(flag: Flag) -> Iterator[ByEnv]:
    """Every way to set a flag by its name in capitals, with what it must mean."""
    name, kind, capitals = flag["flag"], flag["kind"], in_capitals(flag["flag"])

    def case(text: str, typed: Tokens | None) -> ByEnv:
        return ByEnv(capitals, text, typed)

    if kind in ("switch", "toggle", "bool-value"):
        on = (name,) if kind != "bool-value" else plain(name, "true")
        off: Tokens = (
            ()
            if kind == "switch"
            else (flag["negations"][0],)
            if kind == "toggle"
            else plain(name, flag["false"])
        )
        yield from (case(text, on) for text in TRUE)
        yield from (case(text, off) for text in FALSE)
        yield from (case(text, None) for text in ("maybe", "yes please", "2"))
    elif kind in ("list", "append"):
        yield from lists(flag)
    elif kind == "json":
        yield from jsons(flag)
    else:
        for text in texts(flag):
            if text in ("", "None") or (
                flag.get("choices")
                and text not in map(str, flag["choices"])
                and text != "no-such-choice"
            ):
                continue
            if (
                kind in ("int", "size", "size-or-auto")
                and not text.lstrip("-").isdigit()
                and text != "auto"
            ):
                continue  # sizes in the environment have rules of their own, below
            # A text that sets out to be JSON is a mistake in the environment even where vLLM would
            # take it for the other thing.
            broken = kind == "json-or-str" and text.startswith(("{", "[")) and not is_json(text)
            yield case(text, None if broken else plain(name, text))
        if kind in ("int", "size", "size-or-auto") and not flag.get("choices"):
            yield from (
                case(text, plain(name, str(digits)))
                for text, digits in (("1k", 1000), ("2K", 2048), ("25.6k", 25600), ("1m", 10**6))
            )
            yield from (case(text, None) for text in ("two", "1.5", "1.5K", "k", "1kk"))


def lists(flag: Flag) -> Iterator[ByEnv]:
    """Lists: a JSON array, or elements separated by commas; an element that is a JSON object is one
    token.
    """
    name, capitals = flag["flag"], in_capitals(flag["flag"])
    if flag.get("element", "").startswith("named-path") and not flag.get("objects"):
        given = {"name": "three", "path": "org/three"}
        yield ByEnv(capitals, compact([given]), plain(name, "three=org/three"))
        yield ByEnv(capitals, compact(given), plain(name, "three=org/three"))
        yield ByEnv(capitals, compact([{**given, "more": "x"}]), None)
    for use in uses(flag):
        if flag["kind"] == "append":
            tokens = [token for one in use for token in one]
            typed: Tokens = tuple(part for token in tokens for part in (name, token))
        elif len(use) == 1:
            tokens = list(use[0])
            typed = (name, *tokens)
        else:
            continue
        if tokens[0].startswith("{"):
            if flag.get("objects"):
                yield ByEnv(capitals, "[" + ", ".join(tokens) + "]", typed)
        elif not any(token.startswith(("{", "[")) for token in tokens):
            if not any("," in token for token in tokens):
                yield ByEnv(capitals, ",".join(tokens), typed)
            yield ByEnv(
                capitals,
                json.dumps([int(token) if token.isdigit() else token for token in tokens]),
                typed,
            )


def jsons(flag: Flag) -> Iterator[ByEnv]:
    """JSON: the text, what people write instead, and one key at a time."""
    name, capitals = flag["flag"], in_capitals(flag["flag"])
    for value in objects(flag):
        if value is not None:
            yield ByEnv(
                capitals, json.dumps(value, ensure_ascii=False), plain(name, written(flag, value))
            )
    yield ByEnv(capitals, '{"a":', None)
    sample = next(
        (value for value in objects(flag) if isinstance(value, dict) and value), {"a": True}
    )
    if flag.get("syntax") not in ("pairs", "pairs-or-json"):
        yield ByEnv(capitals, repr(sample), plain(name, written(flag, sample)))
        yield ByEnv(capitals, f"'{compact(sample)}'", plain(name, written(flag, sample)))
    if name == "--limit-mm-per-prompt" or flag.get("syntax") in ("pairs", "pairs-or-json"):
        yield ByEnv(
            capitals, "image=1,video=2", plain(name, written(flag, {"image": 1, "video": 2}))
        )
    if flag.get("shape", {}).get("kind") == "object":
        for path, value, whole in keys(flag["shape"]):
            if value is None or whole != nested(path, value):
                continue
            text = value if isinstance(value, str) else compact(value)
            here = leaf(flag["shape"], path)
            kinds = {part["kind"] for part in here.get("of", [here])}
            number = isinstance(value, (int, float))
            if number and len(kinds) > 1 and kinds <= {"str", "choice"}:
                continue  # refused when typed; as text it would do no harm: either is good
            meant = text if number and kinds == {"str"} else read_back(value)
            yield ByEnv(
                "__".join((capitals, *(part.upper() for part in path))),
                text,
                plain(name, written(flag, nested(path, meant))),
            )
    elif flag.get("syntax") not in ("pairs", "pairs-or-json"):
        yield ByEnv(f"{capitals}__SOME_KEY", "7", plain(name, written(flag, {"some_key": 7})))
        yield ByEnv(
            f"{capitals}__ONE__TWO", "abc", plain(name, written(flag, {"one": {"two": "abc"}}))
        )


def nested(path: tuple[str, ...], value: Any) -> Any:
    return {path[0]: nested(path[1:], value)} if path else value


def leaf(shape: Shape, path: tuple[str, ...]) -> Shape:
    """The shape of one key."""
    for key in path:
        inner = (
            shape
            if shape["kind"] == "object"
            else next(part for part in shape["of"] if part["kind"] == "object")
        )
        shape = inner["keys"][key]
    return shape


def read_back(value: Any) -> Any:
    """What the text of a single key stands for: a word that reads as JSON is JSON."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
