"""What the readers of this room are given and return."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from translator.commands import translate_exec as ours
from translator.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.commands.translate_exec import Entry, Reads
    from translator.secrets.secrets import Secrets


class ManifestError(ValueError):
    """A manifest is not YAML; one line says why."""


@attrs.frozen
class Context:
    """What is known where a text is read.

    Attributes:
        env: the variables that the text may refer to.
        outside: more variables for compose files: those of the process.
        secrets: which variables findings must not show; None: by the built-in tables.
        reads: tells whether the images of the dialect read one of some variables, which is how they
            are recognised.
    """

    env: Mapping[str, str] = attrs.field(factory=dict)
    outside: Mapping[str, str] = attrs.field(factory=dict)
    secrets: Secrets | None = None
    reads: Reads = ours.nobody


@attrs.frozen
class Container:
    """One container of a manifest.

    Attributes:
        name: such as "Deployment/vllm: server", or "service vllm".
        line: where its command, or else it, begins.
        image: with its tag, or "".
        command: what replaces the image's entrypoint, or None.
        args: what follows it.
        env: its variables.
        lines: variable -> its line, also of variables whose values are not known.
        referred: the variables that its command refers to, as `$(NAME)`.
        findings: what is wrong with it, and what is not known.
    """

    name: str
    line: int
    image: str = ""
    command: list[str] | None = None
    args: list[str] = attrs.field(factory=list)
    env: dict[str, str] = attrs.field(factory=dict)
    lines: dict[str, int] = attrs.field(factory=dict)
    referred: frozenset[str] = frozenset()
    findings: list[Finding] = attrs.field(factory=list)

    @property
    def telling(self) -> set[str]:
        """The variables that may show what reads them: not those that its command hands on."""
        return set(self.lines) - self.referred


@attrs.frozen
class Command:
    """A command that starts vLLM, split into tokens and variables.

    Attributes:
        tokens: the command line, `vllm serve` in front; of `translate exec`, the tokens that win
            over the variables.
        env: the variables that were set with it.
        vllm: the version that the tag of its image names, or the options of `translate exec`.
        contained: whether it runs in a container, where other files are.
        entry: how `translate exec`, which reads the variables, was started; None of other commands.
        findings: what was left out, and what is not known.
        unknown: what only a shell knows, as it was written -> as a finding names it. The tokens
            have it as it was written.
        names: of the variables, also of those whose values are not known.
        name, line: of its container in a manifest; "" and 0 otherwise.
        lines: variable -> its line in the manifest.
        starts_vllm: False of a container that does not seem to run vLLM.
        by_variables: whether the variables are all there is: nothing is known of what the image
            starts.
    """

    tokens: list[str] = attrs.field(factory=list)
    env: dict[str, str] = attrs.field(factory=dict)
    vllm: str | None = None
    contained: bool = False
    entry: Entry | None = None
    findings: list[Finding] = attrs.field(factory=list)
    unknown: dict[str, str] = attrs.field(factory=dict)
    names: frozenset[str] = frozenset()
    name: str = ""
    line: int = 0
    lines: dict[str, int] = attrs.field(factory=dict)
    starts_vllm: bool = True
    by_variables: bool = False
