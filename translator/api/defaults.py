"""Settings that the user did not make: arguments of the platform's program, documented defaults."""

from __future__ import annotations

from translator.findings import finding
from translator.settings.setting import Assembled
from translator.tables.entries import CONFIG, MODEL
from translator.values.errors import BadValue
from translator.values.variables import from_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.naming.scope import Scope
    from translator.settings.setting import Reading


def with_platform_arguments(reading: Reading, env: Mapping[str, str], scope: Scope) -> Reading:
    """Add the arguments that the platform's program always passes, for flags that are not set."""
    from translator.env.consumer import platform_arguments

    settings, findings = platform_arguments(scope, reading.settings, env)
    return reading.extended([*settings, *reading.settings], findings=findings)


def with_model_directory(done: Assembled, scope: Scope) -> Assembled:
    """Add the directory from which a platform serves if no variable names a model."""
    directory = scope.dialect.model_directory
    if MODEL not in done.values and CONFIG not in done.values:
        done.values[MODEL], done.origins[MODEL] = directory, [scope.adds]
        done.findings.append(
            finding(
                "consumer-default", MODEL, case="model", directory=directory, reader=scope.reader
            )
        )
    return done


def with_defaults(done: Assembled, scope: Scope) -> Assembled:
    """Add the dialect's documented defaults for flags that are not set."""
    for listed in scope.dialect.variables():
        name, default = listed.name, listed.default
        if default is None or listed.role != "flag" or listed.path:
            continue
        role = scope.role(name)
        flag = role.flag if role is not None and role.kind == "flag" else None
        if role is None or flag is None or flag.flag in done.values or flag.flag == MODEL:
            continue
        try:
            value, _ = from_variable(flag, default)
        except BadValue:
            continue  # a default for other versions, which this one does not accept
        if role.inverted and isinstance(value, bool):
            value = not value
        if value is False and flag.kind == "switch":
            continue
        done.values[flag.flag] = value
        done.origins[flag.flag] = [f"{name} (the worker's default)"]
        done.findings.append(finding("worker-default", name, given=f"{name}={default}", name=name))
    return done
