"""What is read of one command, until it is complete."""

from __future__ import annotations

from translator.files.command import Command, exceeded
from translator.findings import Finding, finding
from translator.text.holes import holes, visible
from translator.text.placed import NOWHERE, place, stamped
from translator.text.references import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

    from translator.files.command import Container, Context, UnknownImage
    from translator.files.translate_exec import Entry
    from translator.text.placed import Place

# What begins and ends the command whose output is a value.


class Draft:
    """Collects what a command consists of: see the attributes of `Command`."""

    def __init__(self, context: Context, container: Container | None, budget: Budget) -> None:
        """Start with the variables of a container, if the command belongs to one.

        Args:
            context: the context of the command.
            container: the container.
            budget: how much variables may add to the scripts.
        """
        self.budget = budget
        self.tokens: list[str] = []
        self.vllm: str | None = None
        self.unknown_image: UnknownImage | None = None
        self.contained = False
        self.entry: Entry | None = None
        self.env = dict(container.env) if container else {}
        self.places: dict[str, Place] = {}  # of the variables that are set in the command
        self.names = set(container.places) if container else set()
        self.findings = list(container.findings) if container else []
        # The values that the container gets from elsewhere: its own findings tell of them.
        self.elsewhere = set(holes(self.env.values()))
        self.place = NOWHERE  # of the command in the outermost script

    def copied(self) -> Self:
        """Return another one that has read the same so far."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.env, made.places, made.names = dict(self.env), dict(self.places), set(self.names)
        made.findings = list(self.findings)
        return made

    def tell(self, code: str, subject: str, case: str = "", **facts: str | int) -> None:
        """Add a finding."""
        self.findings.append(finding(code, subject, case=case, **facts))

    def put(self, name: str, value: str, word: str) -> None:
        """Set a variable to the value that a word assigns."""
        self.env[name] = value
        if (found := place(word)) is not None:
            self.places[name] = found

    def finish(self) -> Command:
        """Return the command. Unknown parts of its tokens are errors; a variable that refers to one
        is dropped. Nothing gets a second finding.
        """
        self.findings += exceeded(self.budget)
        told = {item.subject for item in self.findings if item.code == "shell-variable"}
        unknown = self._unknown_of_tokens(told)
        env = {}
        for name, text in self.env.items():
            missing = holes([text])
            shown = [str(item) for item in missing]
            if not missing:
                env[name] = str(text)
            elif told.issuperset(shown):
                unknown.update(zip(map(str, missing), shown, strict=True))
            elif not self.elsewhere.issuperset(missing):
                self.findings.append(_unresolved(name, shown))
        tokens = [visible(token) for token in self.tokens]
        return Command(
            tokens=[str(token) for token in tokens],
            marked=tuple([str(token) for token in self.tokens]),
            token_places=tuple([place(token) for token in tokens]),
            env=env,
            vllm=self.vllm,
            image=None if self.vllm else self.unknown_image,
            contained=self.contained,
            entry=self.entry,
            findings=self.findings,
            unknown=unknown,
            names=frozenset(self.names.union(self.env)),
            place=self.place,
            places=self.places,
        )

    def _unknown_of_tokens(self, told: set[str]) -> dict[str, str]:
        """Return what only a shell knows in the tokens, and its names in findings; tell of it.

        Args:
            told: the names that findings tell of already.
        """
        unknown = {}
        for written in holes(self.tokens):
            shown = stamped(str(written), written)
            unknown[str(written)] = shown
            if written in self.elsewhere:
                continue
            if written.startswith(("$(", "`")):
                self.tell("shell-syntax", shown, "substitution", text=shown)
            elif shown not in told:
                self.tell("shell-variable", shown, variable=shown)
        return unknown


def _unresolved(variable: str, references: list[str]) -> Finding:
    """Return the finding for a variable whose value refers to what is not known."""
    return finding(
        "unresolved-value", variable, variable=variable, references=tuple(references[:3])
    )
