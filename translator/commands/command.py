"""A command, taken apart."""

from __future__ import annotations

from translator.commands import translate_exec as ours
from translator.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.commands.translate_exec import Entry, Reads
    from translator.secrets.secrets import Secrets


class Container:
    """One container of a file.

    Attributes:
        name: such as "Deployment/vllm: server", or "service vllm".
        line: where it begins.
        image: with its tag, or "".
        command: what replaces the image's entrypoint, or None.
        args: what follows it.
        env: its variables.
        lines: variable → its line.
        referred: the variables that its command refers to, as `$(NAME)`.
        args_line: where the command begins.
    """

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line, self.args_line = name, line, line
        self.image = ""
        self.command: list[str] | None = None
        self.args: list[str] = []
        self.env: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.referred: set[str] = set()
        self.findings: list[Finding] = []

    @property
    def telling(self) -> set[str]:
        """The names of its variables by which a reader of them may be known: one that its command
        hands on says nothing of what reads it.
        """
        return set(self.lines) - self.referred


class Pasted:
    """A command, taken apart.

    Attributes:
        tokens: the command line, `vllm serve` in front; of our own entrypoint, the tokens that win
            over the variables.
        env: the variables that stood with it.
        vllm: the version that its image's tag names, or that our own entrypoint is told, or None.
        contained: whether it runs in a container, where other files are.
        entry: how our own entrypoint was started, which reads the variables; None of any other
            command.
        findings: what was left out, and what cannot be known.
        secrets: by which its findings show nothing secret; None: by the tables of the project.
        reads: whether there are names of a dialect's among those of some variables, by which a
            container is recognised.
        unknown: what only a shell could tell, as it was written → as a finding names it. The tokens
            have it as it was written.
        names: of the variables, also of those whose values are not known.
        telling: those among them by which a container may be recognised; None: all.
        laid: whether the variables that are known besides are its environment, as `docker run
            --env-file` has it.
    """

    __slots__ = (
        "contained",
        "entry",
        "env",
        "findings",
        "laid",
        "names",
        "reads",
        "secrets",
        "telling",
        "tokens",
        "unknown",
        "vllm",
    )

    def __init__(self, secrets: Secrets | None = None, reads: Reads = ours.nobody) -> None:
        self.secrets = secrets
        self.tokens: list[str] = []
        self.env: dict[str, str] = {}
        self.vllm: str | None = None
        self.contained = False
        self.entry: Entry | None = None
        self.findings: list[Finding] = []
        self.reads = reads
        self.unknown: dict[str, str] = {}
        self.names: set[str] = set()
        self.telling: set[str] | None = None
        self.laid = False
