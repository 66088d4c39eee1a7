"""Split text as a POSIX shell does: words, comments, continuations, redirections, and the commands
of a script.

Nothing is run, and no condition is judged: the commands of branches, loops and functions are read
as they stand there. What a variable is where branches differ is not known.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping

from translator.core.findings import finding
from translator.core.text.words import cut, joined, place, stamped
from translator.formats.classes import frozen
from translator.formats.places import replaced
from translator.formats.places import split as split_placed
from translator.formats.references import (
    ASSIGNED,
    DEEPEST,
    END,
    UNKNOWN,
    Budget,
    ShellVariables,
    Value,
    Words,
    assigns,
    closing,
    hole,
    reference,
    visible,
)

_KEYWORDS = frozenset(
    ("if", "then", "elif", "else", "for", "select", "while", "until", "do", "case", "{")
    + ("function", "!", "time", "fi", "done", "esac", "}")
)
_ENDS = {"fi": "if", "esac": "case"}
# What a function does that runs a text which it is given.
_EVALUATES = {f"{how} ${name}" for how in ("eval", "bash -c", "sh -c") for name in "1*@"}
_DEEPEST = 40  # texts of `eval` in each other

_REDIRECTION = re.compile(r"&>>?|>>|>[&|]?|<<<|<<-?|<&?")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|[;&|()]")
_NAME = re.compile(r"[A-Za-z_]\w*|[@*#?!\d]", re.ASCII)
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)'?", re.DOTALL)
_ESCAPE = re.compile(r"""\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[abfnrtv\\'"])""", re.ASCII)
_FUNCTION = re.compile(r"[ \t]*\)")
# A value to fill in, as documents write it: `vllm serve <your-model>`.
_PLACE = re.compile(r"<[A-Za-z][\w./:-]{0,60}>", re.ASCII)
_HOME = re.compile(r"~(?=[/ \n}]|\Z)")
# `{a,` of `{a,b}`, which a shell makes two words of; what is quoted may hold anything.
_BRACES = re.compile(
    r"""\{(?:[^{},\s'"\\;|&<>()`]|\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\{[^}]*\})*,""", re.DOTALL
)
_BREAK = re.compile(r"\r\n?")
_PROMPT = re.compile(
    r"^[ \t]*(?:\([\w.-]+\)[ \t]+)?(?:\$|>>>|\[?\w[\w.-]*@[^\s$#]+(?: [^\s$#]+\])?[$#]) ",
    re.MULTILINE,
)
# What an element of an array takes from the budget beside its characters: `set -- "$@" a` repeated
# copies all of them again and again.
_ELEMENT = 16


def split(
    text: str, env: Mapping[str, str] | None = None, budget: Budget | None = None
) -> list[Words]:
    """Split what a person would paste into a shell into its simple commands. Assignments apply to
    what follows them; the holder of the budget reports what variables add beyond it.
    """
    return _Reader(text, ShellVariables(env or {}), budget or Budget()).run()


def _lines(text: str) -> str:
    """Return the text with line breaks of Unix, and without prompts: `$ `, `>>> `, `me@host# `."""
    return replaced(replaced(text, _BREAK, lambda _: "\n"), _PROMPT, lambda _: "")


@frozen
class _Mode:
    """How a part of a text is read: what matches a run of characters without a meaning, since
    pasted values may be megabytes long, and what a backslash escapes; "" where blanks and quotes
    have a meaning, too.
    """

    plain: re.Pattern[str]
    escaped: str = ""


_SCRIPT = _Mode(re.compile(rf"[^\\ \t\n#'\"$`~,{{}};&|<>(){UNKNOWN}]+"))
_QUOTED = _Mode(re.compile(rf'[^\\"$`{UNKNOWN}]+'), '$`\\\n"')
_HERE = _Mode(_QUOTED.plain, "$`\\\n")
# The word of `${NAME:-word}`, outside of quotes and in them: operators have no meaning.
_WORD = _Mode(re.compile(rf"[^\\ \t\n'\"$`~}}{UNKNOWN}]+"))
_QUOTED_WORD = _Mode(re.compile(rf'[^\\"$`}}{UNKNOWN}]+'), '$`\\\n"}')


class _Reader:
    """Reads a text command by command."""

    def __init__(self, text: str, env: ShellVariables, budget: Budget, nested: int = 0) -> None:
        self.text, self.at = _lines(text), 0
        self.env, self.budget = env, budget
        self.nested = nested  # how many texts of `eval` it is in
        self.depth = 0  # of references in references
        self.breaks = [at for at, char in enumerate(self.text) if char == "\n"]
        self.done: list[Words] = []
        self.command = Words()
        self.word: list[str] | None = None
        self.quoted = False  # whether the word has quotes
        self.emptied = False  # whether "${NAME[@]}" of an empty array was in it
        self.array: tuple[str, Words] | None = None  # what `NAME=(` stands in
        self.redirection: tuple[str, int] | None = None  # the operator; its file comes next
        # The here-documents that begin in this line: what ends each, and whether in quotes.
        self.heres: list[tuple[str, bool, Words]] = []
        # The conditions that are open, by their keywords, and whether a pattern comes next.
        self.conditions: list[str] = []
        self.expects = False
        # The function that is defined, its open braces, and those that run a text they are given.
        self.function, self.braces = "", 0
        self.evaluating: set[str] = {"eval"}

    def run(self) -> list[Words]:
        """Return the commands."""
        self._read(_SCRIPT, len(self.text))
        self._end_command("")
        return self.done

    def _tell(self, code: str, subject: str, case: str, at: int, **facts: str | int) -> None:
        """Add a finding about what begins at an index."""
        subject = stamped(subject, self.text, at)
        self.command.remarks.append(finding(code, subject, case=case, **facts))

    def _line(self, at: int) -> int:
        """Return the number of the line that an index is in."""
        line_place = place(self.text, min(at, len(self.text) - 1))
        return line_place[1] if line_place is not None else bisect(self.breaks, at - 1) + 1

    # --- words ------------------------------------------------------------------------------------

    def _read(self, mode: _Mode, end: int, mark: str = "") -> None:
        """Read up to an index or a mark."""
        text, quoted = self.text, bool(mode.escaped)
        while self.at < end and text[self.at] != mark:
            char = text[self.at]
            if char == "$":
                self._dollar(quoted)
            elif char == "`":
                self._substitution(text.find("`", self.at + 1))
            elif char == UNKNOWN:  # a value that was not known to who made the text
                self._add(cut(text, self.at, text.find(END, self.at) + 1 or len(text)))
            elif char == "\\":
                self._backslash(mode)
            elif char == '"' and mode is _QUOTED_WORD:
                self.at += 1
            elif quoted or not self._unquoted(char, mode):
                match = mode.plain.match(text, self.at, end)
                self._add(cut(text, self.at, match.end() if match else self.at + 1))

    def _unquoted(self, char: str, mode: _Mode) -> bool:
        """Read what has a meaning outside of quotes only; return False where nothing has."""
        if char == "'":
            self._single()
        elif char == '"':
            self._double()
        elif char in " \t\n":
            self._end_word()
            self.at += 1
            if char == "\n" and mode is _SCRIPT:
                self._new_line()
        elif char == "~" and self.word is None and _HOME.match(self.text, self.at):
            self._value("HOME", self.env.get("HOME"), quoted=False)
            self.at += 1
        else:
            return mode is _SCRIPT and self._sign(char)
        return True

    def _add(self, written: str, text: str | None = None) -> None:
        """Add what is written at this index to the word, or what is made of it; go on behind it."""
        self._put_in(written if text is None else text)
        self.at += len(written)

    def _put_in(self, text: str) -> None:
        """Add to the word what stands for the text at this index."""
        if self.word is None:
            self.word = []
            if not self.command:
                self.command.line = self._line(self.at)
        self.word.append(stamped(text, self.text, self.at))

    def _end_word(self) -> None:
        if self.word is not None:
            word = joined(self.word)
            if self.redirection is not None:
                self._redirected(word)
            else:
                self.command.append(word)
        self.word, self.quoted = None, False

    def _backslash(self, mode: _Mode) -> None:
        behind = self.text[self.at + 1 : self.at + 2]
        if not mode.escaped and behind in ("", "\n"):
            self.at += 2
        elif mode.escaped and (not behind or behind not in mode.escaped):
            self._add("\\")
        else:
            self.at += 1
            self.quoted = True
            self._add(cut(self.text, self.at, self.at + 1), "" if behind == "\n" else None)

    def _unclosed(self, mark: str, start: int) -> None:
        """Report an unclosed quote or bracket without showing what follows, which may be secret."""
        self._tell("shell-syntax", mark, "", start, mark=mark, line=self._line(start))
        self.at = len(self.text)

    def _single(self) -> None:
        text, start = self.text, self.at + 1
        end = text.find("'", start)
        while end >= 0 and text.rfind(UNKNOWN, start, end) > text.rfind(END, start, end):
            end = text.find("'", end + 1)  # that one was in a hole
        if end < 0:
            self._unclosed("'", self.at)
            return
        self._put_in(cut(text, start, end))
        self.quoted = True
        self.at = end + 1

    def _double(self) -> None:
        start = self.at
        self._put_in("")
        self.quoted = True
        self.at += 1
        self._read(_QUOTED, len(self.text), '"')
        if self.at >= len(self.text):
            self._unclosed('"', start)
            return
        self.at += 1
        if self.emptied and self.word is not None and not any(self.word):
            self.word = None  # "${NAME[@]}" of an empty array is no word
        self.emptied = False

    # --- variables --------------------------------------------------------------------------------

    def _dollar(self, quoted: bool) -> None:
        text, start = self.text, self.at
        if text.startswith("$(", start):
            self._substitution(closing(text, start + 1))
        elif text.startswith("${", start):
            self._braced(quoted)
        elif not quoted and (ansi := _ANSI.match(text, start)):
            self._add(ansi[0], _ESCAPE.sub(_meant, ansi[1]))
            self.quoted = True
        elif match := _NAME.match(text, start + 1):
            self._value(match[0], self.env.get(match[0]), quoted)
            self.at = match.end()
        else:
            self._add("$")

    def _braced(self, quoted: bool) -> None:
        start = self.at
        braced = reference(self.text, start, '\\"' if quoted else "\\'\"")
        if braced is None:
            self._unclosed("${", start)
            return
        chosen: Value
        value = self.env.get(braced.name)
        if braced.index:
            readable = braced.operator in ("", "+", ":+")
            chosen, word = self.env.element(braced.name, braced.index) if readable else None, False
        else:
            chosen, word = braced.chosen(value if isinstance(value, str) else None)
        if word and value is None and braced.word == braced.end:
            self._value(braced.name, None, quoted)  # an empty default stands for no value
        elif word and self.depth < DEEPEST:
            self.at = braced.word
            self.depth += 1
            self._read(_QUOTED_WORD if quoted else _WORD, braced.end)
            self.depth -= 1
            if braced.operator[-1:] == "=" and self.word is not None:
                self.env.set(braced.name, joined(self.word))
        elif word or chosen is None:
            plain = braced.name and not braced.index and not word
            written = f"${braced.name}" if plain else cut(self.text, start, braced.end + 1)
            self._put_in(hole(stamped(written, self.text, start)))
        else:
            self._value(braced.name, chosen, quoted)
        self.at = max(self.at, braced.end + 1)

    def _value(self, name: str, value: Value, quoted: bool) -> None:
        """Add the value of a variable, split at blanks outside quotes, or words of an array.

        A condition is mostly there for a value, so that one that is empty is not known in it.
        """
        if value == "" and (self.conditions or self._is_guarded()):
            value = None
        if value is None:
            self._put_in(hole(stamped(f"${name}", self.text, self.at)))
            return
        values = [value] if isinstance(value, str) else value
        self.emptied = self.emptied or not values
        cost = 0 if isinstance(value, str) else len(values) * _ELEMENT
        if cost and not self.budget.spend(cost, self._line(self.at)):
            return
        for at, item in enumerate(values):
            if at:
                self._end_word()
            text = self.budget.take(item, self._line(self.at))
            # The value of an assignment is not split at blanks.
            last = self.command[-1] if self.command else "="
            if quoted or (self.word and assigns(self.word[0], last)):
                self._put_in(text)
                continue
            if text[:1].isspace():
                self._end_word()
            for number, part in enumerate(split_placed(text)):
                if number:
                    self._end_word()
                self._put_in(part)
            if text[-1:].isspace() and text.strip():
                self._end_word()

    def _substitution(self, end: int) -> None:
        """Read what runs a command, whose output is not known, up to its closing sign."""
        whole = cut(self.text, self.at, end + 1 if end >= 0 else None)
        self._add(whole, hole(whole))

    # --- lines, brackets, redirections ------------------------------------------------------------

    def _sign(self, char: str) -> bool:
        """Read a comment or an operator; return False where none begins."""
        text, at = self.text, self.at
        if char == "#" and self.word is None:
            end = text.find("\n", at)
            if self.command and self.array is None:
                self.command.commented = not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")
            self.at = len(text) if end < 0 else end
        elif char in "<>" and text[at + 1 : at + 2] == "(":
            self._substitution(closing(text, at + 1))
        elif match := _PLACE.match(text, at):
            self._add(match[0], hole(match[0]))
        elif match := _REDIRECTION.match(text, at):
            self._redirect(match[0])
        elif match := _OPERATOR.match(text, at):
            if not self._brackets(match[0]):
                self.at = match.end()
                self._end_command(match[0])
        else:
            if text.startswith(("{{", "{%"), at):  # in quotes, such as a chat template, it is text
                self._tell("unreadable-file", "{{", "template", at)
            elif _BRACES.match(text, at):
                self._tell("shell-syntax", "{", "braces", at, line=self._line(at))
            return False
        return True

    def _new_line(self) -> None:
        """End the command, and skip the here-documents that begin in the line."""
        if self.array is not None:
            return
        for mark, literal, command in self.heres:
            last = re.compile(rf"^[\t ]*{re.escape(mark)}[\t ]*$", re.MULTILINE)
            match = last.search(self.text, self.at)
            end = match.start() if match else len(self.text)
            command.here = cut(self.text, self.at, end)
            if not literal:
                inner = _Reader(command.here, self.env, self.budget)
                inner._read(_HERE, len(inner.text))
                command.here = joined(inner.word or ())
            line = self.text.find("\n", end)
            self.at = len(self.text) if line < 0 else line + 1
        self.heres = []
        self._end_command("\n")

    def _brackets(self, operator: str) -> bool:
        """Read the brackets of `NAME=(…)`; return False for any other operator."""
        if self.array is not None:
            if operator == "(":
                self._add("(")
                return True
            self._end_word()
            if operator == ")":
                name, outer = self.array
                outer.arrays.append((name.rstrip("+"), name.endswith("+"), list(self.command)))
                self.command, self.array = outer, None
            self.at += len(operator)
            return True
        name = "".join(self.word or ())
        assigned = ASSIGNED.fullmatch(name)
        if operator != "(" or self.quoted or assigned is None:
            return False
        self.word = None
        self.array, self.command = (name[:-1], self.command), Words()
        self.at += 1
        return True

    def _redirect(self, operator: str) -> None:
        """Begin `> file`, `2>&1`, `< file`: the word behind it is no argument."""
        start = self.at
        number = "".join(self.word or ())
        if number.isdecimal() and not self.quoted:
            self.word, start = None, start - len(number)
        self._end_word()
        self._end_redirection()
        self.redirection = operator, start
        self.at += len(operator)
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def _redirected(self, word: str) -> None:
        """Take note of the file of a redirection, or of the mark of a here-document."""
        operator, start = self.redirection or ("", self.at)
        if operator in ("<<", "<<-"):
            self._tell("shell-syntax", "<<", "here-document", start)
            self.heres.append((word, self.quoted, self.command))
        elif operator in (">", ">>") and self.text[start] in ">1":
            self.command.to = word
        self._end_redirection()

    def _end_redirection(self) -> None:
        if self.redirection is not None:
            start = self.redirection[1]
            shown = self.text[start : self.at].strip()
            self._tell("cut-off", shown, "", start, text=shown)
            self.redirection = None

    # --- commands ---------------------------------------------------------------------------------

    def _end_command(self, operator: str) -> None:
        self._end_word()
        self._end_redirection()
        command, self.command = self.command, Words()
        command.ends = operator
        self._keywords(command)
        if self.expects:
            self.expects = operator != ")"
        elif operator == "(" and len(command) == 1 and _FUNCTION.match(self.text, self.at):
            self.function, self.braces = command[0], 0
        elif command or command.remarks or command.arrays:
            self._run(command)
        if operator in (";;", ";&", ";;&") and self.conditions[-1:] == ["case"]:
            self.env.branch()
            self.expects = True

    def _run(self, command: Words) -> None:
        """Take note of a command, and of what it does to the variables."""
        if self.function and visible(" ".join(command)) in _EVALUATES:
            self.evaluating.add(self.function)
        if command and command[0] in self.evaluating and self.nested < _DEEPEST:
            text = joined(command[1:], " ")
            self.done += _Reader(text, self.env, self.budget, self.nested + 1).run()
            return
        guarded = self._is_guarded()
        self.done.append(command)
        self.env.run(command, command.arrays, guarded, self.budget, command.line)

    def _is_guarded(self) -> bool:
        """Return whether the command before decides if this one runs."""
        return bool(self.done) and self.done[-1].ends in ("&&", "||")

    # --- keywords ---------------------------------------------------------------------------------

    def _keywords(self, command: Words) -> None:
        """Remove the keywords that a command begins with, and do what they mean, a loop once."""
        while command and command[0] in _KEYWORDS:
            if self.expects and command[0] != "esac":
                return
            word = command.pop(0)
            opened = self.conditions[-1] if self.conditions else ""
            if opened and opened == _ENDS.get(word):
                self.conditions.pop()
                self.env.end()
                self.expects = False
            elif opened and word in ("elif", "else"):
                self.env.branch()
            elif word in _ENDS.values():
                self.conditions.append(word)
                self.env.begin()
                self.expects = word == "case"
                del command[: 2 * self.expects]
            elif word in ("for", "select") and command:
                values = command[2:] if command[1:2] == ["in"] else []
                self.env.set(command[0], values[0] if len(values) == 1 else None)
                del command[:]
            elif word in "{}":
                self.braces += 1 if word == "{" else -1
                self.function = self.function if self.braces > 0 else ""
            elif word == "function":
                self.function, self.braces = "".join(command[:1]), 0
                del command[:1]


def _meant(escape: re.Match[str]) -> str:
    """Return the character that an escape of C stands for."""
    return escape[0].encode().decode("unicode_escape")
