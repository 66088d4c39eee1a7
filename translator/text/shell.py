"""Split text as a POSIX shell does: words, comments, continuations, redirections, and the commands
of a script.
"""

from __future__ import annotations

from translator.text.expansion import Budget
from translator.text.holes import UNKNOWN
from translator.text.placed import cut
from translator.text.plain import is_plain
from translator.text.shell_parts import end_of_here, end_of_target
from translator.text.shell_words import WordReader, Words, assignment, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_OPERATORS = ("&&", "||", ";;", "&>>", "&>", ">>", "<<", "|&", ";", "&", "|", "<", ">", "(", ")")
_OPERATOR_STARTS = frozenset(operator[0] for operator in _OPERATORS)
# Characters that end a literal run outside quotes: pasted values may be megabytes long.
_SPECIAL = _OPERATOR_STARTS | frozenset("\\ \t\n#'\"$`~,{}" + UNKNOWN)

_UNQUOTED = str.maketrans("", "", "'\"\\")


def split(
    text: str, env: Mapping[str, str] | None = None, budget: Budget | None = None
) -> list[Words]:
    """Split a script into its simple commands.

    Args:
        text: what a person would paste into a shell.
        env: the variables that the text may refer to; assignments in the text itself apply to what
            follows them.
        budget: how much variables may add to the text; its holder reports what exceeds it.
    """
    return CommandReader(text, dict(env or {}), budget or Budget()).run()


class CommandReader(WordReader):
    """Reads a text command by command."""

    def __init__(self, text: str, env: dict[str, str], budget: Budget) -> None:
        super().__init__(text, env, budget)
        self.done: list[Words] = []
        self.array: tuple[str, Words] | None = None  # what `NAME=(` stands in
        # The here-documents that begin in this line: what ends each, and whether in quotes.
        self.heres: list[tuple[str, bool, Words]] = []

    def run(self) -> list[Words]:
        """Return the commands."""
        while True:
            self._read()
            self._end_command("")
            if self.at >= len(self.text):  # else the last command is the end of a loop
                return self.done

    def _read(self) -> None:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char == "\\":
                self._escape()
            elif char in " \t":
                self._end_word()
                self.at += 1
            elif char == "\n":
                self.at += 1
                self._new_line()
            elif char == "#" and self.word is None:
                end = text.find("\n", self.at)
                if self.command and self.array is None:
                    before = text[text.rfind("\n", 0, self.at) + 1 : self.at]
                    self.command.commented = not before.strip(" \t")
                self.at = len(text) if end < 0 else end
            elif char == "'":
                self._single()
            elif char == '"':
                self._double()
            elif char == "$":
                self._dollar(False)
            elif char == "`":
                self._substitution("`", "`")
            elif char == UNKNOWN:
                self._hole()
            elif (
                char == "~"
                and self.word is None
                and text[self.at + 1 : self.at + 2] in ("", "/", " ", "\n")
            ):
                self._variable("HOME", False)
                self.at += 1
            elif char in _OPERATOR_STARTS:
                self._operator(next(item for item in _OPERATORS if text.startswith(item, self.at)))
            elif char not in _SPECIAL:
                self._plain(_SPECIAL)
            else:
                self._add(char)
                if char == "," and self.braced:
                    self.braced = False
                    at = text.rfind("{", 0, self.at)
                    self._tell("shell-syntax", "{", "braces", at, line=self._line(self.at))
                elif char in "{}":
                    self.braced = char == "{"
                self.at += 1

    def _end_command(self, operator: str) -> None:
        self._end_word()
        if self.command or self.command.told or self.command.arrays:
            self.command.ends = operator
            self.done.append(self.command)
            self._set_arrays(self.command)
            assignments = [
                assignment(word)
                for word in (self.command[1:] if self.command[:1] == ["export"] else self.command)
            ]
            if all(assignments):
                self.env.update(item for item in assignments if item is not None)
        self.command = Words()

    def _new_line(self) -> None:
        """End the command, and skip the here-documents that begin in the line."""
        if self.array is not None:
            self._end_word()
            return
        for mark, literal, command in self.heres:
            end = end_of_here(self.text, self.at, mark)
            command.here = cut(self.text, self.at, end)
            if not literal:
                inner = WordReader(command.here, self.env, self.budget)
                inner.arrays, inner.maps = self.arrays, self.maps
                command.here = inner.here_document()
            line = self.text.find("\n", end)
            self.at = len(self.text) if line < 0 else line + 1
        self.heres = []
        self._end_command("\n")

    def _operator(self, operator: str) -> None:
        if self._brackets(operator):
            return
        if operator in (">", ">>", "<", "&>", "&>>", "<<"):
            self._redirection(operator)
            return
        self.at += len(operator)
        self._end_command(operator)

    def _brackets(self, operator: str) -> bool:
        """Read the brackets of `NAME=(…)`; return False for any other operator."""
        if self.array is not None:
            name, outer = self.array
            if operator == "(":
                self._add("(")
            elif operator == ")":
                self._end_word()
                outer.arrays.append((name, list(self.command)))
                self.command, self.array = outer, None
            else:
                self._end_word()
            self.at += len(operator)
            return True
        name = "".join(self.word or ())
        if operator != "(" or self.quoted or assignment(name.replace("+=", "=")) is None:
            return False
        if not name.endswith("="):
            return False
        self.word = None
        self.array, self.command = (name[:-1], self.command), Words()
        self.at += 1
        return True

    def _set_arrays(self, command: Words) -> None:
        for name, values in command.arrays:
            plain = name.removesuffix("+")
            pairs = [pair for pair in map(element, values) if pair is not None and not pair[0]]
            if pairs and len(pairs) == len(values):
                before = self.maps.get(plain, {}) if name != plain else {}
                self.maps[plain] = {**before, **{str(key): value for _, key, value in pairs}}
            elif name != plain:
                self.arrays[plain] = [*self.arrays.get(plain, ()), *values]
            else:
                self.arrays[name] = values

    def _redirection(self, operator: str) -> None:
        """Skip and report `> file`, `2>&1`, `< file`: words of a redirection are not arguments."""
        number = ""
        if self.word is not None and not self.quoted and "".join(self.word).isdecimal():
            number = "".join(self.word)
            self.word = None
        self._end_word()
        start = self.at
        self.at += len(operator)
        text = self.text
        if text[self.at : self.at + 1] in ("&", "|", "<" if operator == "<<" else "&"):
            self.at += 1
            operator = text[start : self.at]
        elif operator == "<<":
            self.at += text[self.at : self.at + 1] == "-"
        while self.at < len(text) and text[self.at] in " \t":
            self.at += 1
        named = self.at
        self.at = end_of_target(text, named)
        if operator == "<<":
            self._tell("shell-syntax", "<<", "here-document", start)
            mark = text[named : self.at].translate(_UNQUOTED)
            self.heres.append((mark, mark != text[named : self.at], self.command))
        elif operator in (">", ">>") and number in ("", "1"):
            self.command.to = text[named : self.at].translate(_UNQUOTED)
        whole = number + text[start : self.at]
        # The name of a file may be a URL with a password.
        file = text[start + len(operator) : self.at].strip(" \t&|")
        shown = whole if is_plain(file) else f"{number}{operator} …"
        self._tell("cut-off", shown, "redirection", start - len(number), text=shown)
