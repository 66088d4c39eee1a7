"""Translate the environment to a `vllm serve` command line and start it: the entrypoint of a
container.

vLLM replaces this process, so signals and the exit status are vLLM's. Tokens after -- override
variables. The command is logged to stderr, with secrets masked.

Exit status if vLLM is not started: 1 errors in the variables, 2 wrong usage, 3 warnings with
--strict, 126 vllm cannot be executed, 127 no vllm on PATH.
"""

from __future__ import annotations

import os

from translator.cli.options import installed_vllm, tables_of
from translator.cli.process import (
    CANNOT_RUN,
    NOT_FOUND,
    OK,
    WARNED,
    emit,
    log,
    log_error,
    log_findings,
    refusal,
)
from translator.core.argv.writer import COMMAND
from translator.core.findings import TranslationError, UsageError, has_errors
from translator.core.secrets import secrets_of
from translator.core.settings.scope import scope as scope_of
from translator.core.tables import versions
from translator.core.tables.dialects import find_dialect
from translator.core.text.words import quote
from translator.core.translate import model_variable, translate_env
from translator.installed import about_installed, absolute_folders, find, program
from translator.options import EXEC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.core.findings import Finding
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Tables

OPTIONS = EXEC
USAGE = "translate exec [OPTIONS] [-- TOKEN ...]"
EXAMPLE = """\
  MODEL_NAME=Qwen/Qwen3-0.6B MAX_MODEL_LEN=8k translate exec --dry-run -- --port 8000
  in a Dockerfile: ENTRYPOINT ["translate", "exec", "--"]"""


def run(options: Any) -> int:
    """Translate the environment and replace this process by vLLM, or return the exit status."""
    tables, words = tables_of(options), options.behind or []
    is_other = words[:1] == ["vllm"] and words[1:2] != ["serve"]  # such as `vllm bench`
    _refuse_program(words)
    env, findings = _environment(options, tables)
    scope = None
    extra = () if is_other else words[2:] if words[:2] == COMMAND else words
    try:
        scope, about_version, source = _target(options, env, tables)
        if is_other:
            env = {model_variable(scope): words[0], **env}  # it needs none of its variables
        translation = translate_env(
            env,
            scope,
            [*findings, *about_version],
            extra=extra,
            json_style=options.json_style,
            worker_defaults=options.worker_defaults,
            cluster=options.cluster,
        )
        if has_errors(translation.findings):
            raise TranslationError(translation.findings)
    except TranslationError as error:
        from translator.advice.translations import remedied

        error = TranslationError(
            remedied(error.findings, env, extra, scope, cluster=options.cluster)
        )
        log_findings(error.findings, "translate: ")
        log("translate: vLLM is not started, because of the errors above")
        return refusal(error)
    argv = words if is_other else translation.argv
    known = scope.secrets.known(env, argv)
    command = " ".join(map(quote, scope.secrets.shown_tokens(argv, known)))
    log(f"translate: vLLM {scope.catalog.version} ({source})")
    if not (options.dry_run and os.isatty(1) and os.isatty(2)):
        log(f"translate: {command}")
    log_findings(translation.findings, "translate: ")
    if options.explain and not is_other:
        from translator.cli.provenance import explained_tokens

        for line in explained_tokens(env, translation, scope):
            log(f"translate: {line}")
    if options.strict and any(item.severity == "warning" for item in translation.findings):
        log("translate: vLLM is not started, because of the warnings above (--strict)")
        return WARNED
    if options.dry_run:
        emit(f"{command}\n")
        return OK
    return become(argv, translation.env)


def _refuse_program(words: Sequence[str]) -> None:
    """Raise a UsageError if the first word is a program, as of `docker run IMAGE bash`, which would
    be taken for the model.
    """
    name = words[0] if words else "vllm"
    is_name = "/" not in name and name[:1] not in ("", "-") and name != "vllm"
    if is_name and program(name) is not None and not os.path.isdir(name):
        raise UsageError(
            f"`{name}` is a program, not a model",
            hint=f"start it with `docker run --entrypoint {name}`, or write the model as"
            f" `translate exec -- vllm serve {name}`",
        )


def _environment(options: Any, tables: Tables) -> tuple[dict[str, str], list[Finding]]:
    """Return the environment, with what the file of the image's built-in model, and those of
    secrets, add to it.
    """
    dialect = find_dialect(options.dialect, tables)
    path = dialect.baked_args if dialect is not None else ""
    env = dict(os.environ)
    findings: list[Finding] = []
    if path and os.path.exists(path):
        from translator.formats.env_files import bake

        env, findings = bake(env, path)
    if any(f"{name}_FILE" in env for name in secrets_of(tables).variables.values()):
        from translator.formats.env_files import read_secrets, secret_files

        env, paths, twice = secret_files(env, tables)
        secrets, unread = read_secrets(paths)
        env, findings = {**env, **secrets}, [*findings, *twice, *unread]
    return env, findings


def _target(
    options: Any, env: Mapping[str, str], tables: Tables
) -> tuple[Scope, list[Finding], str]:
    """Return the version and the dialect to translate for, findings, and who names the version."""
    named = "" if options.ask else options.vllm or versions.requested(env)
    build = find()
    if not named and (build is not None or options.ask):
        over, vllm, about = installed_vllm(tables, options.ask or None, build)
        scope, about_table = scope_of(vllm, options.dialect, env, over)
        source = "installed" if over is tables else "installed, asked"
        return scope, [*about, *about_table], source
    scope, about = scope_of(named or None, options.dialect, env, tables)
    installed = build.version if build is not None else None
    about += about_installed(named, installed, scope.catalog.version)
    source = "--vllm" if options.vllm else versions.VARIABLE if named else "the newest known"
    return scope, about, source


def become(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Replace this process by the command; return the exit status only if that fails."""
    path, folders = program(argv[0], env), absolute_folders("PATH", env, os.defpath)
    if path is None:
        for file in [os.path.join(folder, argv[0]) for folder in folders]:
            if os.path.isfile(file):
                log_error(f"{file} is not executable")
                return CANNOT_RUN
        looked = ", ".join(folders) or "it has no absolute directory"
        log_error(f"`{argv[0]}` was not found in PATH: {looked}")
        return NOT_FOUND
    _ignore_signals(False)
    try:
        os.execve(path, list(argv), dict(env))
    except (OSError, ValueError) as error:
        _ignore_signals(True)
        log_error(f"{path} cannot be started: {_why(error, argv, env)}")
    return CANNOT_RUN


def _why(error: OSError | ValueError, argv: Sequence[str], env: Mapping[str, str]) -> str:
    if isinstance(error, ValueError):
        return str(error)
    if error.errno != 7:  # errno.E2BIG, without importing errno for one name
        return str(error.strerror)
    sizes = [(len(os.fsencode(value)), name) for name, value in env.items()] + [
        (len(os.fsencode(token)), token.partition("=")[0]) for token in argv
    ]
    total = sum(size for size, _ in sizes)
    size, name = max(sizes)
    return (
        f"the command line and the environment are too long for this system: {total} bytes,"
        f" {size} of them in `{name}`"
    )


def _ignore_signals(ignored: bool) -> None:
    """Handle the signals that Python ignores from its start as by default, so that vLLM does not
    inherit that, or ignore them again (`signal` itself would import enum).
    """
    import _signal  # type: ignore[import-not-found]

    for name in ("SIGPIPE", "SIGXFSZ"):
        number = getattr(_signal, name, None)
        if number is not None:
            _signal.signal(number, _signal.SIG_IGN if ignored else _signal.SIG_DFL)
