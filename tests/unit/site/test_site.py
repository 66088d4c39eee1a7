"""`translate tables site`: the pages of three releases, read as a browser reads them."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urlsplit

import pytest
from support.pages import Seen

from translator.findings.registry import CODES
from translator.site.build import site
from translator.site.places import place
from translator.tables.catalog import shipped

VERSIONS = ("0.8.4", "0.17.1", "0.33.0")


@pytest.fixture(scope="session")
def made() -> dict[str, str]:
    return dict(site(shipped(), VERSIONS))


@pytest.fixture(scope="session")
def seen(made: dict[str, str]) -> dict[str, Seen]:
    return {path: Seen(text) for path, text in made.items() if path.endswith(".html")}


def test_every_page_is_well_formed(seen: dict[str, Seen]) -> None:
    assert {path: page.problems for path, page in seen.items() if page.problems} == {}


def test_every_link_within_the_site_resolves(made: dict[str, str], seen: dict[str, Seen]) -> None:
    """Also to anchors; what leads elsewhere is an address of the web."""
    broken = []
    for path, page in seen.items():
        for link in page.links + page.loads:
            address = urlsplit(link)
            if address.scheme:
                assert address.scheme == "https"
                assert link not in page.loads
                continue
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), address.path))
            target = unquote(target) if address.path else path
            whole = target in made and not link.startswith("/")
            if not whole or (address.fragment and address.fragment not in seen[target].ids):
                broken.append((path, link))
    assert broken == []


def test_nothing_is_loaded_or_run_that_is_not_a_file_of_the_site(seen: dict[str, Seen]) -> None:
    for path, page in seen.items():
        assert all(not urlsplit(each).netloc for each in page.loads), path
        assert not [name for name in page.attributes if name.startswith("on") or name == "style"]


def test_every_flag_variable_and_finding_has_its_page(seen: dict[str, Seen]) -> None:
    for version in VERSIONS:
        catalog = shipped().catalog(version)
        for flag in catalog.flags():
            page = seen[place("flags", flag.flag)]
            assert flag.flag in page.title
        for name in catalog.variable_names():
            assert name in seen[place("variables", name)].title
    assert all(place("findings", code) in seen for code in CODES)
