"""fonts: a subset of the glyphs that all articles and this draft use; off when a site names no font."""

from publisher import artifacts
from publisher.domain.findings import Finding, Severity
from publisher.domain.globs import match_glob
from publisher.domain.paths import in_the_way_of_fonts, stands_beside
from publisher.models import Site
from publisher.prepare import fonts, glyphs, lfs
from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps.places import examine

GENERATOR = "fonttools-subset"
_SHOWN = 20


def run(context: Context) -> StepResult:
    """One derived file, byte-identical for the same glyphs, font and configuration."""
    site = context.job.site
    if not site.fonts:
        return StepResult(outputs={"derived": {}, "bases": {}})
    in_the_way = tuple(
        _in_the_way(path, site) for path in context.files if not stands_beside(path, site.fonts)
    )
    if in_the_way:  # the font was switched on, or put there, after the draft was taken
        return StepResult(outputs={"derived": {}, "bases": {}}, findings=in_the_way, stop=True)
    source = fonts.source(site.font_source)
    used = _glyphs(context)
    data = source.subset(used)
    places = examine(context, {site.fonts})
    on_lfs = lfs.check(site.fonts, data, lfs=site.fonts in places.lfs)
    outputs = {
        "derived": {site.fonts: context.store(data, "font")},
        "bases": places.bases,
        "generator": GENERATOR,
        "config_hash": source.config,
        "glyphs": len(used & source.drawn),
    }
    return StepResult(
        outputs=outputs,
        findings=(*places.findings, *on_lfs, *_missing(site, sorted(used - source.drawn))),
        assertions=("subset made from the glyphs in use",),
    )


def _in_the_way(path: str, site: Site) -> Finding:
    return Finding(
        severity=Severity.BLOCK,
        path=path,
        line=None,
        rule="font_path",
        message=in_the_way_of_fonts(path, site.fonts),
        advice="Let the site's font file be made elsewhere; then an operator chooses "
        "“Try again now”. Else give this job up and submit it anew, with another name for the file.",
    )


def _glyphs(context: Context) -> frozenset[int]:
    """The union over all articles of the base and this draft."""
    site, target = context.job.site, context.target_path
    ours = [
        artifacts.load(name)
        for path, name in context.files.items()
        if path == target or match_glob(site.articles, path)
    ]
    replaced = {target, *context.files, *context.outputs["draft"].get("removed", ())}
    return glyphs.union(context.repository, site, context.base, ours=ours, replaced=replaced)


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
