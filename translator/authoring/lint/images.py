"""Rules for images.toml: a repository has one entry, and each version is one of vLLM's."""

from __future__ import annotations

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.model.programs import Images
from translator.tables.versions import Version


@rule_for("images")
def repositories_once(images: Images, _: Context) -> Wrong:
    """A repository is in one entry."""
    for name in twice(name for image in images.image for name in image.names):
        yield "$.image", f"{name} stands twice"


@rule_for("images")
def versions_are_vllms(images: Images, context: Context) -> Wrong:
    """What an image holds is a published vLLM, or a candidate for one."""
    if context.tables.releases is None:
        return
    known = {Version(version).base for version in context.tables.releases.published}
    for index, image in enumerate(images.image):
        for tag, version in image.versions.items():
            if Version(version).base not in known:
                yield f"$.image[{index}].versions", f"{tag}: {version} is no release of vLLM"


RULES = (repositories_once, versions_are_vllms)
