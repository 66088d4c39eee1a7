"""Variables of vLLM's plugins: known as theirs."""

from __future__ import annotations

from translator import args_to_env, check, convert
from translator.authoring.compile import compile_overlay
from translator.pages.lookup import look_up
from translator.settings.scope import scope
from translator.tables.catalog import PLUGINS, Tables, shipped


def test_every_call_leaves_it_where_it_is() -> None:
    env = {"MODEL_NAME": "m", "VLLM_ASCEND_ENABLE_NZ": "1"}
    assert {item.code for item in check(env, vllm="0.33.0")} == {"plugin-variable"}
    assert convert(env, "0.27.1", "0.33.0").env["VLLM_ASCEND_ENABLE_NZ"] == "1"
    made = args_to_env(["vllm", "serve", "m"], vllm="0.33.0").env
    assert "VLLM_ASCEND_ENABLE_NZ" not in made


def test_explain_says_whose_it_is() -> None:
    there = scope("0.33.0", "runpod", {}, shipped())[0]
    for name in ("VLLM_ASCEND_ENABLE_NZ", "VLLM_ASCEND_OTHER"):
        page = look_up(name, there, ["0.33.0"])
        assert page is not None
        ((_, lines),) = [section for section in page.sections if section[0] == "plugin"]
        assert "vllm-ascend" in lines[0]
        assert lines[1].startswith("https://github.com/vllm-project/vllm-ascend/")


def test_a_plugin_of_ones_own_is_added(tmp_path) -> None:
    (tmp_path / "plugins.toml").write_text(
        '[[plugin]]\nname = "mine"\nhardware = "my chips"\nsources = ["https://example.org"]\n'
        'variables = ["VLLM_MINE"]\n'
    )
    tables = Tables(compile_overlay(tmp_path))
    for name, plugin in (("VLLM_MINE", "mine"), ("VLLM_ASCEND_ENABLE_NZ", "vllm-ascend")):
        found = tables.plugin(name)
        assert found is not None
        assert found.name == plugin
    assert tables.plugin("VLLM_MINE_TOO") is None
    assert "mine" not in shipped().records(PLUGINS)
