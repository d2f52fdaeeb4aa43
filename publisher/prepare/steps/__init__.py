"""The steps of prepare, by name; each is a function from a context to a result, run without a transaction."""

from collections.abc import Callable, Mapping

from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps import collect, dedup, draft, fonts, gates, manifest

STEPS: Mapping[str, Callable[[Context], StepResult]] = {
    "collect": collect.run,
    "dedup": dedup.run,
    "draft": draft.run,
    "quality": gates.quality_gate,
    "secrets": gates.secrets_gate,
    "frontmatter": gates.frontmatter_gate,
    "fonts": fonts.run,
    "manifest": manifest.run,
}
