"""The rules for changes: a deleted, misspelt or stale entry is seen."""

from __future__ import annotations

import pytest
from attrs import evolve
from support.tables import catalog, flag, of_the_project, said, shape, tables

from translator.authoring.lint import changes as of_changes
from translator.authoring.lint.lint import names_exist
from translator.authoring.lint.rules import Context
from translator.authoring.names import disappearances
from translator.authoring.sources import TablesError
from translator.model.changes import Changes
from translator.model.tables import Tables


@pytest.fixture
def shipped() -> Tables:
    return of_the_project()


OLD = catalog(
    "0.8.5",
    flag("--old", "switch"),
    flag("--gone", "int"),
    flag("--stay"),
    flag("--task", choices=["embed", "generate"]),
    flag("--mode", choices=["a", "b"]),
    flag(
        "--conf",
        "json",
        shape=shape(level={"kind": "int"}, deep=shape(k={"kind": "str"}, l={"kind": "str"})),
    ),
    flag("--lost", "json", shape=shape(k={"kind": "int"})),
    flag("--free", "json"),
    env=[{"name": "VLLM_OLD", "kind": "bool"}],
)
NEW = catalog(
    "0.9.2",
    flag("--new", "toggle"),
    flag("--stay", aliases=["--still"]),
    flag("--runner", choices=["pooling", "generate"]),
    flag("--mode", choices=["a", "c"]),
    flag(
        "--conf",
        "json",
        shape=shape(
            mode={"kind": "choice", "choices": ["NONE", "FAST"]}, deep=shape(k={"kind": "str"})
        ),
    ),
    flag("--free", "json"),
)
SAME = '[[same]]\ncarriers = ["--old", "--new"]\ninverted = ["--old"]\nsource = "catalogs"\n'
VARIABLE = '[[same]]\ncarriers = ["VLLM_OLD", "--new"]\nsource = "catalogs"\n'
LEVEL = (
    '[[same]]\ncarriers = ["--conf.level", "--conf.mode"]\nsource ='
    ' "catalogs"\nvalues."--conf.level" = {0 = "NONE", 3 = "FAST"}\n'
)
SPLIT = (
    '[[split]]\nname = "--task"\nsource = "catalogs"\nvalues.embed = {"--runner" ='
    ' "pooling"}\nvalues.generate = {}\n'
)
GONE = (
    '[[gone]]\nnames = ["--gone", "--lost", "--conf.deep.l", "VLLM_OLD"]\nwhy = "so"\nsource ='
    ' "catalogs"\n'
)
VALUE = '[[value]]\nname = "--mode"\nvalues = ["b", "c"]\nsource = "catalogs"\n'
ALL = SAME + LEVEL + SPLIT + GONE + VALUE


def changed(text: str) -> Tables:
    return tables(OLD, NEW, changes=text)


def rules_of_changes(found: Tables) -> list[str]:
    return [str(problem) for rule in of_changes.RULES for problem in rule(Context(found))]


def test_a_full_account_passes() -> None:
    assert rules_of_changes(changed(ALL)) == []
    assert sorted(disappearances(changed(ALL).catalogs)) == [
        "--conf.deep.l",
        "--conf.level",
        "--gone",
        "--lost",
        "--old",
        "--task",
        "VLLM_OLD",
    ]


@pytest.mark.parametrize(
    ("without", "name"),
    [
        (SAME, "--old"),
        (LEVEL, "--conf.level"),
        (SPLIT, "--task"),
        ('"--lost", ', "--lost"),
        ('"--conf.deep.l", ', "--conf.deep.l"),
    ],
)
def test_a_deleted_entry_is_seen(without: str, name: str) -> None:
    found = changed(ALL.replace(without, ""))
    assert (
        f"changes.toml: no entry says what became of {name}, which 0.9.2 does not have any more"
        in said(of_changes.every_disappearance_has_an_entry, found)
    )


def test_a_name_that_comes_back_needs_an_entry_too() -> None:
    found = tables(
        catalog("0.8.5", flag("--x")), catalog("0.9.2"), catalog("0.10.2", flag("--x")), changes=""
    )
    assert said(of_changes.every_disappearance_has_an_entry, found) == [
        "changes.toml: no entry says what became of --x, which 0.9.2 does not have any more"
    ]


def test_keys_are_followed_over_a_version_without_a_shape() -> None:
    found = tables(
        catalog("0.8.5", flag("--x", "json", shape=shape(a={"kind": "int"}))),
        catalog("0.9.2", flag("--x", "json")),
        catalog("0.10.2", flag("--x", "json", shape=shape(b={"kind": "int"}))),
        changes="",
    )
    assert said(of_changes.every_disappearance_has_an_entry, found) == [
        "changes.toml: no entry says what became of --x.a, which 0.10.2 does not have any more"
    ]


def test_a_name_in_two_entries_is_seen() -> None:
    for more, twice in ((VARIABLE, "--new, VLLM_OLD"), (VALUE, "--mode=b, --mode=c")):
        with pytest.raises(TablesError) as caught:
            changed(ALL + more)
        assert str(caught.value) == f"changes.toml $: {twice} stands twice"


def test_a_version_that_the_catalogs_know_is_seen() -> None:
    found = changed(
        ALL + '[[same]]\ncarriers = ["--free.a", "--free.b"]\nsince."--free.b" ='
        ' "0.9.0"\nuntil."--free.a" = "0.8.9"\nsource = "catalogs"\n'
    )
    assert rules_of_changes(found) == []
    found = changed(ALL.replace(SAME, SAME + 'since."--new" = "0.9.2"\n'))
    assert said(of_changes.no_fact_of_the_catalogs, found) == [
        "changes.toml $.same[0].since: the catalogs know which versions have --new"
    ]
    found = changed(
        ALL + '[[same]]\ncarriers = ["--free.a", "--free.b"]\nsince."--free.b" ='
        ' "0.9.0"\nuntil."--free.b" = "0.8.9"\nsource = "catalogs"\n'
    )
    assert said(of_changes.no_fact_of_the_catalogs, found) == [
        "changes.toml $.same[2].since: --free.b is read since 0.9.0, but until 0.8.9 only"
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "path", "name"),
    [
        ('"--new"]', '"--mew"]', "$.same[0]", "--mew"),
        ('"--conf.mode"', '"--conf.mood"', "$.same[1]", "--conf.mood"),
        ('"--runner"', '"--walker"', "$.split[0]", "--walker"),
        ('"--gone"', '"--went"', "$.gone[0]", "--went"),
        ('"--conf.deep.l"', '"--stay.l"', "$.gone[0]", "--stay.l"),
        ("VLLM_OLD", "VLLM_OLT", "$.gone[0]", "VLLM_OLT"),
        (SAME, SAME + 'beside."--new" = {"--besides" = 1}\n', "$.same[0]", "--besides"),
    ],
)
def test_a_misspelt_name_is_seen(right: str, wrong: str, path: str, name: str) -> None:
    found = said(names_exist, changed(ALL.replace(right, wrong)))
    assert any(
        line.startswith(f"changes.toml {path}")
        and line.endswith((f" has {name}", f" has a flag {name}"))
        for line in found
    )


def test_an_unfinished_entry_is_seen() -> None:
    """As `translate tables drift` proposes it."""
    found = changed(
        ALL.replace('why = "so"', 'why = "TODO: what became of it"')
        + VALUE.replace("source", 'note = "TODO"\nsource').replace('"b", "c"', '"A", "C"')
    )
    assert said(of_changes.nothing_left_to_do, found) == [
        "changes.toml $.gone[0]: is not finished: a text of it begins with TODO",
        "changes.toml $.value[1]: is not finished: a text of it begins with TODO",
    ]
    assert said(of_changes.nothing_left_to_do, changed(ALL)) == []


def test_a_stale_entry_is_seen() -> None:
    found = changed(
        ALL.replace('"--gone"', '"--gone", "--stay"')
        + '[[same]]\ncarriers = ["--mode", "--free.a"]\nsource = "catalogs"\n'
    )
    assert said(of_changes.no_entry_is_stale, found) == [
        "changes.toml $.same[2]: --mode, --free.a are in the same versions: the entry is stale",
        "changes.toml $.gone[0]: --stay is missing in no version: the entry is stale",
    ]


def test_a_value_that_was_not_renamed_is_seen() -> None:
    wrong = changed(ALL.replace(VALUE, VALUE.replace('"b"', '"d"')))
    assert said(of_changes.values_are_taken, wrong) == [
        "changes.toml $.value[0]: no version accepts 'd' for --mode"
    ]


def test_a_value_of_another_carrier_counts() -> None:
    found = tables(
        catalog("0.8.5", env=[{"name": "VLLM_B", "kind": "str", "choices": ["X_V1"]}]),
        catalog("0.9.2", flag("--b", choices=["X"])),
        changes=(
            '[[same]]\ncarriers = ["VLLM_B", "--b"]\nsource = "catalogs"\n[[value]]\nname ='
            ' "--b"\nvalues = ["X_V1", "X"]\nsource = "catalogs"\n'
        ),
    )
    assert rules_of_changes(found) == []


def test_a_version_where_nothing_carries_it_is_told_unless_a_note_helps() -> None:
    later = catalog("0.10.2", flag("--again"))
    text = '[[same]]\ncarriers = ["--x", "--again"]\nsource = "catalogs"\n'
    found = tables(catalog("0.8.5", flag("--x")), catalog("0.9.2"), later, changes=text)
    assert said(of_changes.something_carries_it, found) == [
        "changes.toml $.same[0]: nothing replaces --x in 0.9.2, and no note explains what to do"
    ]
    assert [problem.severity for problem in of_changes.something_carries_it(Context(found))] == [
        "warning"
    ]
    assert (
        said(
            of_changes.something_carries_it,
            tables(
                catalog("0.8.5", flag("--x")),
                catalog("0.9.2"),
                later,
                changes=text + 'note = "wait"\n',
            ),
        )
        == []
    )


def test_a_split_that_arrives_nowhere_is_seen() -> None:
    found = tables(OLD, NEW, catalog("0.10.2", *NEW["flags"][1:3]), changes=ALL)
    assert said(of_changes.splits_arrive, found) == [
        "changes.toml $.split[0]: --task becomes --runner, which 0.10.2 lacks"
    ]
    carried = ALL + '[[gone]]\nnames = ["--runner"]\nwhy = "so"\nsource = "catalogs"\n'
    assert (
        said(of_changes.splits_arrive, tables(OLD, NEW, catalog("0.10.2"), changes=carried)) == []
    )


def test_an_inverted_text_is_seen() -> None:
    found = changed(ALL.replace('"--new"]', '"--new", "--runner"]'))
    assert said(of_changes.inverted_are_boolean, found) == [
        "changes.toml $.same[0]: --runner accepts more than true and false and cannot be inverted"
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        ('3 = "FAST"', '3 = "FASD"', "$.same[1].values: no version accepts 'FASD' for --conf.mode"),
        (
            "values.embed",
            "values.embet",
            "$.split[0].values: no version accepts 'embet' for --task",
        ),
        ('"pooling"', '"pool"', "$.split[0].values.embed: no version accepts 'pool' for --runner"),
        (GONE, GONE.replace('"--gone"', '"--gone"') + 'default_when = "1"\n', None),
        (
            SPLIT,
            (
                '[[gone]]\nnames = ["--task"]\nwhy = "so"\ndefault_when = "embet"\nsource ='
                ' "catalogs"\n'
            ),
            "$.gone[0].default_when: no version accepts 'embet' for --task",
        ),
        (
            'values."--conf.level" = {0 = "NONE", 3 = "FAST"}',
            'values."--conf.mode" = {NONG = 0}',
            "$.same[1].values: no version accepts 'NONG' for --conf.mode",
        ),
    ],
)
def test_a_value_that_no_version_takes_is_seen(right: str, wrong: str, text: str | None) -> None:
    assert said(of_changes.values_are_taken, changed(ALL.replace(right, wrong))) == (
        [] if text is None else [f"changes.toml {text}"]
    )


def test_each_entry_of_the_project_is_needed(shipped: Tables) -> None:
    """Without it, lint fails, or a new name would not reach the older versions."""
    assert shipped.changes is not None
    lost = disappearances(shipped.catalogs)
    for path, entry in shipped.changes.entries():
        part, index = path[2:-1].split("[")
        kept = [item for at, item in enumerate(getattr(shipped.changes, part)) if at != int(index)]
        found = evolve(shipped, changes=evolve(shipped.changes, **{part: tuple(kept)}))
        missing = [
            problem.text for problem in of_changes.every_disappearance_has_an_entry(Context(found))
        ]
        assert len(missing) == len(set(entry.names) & lost.keys())
        assert missing or part == "same", path


def test_without_any_entry_everything_is_missing(shipped: Tables) -> None:
    found = evolve(shipped, changes=Changes())
    assert (
        len(list(of_changes.every_disappearance_has_an_entry(Context(found))))
        == len(disappearances(shipped.catalogs))
        > 150
    )
