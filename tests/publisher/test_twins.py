"""Names that are twins are known from the index, which is read once for each indexed commit."""

import pytest
from pytest_django import DjangoAssertNumQueries

from publisher.domain.errors import InvalidInput
from publisher.models import Article, Site
from publisher.services.twins import refuse_twins
from tests.support import jobs

pytestmark = pytest.mark.django_db


def indexed(site: Site, commit: str, *paths: str) -> Site:
    """The site after it was indexed at this commit, which brought these articles."""
    for path in paths:
        Article.objects.create(site=site, path=path, blob="b" * 40, title=path, sketch=b"")
    Site.objects.filter(pk=site.pk).update(indexed_commit=commit)
    site.refresh_from_db()
    return site


def test_what_a_later_commit_brought_is_looked_at() -> None:
    site = indexed(jobs.site(), "1" * 40, "content/one.md")
    refuse_twins("content/Two.md", site)
    later = indexed(site, "2" * 40, "content/two.md")
    with pytest.raises(InvalidInput, match=r"content/two\.md"):
        refuse_twins("content/Two.md", later)


def test_while_the_commit_stays_the_index_is_read_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    site = indexed(jobs.site(), "3" * 40, "content/one.md")
    refuse_twins("content/a.md", site)
    with django_assert_num_queries(1):
        refuse_twins("content/b.md", site)
    with pytest.raises(InvalidInput, match=r"content/one\.md"):
        refuse_twins("content/ONE.md", site)


def test_before_anything_is_indexed_each_question_reads_what_is_there() -> None:
    site = indexed(jobs.site(), "")
    refuse_twins("content/Two.md", site)
    with pytest.raises(InvalidInput):
        refuse_twins("content/Two.md", indexed(site, "", "content/two.md"))
