"""The files of vLLM's sources that the site links to are there, and define what it says."""

from translator.core.tables.catalog import shipped
from translator.reference.site.names import source

from .install import Installed

# Of the server, by its parser, and defined beside the engine's flags or in another file.
ELSEWHERE = {
    "--disable-log-requests", "--data-parallel-start-rank", "--grpc", "--headless",
    "--api-server-count",
}  # fmt: skip
# Read where vLLM is imported, and not in its table of variables.
READ_ELSEWHERE = {"VLLM_TEST_ENABLE_ARTIFICIAL_PREEMPT", "VLLM_BATCH_INVARIANT"}


def test_a_linked_file_has_the_name(version: str, installed: Installed) -> None:
    catalog = shipped().catalog(version)
    texts: dict[str, str] = {}

    def text(address: str) -> str:
        path = address.partition(f"/blob/v{version}/")[2]
        return texts.setdefault(path, (installed.modules(version) / path).read_text("utf-8"))

    missing = {
        flag.flag
        for flag in catalog.flags()
        if flag.flag not in (code := text(source(version, server=flag.server)))
        and flag.flag[2:].replace("-", "_") not in code
    }
    assert missing <= ELSEWHERE
    code = text(source(version, variable=True))
    assert {name for name in catalog.variable_names() if name not in code} <= READ_ELSEWHERE
