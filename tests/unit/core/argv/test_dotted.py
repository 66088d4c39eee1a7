"""`--json-style dotted`: dotted keys that the version reads back, else compact JSON."""

from hypothesis import given
from hypothesis import strategies as st

from translator.core.argv.parser import dotted_tokens, parse
from translator.core.settings import same
from translator.core.tables.catalog import shipped

CATALOG = shipped().catalog("0.33.0")
FLAG = CATALOG.flag("--hf-overrides")
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(alphabet='ab01kK.,+-"{[ ]}é', max_size=6)
    | st.sampled_from(["true", "1k", "null", "1", "-1.5"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet="ab_.+= ", max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.text(alphabet="ab_.+= -", max_size=4), VALUES, max_size=3))
def test_what_is_written_is_read_back(value: dict) -> None:
    assert FLAG is not None
    found = parse(dotted_tokens(FLAG, value, CATALOG), CATALOG)
    assert found.findings == []
    assert same(found.settings()["--hf-overrides"][0], value)
