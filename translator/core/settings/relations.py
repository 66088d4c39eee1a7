"""What the engine refuses of values that stand beside each other, or beside a model
(mappings/relations.toml). Logic has three values: what is not known is no reason to refuse.
"""

from __future__ import annotations

from translator.core.findings import ERROR, REFUSED, Finding, finding
from translator.core.tables.catalog import CONFIG, RELATED, RELATIONS, variable_of
from translator.core.tables.versions import within
from translator.core.text.json_text import dumps
from translator.core.text.words import DEFAULT, KEY
from translator.core.values import assignment, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.remedy import Remedy
    from translator.core.settings import Resolved
    from translator.core.settings.model_facts import ModelFacts
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Catalog
    from translator.core.text.words import Origin

UNSET: Any = object()  # of a name that is not given and has no default
AUTO = "auto"  # a value that the engine decides
_SIGNS = {"<=": "≤", ">=": "≥", "<": "<", ">": ">", "!=": "other than", "not in": "other than"}
_OPPOSITE = {"!=": "==", "not in": "in"}
_MIRRORED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_MOST_FINE, _MOST_RANKS = 100, 4096  # settings that are remembered; where a divisor is looked for
_NEXT = {"<": -1, ">": 1}  # from a bound to the first integer beyond it


def broken(resolved: Resolved, scope: Scope, stage: str = "line") -> list[Finding]:
    """Return the findings about values of a line that prevent the version from starting."""
    whole = resolved.whole
    # Settings that were fine together before: of variables whose values were read before, too.
    fine: dict[tuple[int, ...], object] = scope.catalog.derived.setdefault((RELATED, stage), {})
    key = tuple(map(id, whole.values())) if len(whole) == len(resolved.values) else ()
    if key in fine:
        return []
    line = Situation(resolved, scope, {}, None)
    findings = _findings((stage,), line)
    is_sure = not (findings or line.wrong or line.is_open)
    if key and is_sure and all(setting.written for setting in whole.values()):
        if len(fine) >= _MOST_FINE:
            fine.clear()
        fine[key] = [*whole.values()]  # kept, so that no other object gets its number
    return findings


def broken_at_start(resolved: Resolved, scope: Scope, env: Mapping[str, str]) -> list[Finding]:
    """Return the findings about what the model of a start decides, too, if that is known."""
    if scope.model is None:
        return broken(resolved, scope, "start")
    from translator.core.settings.model_facts import ModelFacts  # no start of vLLM has one

    model = ModelFacts(scope.model, resolved, scope)
    findings = _findings(("start", "model"), Situation(resolved, scope, env, model))
    return [model.problem, *findings] if model.problem is not None else findings


def _findings(stages: Sequence[str], line: Situation) -> list[Finding]:
    """Return the findings about what is wrong with a line, in the order of the relations."""
    related = line.scope.tables.records(RELATED)
    tried: dict[str, Mapping[str, Any]] = {}
    for stage in stages:
        for flag in related[stage].keys() & line.values:
            tried |= _relations(stage, flag, line.scope.catalog)
    return [
        _about(tried[name], part, line)
        for name in sorted(tried)
        if line.is_about(tried[name])
        for part in wrong_parts(tried[name], line)
    ]


def _relations(stage: str, flag: str, catalog: Catalog) -> dict[str, Mapping[str, Any]]:
    """Return the relations of a version that are tried if a flag is given."""
    relations: dict[str, Mapping[str, Any]] | None = catalog.derived.get((RELATED, stage, flag))
    if relations is None:
        every, version = catalog.tables.records(RELATIONS), catalog.version
        relations = {
            name: every[name]
            for name in catalog.tables.records(RELATED)[stage][flag]
            if within(version, every[name].get("since"), every[name].get("until"))
            and all(flag in catalog.lines for flag in every[name]["flags"])
        }
        catalog.derived[(RELATED, stage, flag)] = relations
    return relations


def wrong_parts(relation: Mapping[str, Any], line: Situation) -> list[Any]:
    """Return the parts of what a relation demands that are false; one, if one remedy is for all."""
    applies = all(truth(part, line) for part in relation["when"]) and all(
        truth(part, line) is False for part in relation.get("unless", ())
    )
    wrong = [part for part in relation["must"] if applies and truth(part, line) is False]
    return wrong[:1] if "remedy" in relation else wrong


# --- expressions, as `tables compile` writes them


def truth(expression: Any, line: Situation) -> bool | None:
    """Return whether an expression is true; None if that is not known."""
    value = evaluate(expression, line)
    return None if value is None or value is UNSET else bool(value)


def evaluate(expression: Any, line: Situation) -> Any:
    """Return the value of an expression; None if it is not known, UNSET if there is none."""
    if type(expression) is not list:
        return line.value(expression) if is_name(expression) else expression
    operator, *parts = expression
    if operator in _OPPOSITE:
        return evaluate(["not", [_OPPOSITE[operator], *parts]], line)
    if operator == "set":
        return line.is_set(parts[0])
    if operator in ("and", "or"):
        truths, decides = [truth(part, line) for part in parts], operator == "or"
        return decides if decides in truths else None if None in truths else not decides
    values = [evaluate(part, line) for part in parts]
    if operator == "first":
        return next((value for value in values if value is not UNSET), UNSET)
    if any(value is None or value is UNSET for value in values):
        return None
    if operator not in _OF_NUMBERS:
        return _OPERATORS[operator](*values)
    numbers = values[0] if len(values) == 1 and type(values[0]) is list else values
    are_known = bool(numbers) and all(map(is_number, numbers))
    return _OF_NUMBERS[operator](*numbers) if are_known else None


def is_name(expression: Any) -> bool:
    """Return whether an expression is a name, and not a text."""
    return type(expression) is str and expression.startswith(("--", "model.", "env."))


def names_in(*expressions: Any) -> Iterator[str]:
    """Yield the names in some expressions, in their order."""
    for expression in expressions:
        if is_name(expression):
            yield expression
        elif type(expression) is list:
            yield from names_in(*expression[1:])


def _among(value: Any, *choices: Any) -> bool | None:
    """Tell whether a value is one of some; of one that the engine decides, only if it is named."""
    if value in choices:
        return any(
            value == choice and isinstance(value, bool) == isinstance(choice, bool)
            for choice in choices
        )
    return None if value == AUTO or (is_number(value) and AUTO in choices) else False


_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "not": lambda value: not value,
    "==": _among,
    "in": _among,
    "contains": lambda text, part: part in str(text),
    "len": lambda value: len(value) if isinstance(value, list) else None,
}
# Of anything but numbers, or one list of them, nothing is known.
_OF_NUMBERS: Mapping[str, Callable[..., Any]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "%": lambda one, other: one % other if other else None,
    "//": lambda one, other: one // other if other else None,
    "*": lambda one, other: one * other,
    "+": lambda one, other: one + other,
    "max": lambda *numbers: max(numbers),
    "min": lambda *numbers: min(numbers),
}


class Situation:
    """What is known of a start: flags, keys of JSON flags, variables of vLLM's, the model."""

    def __init__(
        self, resolved: Resolved, scope: Scope, env: Mapping[str, str], model: ModelFacts | None
    ) -> None:
        self.resolved, self.scope, self.env, self.model = resolved, scope, env, model
        self.values = resolved.values
        found = (item for item in resolved.findings if "absent" not in item.facts)  # no relation
        errors = [item for item in found if item.severity == ERROR]
        # What is not given may stand in a file that was not read, or follow from what is wrong.
        self.is_open = CONFIG in self.values or any(
            item.stops and "-" not in item.subject and "flag" not in item.facts for item in errors
        )
        self.wrong = {item.subject.partition("=")[0] for item in errors}
        self.wrong |= {str(item.facts.get(fact)) for item in errors for fact in ("flag", "near")}

    def is_about(self, relation: Mapping[str, Any]) -> bool:
        """Return whether nothing else is wrong with the flags of a relation, and all are known."""
        if not self.wrong and not self.is_open:
            return True
        flags = {*relation["flags"]}
        names = {self.resolved.origins[flag][0].name for flag in flags & self.values.keys()}
        is_whole = not self.is_open or self.values.keys() >= flags
        return is_whole and self.wrong.isdisjoint(flags | names)

    def is_set(self, name: str) -> bool | None:
        """Return whether a name is given; None if that is not known."""
        flag, _, key = name.partition(".")
        if flag == "env":
            return key in self.env
        if flag != "model" and not key:
            return self.values.get(flag) is not None
        value = self.value(name)
        return None if value is None else value is not UNSET

    def value(self, name: str) -> Any:
        """Return the value that counts; None if it is not known, UNSET if there is none."""
        flag, _, key = name.partition(".")
        if flag == "model":
            return self.model.value(key) if self.model is not None else None
        if flag == "env":
            variable = self.scope.catalog.variable(key)
            if variable is None or variable.kind != "str":
                return None
            return self.env.get(key, variable.default)
        if self.resolved.has_hole(flag):
            return None
        value, known = self.values.get(flag), self.scope.catalog.flag(flag)
        if key and isinstance(value, dict):  # vLLM reads a dash in a key as an underscore
            value = value.get(key, value.get(key.replace("_", "-")))
        elif key:
            return UNSET if value is None else None
        elif known is not None:
            value = value if flag in self.values else known.default
            if known.kind == "size-or-auto" and isinstance(value, int) and value < 0:
                return AUTO
        return UNSET if value is None else value

    def called(self, name: str, origin: Origin) -> str:
        """Return a flag, or a key of one, in the form of what was given."""
        flag, *keys = name.split(".")
        if origin.is_option or flag[:2] != "--":
            return name
        return "__".join([self.scope.prefix + variable_of(flag), *(key.upper() for key in keys)])

    def _text(self, name: str, value: Any, origin: Origin) -> tuple[str, str]:
        """Return how to set a flag (a key, in the whole value that was given), and to what."""
        flag, _, key = name.partition(".")
        whole = self.resolved.whole.get(flag)
        if key and whole is not None and isinstance(whole.value, dict) and "." not in key:
            return whole.origin.option, dumps({**whole.value, key: value})
        switch = "" if origin.is_option else "true"
        return self.called(name, origin), switch if value is True else str(value)

    def assigned(self, name: str, value: Any, origin: Origin) -> str:
        """Return how to set a flag."""
        called, text = self._text(name, value, origin)
        return assignment(called, text) if text else called

    def remedy(self, name: str, value: Any, origin: Origin) -> Remedy:
        """Return the remedy that sets a flag."""
        from translator.core.remedy import Remedy

        called, text = self._text(name, value, origin)
        if origin.is_option:
            inside = KEY if origin.kind == KEY else origin.inside
            return Remedy(None, (), {}, [f"{called}={text}" if text else called], inside)
        return Remedy(None, (), {called: text}, ())

    def rewritten(self, text: str, origin: Origin) -> str:
        """Return a text with its flags in the form of what was given."""
        words = text.split("`")
        for at in range(1, len(words), 2):
            name, _, value = words[at].partition(" ")
            name = self.called(name, origin)
            words[at] = assignment(name, value) if value else name
        return "`".join(words)

    def written(self, flag: str) -> str:
        """Return a flag that is given, with its value."""
        origin, value = self.resolved.origins[flag][0], self.values[flag]
        if origin.kind == DEFAULT:  # the platform's program adds it
            return assignment(flag, str(value))
        if isinstance(value, (bool, dict, list)) or self.resolved.has_hole(flag):
            return origin.name
        return origin.shown(assignment(origin.option, str(value)))


# --- findings


def _is_other(part: Any) -> bool:
    """Return whether a part demands another flag or excludes it: it compares no values."""
    return type(part) is not list or part[0] not in (*_SIGNS, "==", "in")


def _is_flag(expression: Any) -> bool:
    """Return whether an expression is the name of a flag, or of a key of one."""
    return type(expression) is str and expression[:2] == "--"


def _is_remainder(expression: Any) -> bool:
    return type(expression) is list and expression[0] == "%"


def _names(relation: Mapping[str, Any], part: Any) -> list[str]:
    """Return the names in a relation, of whose `must` a part is false: first what is to change."""
    inside, before = [*names_in(part)], [*names_in(*relation["when"])]
    if _is_other(part):
        return [*before, *inside]
    return [*(reversed(inside) if _is_remainder(part[1]) else inside), *before]  # the divisor


def _about(relation: Mapping[str, Any], part: Any, line: Situation) -> Finding:
    """Return the finding about a relation, of whose `must` a part is false."""
    names = _names(relation, part)
    flags = [name.partition(".")[0] for name in filter(_is_flag, names)]
    given = [flag for flag in flags if flag in line.values]
    subject = next((flag for flag in given if line.values[flag] is not False), given[0])
    others = [flag for flag in given[:: -1 if _is_other(part) else 1] if flag != subject]
    origin = line.resolved.origins[subject][0]
    absent = [line.called(flag, origin) for flag in flags if flag not in line.values]
    absent += [name.removeprefix("env.") for name in names if name[:4] == "env."]
    case, said, setting = _remedy(part, origin, line)
    facts: dict[str, Fact] = {
        "given": line.written(subject),
        "version": line.scope.catalog.version,
        "absent": tuple(dict.fromkeys(absent)),
        "other": line.written(others[0]) if others else "",
        "remove": line.called(others[0], origin) if others else "",
        "why": relation.get("why", ""),
        "asked": "" if relation.get("anywhere") else "CUDA",
    }
    if line.model is not None and any(name[:6] == "model." for name in names):
        facts |= {"file": line.model.path, **line.model.about(names)}
    keys = [name for name in filter(_is_flag, names_in(part)) if "." in name]
    facts |= {"key": keys[-1].partition(".")[2]} if keys else {}
    facts |= {"remedy": line.rewritten(relation.get("remedy", ""), origin), **said}
    facts["needed"] = line.assigned(*setting, origin) if setting else said.get("needs", "")
    code, _, case = relation.get("case", "property" if "why" in relation else case).rpartition("/")
    item = finding(code or REFUSED, origin.name, case=case, **facts).of(origin)
    return item.with_remedy(line.remedy(*setting, origin)) if setting else item


# Of a part that is false: the case of the message, its facts, and the name and the value to set.
_Said = tuple[str, "dict[str, Fact]", "tuple[str, Any] | None"]


def _remedy(part: Any, origin: Origin, line: Situation) -> _Said:
    """Return what is said about a part that is false."""
    operator, *sides = part if type(part) is list else ("set", part)
    if operator == "or":
        remedies = [_remedy(side, origin, line) for side in sides]
        needs, *others = [facts.get("needs") for _, facts, _ in remedies]
        if not needs or not all(others):
            return remedies[-1]
        instead = tuple(name for names in others if type(names) is tuple for name in names)
        return "needs", {"needs": needs, "instead": instead}, remedies[0][2]
    if operator == "set" and _is_flag(sides[0]):
        flag = line.scope.catalog.flag(sides[0])
        is_switch = flag is not None and not flag.takes_value
        needs = (line.called(sides[0], origin),)
        return "needs", {"needs": needs}, (sides[0], True) if is_switch else None
    if _is_other(part):
        return "", {}, None
    target, *known = sides[0], *(evaluate(side, line) for side in sides[1:])
    if _is_remainder(target) and _is_flag(target[2]):
        return _divisible(target[1], target[2], origin, line)
    if not is_name(target):
        operator, target = _MIRRORED.get(operator, operator), sides[1]
        known = [evaluate(sides[0], line)]
    return _compared(operator, target, known, origin, line) if _is_flag(target) else ("", {}, None)


def _compared(
    operator: str, target: str, known: Sequence[Any], origin: Origin, line: Situation
) -> _Said:
    """Return what is said about a flag whose value others allow, or do not."""
    called = line.called(target, origin)
    bound = known[0] + _NEXT[operator] if operator in _NEXT else known[0]
    setting = None if operator in _OPPOSITE else (target, bound)
    choices = ", ".join(map(str, known))
    choices = f"one of {choices}" if len(known) > 1 and operator == "in" else choices
    expected = f"{_SIGNS[operator]} {choices}" if operator in _SIGNS else choices
    if line.is_set(target):
        return "compared", {"flag": called, "expected": expected, "have": known[0]}, setting
    needed = line.assigned(target, bound, origin)
    needed = f"{called} {expected}" if operator in _SIGNS else needed
    return "needs", {"needs": (needed,)}, setting


def _divisible(number: Any, divisor: str, origin: Origin, line: Situation) -> _Said:
    """Return what is said about a flag that does not divide a number."""
    size, least = evaluate(number, line), evaluate(divisor, line)
    divisors = (each for each in range(min(least, size, _MOST_RANKS), 0, -1) if size % each == 0)
    facts = {"flag": line.called(divisor, origin), "expected": f"a divisor of {size}", "have": size}
    return "compared", facts, (divisor, next(divisors, 1))
