"""`translate exec`: a container's entrypoint, which becomes vLLM.

Every import here is paid at every start of a container: neither argparse nor json nor anything else that is not needed (tests/test_entrypoint.py pins it).
"""

from __future__ import annotations

import os
import sys

from translator import version as versions
from translator.api import translate_env
from translator.catalog import shipped
from translator.envwriter import quote
from translator.findings import Finding, TranslationError, finding, has_errors, one_line, show
from translator.requires import at_start
from translator.scope import facts_of
from translator.scope import scope as scope_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.api import Translation
    from translator.catalog import Tables
    from translator.scope import Scope
    from translator.secrets import Secrets

BAD_INPUT, BAD_USAGE, WARNED, CANNOT_RUN, NOT_FOUND = 1, 2, 3, 126, 127


def main(options: Any) -> int:
    """Translate the environment and become vLLM.

    Args:
        options: those of `translate exec` (`translator.cli.quick.EXEC`); `behind` holds the tokens that win over the environment.

    Returns:
        The exit status, if it did not.
    """
    tables = shipped()
    folder = options.tables or os.environ.get("TRANSLATE_TABLES")
    if folder:
        from translator.cli.common import UsageError, tables_from

        try:
            tables = tables_from(folder)
        except UsageError as error:
            _say(f"translate: error: {one_line(str(error))}")
            return BAD_USAGE
    env = dict(os.environ)
    findings = bake(env, _baked_path(options.dialect, tables))
    named = versions.wanted(options.vllm or None, env, ("",), look=False)
    found = versions.installed()
    try:
        scope, about_version = scope_of(options.vllm or (None if named else found), options.dialect, env, tables)
        findings += [*about_version, *versions.about_installed(named, found, scope.catalog.version)]
        translation = translate_env(env, scope, findings, options.behind or (), options.json_style, options.worker_defaults, options.cluster)
    except TranslationError as error:
        return _refused(error.findings)
    findings = at_start(translation.findings)
    if has_errors(findings):
        return _refused(findings)
    hidden = hidden_on(translation, scope, env)
    command = " ".join(quote(token) for token in shown_argv(translation, scope.secrets, hidden))
    _say(f"translate: for vLLM {scope.catalog.version}, which is {'asked for' if named else 'installed' if found else 'the newest known'}")
    _say(f"translate: {one_line(command)}")
    for item in translation.findings:
        _say(f"translate: {item.line()}")
    if options.explain:
        from translator.outcomes import outcomes

        for line in outcomes(env, translation, scope).lines(hidden):
            _say(f"translate: {line}")
    if options.strict and any(item.severity == "warning" for item in translation.findings):
        _say("translate: nothing is started: there are warnings, and --strict is given")
        return WARNED
    if options.dry_run:
        sys.stdout.buffer.write(os.fsencode(f"{command}\n"))
        sys.stdout.flush()
        return 0
    return become(translation.argv, translation.env)


def _refused(findings: Sequence[Finding]) -> int:
    for item in findings:
        _say(f"translate: {item.line()}")
    _say("translate: nothing is started: the configuration has errors")
    return BAD_INPUT


def _say(line: str) -> None:
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody reads the log: no reason not to start


# --- a model baked into the image --------------------------------------------------------------------------------------


def _baked_path(dialect: str, tables: Tables) -> str:
    return str(facts_of(dialect, tables).get("baked_args", ""))


def bake(env: dict[str, str], path: str) -> list[Finding]:
    """Lay the variables of an image with a model baked in over the environment, as RunPod's worker does.

    Args:
        env: the environment, which is changed.
        path: of a JSON object of variables; "" or a file that is not there change nothing.

    Returns:
        What to tell; a file, or a variable in it, that cannot be used is a warning, as the worker starts without it, too.
    """
    if not path:
        return []
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        return [_not_baked(path, getattr(error, "strerror", None) or "it is not UTF-8")]
    from translator import jsontext

    try:
        baked = jsontext.loads(text)
    except jsontext.JsonError as error:
        return [_not_baked(path, f"it is not JSON: {error}")]
    if not isinstance(baked, dict):
        return [_not_baked(path, "it is not a JSON object")]
    findings: list[Finding] = []
    used: list[str] = []
    for name, value in baked.items():
        text = value if isinstance(value, str) else jsontext.dumps(value)
        if not name or "=" in name or not _can_be_set(name):
            message = f"{path}: no variable can be called '{show(name)}': it is left out"
            findings.append(finding("bad-baked-args", show(name), message, "a name is a text without `=`, NUL and halves of characters"))
        elif not _can_be_set(text):
            message = f"{path}: the value of {show(name)} holds a NUL or half a character (\\ud800), which no variable can: it is left out"
            findings.append(finding("bad-baked-args", show(name), message, "build the image again"))
        else:
            used.append(show(name))
            if value is not None and value != "":
                env[name] = text
    env["HF_HUB_OFFLINE"] = env["TRANSFORMERS_OFFLINE"] = "1"
    winning = f": {', '.join(used)} win over the environment" if used else ""
    message = f"{path}: a model is baked into this image{winning}, and the hub is not asked"
    return [*findings, finding("baked-args", path, message)]


def _can_be_set(text: str) -> bool:
    """Whether the system takes a text for a variable's name or value. JSON can write more: halves of characters, and NUL."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def _not_baked(path: str, why: str) -> Finding:
    return finding("bad-baked-args", path, f"{path} is not used: {why}", "build the image again, or remove the file")


# --- what a log may show ---------------------------------------------------------------------------------------------------


def hidden_on(translation: Translation, scope: Scope, env: Mapping[str, str]) -> list[str]:
    """The secret texts that must not be seen: those of the environment, and those among the values on the command line."""
    from translator.api import secret_values
    from translator.secrets import TOO_SHORT, hidden_values

    hidden = hidden_values(env, scope.secrets)
    for item in secret_values(translation._done, scope):
        hidden += [item, *_escaped(item)]
    for token in translation.argv:
        if "://" in token:
            hidden += scope.secrets.in_urls(token)
    return [item for item in hidden if len(item) > TOO_SHORT]


def _escaped(text: str) -> list[str]:
    """A text as it looks inside of JSON, where that is different."""
    if '"' not in text and "\\" not in text and text.isprintable():
        return []
    from translator import jsontext

    return [jsontext.dumps(text)[1:-1]]


def shown_argv(translation: Translation, secrets: Secrets, hidden: Sequence[str]) -> list[str]:
    """The command line with everything secret masked, where it stands and wherever else it turns up.

    Args:
        translation: the command line in its groups.
        secrets: which flags and keys are secret.
        hidden: the texts of `hidden_on`.
    """
    from translator.secrets import MASK, mask

    found: list[str] = []
    for group, _ in translation.groups:
        name = group[0].partition("=")[0]
        flag, _, path = name.partition(".")
        if flag in secrets.carriers:
            found += [f"{flag}={MASK}"] if "=" in group[0] else [flag, *(MASK for _ in group[1:])]
        elif path:
            found += [mask(_shown_dotted(token, secrets), hidden) for token in group]
        else:
            found += [mask(_shown_token(token, secrets), hidden) for token in group]
    return found


def _shown_token(token: str, secrets: Secrets) -> str:
    name, sign, text = token.partition("=") if token.startswith("-") else ("", "", token)
    return name + sign + secrets.masked_text(text)


def _shown_dotted(token: str, secrets: Secrets) -> str:
    from translator.secrets import MASK

    name, sign, text = token.partition("=")
    if sign and any(secrets.key(part.rstrip("+")) for part in name.split(".")[1:]):
        return f"{name}={MASK}"
    return name + sign + secrets.masked_text(text)


# --- becoming vLLM -----------------------------------------------------------------------------------------------------------


def find_program(name: str, env: Mapping[str, str]) -> tuple[str | None, list[str]]:
    """The program on the PATH of an environment, and the folders looked into (shutil.which would import a dozen modules)."""
    folders = [folder or "." for folder in env.get("PATH", os.defpath).split(os.pathsep)]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path, folders
    return None, folders


def become(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Replace this process by the command; returns the exit status only if that fails."""
    path, folders = find_program(argv[0], env)
    there = next((file for folder in folders if os.path.isfile(file := os.path.join(folder, argv[0]))), None)
    if path is None and there is not None:
        _say(f"translate: error: {one_line(there)} cannot be started: it is not executable")
        return CANNOT_RUN
    if path is None:
        _say(f"translate: error: no program {argv[0]!r} to start: looked in {', '.join(one_line(folder) for folder in folders)}")
        return NOT_FOUND
    _default_signals()
    try:
        os.execve(path, list(argv), dict(env))
    except (OSError, ValueError) as error:
        _say(f"translate: error: {path} cannot be started: {_why(error, argv, env)}")
    return CANNOT_RUN


def _why(error: OSError | ValueError, argv: Sequence[str], env: Mapping[str, str]) -> str:
    if isinstance(error, ValueError):
        return one_line(str(error))
    if error.errno != 7:  # errno.E2BIG; `import errno` is built in, but one name needs none
        return str(error.strerror)
    sizes = [(len(os.fsencode(value)), name) for name, value in env.items()] + [(len(os.fsencode(token)), token.partition("=")[0]) for token in argv]
    total = sum(size for size, _ in sizes)
    size, name = max(sizes)
    return f"the command line and the environment are too long for this system: {total} bytes in all, {size} of them in {show(name)}"


def _default_signals() -> None:
    """What Python ignores from its start on is not to be ignored in vLLM for that (`signal` itself would import enum)."""
    import _signal  # type: ignore[import-not-found]

    for name in ("SIGPIPE", "SIGXFSZ"):
        number = getattr(_signal, name, None)
        if number is not None:
            _signal.signal(number, _signal.SIG_DFL)
