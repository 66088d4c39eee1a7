"""What a script that is being read keeps: its path, its functions, its open compound commands."""

from __future__ import annotations

# How often the text of a script may be read again by its loops and functions.
_MOST_REPEATS = 4


class Shared:
    """What a script and the functions that it calls have in common.

    Attributes:
        path: which of the branches is taken.
        branches: the largest number of branches so far.
        functions: name → the text of its body.
        called: those that were called.
        aliases: name → what a command that begins with it begins with instead.
        every: whether no condition is taken for known.
        left: how many characters may be read again.
        stopped: whether the script has ended.
    """

    def __init__(self, path: int, size: int) -> None:
        self.path, self.branches = path, 1
        self.functions: dict[str, tuple[str, int]] = {}
        self.called: set[str] = set()
        self.aliases: dict[str, str] = {}
        self.every = False
        self.left = _MOST_REPEATS * size + 20_000
        self.stopped = False


class Frame:
    """A compound command that is open.

    Attributes:
        kind: its keyword, or "(" or "function".
        outer: whether the commands around it are executed.
        live: whether it is executed itself.
        done: whether one of its branches has been taken for certain.
        guessed: whether the branch that is being read is only one of those that may be taken.
        branches: how many branches so far may or may not be taken.
        word: of a `case`, what its patterns are compared with.
        expects: whether a pattern of a `case` comes next.
        patterns: those read so far.
        name: of a loop, its variable; of a function, its name.
        values: of a loop, what its variable still has to be.
        start: where the body begins.
    """

    def __init__(self, kind: str, outer: bool, live: bool, start: int) -> None:
        self.kind, self.outer, self.live, self.start = kind, outer, live, start
        self.done = self.guessed = self.expects = False
        self.branches = 0
        self.word = self.name = ""
        self.patterns: list[str] = []
        self.values: list[str] = []
