"""Services of compose files."""

from __future__ import annotations

from translator.commands.command import Container
from translator.findings import finding
from translator.text import parameter_expansion as references
from translator.text.shell import END, UNKNOWN
from translator.text.yaml_nodes import _text, entries, items, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml


def _service(name: str, node: yaml.Node, env: dict[str, str]) -> Container:
    keys = entries(node)
    made = Container(f"service {name}", line_of(node))

    def filled(text: str, line: int) -> str:
        return interpolate(text, env, made, line)

    if "image" in keys:
        made.image = filled(_text(keys["image"]), line_of(keys["image"]))
    environment = keys.get("environment")
    for variable, value in entries(environment).items():
        made.lines[variable] = line_of(value)
        if value.tag == "tag:yaml.org,2002:null":
            _from_outside(variable, env, made)
        else:
            made.env[variable] = filled(_text(value), line_of(value))
    for item in items(environment):
        variable, sign, text = _text(item).partition("=")
        made.lines[variable] = line_of(item)
        if sign:
            made.env[variable] = filled(text, line_of(item))
        else:
            _from_outside(variable, env, made)
    if "env_file" in keys:
        made.findings.append(
            finding(
                "unresolved-value",
                "env_file",
                f"{made.name}: env_file is not read",
                "check that file by itself, with --env-file",
            )
        )
    for key in ("entrypoint", "command"):
        if key not in keys:
            continue
        value = keys[key]
        if isinstance(value.value, str):
            words = _compose_words(filled(_text(value), line_of(value)), made)
        else:
            words = [filled(_text(item), line_of(item)) for item in items(value)]
        if key == "entrypoint":
            made.command = words or None
        else:
            made.args = words
        made.args_line = line_of(value)
    return made


def _compose_words(text: str, made: Container) -> list[str]:
    import shlex

    try:
        return shlex.split(text)
    except ValueError as error:
        made.findings.append(
            finding(
                "shell-syntax",
                made.name,
                f"{made.name}: its command cannot be split: {str(error).lower()}",
                "close the quote",
            )
        )
        return []


def _from_outside(variable: str, env: Mapping[str, str], made: Container) -> None:
    if variable in env:
        made.env[variable] = env[variable]
    else:
        made.findings.append(
            finding(
                "unresolved-value",
                variable,
                f"{made.name}: {variable} is taken from the environment of compose: its value is"
                " not known here, and not checked",
            )
        )


def interpolate(
    text: str, env: Mapping[str, str], made: Container, line: int, depth: int = 0
) -> str:
    """`$NAME`, `${NAME}` and `${NAME:-default}` as compose replaces them; `$$` is `$`.

    Args:
        text: what stands in the file.
        env: the variables that compose would know.
        made: its container, which is told of what is not known.
        line: where the text stands.
        depth: in how many defaults.
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        behind = text[at + 1 : at + 2]
        if text[at] == "$" and behind == "$":
            found.append("$")
            at += 2
        elif text[at] == "$" and behind == "{":
            reference = references.read(text, at)
            value, word = (
                references.chosen(reference, env)
                if reference is not None and reference.name
                else (None, False)
            )
            if reference is None or not reference.name or (word and depth == references.DEEPEST):
                # What stands in it is not shown: it may be a part of a secret.
                message = (
                    f"{made.name}, line {line}: a ${{…}} is not closed, is too deep, or holds what"
                    " compose does not read"
                )
                made.findings.append(
                    finding(
                        "shell-syntax",
                        "${",
                        message,
                        "write ${NAME}, ${NAME:-DEFAULT}, or $$ for a dollar",
                    )
                )
            elif word:
                found.append(
                    interpolate(text[reference.word : reference.end], env, made, line, depth + 1)
                )
            else:
                found.append(_known(reference.name, value, made, line))
            at = len(text) if reference is None else reference.end + 1
        elif text[at] == "$" and behind in references.NAME_START and behind:
            end = at + 1
            while end < len(text) and text[end] in references.NAME:
                end += 1
            name = text[at + 1 : end]
            found.append(_known(name, env.get(name), made, line))
            at = end
        else:
            found.append(text[at])
            at += 1
    return "".join(found)


def _known(name: str, value: str | None, made: Container, line: int) -> str:
    """The value of a variable of compose's; one that is not known is told, and marked as what a
    shell would have to say.
    """
    if value is None:
        message = (
            f"{made.name}, line {line}: ${name} is a variable of compose's, and what it holds is"
            " not known"
        )
        made.findings.append(
            finding(
                "shell-variable",
                f"${name}",
                message,
                f"give it with --env-file, or write ${{{name}:-DEFAULT}}",
            )
        )
        return f"{UNKNOWN}${name}{END}"
    return value
