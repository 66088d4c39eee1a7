"""Container variables to `vllm serve` and back, for every vLLM since 0.5.2.

>>> from translator import env_to_args, args_to_env
>>> env_to_args({"MODEL_NAME": "org/model", "MAX_MODEL_LEN": "8k"}, vllm="0.19.1").argv
['vllm', 'serve', 'org/model', '--max-model-len=8000']
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.core.convert import Variables
    from translator.core.findings import Finding, TranslationError
    from translator.core.translate import Translation
    from translator.library import (
        EngineArguments,
        Tables,
        check,
        check_file,
        convert,
        dialects,
        diff,
        engine_args_to_env,
        env_to_engine_args,
        explain,
        flags,
        versions,
    )
    from translator.maintain.load import TablesError
    from translator.reference.lookup import Page
    from translator.translations import args_to_env, env_to_args
    from translator.version import __version__

_HOMES = {  # of the names that are not in translator.library
    "Finding": "translator.core.findings",
    "Page": "translator.reference.lookup",
    "TablesError": "translator.maintain.load",
    "Translation": "translator.core.translate",
    "TranslationError": "translator.core.findings",
    "Variables": "translator.core.convert",
    "__version__": "translator.version",
    "args_to_env": "translator.translations",
    "env_to_args": "translator.translations",
}
__all__ = [
    "EngineArguments",
    "Finding",
    "Page",
    "Tables",
    "TablesError",
    "Translation",
    "TranslationError",
    "Variables",
    "__version__",
    "args_to_env",
    "check",
    "check_file",
    "convert",
    "dialects",
    "diff",
    "engine_args_to_env",
    "env_to_args",
    "env_to_engine_args",
    "explain",
    "flags",
    "versions",
]


def __getattr__(name: str) -> object:
    """The public names, imported when first used: `translate exec` pays for every import."""
    if name not in __all__:
        raise AttributeError(f"module 'translator' has no attribute {name!r}")
    home = _HOMES.get(name, "translator.library")
    # importlib.import_module would import warnings, too.
    value = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
