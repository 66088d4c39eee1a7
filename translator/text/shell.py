"""Split text as a POSIX shell does: words, comments, continuations, redirections, and the commands
of a script.

Nothing is run, and no condition is judged: the commands of branches, loops and functions are read
as they stand there. What a variable is where branches differ is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from translator.text.placed import cut, joined
from translator.text.references import UNKNOWN, Budget, closing, hole
from translator.text.shell_words import WordReader, Words, assignment, assignments

# What a variable is: a string, an array, or not known.
Value = str | list[str] | None

_OPERATORS = (
    ("&&", "||", ";;&", ";;", ";&", "&>>", "&>", ">>", "<<", "|&")
    + (";", "&", "|", "<", ">", "(", ")")
)  # fmt: skip
_OPERATOR_STARTS = frozenset(operator[0] for operator in _OPERATORS)
# Characters that end a literal run outside quotes: pasted values may be megabytes long.
_SPECIAL = _OPERATOR_STARTS | frozenset("\\ \t\n#'\"$`~,{}" + UNKNOWN)

_UNQUOTED = str.maketrans("", "", "'\"\\")

# Keywords in front of a command, and those that end what another one begins.
_KEYWORDS = frozenset(
    ("if", "then", "elif", "else", "for", "select", "while", "until", "do", "case", "{")
    + ("function", "!", "time", "fi", "done", "esac", "}")
)
_ENDS = {"fi": ("if",), "done": ("for", "select", "while", "until"), "esac": ("case",), "}": ("{",)}
_DEEPEST = 40  # compound commands in each other, and texts of `eval`


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


class _Compound:
    """A compound command that is being read.

    Attributes:
        kind: the keyword that it begins with.
        arguments: of a function, those of the script around it.
        before: of the variables that the branch sets, what they were in front of it.
        branches: what the branches so far set.
        expects: whether a pattern of a `case` comes next.
    """

    __slots__ = ("arguments", "before", "branches", "expects", "kind")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.arguments: Value = None
        self.before: dict[str, Value] = {}
        self.branches: list[dict[str, Value]] = []
        self.expects = kind == "case"


class CommandReader(WordReader):
    """Reads a text command by command."""

    def __init__(self, text: str, env: dict[str, str], budget: Budget, nested: int = 0) -> None:
        super().__init__(text, env, budget)
        self.done: list[Words] = []
        self.array: tuple[str, Words] | None = None  # what `NAME=(` stands in
        # The here-documents that begin in this line: what ends each, and whether in quotes.
        self.heres: list[tuple[str, bool, Words]] = []
        self.compounds: list[_Compound] = []
        self.defines = False  # whether the body of a function comes next
        self.nested = nested  # how many texts of `eval` it is in

    def run(self) -> list[Words]:
        """Return the commands."""
        self._read()
        self._end_command("")
        return self.done

    def _read(self) -> None:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if self._part(char, False):
                continue
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

    # --- commands ---------------------------------------------------------------------------------

    def _end_command(self, operator: str) -> None:
        self._end_word()
        command, self.command = self.command, Words()
        command.ends = operator
        self._keywords(command)
        compound = self.compounds[-1] if self.compounds else None
        if compound is not None and compound.expects:
            compound.expects = operator != ")"
        elif operator == "(" and len(command) == 1 and self._closes():
            self.defines = True
        elif command or command.told or command.arrays:
            self._run(command)
        if operator in (";;", ";&", ";;&") and compound is not None and compound.kind == "case":
            self._end_branch(compound)
            compound.expects = True

    def _closes(self) -> bool:
        """Return whether the next bracket closes the one that was read: `name() {`."""
        return self.text[self.at : self.at + 9].lstrip(" \t").startswith(")")

    def _run(self, command: Words) -> None:
        """Take note of a command, and of what it does to the variables."""
        if command[:1] == ["eval"] and self.nested < _DEEPEST:
            text = joined(command[1:], " ")
            inner = CommandReader(text, self.env, self.budget, self.nested + 1)
            inner.arrays, inner.counted = self.arrays, (0, max(command.line, 1))
            self.done += inner.run()
            return
        guarded = bool(self.done) and self.done[-1].ends in ("&&", "||")
        self.done.append(command)
        for name, values in command.arrays:
            plain = name.removesuffix("+")
            before = self.arrays.get(plain, []) if name != plain else []
            before = before if self.budget.spend(len(before), command.line) else []
            keyed = any(value.startswith("[") and "]=" in value for value in values)
            self._put(plain, None if keyed else [*before, *values], guarded)
        for name, value, more in assignments(command):
            old = self.budget.take(self.env.get(name, ""), command.line) if more else ""
            self._put(name, joined((old, value)) if more else value, guarded)
        if command[:2] == ["set", "--"]:
            self._put("@", command[2:])
        elif command == ["shift"] and "@" in self.arrays:
            self._put("@", self.arrays["@"][1:])
        elif command[:1] == ["unset"]:
            for name in command[1:]:
                self._put(name, "")

    # --- compound commands ------------------------------------------------------------------------

    def _keywords(self, command: Words) -> None:
        """Remove the keywords that a command begins with, and do what they mean."""
        while command and command[0] in _KEYWORDS:
            expects = bool(self.compounds) and self.compounds[-1].expects
            if expects and command[0] != "esac":
                return
            word = command.pop(0)
            if word in _ENDS:
                self._close(_ENDS[word])
            elif word == "function":
                del command[:1]
                self.defines = True
            elif word in ("elif", "else") and self.compounds:
                self._end_branch(self.compounds[-1])
            elif word in ("if", "while", "until", "for", "select", "case", "{"):
                self._open(word, command)

    def _open(self, kind: str, command: Words) -> None:
        """Begin a compound command; remove what belongs to its keyword."""
        compound = _Compound(kind)
        self.compounds.append(compound)
        if kind == "{" and self.defines:
            compound.arguments = self.arrays.pop("@", None)
        elif kind in ("for", "select") and command:
            values = command[2:] if command[1:2] == ["in"] else []
            self._put(command[0], values[0] if len(values) == 1 else None)
            del command[:]
        elif kind == "case":
            del command[:2]
        self.defines = False

    def _close(self, kinds: tuple[str, ...]) -> None:
        """End a compound command. A variable that branches set to several values, or to another one
        than before, is not known.
        """
        if not self.compounds or self.compounds[-1].kind not in kinds:
            return
        compound = self.compounds.pop()
        self._end_branch(compound)
        if compound.arguments is not None:
            self._store("@", compound.arguments)
        for name in dict.fromkeys(name for branch in compound.branches for name in branch):
            values = [branch[name] for branch in compound.branches if name in branch]
            before = self._value(name)
            if before is not None and compound.kind in ("if", "case"):
                values.append(before)
            if len(self.compounds) < _DEEPEST:
                self._put(name, _known(name, values))
            else:
                self._store(name, _known(name, values))

    def _end_branch(self, compound: _Compound) -> None:
        compound.branches.append({name: self._value(name) for name in compound.before})
        for name, value in compound.before.items():
            self._store(name, value)
        compound.before = {}

    def _value(self, name: str) -> Value:
        return self.arrays[name] if name in self.arrays else self.env.get(name)

    def _put(self, name: str, value: Value, guarded: bool = False) -> None:
        """Set a variable, and remember what it was in front of this branch.

        Args:
            name, value: the variable.
            guarded: whether it may not be set, as behind `&&`.
        """
        before = self._value(name)
        if self.compounds:
            self.compounds[-1].before.setdefault(name, before)
        if guarded and before is not None:
            value = _known(name, [value, before])
        self._store(name, value)

    def _store(self, name: str, value: Value) -> None:
        self.arrays.pop(name, None)
        self.env.pop(name, None)
        if isinstance(value, list):
            self.arrays[name] = value
        elif value is not None:
            self.env[name] = value

    # --- lines, brackets, redirections ------------------------------------------------------------

    def _new_line(self) -> None:
        """End the command, and skip the here-documents that begin in the line."""
        if self.array is not None:
            self._end_word()
            return
        for mark, literal, command in self.heres:
            end = _end_of_here(self.text, self.at, mark)
            command.here = cut(self.text, self.at, end)
            if not literal:
                inner = WordReader(command.here, self.env, self.budget)
                inner.arrays = self.arrays
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
        self.at = _end_of_target(text, named)
        if operator == "<<":
            self._tell("shell-syntax", "<<", "here-document", start)
            mark = text[named : self.at].translate(_UNQUOTED)
            self.heres.append((mark, mark != text[named : self.at], self.command))
        elif operator in (">", ">>") and number in ("", "1"):
            self.command.to = text[named : self.at].translate(_UNQUOTED)
        shown = number + text[start : self.at]
        self._tell("cut-off", shown, "", start - len(number), text=shown)


def _end_of_target(text: str, at: int) -> int:
    """Return the index after the file of a redirection that begins at an index."""
    if text[at : at + 2] in (">(", "<("):
        end = closing(text, at + 1)
        at = len(text) if end < 0 else end + 1
    while at < len(text) and text[at] not in " \t\n;&|()":
        if text[at] in "'\"":
            end = text.find(text[at], at + 1)
            at = len(text) - 1 if end < 0 else end
        elif text.startswith("$(", at):
            end = closing(text, at + 1)
            at = len(text) - 1 if end < 0 else end
        at += 1
    return at


def _end_of_here(text: str, at: int, mark: str) -> int:
    """Return the index of the line that ends a here-document."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].strip("\t ") == mark:
            return at
        at = end + 1
    return len(text)


def _known(name: str, values: list[Value]) -> Value:
    """Return what is known of a variable that has one of several values: the elements, or the
    words, that all begin with.
    """
    first = values[0]
    if all(value == first for value in values):
        return first
    arrays = [value for value in values if isinstance(value, list)]
    texts = [value for value in values if isinstance(value, str)]
    if len(arrays) == len(values):
        return [*arrays[0][: _same(arrays)], hole(f"${{{name}[@]}}")]
    if len(texts) == len(values):
        begin = cut(texts[0], 0, _same(texts))
        begin = cut(begin, 0, max(begin.rfind(" "), begin.rfind("\n")) + 1)
        return joined((begin, hole(f"${name}"))) if begin else None
    return None


def _same(values: Sequence[Sequence[str]]) -> int:
    """Return how many items all sequences begin with."""
    different = (at for at, items in enumerate(zip(*values)) if len(set(items)) > 1)
    return next(different, min(map(len, values)))
