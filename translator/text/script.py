"""The commands that a shell script starts: branches, loops, functions, arrays, lists with `&&`.

Nothing is run. Where a condition is not known here, there is one path through the script for each
branch that may be taken.
"""

from __future__ import annotations

from translator.text.conditions import ANY, fits, negated, outcome
from translator.text.expansion import Budget
from translator.text.holes import has_hole, holes
from translator.text.placed import cut, joined, partition
from translator.text.script_state import Frame, Shared
from translator.text.shell import CommandReader
from translator.text.shell_words import Words, assignment, assignments, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Branches of one script that are looked at; the others are like them.
MOST_PATHS = 8
_DEEPEST = 12  # functions that call each other

_KEYWORDS = frozenset(
    ("if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac")
    + ("{", "}", "!", "function", "time", "select")
)
# What the arguments of the script are written as.
_ARGUMENTS = frozenset(("$#", "$@", "$*", "$1"))


def paths(
    text: str,
    env: Mapping[str, str] | None = None,
    budget: Budget | None = None,
    *,
    every: bool = False,
    mention: str = "",
) -> list[list[Words]]:
    """Return the commands of a script, once for each path through it.

    Args:
        text: the script.
        env: the variables that the text may refer to.
        budget: how much variables may add to the text; its holder reports what exceeds it.
        every: whether also what starts only with other variables and arguments than those that are
            known.
        mention: a word; functions that contain it and are not called are called, with arguments
            that are not known. "": none.
    """
    budget = budget or Budget()
    found: list[list[Words]] = []
    while True:
        reader = _Reader(text, dict(env or {}), budget, len(found))
        reader.shared.every = every
        found.append(reader.run())
        if mention:
            reader.call_the_others(mention)
        if len(found) >= min(reader.shared.branches, MOST_PATHS):
            return found


class _Reader(CommandReader):
    """Reads a script along one path."""

    def __init__(
        self,
        text: str,
        env: dict[str, str],
        budget: Budget,
        path: int = 0,
        caller: _Reader | None = None,
    ) -> None:
        super().__init__(text, env, budget)
        self.shared: Shared = caller.shared if caller is not None else Shared(path, len(text))
        self.calls: int = caller.calls + 1 if caller is not None else 0
        self.active = True
        self.skip = False  # whether `&&` or `||` skips the next command
        self.status: bool | str | None = ANY
        self.guessed = False  # whether that depends on a condition that is not known
        self.inverted = False
        self.body = 0  # where the body of the last `function NAME` begins
        self.last = Words()  # the last command that was executed
        self.frames: list[Frame] = []

    # --- commands ---------------------------------------------------------------------------------

    def _end_word(self) -> None:
        super()._end_word()
        if len(self.command) == 2 and self.command[0] == "function":
            self.body = self.at

    def _end_command(self, operator: str) -> None:
        self._end_word()
        command, self.command = self.command, Words()
        command.ends = operator
        if self._pattern(command, operator):
            return
        self._keywords(command)
        if command or command.told or command.arrays:
            self._run(command)
        if operator == ")":
            self._close("(")
        self._list(operator)
        if operator in (";;", ";&", ";;&"):
            self._next_pattern()

    def _list(self, operator: str) -> None:
        """Find out whether the next command of a list is executed."""
        if operator not in ("&&", "||"):
            self.skip = self.guessed = False
            return
        status = self.status
        if status is None or (self.shared.every and status is not ANY):
            self.guessed = True
            self.shared.branches = max(self.shared.branches, 2)
            status = self.shared.path == 0
        self.skip = status is False if operator == "&&" else status is not False

    def _run(self, command: Words) -> None:
        """Take note of a command, and do what it does to the script."""
        if not self.active or self.skip:
            return
        inverted, self.inverted = self.inverted, False
        prefix = next((at for at, word in enumerate(command) if not assignment(word)), 0)
        first = command[prefix] if command else ""
        if first in self.shared.aliases:
            text = self.budget.take(self.shared.aliases[first], command.line)
            expanded = CommandReader(text, self.env, self.budget).run()
            command[prefix : prefix + 1] = expanded[0] if expanded else []
            first = command[prefix] if len(command) > prefix else ""
        made = assignments(command)
        pairs = map(element, command) if command and "]=" in command[0] else ()
        elements = [pair for pair in pairs if pair is not None and pair[0]]
        self._set_arrays(command)
        self.last = command
        self.status = outcome(command)
        if inverted:
            self.status = negated(self.status)
        if first in self.shared.functions and self.calls < _DEEPEST:
            start = len(self.done)
            self._call(first, command[prefix + 1 :])
            for item in self.done[start:]:
                item[:0] = command[:prefix]
            return
        if first == "eval" and self.calls < _DEEPEST:
            self._nested(joined(command[1:], " "), command.line)
            return
        if first in ("exit", "return") or (first == "exec" and len(command) > 1):
            if first == "exec":
                self.done.append(command)
            self._leave(first)
            return
        self._builtin(first, command[1:])
        for name, key, value in elements if len(elements) == len(command) else ():
            self.maps.setdefault(str(name), {})[str(key)] = value
        for name, value, more in made:
            self.env[name] = joined((self.env.get(name, ""), value)) if more else value
        if command:
            self.done.append(command)

    def _builtin(self, name: str, arguments: list[str]) -> None:
        """Do what a command does to the variables and the loops of the script."""
        if name == "set" and arguments[:1] == ["--"]:
            self._place(arguments[1:])
        elif name == "shift" and "@" in self.arrays:
            count = (*arguments, "1")[0]
            if count.isdecimal():
                self._place(self.arrays["@"][int(count[:9]) :])
        elif name == "alias":
            for word in arguments:
                alias, sign, text = partition(word, "=")
                self.shared.aliases.update({str(alias): text} if sign else {})
        elif name == "unset":
            self.env.update(dict.fromkeys(arguments, ""))
        elif name == "break":
            for frame in self.frames[::-1]:
                frame.values = []
                if frame.kind in ("for", "while"):
                    break

    def _leave(self, word: str) -> None:
        """End the script, or the branch that may not be the one that is taken."""
        if self.guessed or any(frame.guessed for frame in self.frames):
            self.active = self.guessed and not any(frame.guessed for frame in self.frames)
            return
        self.shared.stopped = self.shared.stopped or word != "return"
        self.at = len(self.text)

    def _place(self, values: list[str] | None) -> None:
        """Set the positional parameters; None: as for a script that was started without any."""
        self.arrays.pop("@", None)
        for name in "123456789#":
            self.env.pop(name, None)
        if values is None:
            return
        self.arrays["@"] = list(values)
        self.env.update({str(at): "" for at in range(1, 10)})
        self.env.update({str(at): value for at, value in enumerate(values[:9], 1)})
        self.env["#"] = str(len(values))

    def call_the_others(self, mention: str) -> None:
        """Call the functions with a word that the script does not call itself."""
        for name, (body, _) in list(self.shared.functions.items()):
            if mention in body and name not in self.shared.called:
                self.shared.stopped, self.active, self.frames = False, True, []
                self._call(name, None)

    def _call(self, name: str, values: list[str] | None) -> None:
        self.shared.called.add(name)
        body, line = self.shared.functions[name]
        outer = self.arrays.get("@")
        self._place(values)
        self._nested(body, line)
        self._place(outer)

    def _nested(self, text: str, line: int) -> None:
        """Run a part of the script, or a text that it puts together, in its own variables."""
        self.shared.left -= len(text) + 50
        if self.shared.left < 0:
            return
        reader = _Reader(text, self.env, self.budget, caller=self)
        reader.arrays, reader.maps = self.arrays, self.maps
        reader.counted = (0, max(line, 1))
        self.done += reader.run()
        self.status = ANY
        if self.shared.stopped:
            if any(frame.guessed for frame in self.frames):
                self.shared.stopped, self.active = False, False
            else:
                self.at = len(self.text)

    # --- compound commands ------------------------------------------------------------------------

    def _keywords(self, command: Words) -> None:
        """Remove the keywords that a command begins with, and do what they mean."""
        while command and command[0] in _KEYWORDS:
            word = command.pop(0)
            if word in ("if", "while", "until", "{"):
                self._open(word)
            elif word == "!":
                self.inverted = True
            elif word in ("for", "select"):
                self._for(command)
            elif word == "case":
                self._case(command)
            elif word == "function":
                name = command[0] if command else ""
                del command[:1]
                self._define(name)
                self.frames[-1].start = self.body
            elif word in ("then", "elif", "else", "do"):
                self._branch(word)
            elif word in ("fi", "esac", "}"):
                self._close({"fi": "if", "esac": "case", "}": "{"}[word])
            elif word == "done":
                self._again()

    def _open(self, kind: str) -> Frame:
        frame = Frame(kind, self.active, self.active and not self.skip, self.at)
        frame.guessed = self.guessed
        self.active, self.skip, self.guessed = frame.live, False, False
        self.frames.append(frame)
        return frame

    def _close(self, kind: str) -> None:
        if not self.frames or self.frames[-1].kind != kind:
            return
        frame = self.frames.pop()
        self.active, self.status = frame.outer, ANY
        if self.frames and self.frames[-1].kind == "function":
            whole = self.frames.pop()
            body = cut(self.text, whole.start, self.at)
            line = self._line(whole.start)
            self.active = whole.outer
            if whole.live:
                self.shared.functions[whole.name] = (body, line)

    def _branch(self, word: str) -> None:
        if not self.frames:
            return
        frame = self.frames[-1]
        if word == "do" and frame.kind in ("while", "until"):
            status = negated(self.status) if frame.kind == "until" else self.status
            if self.last[:1] == ["getopts"] or not _ARGUMENTS.isdisjoint(holes(self.last)):
                status = False  # the script's own options, of which there are none here
            self.active = self.active and status is not False
        elif frame.kind != "if":
            return
        elif word == "elif":
            self.active, self.status = frame.live and not frame.done, ANY
        elif word == "then":
            self.active = frame.live and not frame.done and self._takes(frame, self.status)
        else:
            self.active = frame.live and not frame.done
            frame.done = True

    def _takes(self, frame: Frame, status: bool | str | None) -> bool:
        """Return whether a branch is taken on this path."""
        frame.guessed = False
        if status is None or status is ANY or self.shared.every:
            frame.branches += 1
            self.shared.branches = max(self.shared.branches, frame.branches + 1)
            frame.guessed = True
            status = self.shared.path == frame.branches - 1
        frame.done = bool(status)
        return frame.done

    def _case(self, command: Words) -> None:
        frame = self._open("case")
        frame.word = command[0] if command else ""
        frame.expects = True
        rest = list(command[2:]) if command[1:2] == ["in"] else []
        del command[:]
        if rest and rest != ["esac"]:
            frame.patterns += rest
        elif rest:
            self._close("case")

    def _pattern(self, command: Words, operator: str) -> bool:
        """Read a pattern of a `case`; return False if none is expected."""
        frame = self.frames[-1] if self.frames else None
        if frame is None or not frame.expects:
            if command[:1] != ["case"] or operator not in ("|", ")"):
                return False
            command.pop(0)
            self._case(command)  # the first pattern in the line of the `case`
            frame = self.frames[-1]
        if command[:1] == ["esac"]:
            del command[0]
            self._close("case")
            return False
        frame.patterns += command
        if operator == ")":
            frame.expects = False
            patterns, frame.patterns = frame.patterns, []
            self.active = frame.live and not frame.done and self._matches(frame, patterns)
        return True

    def _matches(self, frame: Frame, patterns: list[str]) -> bool:
        if "*" in patterns:
            frame.done = True
            return True
        if has_hole(frame.word) or any(map(has_hole, patterns)):
            return self._takes(frame, None)
        return self._takes(frame, any(fits(frame.word, item) for item in patterns))

    def _next_pattern(self) -> None:
        if self.frames and self.frames[-1].kind == "case":
            self.frames[-1].expects = True
            self.frames[-1].guessed = False
            self.active = self.frames[-1].live

    def _for(self, command: Words) -> None:
        frame = self._open("for")
        frame.name = command[0] if command else ""
        frame.values = list(command[2:]) if command[1:2] == ["in"] else [""]
        del command[:]
        self._next_value(frame)

    def _next_value(self, frame: Frame) -> None:
        if not frame.values:
            self.active = False
        elif self.active:
            self.env[frame.name] = frame.values.pop(0)

    def _again(self) -> None:
        """End a loop, or begin it again with the next value."""
        if not self.frames:
            return
        frame = self.frames[-1]
        size = self.at - frame.start
        if frame.kind == "for" and frame.values and self.active and self.shared.left > size:
            self.shared.left -= size + 50
            self._next_value(frame)
            self.at = frame.start
            return
        self._close(frame.kind if frame.kind in ("for", "while", "until") else "")

    def _define(self, name: str) -> None:
        frame = self._open("function")
        frame.name = name
        self.active = False

    # --- brackets ---------------------------------------------------------------------------------

    def _brackets(self, operator: str) -> bool:
        if self.array is None and self._in_test():
            self._end_word()
            self._add(operator)
            self._end_word()
            self.at += len(operator)
            return True
        if super()._brackets(operator):
            return True
        if operator not in ("(", ")"):
            return False
        text = self.text
        if self.frames and self.frames[-1].expects:
            if operator == "(":
                self.at += 1
                return True
            return False
        if operator == "(" and text.startswith("((", self.at) and len(self.command) < 2:
            end = text.find("))", self.at)
            self._end_word()
            self._add("((")
            self._end_word()
            self.at = len(text) if end < 0 else end + 2
            return True
        if operator == "(":
            self._end_word()
            behind = self.at + 1
            while text[behind : behind + 1] in (" ", "\t"):
                behind += 1
            if len(self.command) in (1, 2) and text[behind : behind + 1] == ")":
                name = self.command[-1]
                self.command = Words()
                self.at = behind + 1
                if not (self.frames and self.frames[-1].kind == "function"):
                    self._define(name)
                self.frames[-1].start = self.at
                return True
            if not self.command or self.command[-1] in _KEYWORDS:
                self._keywords(self.command)
                self.command = Words()
                self.at += 1
                self._open("(")
                return True
        return False

    def _in_test(self) -> bool:
        last = "".join(self.word) if self.word is not None else self.command[-1:]
        return "[[" in self.command[:4] and last not in ("]]", ["]]"])
