"""Each platform's own program as a function: from a container's variables to the tokens that it
hands to vLLM. (The functions: translator/core/platforms/programs.py.)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from translator.core.settings.scope import Scope

    Tokens = Callable[["ContainerVariables", Scope], "list[Token]"]
    # From a flag, as a variable's name spells it, and the value to tokens; None drops the variable.
    Words = Callable[[str, str], list[str] | None]


class Program:
    """A platform's own program.

    Attributes:
        tokens: from a container's variables to the tokens that it hands to vLLM; None where only
            what it makes of one variable is known.
        words: from a flag and the value of its variable to tokens, of a program that goes by a
            variable's value alone: our own reading of it, too; else None.
    """

    __slots__ = ("tokens", "words")

    def __init__(self, tokens: Tokens | None, words: Words | None = None) -> None:
        self.tokens, self.words = tokens, words


class Token:
    """A word of the command line.

    Attributes:
        text: the word; None for words that only the machine knows.
        origin: the variable that it comes from; "" for one of the program's own.
    """

    __slots__ = ("origin", "text")

    def __init__(self, text: str | None, origin: str = "") -> None:
        self.text, self.origin = text, origin


class Stops(Exception):
    """The program ends before it starts vLLM.

    Attributes:
        variable: the variable with which it ends.
        why: what the program expects of it, as a noun phrase.
    """

    def __init__(self, variable: str, why: str) -> None:
        super().__init__(variable, why)
        self.variable, self.why = variable, why


class ContainerVariables:
    """The variables of a container, as a program reads them.

    Attributes:
        read: the names that it has asked for.
    """

    __slots__ = ("_env", "read")

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self.read: set[str] = set()

    def get(self, name: str, default: str = "") -> str:
        """Return the value of a variable, or the default if it is not set."""
        self.read.add(name)
        return self._env.get(name, default)

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin with a prefix, in order."""
        return sorted(name for name in self._env if name.startswith(prefix))


class Outcome:
    """What a program does with a container's variables.

    Attributes:
        tokens: what it hands to `vllm serve`, as it would without the variables at which it stops.
        read: the variables that it looked at.
        stops: the exceptions with which it ends before vLLM starts, one for each variable.
    """

    __slots__ = ("read", "stops", "tokens")

    def __init__(self, tokens: list[Token], read: set[str], stops: list[Stops]) -> None:
        self.tokens, self.read, self.stops = tokens, read, stops


def run(program: Program, env: Mapping[str, str], scope: Scope) -> Outcome:
    """Run a program whose tokens are known.

    Args:
        env: the container's variables whose values are known.
        scope: the version that the program runs, and its dialect.
    """
    assert program.tokens is not None
    left = dict(env)
    stops: list[Stops] = []
    while True:
        variables = ContainerVariables(left)
        try:
            return Outcome(program.tokens(variables, scope), variables.read, stops)
        except Stops as stop:
            stops.append(stop)
            del left[stop.variable]
