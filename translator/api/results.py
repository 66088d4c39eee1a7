"""What the two translations return."""

from __future__ import annotations

from translator.findings import Finding
from translator.settings.setting import Assembled
from translator.tables.entries import MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.tables.catalog import Catalog


class Translation:
    """A command line for vLLM.

    Attributes:
        argv: ["vllm", "serve", MODEL, …].
        env: the environment to start vLLM with.
        findings: what is worth knowing.
        version: of the table that was used.
    """

    __slots__ = ("_catalog", "_done", "_groups", "argv", "env", "findings", "version")

    def __init__(
        self,
        groups: list[list[str]],
        env: dict[str, str],
        findings: tuple[Finding, ...],
        done: Assembled,
        catalog: Catalog,
    ) -> None:
        self.argv: list[str] = []
        for group in groups:
            self.argv += group
        self.env, self.findings, self.version = env, findings, catalog.version
        self._groups, self._done, self._catalog = groups, done, catalog

    @property
    def origins(self) -> dict[str, list[str]]:
        """Every flag that is set, and the variables or tokens that it came from."""
        return self._done.origins

    @property
    def groups(self) -> list[tuple[list[str], list[str]]]:
        """The tokens of `argv`, flag by flag, each with the variables or tokens that it came
        from.
        """
        return _origins(self._groups, self._done, self._catalog)


class Variables:
    """A container's variables.

    Attributes:
        env: the variables, in the dialect.
        findings: what is worth knowing.
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


def _origins(
    groups: list[list[str]], done: Assembled, catalog: Catalog
) -> list[tuple[list[str], list[str]]]:
    found = []
    for at, group in enumerate(map(list, groups)):
        name = MODEL if at == 0 else group[0].partition("=")[0].partition(".")[0]
        found.append(
            (
                group,
                done.origins.get(name)
                or next(
                    (
                        origins
                        for flag, origins in done.origins.items()
                        if _writes(flag, group, done, catalog)
                    ),
                    [],
                ),
            )
        )
    return found


def _writes(name: str, group: list[str], done: Assembled, catalog: Catalog) -> bool:
    """Whether a group that begins with a negation belongs to this flag."""
    flag = catalog.flag(name)
    return done.values.get(name) is False and flag is not None and flag.off == group[0]
