"""The admin site's view of people and decisions, and who may look at which scope there."""

from publisher.admin import ReadOnly
from reviews.admin import decisions, people
from reviews.admin.scopes import scopes_of

ReadOnly.scopes_of = staticmethod(scopes_of)

__all__ = ["decisions", "people"]
