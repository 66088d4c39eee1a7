"""Every kind of page, as a browser shows it: nothing of it fails, and all of it can be reached."""

from typing import Any

import pytest
from cases import NEWEST

PAGES = (
    "index.html", "flags/max-model-len.html", "flags/swap-space.html",
    "flags/compilation-config.html", "variables/VLLM_USE_DEEP_GEMM.html", "dialects/runpod.html",
    "findings/bad-choice.html", "changes/index.html", "matrix.html", "check.html", "about.html",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_a_page_shows_without_trouble(path: str, tab: Any) -> None:
    page = tab.open(path)
    assert page.locator("h1").count() == 1
    assert page.locator("main").inner_text().strip()


@pytest.mark.parametrize("path", [*PAGES, "index.html#q=speculative-config"])
def test_a_page_fits_a_phone(path: str, chromium: Any, base: str) -> None:
    context = chromium.new_context(
        viewport={"width": 320, "height": 640}, color_scheme="dark", java_script_enabled=True
    )
    page = context.new_page()
    page.goto(base + path)
    wide = page.evaluate("document.scrollingElement.scrollWidth")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    context.close()
    assert wide <= 320
    assert max(int(part) for part in dark.strip("rgba()").split(",")[:3]) < 60


def found(page: Any, typed: str) -> list[str]:
    page.fill("#search", typed)
    return [item.inner_text() for item in page.locator("#results a").all()]


def test_a_flag_is_found_by_its_error_message(tab: Any) -> None:
    page = tab.open("index.html")
    shown = found(page, "vllm: error: unrecognized arguments: --swap-space 4")
    assert "--swap-space" in shown
    assert len(shown) < 5
    assert page.locator("#lists").is_hidden()
    assert found(page, "") == []
    assert page.locator("#lists").is_visible()


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("port", ["--port", "PORT"]),
        ("--max-model", ["--max-model-len", "MAX_MODEL_LEN"]),
        ("max model len", ["--max-model-len"]),
        ("-tp", ["--tensor-parallel-size"]),
        ("PORT", ["PORT", "--port"]),
        ("--swap-space", ["--swap-space", "SWAP_SPACE"]),
        ("OPTION_MAX_MODEL_LEN", ["MAX_MODEL_LEN", "--max-model-len"]),
        ("speculative-config.method", ["--speculative-config.method"]),
        ("--max-modl-len", ["--max-model-len"]),
        ("--max-mdoel-len", ["--max-model-len"]),
        ("quantisation", ["--quantization"]),
        ("context length", ["--max-model-len", "MAX_MODEL_LEN"]),
        ("contxt lenght", ["--max-model-len", "MAX_MODEL_LEN"]),
    ],
)
def test_the_best_names_are_first(typed: str, first: list[str], tab: Any) -> None:
    """What is typed itself, then what begins with it; where nothing has it, what was meant."""
    assert found(tab.open("index.html"), typed)[: len(first)] == first


def test_what_nothing_resembles_is_not_found(tab: Any) -> None:
    page = tab.open("index.html")
    assert found(page, "zzzzzzzzz") == []
    assert page.inner_text("#count") == "None found"


def test_the_matrix_opens_at_the_newest_release(tab: Any) -> None:
    page = tab.open("matrix.html")
    name = page.locator("tbody th").first
    newest = page.locator("thead th").nth(1)
    assert newest.inner_text() == page.locator("thead th").all_inner_texts()[1] == NEWEST
    assert newest.bounding_box()["x"] < 400
    before = name.bounding_box()
    page.locator(".scroll").first.evaluate("element => { element.scrollLeft = 500; }")
    assert name.bounding_box() == before
    assert page.locator("tbody tr").count() > 300


@pytest.mark.parametrize("width", [320, 1280])
def test_the_table_of_runpod_fits(width: int, tab: Any) -> None:
    tab.page.set_viewport_size({"width": width, "height": 800})
    page = tab.open("dialects/runpod.html")
    wide, room = page.evaluate(
        "(e => [e.scrollWidth, e.clientWidth])(document.querySelector('.scroll'))"
    )
    assert wide <= room


def test_the_index_is_short_on_a_phone(tab: Any) -> None:
    tab.page.set_viewport_size({"width": 320, "height": 640})
    page = tab.open("index.html")
    assert page.evaluate("document.scrollingElement.scrollHeight") < 2 * 640
    page.locator("#flags summary").click()
    assert page.locator("#flags li").first.is_visible()


def test_two_releases_are_compared(tab: Any) -> None:
    page = tab.open("changes/index.html#0.8.4..0.27.1")
    assert "0.8.4 to 0.27.1" in page.inner_text("#compared")
    assert page.locator("#result a[href$='flags/swap-space.html']").count() >= 1
    page.select_option("#to", "0.8.5")
    assert "0.8.4 to 0.8.5" in page.inner_text("#compared")


def test_a_flag_is_found_and_read_with_the_keyboard(tab: Any) -> None:
    """From any page: / searches, arrows choose, Enter opens."""
    page = tab.open("flags/port.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("/")
    page.wait_for_url("**/index.html#q=")
    page.wait_for_function("document.activeElement.id === 'search'")
    page.keyboard.type("--swap-sp")
    focused = "document.activeElement.textContent"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "--swap-space"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "SWAP_SPACE"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.press("Enter")
    page.wait_for_url("**/flags/swap-space.html")
    page.go_back()
    page.wait_for_selector("#results a")
    assert page.input_value("#search") == "--swap-sp"


def test_a_flags_page_is_small(site: Any, tab: Any) -> None:
    """Less than 100 KB until it is shown, and none of it is Python."""
    sizes: list[int] = []
    tab.page.on("response", lambda reply: sizes.append(len(reply.body())))
    tab.open("flags/compilation-config.html")
    tab.page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) < 100_000


def test_the_site_is_small(site: Any) -> None:
    """Without Python for browsers, which is larger than all the rest."""
    files = [path for path in site.rglob("*") if path.is_file()]
    assert len(files) < 1400
    assert sum(path.stat().st_size for path in files if path.parent.name != "check") < 8_000_000
