"""Every kind of page, as a browser shows it: nothing of it fails, and all of it can be reached."""

from __future__ import annotations

from typing import Any

import pytest

PAGES = (
    "index.html",
    "flags/max-model-len.html",
    "flags/swap-space.html",
    "flags/compilation-config.html",
    "variables/VLLM_USE_DEEP_GEMM.html",
    "dialects/runpod.html",
    "findings/bad-choice.html",
    "changes/index.html",
    "matrix.html",
    "check.html",
)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_shows_without_trouble(path: str, tab: Any) -> None:
    page = tab.open(path)
    assert page.locator("h1").count() == 1
    assert page.locator("main").inner_text().strip()


@pytest.mark.parametrize("path", PAGES)
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


def test_the_filter_finds_a_flag_by_its_error_message(tab: Any) -> None:
    page = tab.open("index.html")
    page.fill("#filter", "vllm: error: unrecognized arguments: --swap-space 4")
    shown = [item.inner_text() for item in page.locator(".names li:visible a").all()]
    assert "--swap-space" in shown
    assert len(shown) < 5
    page.fill("#filter", "")
    assert page.locator(".names li:visible").count() > 500


def test_the_matrix_keeps_its_names_in_view(tab: Any) -> None:
    page = tab.open("matrix.html")
    name = page.locator("tbody th").first
    before = name.bounding_box()
    page.locator(".scroll").first.evaluate("element => { element.scrollLeft = 500; }")
    assert name.bounding_box() == before
    assert page.locator("tbody tr").count() > 300


def test_two_releases_are_compared(tab: Any) -> None:
    page = tab.open("changes/index.html#0.8.4..0.27.1")
    assert "0.8.4 to 0.27.1" in page.inner_text("#compared")
    assert page.locator("#result a[href$='flags/swap-space.html']").count() >= 1
    page.select_option("#to", "0.8.5")
    assert "0.8.4 to 0.8.5" in page.inner_text("#compared")


def test_a_flag_is_found_and_read_with_the_keyboard(tab: Any) -> None:
    page = tab.open("index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.focus("#filter")
    page.keyboard.type("--swap-space")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "--swap-space"
    page.keyboard.press("Enter")
    page.wait_for_url("**/flags/swap-space.html")


def test_a_flags_page_is_small(site: Any, tab: Any) -> None:
    """Less than 100 KB until it is shown, and none of it is Python."""
    sizes: list[int] = []
    tab.page.on("response", lambda reply: sizes.append(len(reply.body())))
    tab.open("flags/compilation-config.html")
    tab.page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) < 100_000
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 30_000_000
