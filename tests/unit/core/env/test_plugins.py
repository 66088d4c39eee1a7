"""Variables of vLLM's plugins: known as theirs."""

from translator.core.tables.catalog import PLUGINS, Tables, shipped
from translator.maintain.compile import compile_overlay


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
