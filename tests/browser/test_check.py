"""Paste and check: the page answers as the command line does, and keeps to itself what it is given."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cases import recipes
from cli.test_paste import LINE, LOG, MANIFEST, VARIABLES
from support.program import translate

from translator.cli.paste import paste

from .conftest import LOADING, Server, Tab

PUBLIC = 200
# Asks the engine of the page one text after the other.
ASK = """async (requests) => {
  const engine = new Worker("check/engine.js", { type: "module" });
  const found = [];
  for (const request of requests) {
    found.push(await new Promise((done, failed) => {
      engine.onmessage = ({ data }) => (data.error ? failed(new Error(data.error)) : done(data.answer));
      engine.onerror = (event) => failed(new Error(event.message));
      engine.postMessage({ id: found.length, request: JSON.stringify(request) });
    }));
  }
  engine.terminate();
  return found;
}"""


def check(page: Any, text: str, **choices: str) -> None:
    """Fill in the form with what a person would, and wait for the answer."""
    for name in ("source", "target"):
        page.select_option(f"#{name}", choices.get(name, ""))
    page.select_option("#dialect", choices.get("dialect", "runpod"))
    page.fill("#text", text)
    page.evaluate("document.getElementById('counts').textContent = ''")
    page.click("button[type=submit]")
    page.wait_for_selector("#counts:not(:empty)", timeout=LOADING)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        (LINE, {"source": "0.8.5", "target": "0.33.0"}),
        (VARIABLES, {"target": "0.27.1", "dialect": "lmi"}),
        (MANIFEST, {"target": "0.33.0"}),
        (MANIFEST, {}),
    ],
    ids=["line", "variables", "manifest", "image"],
)
def test_the_answer_is_that_of_the_command_line(
    text: str, choices: dict[str, str], checking: Tab
) -> None:
    page = checking.page
    check(page, text, **choices)
    ours = paste(text, **choices)
    for part in ("command", "variables"):
        done = translate(*ours[part]["arguments"], stdin=text.encode())
        assert page.inner_text(f"#{part}").strip() == (done.out or done.err).strip()
    for name in ("Findings", "Command", "Variables"):
        title = page.inner_text(f"#{name.lower()}-title")
        assert title == f"{name} for vLLM {choices.get('target', '0.11.2')}"
    told = json.loads(translate(*ours["check"]["arguments"], stdin=text.encode()).out)["findings"]
    assert told
    shown = page.locator("#findings li").all()
    assert sorted(item.locator("a").inner_text() for item in shown) == sorted(
        item["code"] for item in told
    )
    texts = [item.inner_text() for item in shown]
    for item in told:
        assert any(item["message"].replace("`", "") in found for found in texts)


def test_a_log_has_findings_and_no_command(checking: Tab) -> None:
    page = checking.page
    check(page, LOG)
    assert page.inner_text("#counts") == "Read as a log: 1 error."
    assert page.inner_text("#findings-title") == "Findings for vLLM 0.33.0"
    assert not page.is_visible("#command")
    assert not page.is_visible("#variables")
    check(page, LINE)
    assert page.is_visible("#command")


def test_a_finding_leads_to_its_line_and_its_page(checking: Tab) -> None:
    page = checking.page
    check(page, LINE, target="0.33.0")
    assert page.locator("#lines li").nth(2).get_attribute("class") == "error"
    page.locator("#findings button", has_text="line 3").first.click()
    selected = (
        "(({value, selectionStart, selectionEnd}) => value.slice(selectionStart, selectionEnd))"
    )
    assert page.evaluate(f"{selected}(document.getElementById('text'))") == "  --swap-space 4"
    link = page.locator("#findings a").first.get_attribute("href")
    assert page.request.get(checking.base + link).ok


def test_it_is_used_with_the_keyboard_alone(checking: Tab) -> None:
    page = checking.page
    page.focus("#text")
    page.keyboard.press("Control+A")
    page.keyboard.type("vllm serve keyboard/model")
    page.evaluate("document.getElementById('counts').textContent = ''")
    for name in ("kind", "source", "target", "dialect"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == name
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#counts:not(:empty)")
    assert page.evaluate("document.activeElement.id") == "findings-title"
    assert "keyboard/model" in page.inner_text("#command")


def test_a_link_brings_the_text_back_and_one_with_a_secret_is_not_made(checking: Tab) -> None:
    page = checking.page
    check(page, LINE, target="0.27.1")
    page.click("#link")
    page.wait_for_selector("#state:has-text('link')")
    kept = parse_qs(urlsplit(page.url).fragment)
    assert (kept["text"], kept["target"]) == ([LINE], ["0.27.1"])
    other = checking.context.new_page()
    other.goto(page.url)
    assert other.input_value("#text") == LINE
    assert other.input_value("#target") == "0.27.1"
    other.close()
    address = page.url
    page.fill("#text", "vllm serve m --api-key tiger")
    page.click("#link")
    page.wait_for_selector("#state:has-text('No link')")
    assert page.url == address


def test_what_is_pasted_is_text(checking: Tab) -> None:
    hostile = "vllm serve '<img src=x onerror=alert(1)>' --dtype '<script>alert(2)</script>'"
    check(checking.page, hostile)
    assert checking.page.locator("#result img, #result script").count() == 0
    assert "<img" in checking.page.inner_text("#lines")


def test_public_lines_have_the_same_answers(checking: Tab) -> None:
    every = recipes()
    texts = [recipe.command for recipe in every[:: len(every) // PUBLIC]][:PUBLIC]
    assert len(texts) == PUBLIC
    requests = [{"text": text, "target": "0.27.1"} for text in texts]
    found = checking.page.evaluate(ASK, requests)
    wrong = [
        request["text"]
        for request, answer in zip(requests, found, strict=True)
        if json.loads(answer) != json.loads(json.dumps(paste(**request)))
    ]
    assert wrong == []


def test_it_works_without_a_network_after_the_first_check(chromium: Any, site: Path) -> None:
    server = Server(site)
    tab = Tab(chromium, server.base)
    check(tab.open("check.html"), LINE)
    before = tab.page.inner_text("#result")
    server.stop()
    tab.context.set_offline(True)
    tab.page.goto(server.base + "check.html")
    check(tab.page, LINE)
    assert tab.page.inner_text("#result") == before
    tab.context.close()
    assert tab.troubles == []
