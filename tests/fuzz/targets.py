"""One function of bytes a surface; it returns, or raises because a law is broken."""

import functools
import json
import time
from collections.abc import Callable
from typing import Any

from laws.meaning import SECRET_FLAGS, meaning, unlike

import translator.core.values as values
from fuzz.inputs import (
    CLUSTERS,
    DIALECTS,
    MARKER,
    SECONDS,
    VERSIONS,
    Broken,
    Taker,
    answer,
    fit,
    known_names,
    spellings,
)
from translator import TranslationError, args_to_env, check, env_to_args
from translator.core.argv.parser import Misread, parse, stands, value_of
from translator.core.argv.rewriting import LineRules
from translator.core.env import vllm_variables
from translator.core.findings import has_errors
from translator.core.settings import same
from translator.core.tables.catalog import Catalog, Flag, shipped
from translator.core.tables.catalog import Tables as Running
from translator.core.tables.shapes import problems
from translator.core.text import json_text
from translator.core.text.json_text import JsonError, YamlError
from translator.core.text.words import quote
from translator.core.values import BadValue, holds_pairs
from translator.core.values.variables import from_variable, key_shape, key_value
from translator.deployments.read import Context
from translator.deployments.read.registry import read_commands, read_text
from translator.deployments.read.unwrap import read_tokens
from translator.deployments.text import shell
from translator.formats import vllm_config, yaml_nodes
from translator.formats.forms import Environment
from translator.formats.references import END, MOST_ADDED, UNKNOWN
from translator.formats.registry import read_env, write_env
from translator.maintain.compile import catalog_of, compile_loaded
from translator.maintain.lint import lint
from translator.maintain.load import TablesError
from translator.maintain.load import parse as parse_tables
from translator.maintain.model import Tables

ENV = {"HOME": "/root", "A": "a b", "B": "x" * 1000, "HF_TOKEN": "outside"}


def command_line(taker: Taker) -> None:
    """args_to_env in any version and dialect; what it writes reads back to the same (law 3)."""
    vllm, dialect = taker.pick(VERSIONS), taker.pick(DIALECTS)
    module = ("python3", "-m", "vllm.entrypoints.openai.api_server")
    front = taker.pick((("vllm", "serve"), (), module, ("vllm", "serve", "org/model")))
    secret = bool(taker.byte() % 2)
    tokens = taker.fields(spellings(vllm), secret)
    argv = [*front, *([f"--api-key={MARKER}"] if secret else ()), *tokens]
    first = answer(lambda: args_to_env(argv, vllm=vllm, dialect=dialect))
    if first is None:
        return
    if secret and any(MARKER in name for name in first.env):
        raise Broken("a secret in a variable's name")
    made = env_to_args(first.env, vllm=vllm, dialect=dialect).argv
    again = args_to_env(made, vllm=vllm, dialect=dialect)
    if env_to_args(again.env, vllm=vllm, dialect=dialect).argv != made:
        raise Broken(f"no fixed point: {made!a}")
    read = meaning([*front[2:3], *tokens] if front != module else tokens, vllm, module=front == module)  # fmt: skip
    if dialect == "runpod" and read is not None and unlike(read, meaning(made[2:], vllm)):
        raise Broken(f"{argv!a} has become {made!a}")


def environment(taker: Taker) -> None:
    """env_to_args in any version, dialect, cluster and style (laws 1 and 3)."""
    vllm, dialect, cluster = taker.pick(VERSIONS), taker.pick(DIALECTS), taker.pick(CLUSTERS)
    extra = {"extra": ["--port=80", "--api-key", MARKER]}
    styles: tuple[dict[str, Any], ...] = ({}, {}, {"json_style": "dotted"}, {"worker_defaults": True}, extra)  # fmt: skip
    style, secret = taker.pick(styles), bool(taker.byte() % 2)
    fields = [text.partition("=") for text in taker.fields(known_names(), secret)]
    env = {"MODEL_NAME": "org/model", "MODEL": "org/model"}
    env |= {name: value for name, _, value in fields if MARKER not in name}
    if secret:
        nested = {"kv_connector": "C", "kv_role": "kv_both", "kv_connector_extra_config": {"token": MARKER}}  # fmt: skip
        env |= {"HF_TOKEN": MARKER, "KV_TRANSFER_CONFIG": json.dumps(nested)}
    done = answer(lambda: env_to_args(env, vllm=vllm, dialect=dialect, cluster=cluster, **style))
    if done is None:
        return
    if any("\0" in token for token in done.argv) or meaning(done.argv[2:], vllm) is None:
        raise Broken(f"what was written is refused: {done.argv!a}")
    if style.get("worker_defaults") or style.get("extra") or cluster:
        return
    back = answer(lambda: args_to_env(done.argv, vllm=vllm, dialect=dialect))
    if back is None:
        if dialect == "runpod":
            raise Broken(f"what was written is refused: {done.argv!a}")
        return  # not every dialect can say everything
    if not any(item.code == "set-elsewhere" for item in back.findings):
        made = env_to_args(back.env, vllm=vllm, dialect=dialect, **style).argv
        if made != done.argv:
            raise Broken(f"{done.argv!a} has become {made!a}")


def json_texts(taker: Taker) -> None:
    """Whatever is read of JSON, Python literals and sizes is written, and read back the same."""
    text = taker.text(())
    for reader in (json_text.loads, json_text.literal, lambda text: json_text.repair(text)[0]):
        value = _json(reader, text)
        if value is JsonError or not same(json.loads(json.dumps(value)), value):
            continue  # refused; or two halves of a surrogate pair, which JSON joins
        for written in (json_text.dumps(value), json_text.spaced(value)):
            if not same(_json(json_text.loads, written), value):
                raise Broken(f"{written!a} is not read back as {value!a}")
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        plain = JsonError
    found = _json(json_text.loads, text)
    if JsonError not in (plain, found) and not same(found, plain):
        raise Broken(f"not what json reads: {text!a}")
    for reader in (json_text.size, json_text.integer):
        number = _json(reader, text)
        if number is not JsonError and not isinstance(number, int):
            raise Broken(f"{text!a} is {number!a}")
    once = json_text.expand_sizes(text)
    if json_text.expand_sizes(once) != once:
        raise Broken(f"sizes are not spelled out at once: {text!a}")


def _json(reader: Callable[[str], Any], text: str) -> Any:
    try:
        return reader(text)
    except JsonError as error:
        if not str(error).isprintable() or len(str(error)) > 300:
            raise Broken(f"what the error says: {error!a}") from None
        return JsonError


def any_value(taker: Taker) -> None:
    """A text as the token and the variable of any flag: written, it reads back as the same."""
    catalog = shipped().catalog(taker.pick(VERSIONS))
    flag = catalog.flag(taker.pick(catalog.flag_names()))
    variable = catalog.variable(taker.pick(catalog.variable_names()))
    assert flag is not None
    assert variable is not None
    text = taker.text(known_names())
    shape = catalog.shape(flag.flag) if flag.shaped else None
    if flag.takes_value:
        try:
            value = values.from_token(flag, text, bool(catalog.grammar.json_sizes))
        except BadValue:
            pass
        else:
            _written(flag, [value] if flag.kind in ("list", "append") else value, catalog)
    try:
        value, _ = from_variable(flag, text)
    except BadValue:
        pass
    else:
        if text.strip() not in ("", "None"):  # those set nothing
            _written(flag, value, catalog)
    key_value(text, shape)
    for key in (shape or {}).get("keys", {}):
        key_value(text, key_shape(catalog, flag, (key,)))
    _, told = vllm_variables.check(variable.name, variable, text, catalog.version)
    fit([told] if told else ())


def _written(flag: Flag, value: Any, catalog: Catalog) -> None:
    if flag.syntax in ("pairs", "pairs-or-json", "colons") and not holds_pairs(flag, value):
        return  # which `assemble` tells of
    try:
        tokens = values.tokens(flag, value, lambda text: stands(text, catalog))
    except BadValue:
        return
    if flag.kind in ("switch", "toggle") or flag.flag in ("--model", "--config"):
        return  # vLLM looks for these two before argparse does
    if not tokens or any("\0" in token or token.endswith("=--") for token in tokens):
        return
    try:
        again = value_of(tokens, flag, catalog)
    except Misread:
        shape = catalog.shape(flag.flag) if flag.shaped else None
        if shape is None or not any(problems(value, shape)):
            raise Broken(f"{tokens!a} is not read back, of {value!a}") from None
        return  # a key that the version's class refuses
    if not same(again, value):
        raise Broken(f"{tokens!a} is read back as {again!a}, not as {value!a}")
    return


def yaml_texts(taker: Taker) -> None:
    """YAML, and as a --config file: what is written of it reads back with the same meaning."""
    catalog = shipped().catalog(taker.pick(VERSIONS))
    text = taker.text(known_names())
    try:
        for node in yaml_nodes.documents(text):
            yaml_nodes.plain(node)
    except YamlError as error:
        if not str(error).isprintable():
            raise Broken(f"what the error says: {error!a}") from None
    files = vllm_config.ConfigFiles(catalog, lambda _path: text)
    parsed = parse(["org/model", "--config", "x.yaml"], catalog, LineRules(files))
    fit([*files.findings, *parsed.findings], secret=False)
    try:
        content = yaml_nodes.load(text)[0]
    except YamlError:
        return
    tokens, _ = vllm_config.tokens_of(content, catalog)
    before = meaning(["org/model", *tokens], catalog.version)
    if before is None:
        return
    written, told = vllm_config.write(["vllm", "serve", "org/model", *tokens], catalog)
    fit(told, secret=False)
    if has_errors(told):
        return
    model = ["org/model"] if vllm_config.names_no_model(catalog.grammar) else []
    files = vllm_config.ConfigFiles(catalog, lambda _path: written)
    again = parse([*model, "--config", "y.yaml"], catalog, LineRules(files))
    read = {name: value for name, (value, _) in again.settings().items()}
    after = {name: value for name, value in read.items() if name not in SECRET_FLAGS}
    if unlike(before, after | {"--model": again.model or after.get("--model")}):
        raise Broken(f"{tokens!a} has become {written!a}: {again.findings!a}")


def env_files(taker: Taker) -> None:
    """Files of variables, written and read back; shells and what people paste."""
    vllm = taker.pick(VERSIONS)
    text = taker.text(known_names())
    content = text.encode("utf-8", "replace")
    for form in ("dotenv", "docker"):
        found = read_env(form, content, "x.env", outside=ENV, before={"B": "b"})
        fit(found.findings)
        written, told = write_env(form, Environment(found.env))
        fit(told)
        if not has_errors(told):
            again = read_env(form, written.encode(), "y.env")
            if again.env != found.env or has_errors(again.findings):
                raise Broken(f"{form}: {found.env!a} is read back as {again.env!a}")
    for words in shell.split(text, ENV):
        fit(words.remarks)
    fit(read_tokens(text.split(" "), Context(ENV)).findings)
    done = read_text(text, Context(ENV))
    fit(done.findings)
    if not has_errors(done.findings):
        answer(lambda: args_to_env(done.tokens, vllm=vllm, env=done.env))
    line = " ".join(quote(token) for token in done.tokens) + "\n"
    plain = not any(char in token for token in done.tokens for char in "\r\n" + UNKNOWN + END)
    if plain and not line.lstrip().startswith(("$ ", "{ ")):  # a prompt, a group
        split = [list(words) for words in shell.split(line)]
        if split != ([done.tokens] if done.tokens else []):
            raise Broken(f"{done.tokens!a} is read back as {split!a}")


def manifests(taker: Taker) -> None:
    """Manifests and compose files, from the text to what `check` says of each command."""
    vllm = taker.pick(VERSIONS)
    text = taker.text(known_names())
    context = Context(ENV, outside={"C": "c"}, beside=lambda path: (path, text))
    try:
        commands = read_commands(text, context)
    except YamlError as error:
        if not str(error).isprintable():
            raise Broken(f"what the error says: {error!a}") from None
        return
    for command in commands:
        fit(command.findings)
        size = sum(map(len, (*command.tokens, *command.env.values())))
        if size > 2 * MOST_ADDED + 2 * len(text):
            raise Broken(f"{len(text)} characters have become {size}")
        fit(check(command.tokens, vllm, env=command.env))
        try:
            args_to_env(command.tokens, vllm=vllm, env=command.env)
        except TranslationError as error:
            fit(error.findings)


@functools.cache
def _newest() -> Tables:
    """One version is enough to lint a table against."""
    return Tables({"newest": catalog_of(VERSIONS[-1])})


def tables(taker: Taker) -> None:
    """A user's own tables: loaded, linted, compiled and used."""
    names = ("dialects/x.toml", "clusters/x.toml", "changes.toml", "secrets.toml", "catalogs/1.2.3.json")  # fmt: skip
    kind = taker.byte() % (len(names) + 1)
    head = b'[dialect]\nname = "x"\nsources = ["https://example.org"]\n'
    name, content = (names[kind], b"") if kind < len(names) else (names[0], head)
    try:
        read = parse_tables({name: content + taker.data})
        found = lint(read, _newest())
    except TablesError as error:
        if not error.problems or not str(error):
            raise Broken("refused without a problem") from None
        return
    if any(item.severity == "error" for item in found) or name.startswith("catalogs"):
        return
    running = Running(compile_loaded(read))
    if running.records("dialect.x.json"):
        use: dict[str, Any] = {"vllm": VERSIONS[-1], "dialect": "x", "tables": running}
        answer(lambda: env_to_args({"MODEL": "m", "A": "1", "X": "true"}, **use))
        answer(lambda: args_to_env(["m", "--enforce-eager", "--dtype=half"], **use))


def _bounded(run: Callable[[Taker], None]) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        started = time.process_time()
        run(Taker(data))
        if (taken := time.process_time() - started) > SECONDS:
            raise Broken(f"{taken:.1f} s of CPU")

    return target


TARGETS: dict[str, Callable[[bytes], None]] = {
    name: _bounded(run)
    for name, run in {
        "json": json_texts,
        "values": any_value,
        "command-line": command_line,
        "environment": environment,
        "yaml": yaml_texts,
        "env-files": env_files,
        "manifests": manifests,
        "tables": tables,
    }.items()
}
