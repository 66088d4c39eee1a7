"""YAML: read with bounds, as a --config file of a version, written as one, and as manifests
(yamlread.py, configfile.py, manifest.py).
"""

from __future__ import annotations

from laws.meaning import SECRET_FLAGS, meaning, unlike

from fuzz import names
from fuzz.laws import Broken, bounded, fit
from fuzz.taker import Taker, expand
from translator.argv.argparse_rules import LineRules, settings_of
from translator.argv.parser import parse
from translator.files import manifest
from translator.files.command import Context
from translator.findings import Finding
from translator.formats import vllm_config as configfile
from translator.tables.catalog import shipped
from translator.text import yaml_nodes as yamlread
from translator.text.json_text import YamlError
from translator.text.yaml_nodes import entries, items, line_of


def _yaml(text: str) -> None:
    try:
        nodes = yamlread.documents(text)
    except YamlError as error:
        if not str(error).isprintable():
            raise Broken(f"what the error says: {error!a}") from None
        return
    for node in nodes:
        entries(node)
        items(node)
        if line_of(node) < 1:
            raise Broken("a line before the first")
        try:
            yamlread.plain(node)
        except YamlError as error:
            if not str(error).isprintable():
                raise Broken(f"what the error says: {error!a}") from None


def run(data: bytes) -> None:
    """A version, and a text."""
    taker = Taker(data)
    catalog = shipped().catalog(taker.pick(names.VERSIONS))
    text = expand(taker.rest(), names.keys(), names.words())
    with bounded():
        _yaml(text)
        try:
            for container in manifest.read_manifest(text, Context({"A": "b"})):
                fit(container.findings, secret=False)
        except YamlError:
            pass
        files = configfile.ConfigFiles(catalog, lambda _path: text)
        parsed = parse(["org/model", "--config", "x.yaml"], catalog, LineRules(files))
        fit([*files.findings, *parsed.findings], secret=False)
        content = configfile.load(text, "x.yaml")
        if isinstance(content, Finding):
            return
        tokens, findings = configfile.tokens_of(content, catalog)
        fit(findings, secret=False)
        before = meaning(["org/model", *tokens], catalog.version)
        if before is None:
            return
        written, told = configfile.write(["vllm", "serve", "org/model", *tokens], catalog)
        fit(told, secret=False)
        if any(item.severity == "error" for item in told):
            return
        model = ["org/model"] if catalog.grammar.model_beside_file else []
        again = parse(
            [*model, "--config", "y.yaml"],
            catalog,
            LineRules(configfile.ConfigFiles(catalog, lambda _path: written)),
        )
        after = {
            name: value
            for name, (value, _) in settings_of(again.occurrences).items()
            if name not in SECRET_FLAGS
        }
        if again.findings or unlike(
            before, after | {"--model": again.model or after.get("--model")}
        ):
            raise Broken(f"{tokens!a} has become {written!a}: {again.findings!a}")
