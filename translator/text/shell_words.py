"""The words of a shell's text: quotes, escapes, variables, and what stands for their values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from translator.text import references
from translator.text.lines import unix_lines, unprompted
from translator.text.placed import cut, joined, place, stamped
from translator.text.placed import split as split_placed
from translator.text.references import END, UNKNOWN, Budget, closing, hole
from translator.text.references import NAME as _NAME
from translator.text.references import NAME_START as _NAME_START

# Of a finding the code, the subject, the case and the facts.
Told = tuple[str, str, str, tuple[tuple[str, "str | int"], ...]]

# Characters that end a literal run inside double quotes: pasted values may be megabytes long.
_SPECIAL_QUOTED = frozenset('\\"$`' + UNKNOWN)
# The same in the word of `${NAME:-word}`, which the brace ends; outside quotes, blanks separate,
# and operators are literal.
_SPECIAL_WORD = frozenset("\\ \t\n'\"$`}" + UNKNOWN)
_SPECIAL_QUOTED_WORD = _SPECIAL_QUOTED | {"}"}
# What a backslash escapes in here-documents, in double quotes, and in a word there.
_ESCAPED_HERE, _ESCAPED_QUOTED, _ESCAPED_WORD = "$`\\\n", '$`\\\n"', '$`\\\n"}'
_ANSI = dict(zip("ntrabfveE", "\n\t\r\a\b\f\v\x1b\x1b")) | {mark: mark for mark in "\\'\"?"}
_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(.))", re.DOTALL
)
# Keywords that a command follows.
_BEFORE_COMMANDS = frozenset(("{", "then", "else", "do", "if", "!"))
# What an element of an array takes from the budget beside its characters: `set -- "$@" a` repeated
# copies all of them again and again.
_ELEMENT = 16
# Commands whose arguments are assignments.
_DECLARING = frozenset(("export", "declare", "local", "readonly", "typeset"))


class Words(list):  # type: ignore[type-arg]
    """The words of one simple command.

    Attributes:
        ends: the operator after it ("" at the end of the text, "\\n" at the end of a line).
        line: the line that it begins in.
        commented: whether a comment ends it in a line that was to continue it.
        arrays: the arrays that it sets; a name may end with `+`.
        here: the here-document that it reads, or "".
        to: the file that its output is written to, as it is written there; or "".
        told: parts that cannot be evaluated without running a shell, and parts that were cut off:
            of each finding the code, the subject, the case and the facts.
    """

    def __init__(self, words: Sequence[str] = ()) -> None:
        super().__init__(words)
        self.ends = ""
        self.line = 0
        self.commented = False
        self.here = self.to = ""
        self.arrays: list[tuple[str, list[str]]] = []
        self.told: list[Told] = []


def assignment(word: str) -> tuple[str, str] | None:
    """Return the two parts of `NAME=value`, or None."""
    name, sign, _ = word.partition("=")
    return (
        (name, cut(word, len(name) + 1))
        if sign and name and name[0] in _NAME_START and _NAME.issuperset(name)
        else None
    )


def assignments(command: Words) -> list[tuple[str, str, bool]]:
    """Return the assignments of a command that only assigns: name, value, and whether it is added
    to the value before.
    """
    words = list(command)
    if words and words[0] in _DECLARING:
        words = [word for word in words[1:] if not word.startswith("-") and "=" in word]
    found = []
    for word in words:
        name, _, _ = word.partition("=")
        more = name.endswith("+")
        made = assignment(joined((name[:-1], cut(word, len(name)))) if more else word)
        if made is None:
            return []
        found.append((*made, more))
    return found


class WordReader:
    """Reads a text word by word; what the words make is up to its subclasses."""

    def __init__(self, text: str, env: dict[str, str], budget: Budget) -> None:
        self.text = unprompted(unix_lines(text))
        self.env = env
        self.arrays: dict[str, list[str]] = {}
        self.at = 0
        self.command = Words()
        self.word: list[str] | None = None
        self.quoted = False
        self.braced = self.emptied = False
        self.depth = 0  # nesting depth of references
        self.counted = (0, 1)  # an index in the text, and its line number
        self.budget = budget

    def _tell(self, code: str, subject: str, case: str, at: int, **facts: str | int) -> None:
        """Add a finding about what begins at an index."""
        subject = stamped(subject, self.text, at)
        self.command.told.append((code, subject, case, tuple(facts.items())))

    def _add(self, text: str) -> None:
        """Add to the word what stands for the text at this index."""
        text = stamped(text, self.text, self.at)
        if self.word is None:
            self.word = []
            if not self.command:
                self.command.line = self._line(self.at)
        self.word.append(text)

    def _plain(self, special: frozenset[str]) -> None:
        """Read everything up to the next special character."""
        text, start = self.text, self.at
        end = start + 1
        while end < len(text) and text[end] not in special:
            end += 1
        self._add(cut(text, start, end))
        self.at = end

    def _line(self, at: int) -> int:
        """Return the line number of an index; counted from the previously requested index, since a
        finding may occur every few characters.
        """
        found = place(self.text, min(at, len(self.text) - 1))
        if found is not None:
            return found[1]
        before, number = self.counted
        number += (
            self.text.count("\n", before, at)
            if at >= before
            else -self.text.count("\n", at, before)
        )
        self.counted = (at, number)
        return number

    def _escape(self) -> None:
        text, at = self.text, self.at
        end = at + 1
        while end < len(text) and text[end] in " \t":
            end += 1
        if (end < len(text) and text[end] == "\n") or end >= len(text):
            self.at = min(
                end + 1, len(text)
            )  # a continuation, even with trailing blanks, as in pasted lines
            return
        self._add(cut(text, at + 1, at + 2))
        self.at += 2

    def _unclosed(self, mark: str, start: int | None = None) -> None:
        """Report an unclosed quote or bracket without showing what follows, which may be secret."""
        start = self.at if start is None else start
        self._tell("shell-syntax", mark, "", start, mark=mark, line=self._line(start))
        self.at = len(self.text)

    def _hole(self) -> None:
        """Add a value that was not known already to who made the text, whatever stands for it."""
        end = self.text.find(END, self.at) + 1 or len(self.text)
        self._add(cut(self.text, self.at, end))
        self.at = end

    def _part(self, char: str, quoted: bool) -> bool:
        """Read what begins with a character at this index and stands for a part of a word: a
        quote, a variable, a command, a hole; return whether there is one.
        """
        if char == "$":
            self._dollar(quoted)
        elif char == "`":
            self._substitution("`")
        elif char == UNKNOWN:
            self._hole()
        elif char == "'" and not quoted:
            self._single()
        elif char == '"' and not quoted:
            self._double()
        else:
            return False
        return True

    def _single(self) -> None:
        text, start = self.text, self.at + 1
        end = text.find("'", start)
        while end >= 0 and text.rfind(UNKNOWN, start, end) > text.rfind(END, start, end):
            end = text.find("'", end + 1)  # that one was in a hole
        if end < 0:
            self._unclosed("'")
            return
        self._add(cut(text, start, end))
        self.quoted = True
        self.at = end + 1

    def _double(self) -> None:
        start = self.at
        self._add("")
        self.quoted = True
        self.at += 1
        self._inside(len(self.text), _ESCAPED_QUOTED, mark='"')
        if self.at >= len(self.text):
            self._unclosed('"', start)
            return
        self.at += 1
        if self.emptied and self.word is not None and not any(self.word):
            self.word = None  # "${NAME[@]}" of an empty array is no word
        self.emptied = False

    def here_document(self) -> str:
        """Return the text as what a command reads whose here-document it is."""
        self._inside(len(self.text), _ESCAPED_HERE)
        return joined(self.word or ())

    def _inside(self, end: int, escaped: str, mark: str = "") -> None:
        """Read what is in quotes or braces, up to an index or a mark: no operators are in it.

        Args:
            end: the index.
            escaped: what a backslash escapes; "" where blanks and quotes have a meaning, too.
            mark: the mark; "" for none.
        """
        text, quoted = self.text, bool(escaped)
        special = _SPECIAL_QUOTED_WORD if quoted else _SPECIAL_WORD
        while self.at < end and text[self.at] != mark:
            char, behind = text[self.at], text[self.at + 1 : self.at + 2]
            if self._part(char, quoted):
                continue
            if char == "\\" and quoted and (not behind or behind not in escaped):
                self._add(char)
                self.at += 1
            elif char == "\\":
                self._add("" if behind == "\n" else cut(text, self.at + 1, self.at + 2))
                self.at += 2
            elif char == '"' and escaped == _ESCAPED_WORD:
                self.at += 1
            elif char in " \t\n" and not quoted:
                self._end_word()
                self.at += 1
            else:
                self._plain(special)

    def _dollar(self, quoted: bool) -> None:
        text = self.text
        behind = text[self.at + 1 : self.at + 2]
        if behind == "(":
            self._substitution("$(")
        elif behind == "{":
            self._braced_variable(quoted)
        elif behind == "'" and not quoted:
            self._ansi()
        elif behind in _NAME_START and behind:
            end = references.name_end(text, self.at + 1)
            self._variable(text[self.at + 1 : end], quoted)
            self.at = end
        elif behind in "@*" and behind and "@" in self.arrays:
            self._elements(self.arrays["@"], quoted)
            self.at += 2
        elif behind in "123456789" and behind and "@" in self.arrays:
            self._text("".join(self.arrays["@"][int(behind) - 1 : int(behind)]), quoted)
            self.at += 2
        elif behind in "@*#?!0123456789" and behind:
            self._variable(behind, quoted)
            self.at += 2
        else:
            self._add("$")
            self.at += 1

    def _braced_variable(self, quoted: bool) -> None:
        start = self.at
        found = references.read(self.text, start, '\\"' if quoted else "\\'\"")
        if found is None:
            self._unclosed("${")
            return
        if not found.name and self._array(self.text[start + 2 : found.end], quoted):
            self.at = found.end + 1
            return
        value, word = references.chosen(found, self.env) if found.name else (None, False)
        if not found.name or (word and self.depth == references.DEEPEST):
            self._unknown(cut(self.text, start, found.end + 1))
        elif word:
            self.at = found.word
            self.depth += 1
            self._word(found.end, quoted)
            self.depth -= 1
            if found.operator[-1:] == "=" and self.word is not None:
                self.env[found.name] = joined(self.word)
        elif value is None:
            self._unknown(stamped(f"${found.name}", self.text, start))
        else:
            self._text(value, quoted)
        self.at = max(self.at, found.end + 1)

    def _word(self, end: int, quoted: bool) -> None:
        """Read the word of `${NAME:-word}` as if it replaced the reference.

        Args:
            end: the index of the brace.
            quoted: whether it is in double quotes; double quotes inside it are then dropped.
        """
        if not quoted and self.text[self.at] == "~" and self.text[self.at + 1] in "/}":
            self._variable("HOME", quoted)
            self.at += 1
        self._inside(end, _ESCAPED_WORD if quoted else "")

    def _variable(self, name: str, quoted: bool) -> None:
        value = self.env.get(name)
        if value is None:
            self._unknown(stamped(f"${name}", self.text, self.at))
        else:
            self._text(value, quoted)

    def _unknown(self, whole: str) -> None:
        """Add a value that only a shell or its environment knows."""
        self._add(hole(whole))

    def _text(self, value: str, quoted: bool) -> None:
        """Add the value of a variable; outside quotes, it is split at blanks."""
        value = self.budget.take(value, self._line(self.at))
        if quoted or self._assigns():
            self._add(value)
            return
        parts = split_placed(value)
        if not parts:
            return
        if value[0].isspace():
            self._end_word()
        for at, part in enumerate(parts):
            if at:
                self._end_word()
            self._add(part)
        if value[-1].isspace():
            self._end_word()

    def _assigns(self) -> bool:
        """Return whether the word is an assignment, whose value is not split at blanks."""
        if not self.word or assignment(self.word[0].replace("+=", "=", 1)) is None:
            return False
        last = self.command[-1] if self.command else "="
        return "=" in last or last in _DECLARING or last in _BEFORE_COMMANDS

    def _elements(self, values: list[str], quoted: bool) -> None:
        """Add the elements of an array, each a word of its own."""
        self.emptied = self.emptied or not values
        if not self.budget.spend(len(values) * _ELEMENT, self._line(self.at)):
            return
        for at, value in enumerate(values):
            if at:
                self._end_word()
            self._text(value, quoted)

    def _array(self, inner: str, quoted: bool) -> bool:
        """Add `${NAME[@]}`, `${NAME[@]+…}` or `${NAME[1]}`; return False for anything else, and for
        what is not known.
        """
        name, _, rest = inner.partition("[")
        index, _, behind = rest.partition("]")
        values = self.arrays.get(name, [self.env[name]] if name in self.env else None)
        if values is None or not rest or (behind and not behind.lstrip(":").startswith("+")):
            return False
        if index in ("@", "*"):
            self._elements(values, quoted)
        elif index.isdecimal() and len(index) < 6:
            self._text("".join(values[int(index) : int(index) + 1]), quoted)
        else:
            return False
        return True

    def _substitution(self, opening: str) -> None:
        """Read `$(…)` or `` `…` ``, whose output is not known."""
        if opening == "$(":
            end = closing(self.text, self.at + 1)
        else:
            end = self.text.find("`", self.at + 1)
        whole = cut(self.text, self.at, end + 1 if end >= 0 else None)
        self._unknown(whole)
        self.at = len(self.text) if end < 0 else end + 1

    def _ansi(self) -> None:
        """Read $'…', with C escapes."""
        text = self.text
        start = end = self.at + 2
        while end < len(text) and text[end] != "'":
            end += 2 if text[end] == "\\" else 1
        self._add(_ESCAPE.sub(_meant, text[start:end]))
        self.quoted = True
        self.at = end + 1

    def _end_word(self) -> None:
        if self.word is not None:
            self.command.append(joined(self.word))
        self.word, self.quoted, self.braced = None, False, False


def _meant(escape: re.Match[str]) -> str:
    """Return the character that an escape of C stands for."""
    if escape[4]:
        return _ANSI.get(escape[4], escape[0])
    number = int(escape[1] or escape[2] or escape[3], 16)
    return chr(number) if 0 < number < 0x110000 else ""
