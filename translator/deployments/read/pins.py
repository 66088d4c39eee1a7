"""Pins: the texts that say which vLLM a command starts, each with its place: an image's tag, the
version of a package, an option.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import Tables
from translator.core.tables.images import Image, vllm_of
from translator.core.tables.versions import VARIABLE
from translator.core.text.words import cut
from translator.formats.classes import frozen
from translator.formats.references import visible


@frozen
class Pin:
    """What says which vLLM a command starts, or that somebody else knows it.

    Attributes:
        name: as messages show it: "vllm/vllm-openai:v0.10.2", "vllm==0.6.2", "vLLM 0.9".
        vllm: the version that it says; "" if it says none.
        written: the tag of the image, or the version of the package, with the places of its parts;
            "" if no text has it.
        image: the repository of the image; "" of anything else.
        publisher: whose numbers the tag has, if they are known to be somebody's; or "".
        release: the release of vLLM that the tag looks like, or that the platform runs; or "".
        reader: the platform's program; or "".
        is_release: whether its vLLM is a release, and not one that somebody may have changed.
        dialect: that of the platform's program; or "".
    """

    name: str
    vllm: str = ""
    written: str = ""
    image: str = ""
    publisher: str = ""
    release: str = ""
    reader: str = ""
    is_release: bool = True
    dialect: str = ""

    def assume(self, default: str) -> tuple[str, Finding]:
        """Return the version to assume where it says none, and the finding about that.

        Args:
            default: the version to assume if the tag suggests none.
        """
        used = self.release or default
        facts = {"image": self.name, "reader": self.reader, "publisher": self.publisher}
        facts |= {"release": self.release, "used": used, "variable": VARIABLE}
        return used, finding("version-assumed", self.name, **facts)


NO_PIN = Pin("", is_release=False)
"""Of a start of which nothing says the vLLM."""


def of_version(vllm: str) -> Pin:
    """Return the pin of a version that an option or a document names."""
    return Pin(f"vLLM {vllm}", vllm)


def of_image(image: str, known: Image) -> Pin:
    """Return the pin of an image, of which is `known` what the tables have."""
    end = len(image.partition("@")[0])
    start = image.rfind("/", 0, end) + 1
    sign = image.find(":", start, end)
    return Pin(
        visible(image),
        known.version,
        cut(image, sign + 1, end) if sign >= 0 else "",
        image[: end if sign < 0 else sign],
        known.publisher,
        known.assumed,
        is_release=known.holds_vllm,
    )


def of_platform(name: str, dialect: str, tables: Tables) -> Pin | None:
    """Return the pin of a file that a dialect's program reads; None if its vLLM is not known.

    Raises:
        TranslationError: there is no such dialect.
    """
    scope = scope_of(tables.versions()[-1], dialect, {}, tables)[0]
    vllm = vllm_of(dialect, tables) or scope.consumer.vllm
    return Pin(name, release=vllm, reader=scope.reader, dialect=dialect) if vllm else None
