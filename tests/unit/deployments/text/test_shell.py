"""The commands of shell scripts, compared with bash itself where nothing depends on a condition."""

from pathlib import Path

import pytest
from support.program import bash

from translator.deployments.text.shell import split
from translator.formats.references import visible


def started(text: str, **env: str) -> list[list[str]]:
    """What `vllm` is started with."""
    return [
        [visible(word) for word in words[1:]] for words in split(text, env) if words[:1] == ["vllm"]
    ]


KNOWN = {
    "an array": 'A=(--port 8000)\nA+=("a b" $X)\nvllm m "${A[@]}" "${A[1]}"',
    "an empty array": 'A=()\nvllm m "${A[@]}" ${A[@]+"${A[@]}"} x"${A[@]}"',
    "an array over lines": "A=(\n  a # one\n  b\n)\nvllm ${A[@]}",
    "a function": 'function f { local m=a; vllm "$m"; }\nf; X=1',
    "a loop": "for i in 7; do vllm m$i --port 8000; done; wait",
    "defaults": ': "${P:=9}"\nvllm ${P} ${M:-m} ${X:+--x $X}',
    "a command in a variable": 'C="vllm serve a"\nC+=" --b c"\n$C\neval "$C --d"',
    "a here-document": "cat > f <<'EOF'\nvllm no\nEOF\nvllm yes",
    "a group": "(cd / && vllm a); { vllm b; }",
    "branches that are all taken": "if true; then vllm a; fi; case $X in (1) vllm z;; esac; vllm e",
    "a case over lines": "case $X in\n  a|1)\n    M=m\n    ;;\nesac\nvllm $M",
    "comments": "# if\nvllm a # then\nvllm b\\\n c",
    "quoted files": 'vllm a > "x y" 2>&1; vllm b &> /dev/null; vllm c >> /dev/null',
    "escapes": "vllm $'a\\n\\x41\\u00e9\\'b' $'\\q'",
    "brackets in quotes": 'Y=$(echo "a \\" ) b" \')\' "$(echo "c)")"); vllm m',
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_is_started_as_bash_starts_it(name: str, tmp_path: Path) -> None:
    text = KNOWN[name]
    stub = "exec 9>&1\nvllm() { printf '%s\\0' \"$@\" $'\\n' >&9; }\n"
    ran = bash(stub + text, {"X": "1"}, tmp_path)
    wanted = [line.split("\0")[:-1] for line in ran.stdout.decode().split("\n\0")[:-1]]
    assert wanted
    assert started(text, X="1") == wanted


UNKNOWN = {
    "each branch stands for itself": (
        "if [ $Q ]; then M=a; vllm $M; else M=b; vllm $M; fi\nvllm $M",
        [["a"], ["b"], ["$M"]],
    ),
    "one branch": ("if [ $Q ]; then M=a; fi\nvllm $M", [["a"]]),
    "all of them alike": ("if [ $Q ]; then M=a; elif x; then M=a; else M=a; fi\nvllm $M", [["a"]]),
    "another value than before": ("M=a\nif [ $Q ]; then M=b; fi\nvllm $M", [["$M"]]),
    "more than before": (
        'A=(m --x)\nC="n --y"\nif [ $Q ]; then A+=(--z); C="$C --z"; fi\nvllm "${A[@]}"; vllm $C',
        [["m", "--x", "${A[@]}"], ["n", "--y", "$C"]],
    ),
    "a list": ("O=()\n[ -f x ] && O+=(--x)\nvllm m ${O[@]}", [["m", "${O[@]}"]]),
    "an empty one in a condition": (
        'X=${X:-}\nvllm a $X\nif [ -n "$X" ]; then vllm b --x $X; elif [ $X ]; then vllm $X; fi\nvllm $X c',
        [["a", "$X"], ["b", "--x", "$X"], ["$X"], ["$X", "c"]],
    ),
    "an empty one behind a condition": (
        'X=\nY=\n[ "$X" ] && Y="--x $X"\n[ "$Y" ] || vllm $X\nvllm m $Y',
        [["$X"], ["m", "$Y"]],
    ),
    "its own options": (
        "M=m\nwhile [ $# -gt 0 ]; do case $1 in -m) M=$2; shift;; esac; shift; done\nvllm $M",
        [["$M"]],
    ),
    "a loop": ("for m in a b; do vllm $m; done", [["$m"]]),
    "a case": ("case $Q in a) vllm a;; b) vllm b;; *) vllm c;; esac", [["a"], ["b"], ["c"]]),
    "arguments of a function": ('f() {\n  vllm "$@" $1\n}\nvllm m', [["$@", "$1"], ["m"]]),
    "a place to fill in": ("vllm <your-model> --port 1", [["<your-model>", "--port", "1"]]),
    "its arguments": ('vllm "$@" $1 ${2:-x}', [["$@", "$1", "x"]]),
    "sums, and parts of values": (
        "M=a/b\nvllm $((1 + 1)) ${M##*/} ${#M}",
        [["$((1 + 1))", "${M##*/}", "${#M}"]],
    ),
    "another command": ('vllm $(cat "a)" | tr a b) `x y`', [['$(cat "a)" | tr a b)', "`x y`"]]),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_is_a_hole(name: str) -> None:
    text, wanted = UNKNOWN[name]
    assert started(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "f() { f; f; }; f; vllm m",
        "case $Q in " + "a) x;; " * 500 + "esac; vllm m",
        "eval " + "'eval " * 50 + "x" + "'" * 50 + "; vllm m",
        "A='eval $A'; eval $A; vllm m",
        "if a; then B=1; " * 5_000 + "vllm m",
        "fi done esac } ) ;; then else do\nvllm m",
        "if; then; esac; for; do; done; fi\nvllm m",
        "shift $X; shift 99999999999999999999; shift -1; break; return\nvllm m",
        "$(( 1/0 )) $((9**9)) ${A[99999999]} ${A[-1]} ${!A} ${A[@]:1}; vllm m",
        'X=$(echo "a \\" ) b"); vllm m',
    ],
)
def test_no_script_loses_what_follows(text: str) -> None:
    assert started(text)[-1] == ["m"]
