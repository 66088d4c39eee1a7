"""The result types of the two translations."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.findings import Finding
    from translator.settings.setting import Assembled


class Translation:
    """A command line for vLLM. Equal to another with the same attributes; can be pickled.

    Attributes:
        argv: ["vllm", "serve", MODEL, …], as list of str.
        env: the environment to start vLLM with, as dict of str to str.
        findings: remarks and warnings, as tuple of `Finding`; no errors.
        version: the vLLM version that it is written for, such as "0.27.1".
    """

    __slots__ = ("_groups", "argv", "done", "env", "findings", "version")

    def __init__(
        self,
        groups: Sequence[tuple[str, list[str]]],
        done: Assembled,
        findings: tuple[Finding, ...],
        version: str,
    ) -> None:
        self.argv: list[str] = []
        for _, tokens in groups:
            self.argv += tokens
        self.env, self.findings, self.version = done.env, findings, version
        self._groups, self.done = groups, done

    @property
    def origins(self) -> dict[str, list[str]]:
        """Every flag that is set → the variables or tokens that set it."""
        return self.done.origins

    @property
    def groups(self) -> list[tuple[list[str], list[str]]]:
        """The tokens of `argv`, flag by flag, each with the variables or tokens that set it."""
        origins = self.done.origins
        return [(list(tokens), origins.get(flag, [])) for flag, tokens in self._groups]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Translation) and (
            (self.argv, self.env, self.findings, self.version)
            == (other.argv, other.env, other.findings, other.version)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show names and counts only: values may be secret."""
        return (
            f"Translation(vllm={self.version!r}, {len(self.argv)} tokens,"
            f" {len(self.env)} variables, {len(self.findings)} findings)"
        )


class EngineArguments(dict[str, "Any"]):
    """Keyword arguments for vLLM's `LLM` and `AsyncEngineArgs`: field → value.

    Attributes:
        findings: remarks and warnings, as tuple of `Finding`; no errors.
    """

    def __init__(
        self, arguments: Mapping[str, Any] | None = None, findings: tuple[Finding, ...] = ()
    ) -> None:
        super().__init__(arguments or {})
        self.findings = findings


class Variables:
    """A container's variables. Equal to others with the same attributes; can be pickled.

    Attributes:
        env: the variables, in the dialect, as dict of str to str.
        findings: remarks and warnings, as tuple of `Finding`; no errors.
        origins: every flag that was set → the tokens that set it.
        version: the vLLM version whose rules were used to read the command line.
    """

    __slots__ = ("env", "findings", "origins", "version")

    def __init__(
        self,
        env: dict[str, str],
        findings: tuple[Finding, ...],
        origins: dict[str, list[str]],
        version: str,
    ) -> None:
        self.env, self.findings, self.origins, self.version = env, findings, origins, version

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variables) and (
            (self.env, self.findings, self.origins, self.version)
            == (other.env, other.findings, other.origins, other.version)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show harmless names and counts only: values may be secret."""
        names = sorted(self.env)
        return f"Variables(vllm={self.version!r}, {names}, {len(self.findings)} findings)"
