"""Every code, by name. Codes are stable and never reused.

A new code is an entry in the module of its topic; nothing else lists the codes.
"""

from __future__ import annotations

from translator.findings import (
    changes,
    clusters,
    command_line,
    config_file,
    merging,
    names,
    output,
    pasted,
    secrets,
    values,
    versions,
    vllm_variables,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.findings.code import Code

_TOPICS = (
    changes,
    clusters,
    command_line,
    config_file,
    merging,
    names,
    output,
    pasted,
    secrets,
    values,
    versions,
    vllm_variables,
)

CODES: dict[str, Code] = {code: entry for topic in _TOPICS for code, entry in topic.CODES.items()}
