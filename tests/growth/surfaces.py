"""Everything that reads or writes what others wrote: name → a function of one input."""

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from support.program import in_process

from growth.inputs import FLAGS, NAMES
from translator import TranslationError, args_to_env, check, convert, env_to_args, explain
from translator.core.argv.parser import parse
from translator.core.argv.rewriting import LineRules
from translator.core.env.cluster import first_host
from translator.core.findings import Finding, UsageError, finding, one_line, show
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import shipped
from translator.core.text import json_text
from translator.core.text.json_text import JsonError, YamlError
from translator.core.text.words import quote
from translator.deployments.read import Context
from translator.deployments.read.programs import serves
from translator.deployments.read.registry import read_behind, read_commands, read_text
from translator.deployments.read.unwrap import read_tokens
from translator.deployments.text import shell
from translator.formats import vllm_config, yaml_nodes
from translator.formats.env_files import bake
from translator.formats.forms import CommandLine, Environment
from translator.formats.registry import ARGV_FORMATS, ENV_FORMATS, read_env, write_argv, write_env
from translator.maintain.compile import catalog_of, compile_loaded
from translator.maintain.lint import lint
from translator.maintain.load import TablesError
from translator.maintain.load import parse as parse_tables
from translator.maintain.model import Tables
from translator.options import ENV_FILE_FORMATS

NEWEST, OLDEST = shipped().versions()[-1], "0.6.6"
REFUSALS = (TranslationError, JsonError, YamlError, TablesError, UsageError, UnicodeError)
"""What is raised of a mistake in an input."""
CATALOG = shipped().catalog(NEWEST)
SECRETS = secrets_of(shipped())


def _rendered(findings: Iterable[Finding]) -> None:
    for item in findings:
        assert item.line().isprintable()


def told(call: Callable[..., Any], *given: Any, **named: Any) -> None:
    """Call, and write out what there is to say of it."""
    try:
        found = call(*given, **named)
    except TranslationError as error:
        _rendered(error.findings)
    except REFUSALS as error:
        str(error)
    else:
        _rendered(found if isinstance(found, tuple) else getattr(found, "findings", ()))


# --- texts ----------------------------------------------------------------------------------------


def _dialect_of(form: str) -> str:
    """The dialect of a file of variables: not every one has `properties`."""
    return "lmi" if form == "properties" else "runpod"


def _file(form: str, text: str) -> Any:
    data = text.encode("utf-8", "replace")
    return read_env(form, data, "x.env", dialect=_dialect_of(form), before={"A": "a"})


def _yaml(text: str) -> None:
    for node in yaml_nodes.documents(text):
        yaml_nodes.plain(node)


def _script(text: str) -> None:
    for words in shell.split(text, {"A": "a b"}):
        _rendered(words.remarks)


def _commands(found: Iterable[Any]) -> None:
    for item in found:
        _rendered(item.findings)


def _named_file(name: str, begin: str, text: str) -> None:
    _commands(read_commands(begin + text, Context({"A": "a b"}), name))


def _manifest(text: str) -> None:
    _commands(read_commands(text, Context({"A": "b"}), "x.yaml"))


def _container(begin: str, end: str, text: str) -> None:
    _manifest(begin + text.rstrip(",") + end)


def _composed(text: str) -> None:
    """The text as an `env_file`, a Dockerfile and a compose file to extend."""
    given = (
        "services:\n  a: {image: vllm, command: --model m, env_file: [a.env, {path: b.env, format:"
        " raw}], build: ., extends: {file: c.yaml, service: a}}\n"
    )
    _commands(read_commands(given, Context(beside=lambda path: (path, text)), "c.yaml"))


def _config(text: str) -> None:
    files = vllm_config.ConfigFiles(CATALOG, lambda _path: text)
    _rendered([*parse(["m", "--config", "x.yaml"], CATALOG, LineRules(files)).findings])
    _rendered(files.findings)


def _table(name: str, text: str) -> None:
    tables = parse_tables({name: text.encode("utf-8", "replace")})
    problems = lint(tables, Tables({"newest": catalog_of(NEWEST)}))
    if not any(item.severity == "error" for item in problems):
        compile_loaded(tables)


def _baked(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "args.json"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        _rendered(bake({}, str(path))[1])


def _in_variable(name: str, text: str) -> None:
    told(env_to_args, {"MODEL_NAME": "m", name: text}, NEWEST)


def _of_dialect(dialect: str, name: str, text: str) -> None:
    told(env_to_args, {name: text}, NEWEST, dialect)


def _hosts(text: str) -> None:
    env = {"MODEL_NAME": "m", "SLURM_NODEID": "0", "SLURM_NNODES": "2", "SLURM_NODELIST": text}
    told(env_to_args, env, NEWEST, cluster="slurm")


def _in_token(flag: str, version: str, text: str) -> None:
    told(args_to_env, ["m", flag, text], version)
    told(args_to_env, ["m", f"{flag}={text}"], version)


def _as_token(text: str) -> None:
    told(args_to_env, [text], NEWEST)
    told(args_to_env, ["m", text, "--" + text], NEWEST)
    told(args_to_env, ["m", "--hf-overrides." + text], NEWEST)


def _named(text: str) -> None:
    model = {"MODEL_NAME": "m"}
    told(env_to_args, {**model, text: "1"}, NEWEST)
    told(env_to_args, {**model, "HF_OVERRIDES__" + text: "1"}, NEWEST)
    told(env_to_args, {"MY_MODEL": "m", "MY_" + text: "1"}, NEWEST, "prefix:MY_")
    told(env_to_args, model, text)
    told(env_to_args, model, NEWEST, text)
    told(env_to_args, model, NEWEST, "prefix:" + text)
    told(env_to_args, model, NEWEST, cluster=text)
    told(explain, text, NEWEST)


def _masked(text: str) -> None:
    SECRETS.mask(text, SECRETS.known({"TOKEN": text, "A": text}))
    SECRETS.shown_tokens([text, "--api-key", text, f"--a={text}"])


def _shown(text: str) -> None:
    one_line(text)
    show(text)
    finding("bad-bool", text, given=text).line()


def _json(reader: Callable[[str], Any], text: str) -> None:
    with contextlib.suppress(JsonError):
        json_text.dumps(reader(text))


def _written(text: str) -> None:
    """A text as each writer's value: of a flag, and of a variable."""
    groups = [["vllm", "serve", "m"], [f"--served-model-name={text}"], [f"--chat-template={text}"]]
    for form in ARGV_FORMATS:
        line = CommandLine(groups, CATALOG, {"A": text}, env_in_front=True)
        _rendered(write_argv(form, line)[1])
    for form in ENV_FORMATS:
        env = {"OPTION_MODEL_ID": text, "A": text}
        _rendered(write_env(form, Environment(env, _dialect_of(form)))[1])
    quote(text)
    yaml_nodes.dump({"a": text, text: "a"})


TEXTS: dict[str, Callable[[str], object]] = {
    form: partial(told, _file, form) for form in ENV_FILE_FORMATS
}
TEXTS |= {
    "shell": _script,
    "Dockerfile": partial(_named_file, "Dockerfile", "FROM vllm/vllm-openai\nCMD "),
    "unit": partial(_named_file, "x.service", "[Service]\nExecStart=vllm serve "),
    "Quadlet": partial(_named_file, "x.container", "[Container]\nImage=vllm/vllm-openai\nExec="),
    "Python": partial(_named_file, "x.py", "from vllm import LLM\n"),
    "Python, in a list": partial(_named_file, "x.py", "import vllm\nrun(['vllm', 'serve', "),
    "document": partial(_named_file, "x.md", "```bash\nvllm serve "),
    "scripts in YAML": partial(_named_file, "x.yaml", "run: vllm serve "),
    "pasted": lambda text: told(read_text, text, Context({"A": "a b"})),
    "commands": partial(_named_file, "", ""),
    "behind --": lambda text: told(read_behind, [text]),
    "words": lambda text: told(read_tokens, text.split(" ")),
    "YAML": _yaml,
    "containers": _manifest,
    "compose, with files beside": _composed,
    "operators": partial(
        _container,
        "kind: LLMInferenceService\nspec:\n  template:\n    containers:\n    - name: main\n      ",
        "",
    ),
    "hub.json": partial(
        _container,
        '{"config": {"env": [{"key": "A", "value": 1}], "presets": [{"defaults": {',
        "}}]}}",
    ),
    "values of a chart of one's own": partial(
        _container, '{"vllm": {"args": ["--max-model-len", "--enable-lora", ', "]}}"
    ),
    "a chart's values": partial(
        _container,
        '{"servingEngineSpec": {"modelSpec": [{"modelURL": "m", "vllmConfig": {',
        "}}]}}",
    ),
    "config file": _config,
    "JSON": partial(_json, json_text.loads),
    "JSON, repaired": partial(_json, lambda text: json_text.repair(text)[0]),
    "Python literals": partial(_json, json_text.literal),
    "sizes": partial(_json, json_text.size),
    "sizes in JSON": json_text.expand_sizes,
    "baked arguments": _baked,
    "hosts": _hosts,
    "first host": first_host,
    "a token": _as_token,
    "a name": _named,
    "masking": _masked,
    "messages": _shown,
    "writers": _written,
}
TEXTS |= {
    f"table {name}": partial(_table, name)
    for name in (
        *("dialects/x.toml", "clusters/x.toml", "changes.toml", "secrets.toml"),
        *("relations.toml", "releases.toml", "catalogs/1.2.3.json"),
    )
}
TEXTS |= {f"variable {name}": partial(_in_variable, name) for name in NAMES}
TEXTS |= {
    f"variable {name} of {dialect}": partial(_of_dialect, dialect, name)
    for dialect, name in (
        ("sagemaker", "SM_VLLM_MODEL"),
        ("sagemaker", "SM_VLLM_HF_OVERRIDES"),
        ("lmi", "OPTION_MODEL_ID"),
        ("lmi", "SERVING_LOAD_MODELS"),
        ("prefix:MY_", "MY_HF_OVERRIDES"),
    )
}
TEXTS |= {f"flag {flag}": partial(_in_token, flag, NEWEST) for flag in FLAGS}
TEXTS |= {
    f"flag {flag} of {OLDEST}": partial(_in_token, flag, OLDEST)
    for flag in ("--limit-mm-per-prompt", "--served-model-name", "--lora-modules")
}


# --- variables ------------------------------------------------------------------------------------

Env = Mapping[str, str]


def _env_written(env: Env) -> None:
    for form in ENV_FORMATS:
        _rendered(write_env(form, Environment(env, _dialect_of(form)))[1])
    line = CommandLine([["vllm", "serve", "m"]], CATALOG, env, env_in_front=True)
    for form in ARGV_FORMATS:
        _rendered(write_argv(form, line)[1])


ENVIRONMENTS: dict[str, Callable[[Env], object]] = {
    "env_to_args": partial(told, env_to_args, vllm=NEWEST),
    "env_to_args, sagemaker": partial(told, env_to_args, vllm=NEWEST, dialect="sagemaker"),
    "env_to_args, lmi": partial(told, env_to_args, vllm=NEWEST, dialect="lmi"),
    "env_to_args, a prefix": partial(told, env_to_args, vllm=NEWEST, dialect="prefix:MY_"),
    "env_to_args, dotted": partial(told, env_to_args, vllm=NEWEST, json_style="dotted"),
    "env_to_args, the worker's defaults": partial(
        told, env_to_args, vllm=NEWEST, worker_defaults=True
    ),
    "env_to_args, old": partial(told, env_to_args, vllm=OLDEST),
    "args_to_env, in front": lambda env: told(args_to_env, ["m"], NEWEST, env=env),
    "args_to_env, in front, refused": lambda env: told(
        args_to_env, ["m", "--seed=x"], NEWEST, env=env
    ),
    "check": partial(told, check, vllm=NEWEST),
    "check, in front": lambda env: told(check, ["m"], NEWEST, env=env),
    "convert": lambda env: told(convert, env, OLDEST, NEWEST),
    "convert, another dialect": lambda env: told(convert, env, NEWEST, NEWEST, to_dialect="lmi"),
    "writers of variables": _env_written,
}


# --- tokens ---------------------------------------------------------------------------------------

Tokens = Sequence[str]


def _argv_written(tokens: Tokens) -> None:
    line = CommandLine([["vllm", "serve", "m"], list(tokens)[3:]], CATALOG)
    for form in ARGV_FORMATS:
        _rendered(write_argv(form, line)[1])


LINES: dict[str, Callable[[Tokens], object]] = {
    "args_to_env": partial(told, args_to_env, vllm=NEWEST),
    "args_to_env, old": partial(told, args_to_env, vllm=OLDEST),
    "args_to_env, sagemaker": partial(told, args_to_env, vllm=NEWEST, dialect="sagemaker"),
    "env_to_args, extra": lambda tokens: told(
        env_to_args, {"MODEL_NAME": "m"}, NEWEST, extra=tokens[3:]
    ),
    "env_to_args, further tokens": lambda tokens: _in_variable(
        "VLLM_EXTRA_ARGS", " ".join(map(quote, tokens[3:]))
    ),
    "check": partial(told, check, vllm=NEWEST),
    "convert": lambda tokens: told(convert, tokens, "0.10.2", NEWEST),
    "convert to variables": lambda tokens: told(convert, tokens, NEWEST, NEWEST, to_variables=True),
    "whether tokens start vLLM": lambda tokens: serves(tokens[3:]),
    "pasted tokens": partial(told, read_tokens),
    "writers of command lines": _argv_written,
    "masking of tokens": lambda tokens: [SECRETS.shown_tokens(tokens), SECRETS.in_tokens(tokens)],
}


# --- commands -------------------------------------------------------------------------------------


def _command(line: str, text: str) -> None:
    """FILE.x in the line is a file with the text, FOLDER/x in a folder of tables, TEXT itself; else
    it is the standard input.
    """
    data = text.encode("utf-8", "surrogatepass")
    arguments = line.split(" ")
    with tempfile.TemporaryDirectory() as folder:
        for at, item in enumerate(arguments):
            if item.startswith(("FILE", "FOLDER/")):
                path = Path(folder) / item.removeprefix("FOLDER/")
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
                arguments[at] = str(path) if item.startswith("FILE") else folder
            elif item == "TEXT":
                arguments[at] = text
        status, _, err = in_process(arguments, data, {"MODEL_NAME": "m"})
    assert status in (0, 1, 2, 3, 127), err[-300:]
    assert "internal error" not in err, err[-300:]


COMMANDS: dict[str, Callable[[str], object]] = {
    line: partial(_command, line)
    for line in (
        "env-to-args --env-file FILE.env --format json",
        "env-to-args --env-file -",
        "env-to-args --tables FOLDER/changes.toml",
        "env-to-args --vllm TEXT --dialect TEXT --TEXT TEXT",
        "args-to-env --file FILE.sh",
        "args-to-env",
        "args-to-env -- TEXT",
        "args-to-env --config FILE.yaml -- vllm serve m",
        "exec --dry-run --explain -- TEXT",
        f"check FILE.yaml --vllm {NEWEST}",
        "check FILE.yaml --format github --vllm 0.32.0..0.33.0",
        "check FILE.yaml --format sarif",
        f"check FILE.sh --diff --vllm {NEWEST}",
        f"check FILE.yaml --diff --vllm {NEWEST}",
        f"convert --from 0.10.2 --to {NEWEST} --env-file FILE.env --format k8s",
        "explain TEXT",
        "TEXT",
        "tables lint FOLDER/dialects/x.toml",
    )
}
