"""The rules for dialects: each sees what it is for."""

from __future__ import annotations

from support.tables import HEAD, catalog, flag, said, shape, tables, variable

from translator.authoring.lint import dialects as of_dialects
from translator.model.tables import Tables

FLAGS = catalog(
    "0.9.2",
    flag("--x", "toggle"),
    flag("--switch", "switch"),
    flag("--len", "int", aliases=["-l"]),
    flag("--dtype", choices=["auto", "half"]),
    flag("--conf", "json", shape=shape(method={"kind": "str"}, on={"kind": "bool"})),
    flag("--free", "json"),
)


def dialect(*variables: str, head: str = HEAD) -> Tables:
    return tables(FLAGS, mine=head + "".join(f"[[variable]]\n{text}\n" for text in variables))


def test_an_inverted_number_is_seen() -> None:
    found = dialect(
        *(
            variable(f"V{at}", name, "inverted = true")
            for at, name in enumerate(("--x", "--len", "--conf.on", "--conf.method"))
        )
    )
    assert said(of_dialects.inverted_are_boolean, found) == [
        "dialects/mine.toml $.variable[1].inverted: V1: --len accepts more than true and false",
        (
            "dialects/mine.toml $.variable[3].inverted: V3: --conf.method accepts more than true and"
            " false"
        ),
    ]
