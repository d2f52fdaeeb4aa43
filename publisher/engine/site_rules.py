"""Site rules: what of a site's settings does not work now, the font's inside included."""

from publisher.domain.errors import InvalidInput
from publisher.models import Site
from publisher.ports import CheckFact
from publisher.prepare import fonts
from publisher.services import site_rules


def check_font(path: str) -> None:
    """Raise InvalidInput for a file that no subset can be cut from."""
    try:
        fonts.source(path)
    except fonts.FontUnusable as damage:
        raise InvalidInput("font_source", damage.message) from None


def broken(site: Site) -> list[CheckFact]:
    """One fact for each setting that does not work, in the order of cause."""
    found = []
    for name, rule in site_rules.RULES.items():
        try:
            rule(site)
            if name == "font_source" and site.fonts:
                check_font(site.font_source)
        except InvalidInput as refusal:
            found.append(CheckFact(name, ok=False, message=refusal.message))
    return found
