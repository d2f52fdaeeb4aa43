"""fonts: a subset of the glyphs that all articles and this draft use; off when a site names no font."""

from pathlib import Path

from publisher import artifacts
from publisher.artifacts import sha256_of
from publisher.domain.errors import RepositoryError
from publisher.domain.findings import Finding, Severity
from publisher.models import Article, Site
from publisher.prepare import fonts
from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps.places import examine

GENERATOR = "fonttools-subset"
_ASCII = frozenset(range(0x20, 0x7F))
_SHOWN = 20


def run(context: Context) -> StepResult:
    """One derived file, byte-identical for the same glyphs, font and configuration."""
    site = context.job.site
    if not site.fonts:
        return StepResult(outputs={"derived": {}, "bases": {}})
    source = _source(site)
    glyphs = _glyphs(context)
    missing = fonts.missing(source, glyphs)
    drawable = glyphs.difference(missing)
    config = fonts.config_hash(sha256_of(source))
    data = fonts.subset(source, drawable)
    places = examine(context, {site.fonts})
    outputs = {
        "derived": {site.fonts: context.store(data, "font")},
        "bases": places.bases,
        "generator": GENERATOR,
        "config_hash": config,
        "glyphs": len(drawable),
    }
    return StepResult(
        outputs=outputs, findings=(*places.findings, *_missing(site, missing)),
        assertions=("subset made from the glyphs in use",),
    )  # fmt: skip


def _source(site: Site) -> bytes:
    try:
        return Path(site.font_source).read_bytes()
    except OSError as error:
        raise RepositoryError(
            f"The font file of the site cannot be read ({error.strerror})."
        ) from None


def _glyphs(context: Context) -> frozenset[int]:
    """The union over all indexed articles (kept a row each) and this draft."""
    used: set[int] = set(_ASCII)
    rows = Article.objects.filter(site=context.job.site).exclude(path=context.target_path)
    for letters in rows.values_list("glyphs", flat=True):
        used |= fonts.glyphs(letters)
    name = context.files.get(context.target_path)
    if name:
        used |= fonts.glyphs(artifacts.load_text(name))
    return frozenset(used)


def _missing(site: Site, missing: list[int]) -> tuple[Finding, ...]:
    if not missing:
        return ()
    letters = " ".join(chr(code) for code in missing[:_SHOWN])
    return (
        Finding(
            severity=Severity.WARN,
            path=site.fonts,
            line=None,
            rule="font_glyphs",
            message=f"The site's font cannot draw {len(missing)} characters: {letters}",
            advice="Readers see them in another font. Use a font that has them, if it matters.",
        ),
    )
