"""The two translations for callers, who may give anything: arguments are validated, and what is
refused is told with remedies that hold.
"""

from __future__ import annotations

# At run time, for `typing.get_type_hints`; `collections.abc` would be one module more.
from _collections_abc import Mapping, Sequence

from translator.core.argv.rewriting import Config
from translator.core.convert import Variables, line_to_env
from translator.core.findings import Finding, TranslationError
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import Tables, shipped
from translator.core.translate import Translation, translate_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.core.settings.scope import Scope


def env_to_args(
    env: Mapping[str, str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    extra: Sequence[str] = (),
    json_style: str = "compact",
    worker_defaults: bool = False,
    cluster: str | None = None,
    tables: Tables | None = None,
) -> Translation:
    """Translate a container's variables into the command line of `vllm serve`.

    Args:
        env: the variables.
        vllm: the version to write for, such as "0.27.1"; defaults to TRANSLATE_VLLM_VERSION in
            `env`, then to the newest known.
        dialect: the platform naming scheme; `dialects()` lists them.
        extra: tokens that override the variables.
        json_style: "compact", or "dotted" for `--flag.key=value` where the version supports it and
            reads the same value back.
        worker_defaults: add the dialect's documented defaults.
        cluster: the scheduler whose rank variables to read, such as "lws".
        tables: tables to use instead of the shipped ones.

    Raises:
        TranslationError: the input has mistakes; its `findings` list all of them.

    >>> env_to_args({"MODEL_NAME": "org/m", "MAX_MODEL_LEN": "8k"}, vllm="0.27.1").argv
    ['vllm', 'serve', 'org/m', '--max-model-len=8000']
    """
    findings: list[Finding] = []
    if type(env) is not dict or not _are_texts(env):
        from translator import inputs

        env, findings = inputs.environment(env)
    if extra:
        extra = _listed(extra)
    if json_style not in ("compact", "dotted"):
        from translator import inputs

        inputs.json_style(json_style)
    scope, about_version = named_scope(vllm, dialect, env, tables)
    try:
        return translate_env(
            env,
            scope,
            [*about_version, *findings],
            extra=extra,
            json_style=json_style,
            worker_defaults=worker_defaults,
            cluster=cluster,
        )
    except TranslationError as error:
        from translator.advice.translations import remedied

        findings = remedied(error.findings, env, extra, scope, cluster=cluster)
        raise TranslationError(findings) from None


def args_to_env(
    argv: Sequence[str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    config: Config | None = None,
    env: Mapping[str, str] | None = None,
    tables: Tables | None = None,
) -> Variables:
    """Translate a command line of `vllm serve` into a container's variables.

    Args:
        argv: the tokens, with or without the leading `vllm serve` or
            `python -m vllm.entrypoints.openai.api_server`.
        vllm: the version whose parser to follow, such as "0.27.1"; defaults to the newest known.
        dialect: the platform naming scheme; `dialects()` lists them.
        config: returns the tokens of a file for --config (see `translator.formats.vllm_config`);
            without it, --config stays as it is.
        env: the variables in front of the command.
        tables: tables to use instead of the shipped ones.

    Raises:
        TranslationError: the version's real parser refuses it, or the dialect cannot express it.

    >>> args_to_env(["vllm", "serve", "org/m", "-tp", "2"], vllm="0.27.1").env
    {'MODEL_NAME': 'org/m', 'TENSOR_PARALLEL_SIZE': '2'}
    """
    argv = _listed(argv)
    findings: list[Finding] = []
    if env:
        from translator import inputs

        env, findings = inputs.environment(env)
    scope, about_version = named_scope(vllm, dialect, env or {}, tables)
    try:
        return line_to_env(argv, scope, [*about_version, *findings], config=config, env=env)
    except TranslationError as error:
        from translator.advice.translations import remedied

        findings = remedied(error.findings, env or {}, argv, scope, is_line=True)
        raise TranslationError(findings) from None


_TEXT = frozenset((str,))


def named_scope(
    vllm: str | None, dialect: str, env: Mapping[str, str], tables: Tables | None
) -> tuple[Scope, list[Finding]]:
    """Return the version (else that of the environment, or the newest) and the dialect that a
    caller names, and the findings about the version.

    Raises:
        TranslationError: one is not a str, or there is none of that name.
    """
    if type(dialect) is not str or (vllm is not None and type(vllm) is not str):
        from translator import inputs

        inputs.choice("" if vllm is None else vllm, "bad-version", "vllm")
        inputs.choice(dialect, "unknown-dialect", "dialect")
    return scope_of(vllm, dialect, env, tables or shipped())


def _are_texts(env: Mapping[str, str]) -> bool:
    try:
        "".join(env)
        "".join(env.values())  # the fastest test: 1 µs for 58 variables
    except TypeError:
        return False
    return True


def _listed(argv: Sequence[str]) -> list[str]:
    """Return the tokens of a command line as a list, or raise a TranslationError."""
    if type(argv) is not list or not _TEXT.issuperset(map(type, argv)):
        from translator import inputs

        return inputs.tokens(argv)
    return argv
