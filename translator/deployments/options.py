"""What is checked: what a file, a command or variables start, for which versions, and what is wrong
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import cached_property

from translator.core.findings import Finding
from translator.core.settings import ModelConfig
from translator.core.tables.catalog import Tables, shipped
from translator.formats.classes import field, frozen
from translator.installed import installed
from translator.options import DEFAULT_DIALECT

Here = tuple[Tables, str | None, list[Finding]]


@frozen
class CheckOptions:
    """What a check is asked for.

    Attributes:
        tables: those to check with.
        versions: the versions to check for; () for that of each target.
        before: the version that vLLM comes from, if it is moved from one to another.
        dialect, cluster: of the variables, where a target does not say it.
        platform: the dialect whose platform's image reads the files, if that is said.
        env_files: the files that are said to hold an environment.
        env_form: the format of files of variables, or "auto".
        select, ignore: the codes of findings that count (without any, all do), and that do not.
        model: the config.json of the model, if one is given.
        ask: whether the installed vLLM says which flags it has, whatever a target names.
        installed: returns what is to be used where nothing names the version: tables, the version
            in them (None: the newest), and what is to be known about it.
    """

    tables: Tables = field(factory=shipped)
    versions: Sequence[str] = ()
    before: str | None = None
    dialect: str = DEFAULT_DIALECT
    cluster: str | None = None
    platform: str | None = None
    env_files: Sequence[str] = ()
    env_form: str = "auto"
    select: Set[str] = frozenset()
    ignore: Set[str] = frozenset()
    model: ModelConfig | None = None
    ask: bool = False
    installed: Callable[[Tables], Here] = installed

    @cached_property
    def here(self) -> Here:
        """What is to be used where nothing names the version."""
        return self.installed(self.tables)

    def counts(self, code: str) -> bool:
        """Return whether findings with a code count."""
        return (not self.select or code in self.select) and code not in self.ignore
