"""The kinds of files that people deploy, by their names and by how their lines begin: what a walk
through a folder takes, what `--help` names, and what the hook for pre-commit and the action see.
Which function reads each: deployments/read/registry.py.
"""

from __future__ import annotations

from typing import NamedTuple  # nothing reads the kinds where vLLM is only started


class Kind(NamedTuple):
    """A kind of files.

    Attributes:
        title: what a file of it is called.
        ends: of the names of its files; a file with one of them is of no other kind.
        parts: of further names, in lower case, which may be those of another kind, too.
        marks: what a line of it begins with; () for a kind that is tried on every text.
        begins: of further names.
    """

    title: str
    ends: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Return whether a file may be of this kind, by its name."""
        is_named = name.endswith(self.ends) or name.startswith(self.begins)
        return is_named or any(part in name.lower() for part in self.parts)


YAML = Kind("manifest, compose file", (".yaml", ".yml", ".json"))  # JSON is YAML
DOCKERFILE = Kind("Dockerfile", (), ("dockerfile", "containerfile"), ("FROM ", "from "))
SCRIPT = Kind("script", (".sh", ".bash", ".slurm", ".sbatch"))
VARIABLES = Kind(".env file", (".env", ".properties"), begins=(".env",))
UNIT = Kind("systemd unit", (), (".service",), ("[Service]",))
QUADLET = Kind("Quadlet of Podman's", (".container",), (), ("[Container]",))
PROGRAM = Kind("Python program", (".py",), (), ("import ", "from "))
DOCUMENT = Kind("document", (".md", ".markdown", ".rst", ".mdx"), (), ("```", "~~~", ".. code"))
TEMPLATE = Kind("template", (".tpl", ".j2", ".jinja", ".jinja2", ".gotmpl", ".tmpl"))
# They start vLLM, but hold its command only in parts or in a language of their own: also what
# supervisord reads.
NOT_READ = Kind(
    "program or tool that is not read",
    (".tf", ".hcl", ".go", ".js", ".ts", ".rs", ".java", ".nix", ".ps1", ".ipynb")
    + ("Makefile", "makefile", ".mk", "justfile", "Justfile", ".just"),
    (".conf",),
    ("[program:",),
)
TITLES = ", ".join([kind.title for kind in (YAML, DOCKERFILE, SCRIPT, VARIABLES)])
WITH_COMMANDS = (PROGRAM, DOCUMENT, DOCKERFILE, QUADLET, UNIT, YAML, SCRIPT)
"""The first as which a text has some wins."""
READ = (*WITH_COMMANDS, VARIABLES)
KINDS = (*READ, TEMPLATE, NOT_READ)


def may_start_vllm(name: str) -> bool:
    """Return whether a file of a folder may start vLLM, or be read by what does, by its name."""
    return any(kind.has(name) for kind in KINDS)


def mentions_vllm(text: str, name: str = "") -> bool:
    """Return whether a text of a file mentions vLLM in anything but comments."""
    if "vllm" not in text or DOCUMENT.has(name):
        return "vllm" in text
    import re  # lazy: few commands read files

    return "vllm" in re.sub(r"(?m)(?:^|(?<=\s))#.*", "", text)
