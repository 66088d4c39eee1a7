"""Inputs of any size: name → a function of the number of characters, or of entries."""

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from cases import tomllib

Text = Callable[[int], str]
Env = Callable[[int], "dict[str, str]"]
Line = Callable[[int], "list[str]"]

DATA = tomllib.loads(Path(__file__).with_name("inputs.toml").read_text(encoding="utf-8"))

# What is repeated. Each is in a frame, so that it stands where each reader looks.
UNITS = (
    *"'\"\\$`{}[]()<>,:;-=+.*&|!?@%#~^_/ \t\n\r\0",
    *("a", "9", "é", "\ud800", "\u2028", "\x85", "\ufeff", "\x1b", "\ue0d0", "\U0001f600", "¹"),
    *("${", "$(", "${}", "$()", "$A", "${A}", "$(A)", "${A:-", "${A:-}", "${A:-x}", "$$", "$'", "$'\\x"),
    *("\\\n", " \\\n", "\\ ", "\\'", '\\"', "\\u", "\\u0041", "\\ud800", "\\x", "''", '""', "' ", '" ', "'\n"),
    *("{{", "}}", "{%", "{}", "{},", "[]", "[],", "[[", "{,", ",}", '{"', '"}', '{"a":', '["', '",', '":', '"a":1,', "'a':1,"),
    *("--", "-- ", "--a ", "--a=", "--a=1 ", "--seed 1 ", "--seed=x ", "-O ", "-tp 1 ", "--a.b ", ".a", "--api-key "),
    *("A=", "A=1 ", "A=1\n", "A\n", "A= \n", "export ", "export A=1\n", "A='\n", "A=${A}\n", "#\n", "# a\n", " #", "=\n", "A==", "\n\n", "\r\n"),
    *("A__", "__", "A_", "_a"),
    *("a ", " a", "\ta", "a,", "a:", "a: ", "a;", "a=", "a=1,", "a.", "a/", "a@", "a\n", "a b\n", "a\\", "a'", 'a"', "a:b@"),
    *("://", "http://", "http://a:b@", "http://a:", "@http://", "?token=", "&sig=a", "a=b&", "Bearer ", "Bearer a ", "token", "token=", "token: ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----\n", "sk-", "hf_", "AKIA"),
    *("- ", "- a\n", "- - ", "-\n", "? ", "? a\n", ": ", "&a ", "*a ", "&a [", "<<: ", "!!int ", "!", "! ", "!<", "%", "---\n", "--- a\n", "...\n", "| ", "|\n", ">\n", "{a: ", "[a, ", "{? ", "- {}\n", "- &a\n", " a", "  - a\n", '"\\\n', "' '", "a: |\n", "a:\n"),
    *("1k", "1k,", "1.", "1_", "1:", "1e", "0x", "9.9k ", "+1", "-1", "1-1,", "[1-2]", "a[1]", "a[", "]a", "nan ", "true "),
    *("sudo ", "env ", "bash -c ", "bash -c '", "docker run ", "-e A=1 ", "-v ", "vllm serve ", "vllm serve m\n", "translate exec ", "; ", "&& ", "| ", "a | ", ">a ", "2>&1 ", "<<", "<<a\n", "a && ", "$ ", "$ a\n"),
    *("if a; then ", "fi; ", "for a in b c; do ", "done; ", "while a; do ", "case $a in ", "esac; ", ";; ", "a() { ", "}; ", "A=(", "A+=(a) ", "${A[@]}", "$((1+", "[[ ", "]] ", "<<<", "eval "),
    *("```\n", "FROM a\n", "ENV A=$A$A\n", "CMD a\n", "Environment=A=1\n", "ExecStart=a\n", "${{ a }}", "run: a\n"),
    *("(", "( ", "()", "f'", "b'", "r'", "1+", "1,", "(1,", "None,", "lambda:", "not ", "*a,", "x if ", "-(", "~"),
)  # fmt: skip


def repeated(before: str, unit: str, after: str, size: int) -> str:
    """A frame around as much of a unit as `size` characters are."""
    return before + unit * max(1, size // len(unit)) + after


def numbered(template: str, size: int, before: str = "", after: str = "") -> str:
    """A template with ever new numbers (`{0}`; `{1}` is the number before)."""
    parts: list[str] = []
    length = 0
    for at in itertools.count(1):
        if length >= size:
            break
        parts.append(template.replace("{0}", str(at)).replace("{1}", str(at - 1)))
        length += len(parts[-1])
    return before + "".join(parts) + after


TEXTS: dict[str, Text] = {
    f"{before!a}+{unit!a}…+{after!a}": partial(repeated, before, unit, after)
    for before, after in DATA["frames"]
    for unit in UNITS
}
TEXTS |= {
    name: partial(numbered, template, before=before, after=after)
    for name, (template, before, after) in DATA["numbered"].items()
}
# As deep as Python reads them.
_DEEP = {
    "calls in calls": ("run(['vllm', 'serve', ", "1", "])"),
    "engines in engines": ("LLM('m', a=", "1", ")"),
    "lists in lists": ("['vllm', x + ", "1", "]"),
}
TEXTS |= {
    f"{name} of Python": partial(repeated, "", before * 90 + inner + after * 90 + "\n", "")
    for name, (before, inner, after) in _DEEP.items()
}

# Names of variables in which a text is put.
NAMES = (
    "MODEL_NAME", "DTYPE", "MAX_MODEL_LEN", "SEED", "ENFORCE_EAGER", "GPU_MEMORY_UTILIZATION", "HF_OVERRIDES", "SPECULATIVE_CONFIG",
    "SPECULATIVE_CONFIG__METHOD", "COMPILATION_CONFIG", "LIMIT_MM_PER_PROMPT", "SERVED_MODEL_NAME", "LORA_MODULES", "MIDDLEWARE",
    "CUDAGRAPH_CAPTURE_SIZES", "ROPE_SCALING", "TASK", "SWAP_SPACE", "ALLOWED_ORIGINS", "CHAT_TEMPLATE", "VLLM_USE_DEEP_GEMM", "VLLM_LOGGING_LEVEL", "VLLM_PORT",
    "VLLM_EXTRA_ARGS", "VLLM_CONFIG_FILE", "VLLM_NO_SUCH", "HF_TOKEN", "API_KEY", "OTHER", "MODEL_PATH", "HF_OVERRIDES__A", "TRANSLATE_VLLM_VERSION",
)  # fmt: skip
FLAGS = (
    "--model", "--enforce-eager", "--dtype", "--max-model-len", "--seed", "--gpu-memory-utilization", "--hf-overrides", "--speculative-config",
    "--hf-overrides.a.b", "--compilation-config.cudagraph_capture_sizes+", "--served-model-name", "--lora-modules", "--middleware", "--allowed-origins",
    "--limit-mm-per-prompt", "--no-such-flag", "-O", "-tp", "--task", "--api-key", "--chat-template", "--config",
)  # fmt: skip


_made = itertools.count()


def _numbers(count: int) -> list[str]:
    """Numbers that no input has had before."""
    turn = next(_made) % 10_000
    return [f"{turn:04}{at:06}" for at in range(count + 1)]


def _many(name: str, value: str, count: int) -> dict[str, str]:
    return {"MODEL_NAME": "m"} | {
        name.replace("{0}", here): value.replace("{0}", here).replace("{1}", before)
        for before, here in itertools.pairwise(_numbers(count))
    }


# What TOML cannot hold.
SURROGATES = {"surrogates": ("A{0}", "\ud800")}


ENVIRONMENTS: dict[str, Env] = {
    f"variables: {title}": partial(_many, name, value)
    for title, (name, value) in {**DATA["variables"], **SURROGATES}.items()
}
ENVIRONMENTS |= {
    f"a long name: {title}": (
        lambda size, start=start, unit=unit: {"MODEL_NAME": "m", start + unit * size: "1"}
    )
    for title, (start, unit) in DATA["names"].items()
}


def _line(parts: Sequence[str], start: Sequence[str], count: int) -> list[str]:
    return [*start, *(part.replace("{0}", number) for number in _numbers(count) for part in parts)]


FRONT = ("vllm", "serve", "m")
LINES: dict[str, Line] = {
    f"tokens: {title}": partial(_line, parts, FRONT)
    for title, parts in {**DATA["tokens"], "surrogates": ("\ud800",)}.items()
}
for title, start in DATA["behind"].items():
    LINES[f"tokens after {title}"] = partial(_line, ("a{0}",), start)
    LINES[f"assignments after {title}"] = partial(_line, ("A{0}=b{0}",), start)
    LINES[f"options after {title}"] = partial(_line, ("-e", "A{0}=1"), start)
LINES |= {
    f"a long token: {title}": (
        lambda size, begin=begin, unit=unit, end=end: [*FRONT, begin + unit * size + end]
    )
    for title, (begin, unit, end) in DATA["long_tokens"].items()
}
