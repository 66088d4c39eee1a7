"""Translate the environment and become vLLM: the entrypoint of a container. Signals and the exit status are vLLM's.

The version translated for and the command are logged to standard error with secrets masked, and one line per finding. Exit status
when vLLM is not started: 1 the configuration has errors, 2 this command line is wrong, 3 there are warnings and --strict is given,
126 vllm cannot be run, 127 there is no vllm on PATH.
"""

from __future__ import annotations

from translator.cli.common import add_cluster, add_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLE = """  MODEL_NAME=Qwen/Qwen3-0.6B MAX_MODEL_LEN=8k translate exec --dry-run -- --port 8000

  in a Dockerfile:
    ENTRYPOINT ["translate", "exec", "--"]"""


def configure(parser: ArgumentParser) -> None:
    add_target(parser)
    parser.usage = "translate exec [OPTIONS] [-- TOKEN ...]   (the tokens win over the environment)"
    parser.add_argument("--dry-run", action="store_true", help="print the command (secrets masked) to standard output, and start nothing")
    parser.add_argument("--explain", action="store_true", help="log what became of every variable, too")
    parser.add_argument("--strict", action="store_true", help="start nothing, and exit with 3, when there are warnings")
    add_cluster(parser)
    parser.add_argument("--worker-defaults", action="store_true", help="add the defaults that the dialect's table documents")
    parser.add_argument("--json-style", choices=("compact", "dotted"), default="compact", help="how JSON values are written (default: compact)")


def run(args: Namespace) -> int:
    """Reached when the short way could not read the options, and argparse can (abbreviations it does not take: so a value that begins with a dash)."""
    from translator import entrypoint

    return entrypoint.main(args)
