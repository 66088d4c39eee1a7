"""The programs of platforms, by the names that tables give them (`program` of a `[consumer]`)."""

from __future__ import annotations

from translator.platforms import runpod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.platforms import Program

PROGRAMS: Mapping[str, Program] = {"runpod": runpod.tokens}
