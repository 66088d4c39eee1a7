"""`translate tables site`: the pages of three releases, read as a browser reads them."""

import html
import itertools
import json
import posixpath
import re
import subprocess
from argparse import Namespace
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from support.program import PLACE, PYTHON, translate
from support.tables import catalog, files, flag, write

from translator.cli import tables as commands
from translator.core.findings import codes
from translator.core.tables.catalog import Tables, shipped
from translator.maintain.compile import compile_overlay
from translator.reference.site import site
from translator.reference.site.names import place
from translator.reference.versions import PARTS, row_text, version_diff

VERSIONS = ("0.8.4", "0.17.1", "0.33.0")
SAMPLED = (
    "--swap-space", "--task", "--max-model-len", "--compilation-config", "--enforce-eager",
    "--api-key", "VLLM_ATTENTION_BACKEND", "VLLM_USE_DEEP_GEMM",
)  # fmt: skip
EVERY = 4  # of the pages of one kind, one in so many is read as a whole
# Read by JavaScript, which has them from elsewhere.
FRAGMENTS = ("..", "q=")


VOID = ("br", "col", "hr", "img", "input", "link", "meta")
# Elements of SVG that end in themselves.
CLOSED = ("rect", "path", "line", "circle", "use", "polyline")


class Seen(HTMLParser):
    """What stands in a page.

    Attributes:
        problems: elements that are not closed, or closed twice; ids that two elements have.
        ids: all of them.
        links: where `a` elements lead.
        loads: what the browser fetches for the page.
        attributes: the names of all attributes.
        tags: how often each element is there.
        cells: the texts of each row of its tables.
        widths: the columns that each of them takes.
        text: everything that can be read.
        title: the page's title.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.attributes: set[str] = set()
        self.tags: Counter[str] = Counter()
        self.cells: list[list[str]] = []
        self.widths: list[list[int]] = []
        self.text = self.title = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self._open]
        self.problems += [f"id {each} twice" for each in {*self.ids} if self.ids.count(each) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.attributes |= given.keys()
        self.tags[tag] += 1
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "href" in given:
            self.loads.append(given["href"])
        if "src" in given:
            self.loads.append(given["src"])
        if tag == "tr":
            self.cells.append([])
            self.widths.append([])
        elif tag in ("td", "th") and self.cells:
            self.cells[-1].append("")
            self.widths[-1].append(int(given.get("colspan", 1)))
            if tag == "th" and "scope" not in given:
                self.problems.append("<th> without a scope")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()
        if tag not in (*VOID, *CLOSED):
            self.problems.append(f"<{tag}/> closes itself")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> without its beginning")

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["title"] and "svg" not in self._open:
            self.title += data
        elif self._open[-1:] not in (["script"], ["style"]):
            self.text += data
        if self._open and {"td", "th"} & {*self._open} and self.cells and self.cells[-1]:
            self.cells[-1][-1] += data


class Few(Tables):
    """Tables with some of the platforms, and with these versions: all of them take a while."""

    def dialects(self) -> list[str]:
        known = super().dialects()
        return [name for name in ("nim", "own", "prefix", "runpod", "runpod@2.14") if name in known]


@pytest.fixture(scope="session")
def made() -> dict[str, str]:
    # What check.html loads besides is tested in tests/cli/test_paste.py.
    loaded = dict.fromkeys(("check/check.css", "check/check.js"), "")
    return {**dict(site(Few(), VERSIONS, checks=True)), **loaded}


@pytest.fixture(scope="session")
def seen(made: dict[str, str]) -> dict[str, Seen]:
    paths = [path for path in made if path.endswith(".html")]
    named = [place("flags" if name[0] == "-" else "variables", name) for name in SAMPLED]
    some = [path for path in paths if path.startswith(("flags/", "variables/", "findings/"))]
    chosen = {*paths} - {*some} | {*some[::EVERY], *named}
    return {path: Seen(made[path]) for path in paths if path in chosen}


def test_every_page_is_well_formed(seen: dict[str, Seen]) -> None:
    assert {path: page.problems for path, page in seen.items() if page.problems} == {}


def test_every_link_within_the_site_resolves(made: dict[str, str]) -> None:
    """On every page, also to anchors; what leads elsewhere is an address of the web."""
    ids = {path: {*re.findall(r' id="([^"]*)"', text)} for path, text in made.items()}
    broken = []
    for path, text in made.items():
        for link in {*re.findall(r' (?:href|src)="([^"]*)"', text)} if ".html" in path else ():
            address = urlsplit(html.unescape(link))
            if address.scheme:
                assert address.scheme == "https"
                continue
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), address.path))
            target = unquote(target) if address.path else path
            known = target in made and not link.startswith("/")
            fragment = (
                "" if any(each in address.fragment for each in FRAGMENTS) else address.fragment
            )
            if not known or (fragment and fragment not in ids[target]):
                broken.append((path, link))
    assert broken == []


def test_nothing_is_loaded_or_run_that_is_not_a_file_of_the_site(seen: dict[str, Seen]) -> None:
    for path, page in seen.items():
        assert not [each for each in page.loads if urlsplit(each).netloc], path
        assert not [name for name in page.attributes if name.startswith("on") or name == "style"]


def test_every_flag_variable_and_finding_has_its_page(made: dict[str, str]) -> None:
    for version in VERSIONS:
        catalog = shipped().catalog(version)
        for folder, names in (
            ("flags", catalog.flag_names()),
            ("variables", catalog.variable_names()),
        ):
            for name in names:
                assert f"<h1><code>{name}</code></h1>" in made[place(folder, name)]
    assert all(place("findings", code) in made for code in codes())


def test_a_page_and_the_lists_say_what_a_name_is_for(made: dict[str, str]) -> None:
    for folder, name, what in (
        ("flags", "--max-model-len", "Context length limit (prompt plus output), in tokens."),
        ("variables", "MAX_CONCURRENCY", "Jobs that RunPod&#39;s worker takes at the same time."),
    ):
        assert f'<p class="lead">{what}</p>' in made[place(folder, name)]
        assert f"<small>{what}</small>" in made["index.html"]
    assert "in tokens. (since vLLM" in made["llms.txt"]


def test_every_page_can_be_read_without_seeing_it(seen: dict[str, Seen]) -> None:
    """Landmarks, one heading, a link over the navigation, a title of its own."""
    for path, page in seen.items():
        for tag in ("main", "header", "footer", "nav", "h1"):
            assert page.tags[tag] == 1, (path, tag)
        assert page.links[0] == "#main"
        assert page.title
    titles = [page.title for page in seen.values()]
    assert len(titles) == len({*titles})


@pytest.mark.parametrize("name", SAMPLED)
def test_a_page_has_the_facts_of_explain(name: str, seen: dict[str, Seen]) -> None:
    """Of each run of releases: values, defaults, spellings. The runs differ: these pages are of
    three releases, so each of them is looked up among the runs of all.
    """
    (told,) = json.loads(translate("explain", "--format", "json", "--", name).out)
    folder, columns = ("flags", 4) if name[0] == "-" else ("variables", 3)
    rows = [row for row in seen[place(folder, name)].cells if len(row) == columns]
    for version in VERSIONS:
        known = [run for run in told["accepted"] if _covers(run["since"], version, run["until"])]
        shown = [row for row in rows if _covers(*_ends(row[0], version))]
        assert len(known) == len(shown) == (version in _having(name))
        for run, (_, value, default, *also) in zip(known, shown):
            for choice in run["choices"]:
                assert choice in value.split()
            assert run["choices"] or run["value"] in value
            assert ("deprecated" in value) == run["deprecated"]
            assert default.strip() == ("none" if run["default"] == "null" else run["default"])
            assert all(spelling in also[0] for spelling in [*run["also"], *run["off"]])


def _having(name: str) -> list[str]:
    return [version for version in VERSIONS if shipped().catalog(version).knows(name)]


def _ends(text: str, version: str) -> tuple[str, str, str]:
    first, _, last = text.partition(" to ")
    return (first, version, last or first) if first in VERSIONS else (version, "", version)


def _covers(first: str, version: str, last: str) -> bool:
    known = shipped().versions()
    return version in known and known.index(first) <= known.index(version) <= known.index(last)


def test_a_removed_flag_is_found_by_its_error(made: dict[str, str], seen: dict[str, Seen]) -> None:
    error = "unrecognized arguments: --swap-space"
    page = seen[place("flags", "--swap-space")]
    assert error in page.title
    assert error in page.text
    assert "../changes/0.17.1-to-0.33.0.html" in page.links
    assert f"{error}." in made[place("flags", "--swap-space")].partition("</head>")[0]
    assert "unrecognized" not in seen[place("flags", "--max-model-len")].text


def test_the_data_has_the_difference_of_any_two_releases(made: dict[str, str]) -> None:
    """Read as compare.js reads it, in both directions."""
    text = made["changes/data.js"]
    data = json.loads(text.removeprefix("globalThis.changes=").removesuffix(";\n"))
    assert data["parts"] == [[*part] for part in PARTS.items()]
    assert data["versions"] == [*VERSIONS]
    for old, new in itertools.permutations(VERSIONS, 2):
        expected = version_diff(shipped().catalog(old), shipped().catalog(new))
        for group, part in itertools.product(("flags", "variables"), PARTS):
            lines = [
                (name.get("weight", len(data["names"])), line)
                for name in data["names"]
                if name["group"] == group
                for there, line in _rows(name, VERSIONS.index(old), VERSIONS.index(new))
                if there == part
            ]
            if part == "defaults":
                lines.sort(key=lambda each: each[0])
            assert [line for _, line in lines] == [row_text(row) for row in expected[group][part]]


def _rows(name: dict, old: int, new: int) -> list[list[str]]:
    return name["pairs"].get(name["states"][old] + name["states"][new], [])


def test_each_release_has_its_changes_to_the_next(seen: dict[str, Seen]) -> None:
    page = seen["changes/0.17.1-to-0.33.0.html"]
    assert "--swap-space: The V1 engine recomputes" in page.text
    assert "changes/0.8.4-to-0.17.1.html" in seen


def test_the_matrix_has_a_column_for_each_release(seen: dict[str, Seen]) -> None:
    page = seen["matrix.html"]
    head, *rows = page.cells
    assert head == ["Flag", *reversed(VERSIONS)]  # so that it opens at the newest
    assert {sum(row) for row in page.widths} == {1 + len(VERSIONS)}
    texts = {row[0]: row[1:] for row in rows}
    assert texts["--swap-space"] == ["", "0.8.4 to 0.17.1: present"]
    assert texts["--seed"][:2] == ["0.33.0: present", "0.17.1: default none → 0"]
    assert len(texts) == len({f.flag for v in VERSIONS for f in shipped().catalog(v).flags()})


HOSTILE = "\"><script>alert(1)</script>'&lt; `<b>` <i>"


def test_texts_of_own_tables_are_texts(tmp_path: Path) -> None:
    """Also those that would be HTML, a script or an address of one."""
    own = catalog(
        "0.40.0",
        flag("--own", choices=[HOSTILE], default=HOSTILE),
        env=[{"name": "VLLM_OWN", "kind": "str", "default": HOSTILE}],
    )
    dialect = f"""\
[dialect]
name = "own"
consumer = {json.dumps(HOSTILE)}
sources = [{json.dumps("https://example.org/" + HOSTILE.replace(" ", ""))}]
prefix = "OWN_"
extra_args = "OWN_ARGS"
[[variable]]
name = "OWN_THING"
role = "flag"
flag = "--own"
note = {json.dumps(HOSTILE)}
"""
    changes = f'[[gone]]\nnames = ["--gone"]\nwhy = {json.dumps(HOSTILE)}\nsource = "https://example.org"\n'
    older = catalog("0.39.0", flag("--gone"))
    folder = write(tmp_path, files(older, own, own=dialect, changes=changes))
    made = dict(site(Few(compile_overlay(folder)), ("0.39.0", "0.40.0")))
    pages = {path: Seen(text) for path, text in made.items() if path.endswith(".html")}
    for path, page in pages.items():
        assert not page.problems, path
        assert page.tags["script"] <= 3
        assert all(urlsplit(link).scheme in ("", "https") for link in page.links), path
    plain = HOSTILE.replace("`", "")
    for path in ("flags/own.html", "variables/VLLM_OWN.html"):
        assert json.dumps(HOSTILE) in pages[path].text
    for path in ("variables/OWN_THING.html", "dialects/own.html", "flags/gone.html"):
        assert plain in pages[path].text.replace("`", ""), path
    assert not [link for link in pages["flags/own.html"].links if "github.com" in link]
    assert json.loads(made["changes/data.js"].removeprefix("globalThis.changes=")[:-2])


def test_the_same_tables_give_the_same_bytes() -> None:
    """In processes whose sets have other orders."""
    program = (
        "import hashlib; from translator.reference.site import site;"
        "from translator.core.tables.catalog import Tables;"
        "Tables.dialects = lambda self: ['nim', 'prefix'];"
        "print(hashlib.sha256(repr(list(site(Tables(), ['0.5.2', '0.5.3']))).encode()).hexdigest())"
    )
    env = [{**PLACE, "PYTHONHASHSEED": seed} for seed in ("1", "2")]
    first, second = (subprocess.check_output([PYTHON, "-c", program], env=each) for each in env)
    assert first == second


def test_the_command_writes_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "translator.reference.site.site",
        lambda tables, **_: iter([("a/b.html", "é\n"), ("c.js", "")]),
    )
    commands.site(
        Namespace(output=str(tmp_path / "new"), pyodide=None, repository=None, tables=None)
    )
    assert (tmp_path / "new" / "a" / "b.html").read_bytes() == "é\n".encode()
    assert (tmp_path / "new" / "c.js").exists()


def test_pages_are_small(made: dict[str, str]) -> None:
    """What a browser loads for one; those of three releases are nearly as large as those of all."""
    style = len(made["assets/style.css"])
    flags = [len(text.encode()) for path, text in made.items() if path.startswith("flags/")]
    assert max(flags) + style < 80_000
    assert len(made["matrix.html"]) < 350_000


def test_the_program_is_described_and_its_source_linked() -> None:
    """Without an address of the source, the pages lead to what is known of it."""
    commands = {"check": "usage: translate check <FILE>"}
    address = "https://example.org/translate"
    tables, versions = Few(), VERSIONS[-2:]
    made = dict(site(tables, versions, commands=commands, source_code=address))
    about = Seen(made["about.html"])
    assert {address, f"{address}/blob/HEAD/docs/README.md"} <= {*about.links}
    assert commands["check"] in about.text
    assert {address, "../about.html#install", "../about.html#documentation"} <= {
        *Seen(made["flags/port.html"]).links
    }
    assert "../about.html#source" in Seen(dict(site(tables, versions))["flags/port.html"]).links


def test_a_language_model_has_an_index(made: dict[str, str]) -> None:
    """https://llmstxt.org: a title, a summary, lists of links."""
    title, _, summary, *rest = made["llms.txt"].split("\n")
    assert title.startswith("# ")
    assert summary.startswith("> ")
    links = re.findall(r"^- \[(.+?)\]\((.+?)\)", "\n".join(rest), re.M)
    assert {path for _, path in links} <= {*made}
    assert ("--max-model-len", "flags/max-model-len.html") in links


def test_sources_are_linked_at_the_tag_of_the_last_release(seen: dict[str, Seen]) -> None:
    tree = "https://github.com/vllm-project/vllm/blob/"
    assert f"{tree}v0.17.1/vllm/engine/arg_utils.py" in seen[place("flags", "--swap-space")].links
    assert f"{tree}v0.33.0/vllm/entrypoints/common/cli_args.py" in seen["flags/api-key.html"].links
