"""Rules for images.toml: a repository has one entry, and each version is one of vLLM's."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.sources import IMAGES, Problem
from translator.tables.versions import Version


def repositories_once(context: Context) -> Iterator[Problem]:
    """A repository is in one entry."""
    found = context.tables.images
    names = [name for image in found.image for name in image.names] if found is not None else []
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Problem(IMAGES, "$.image", f"{name} is in several entries")


def versions_are_vllms(context: Context) -> Iterator[Problem]:
    """What an image holds is a published vLLM, or a candidate for one."""
    found, releases = context.tables.images, context.tables.releases
    if found is None or releases is None:
        return
    known = {Version(version).base for version in releases.published}
    for index, image in enumerate(found.image):
        for tag, version in image.versions.items():
            if Version(version).base not in known:
                path = f"$.image[{index}].versions"
                yield Problem(IMAGES, path, f"{tag}: {version} is no release of vLLM")


RULES = (repositories_once, versions_are_vllms)
