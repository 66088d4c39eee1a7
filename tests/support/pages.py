"""Reading the pages of a site as a browser does, as far as tests need it."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

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
