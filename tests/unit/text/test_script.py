"""The commands of shell scripts, on every path through them, compared with bash itself."""

from __future__ import annotations

import subprocess

import pytest

from translator.text.holes import visible
from translator.text.script import MOST_PATHS, paths


def started(text: str, **env: str) -> list[list[list[str]]]:
    """What `vllm` is started with, for each path."""
    return [
        [list(words)[1:] for words in path if words[:1] == ["vllm"]] for path in paths(text, env)
    ]


KNOWN = {
    "an array": 'A=(--port 8000)\nA+=("a b" $X)\nvllm m "${A[@]}" ${#A[@]} "${A[1]}"',
    "an empty array": 'A=()\nvllm m "${A[@]}" ${A[@]+"${A[@]}"} x"${A[@]}"',
    "an array over lines": "A=(\n  a # one\n  b\n)\nvllm ${A[@]}",
    "its numbers": 'A=(a b); B=(c d)\nfor i in "${!A[@]}"; do vllm ${A[$i]} ${B[$i]}; done',
    "a function": 'f() { local m=$1; shift; vllm "$m" "$@" $#; }\nf a b; X=1\nf "c d"',
    "functions of two kinds": "function f { vllm a; }\nfunction g() {\n  f; vllm b\n}\ng",
    "return": "f() { vllm a; return; vllm b; }\nf; vllm c",
    "a loop": "for i in 0 1 2; do vllm m$i --port $((8000 + i * 10)); done; wait",
    "break": "for i in 0 1 2; do vllm $i; break; done",
    "if": "N=8\nif [ $N -gt 4 ]; then vllm big; elif true; then vllm middle; else vllm small; fi",
    "else": 'if [[ "$X" == y* && -n "$X" ]]; then vllm a; else vllm b; fi',
    "nested": "if true; then if false; then vllm a; else vllm b; fi; else vllm c; fi",
    "case": "case $X in a|b) vllm a;; 1*) vllm one ;; *) vllm other;; esac",
    "case in one line": "case $X in (z) vllm z;; esac; vllm end",
    "lists": "true && vllm a; false && vllm b; false || vllm c; [ -z 1 ] || { vllm d; vllm e; }",
    "defaults": ': "${P:=9}"\nvllm ${P} ${M:-m} ${X:+--x $X}',
    "a command in a variable": 'C="vllm serve a"\nC+=" --b c"\n$C\neval "$C --d"',
    "a here-document": "cat > f <<'EOF'\nvllm no\nEOF\nvllm yes",
    "exit": "vllm a; exit 0; vllm b",
    "a group": "(cd / && vllm a); { vllm b; }",
    "not": "if ! false; then vllm a; fi",
    "numbers": "vllm $((7 / 2)) $((-7 % 3)) $(( (1 + X) * 2 )) $((X > 2 ? 5 : X + 1)) $((X<=1))",
    "numbers compared": "vllm $(( (X > 0) + 1 )) $((2 == 1 < 2)) $((X + 1 > 1 ? 3 : 4))",
    "trimmed": "F=/a/b/c.x.y\nvllm ${F##*/} ${F%/*} ${F%%.*} ${F#/a} ${F%.y} ${F#q}",
    "trimmed by a star": "F=a/b\nvllm ${F#*} ${F%*} [${F##*}] [${F%%*}]",
    "positions": "set -- a b c\nvllm $2 $#; shift 2; vllm $1 $#",
    "comments": "# if\nvllm a # then\nvllm b\\\n c",
    "until": "until true; do vllm a; done; while false; do vllm b; done; vllm c",
    "quoted files": 'vllm a > "x y" 2>&1; vllm b &> /dev/null; vllm c >> /dev/null',
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_is_started_as_bash_starts_it(name: str, tmp_path: object) -> None:
    text = KNOWN[name]
    stub = "exec 9>&1\nvllm() { printf '%s\\0' \"$@\" $'\\n' >&9; }\n"
    ran = subprocess.run(
        ["bash", "--norc", "-c", stub + text],
        capture_output=True,
        check=False,
        cwd=str(tmp_path),
        env={"X": "1", "PATH": "/bin:/usr/bin"},
        stdin=subprocess.DEVNULL,
    )
    wanted = [line.split("\0")[:-1] for line in ran.stdout.decode().split("\n\0")[:-1]]
    assert wanted
    assert started(text, X="1") == [wanted]


UNKNOWN = {
    "a branch for each": (
        "if [ $Q ]; then M=a; elif [ $R ]; then M=b; else M=c; fi\nvllm $M",
        [[["a"]], [["b"]], [["c"]]],
    ),
    "a list": ("[ -f x ] && O=(--x)\nvllm m ${O[@]}", [[["m", "--x"]], [["m", "${O[@]}"]]]),
    "a guard": ('[ -f x ] || exit 1\n[ -n "$Q" ] || { echo; exit 1; }\nvllm m', [[["m"]], [["m"]]]),
    "a guard that ends it": ("if [ $# -lt 1 ]; then exit 1; fi\nvllm $1", [[["$1"]], [["$1"]]]),
    "its own options": (
        "M=m\nwhile [ $# -gt 0 ]; do case $1 in -m) M=$2; shift;; esac; shift; done\nvllm $M",
        [[["m"]]],
    ),
    "a program as a condition": ("if which x; then vllm a; else vllm b; fi", [[["a"]], [["b"]]]),
    "a case": (
        "case $Q in a) vllm a;; b) vllm b;; *) vllm c;; esac",
        [[["a"]], [["b"]], [["c"]]],
    ),
    "its arguments": ('vllm "$@" $1 ${2:-x}', [[["$@", "$1", "x"]]]),
    "another command": ('vllm $(cat "a)" | tr a b) `x y`', [[['$(cat "a)" | tr a b)', "`x y`"]]]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_has_a_path_for_each_branch(name: str) -> None:
    text, wanted = UNKNOWN[name]
    found = [[[visible(word) for word in words] for words in path] for path in started(text)]
    assert found == wanted


@pytest.mark.parametrize(
    "text",
    [
        "f() { f; f; }; f; vllm m",
        "for i in " + "a " * 5000 + "; do for j in " + "a " * 5000 + "; do x; done; done; vllm m",
        "case $Q in " + "a) x;; " * 500 + "esac; vllm m",
        "eval " + "'eval " * 50 + "x" + "'" * 50 + "; vllm m",
        "fi done esac } ) ;; then else do\nvllm m",
        "if; then; case; esac; for; do; done; fi\nvllm m",
        "shift $X; shift 99999999999999999999; shift -1; break; return\nvllm m",
        "A=(a\nvllm m",
        "$(( 1/0 )) $((9**9)) ${A[99999999]} ${A[-1]} ${!A} ${A[@]:1}; vllm m",
    ],
)
def test_no_script_takes_long_or_crashes(text: str) -> None:
    assert len(paths(text)) <= MOST_PATHS
