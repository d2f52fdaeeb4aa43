"""Whether a path is free is told from the index, a few rows for each folder."""

import pytest
from pytest_django import DjangoAssertNumQueries

from publisher.domain.errors import InvalidInput, UnsafePath
from publisher.models import Article, OtherFile, Site
from publisher.services.places import refuse_unfit
from tests.support import jobs

pytestmark = pytest.mark.django_db


def indexed(site: Site, *paths: str, is_regular: bool = True) -> Site:
    """The site whose branch holds these: articles by their ending, all else as other files."""
    for path in paths:
        if path.endswith(".md") and is_regular:
            Article.objects.create(site=site, path=path, blob="b" * 40)
        else:
            OtherFile.objects.create(site=site, path=path, is_regular=is_regular)
    return site


def refused(path: str, site: Site) -> InvalidInput:
    with pytest.raises(InvalidInput) as error:
        refuse_unfit(path, site, field="assets")
    assert error.value.field == "assets"
    return error.value


@pytest.mark.parametrize(
    ("there", "new", "twin"),
    [
        ("public/a.png", "public/A.png", "public/a.png"),
        ("public/Straße.png", "public/strasse.png", "public/Straße.png"),
        ("public/fotos/a.png", "public/Fotos/b.png", "public/fotos"),
        ("Public/readme.txt", "public/a.png", "Public"),
        ("public/fotos", "public/Fotos/b.png", "public/fotos"),
        ("public/fotos/a.png", "public/Fotos", "public/fotos"),
    ],
)
def test_the_twin_of_any_file_or_folder_is_refused(there: str, new: str, twin: str) -> None:
    error = refused(new, indexed(jobs.site(), there))
    assert error.facts["twin"] == twin


@pytest.mark.parametrize(
    ("there", "new", "said"),
    [
        ("content/cafe\u0301.md", "content/caf\u00e9.md", "content/cafe<U+0301>.md"),
        ("content/cafe\u0301/a.md", "content/caf\u00e9/b.md", "content/cafe<U+0301>"),
        ("content/\u1112\u1161.md", "content/\ud558.md", "content/<U+1112><U+1161>.md"),
        ("content/a\u200b.md", "content/a.md", "content/a<U+200B>.md"),
        ("Public/readme.txt", "public/a.png", "Public"),
    ],
    ids=ascii,
)
def test_a_twin_that_no_job_may_name_has_to_be_renamed(there: str, new: str, said: str) -> None:
    error = refused(new, indexed(jobs.site(), there))
    assert f"has {said}, which" in error.message
    assert "Rename it in the repository first" in error.message


@pytest.mark.parametrize(
    ("there", "new"), [("public/a.png", "public/A.png"), ("public/é/a", "public/É/b")]
)
def test_a_twin_that_a_job_may_name_is_the_way_out(there: str, new: str) -> None:
    assert "Rename" not in refused(new, indexed(jobs.site(), there)).message


@pytest.mark.parametrize(
    ("there", "is_regular", "new", "what"),
    [
        ("public/fotos", True, "public/Fotos/b.png", "has the file public/fotos, "),
        ("public/fotos", False, "public/Fotos/b.png", "has public/fotos, a symbolic link"),
        ("public/a.png", False, "public/A.png", "has public/a.png, a symbolic link"),
        ("public/fotos/a.png", True, "public/Fotos", "has the folder public/fotos, "),
        ("public/fotos/a.png", True, "public/Fotos/b.png", "has the folder public/fotos, "),
        ("public/a.png", True, "public/A.png", "has public/a.png, which"),
    ],
)
def test_a_twin_is_told_as_what_it_is_and_its_way_out_is_one(
    there: str, is_regular: bool, new: str, what: str
) -> None:
    site = indexed(jobs.site(), there, is_regular=is_regular)
    message = refused(new, site).message
    assert what in message
    if "Write it as it is there" in message:
        refuse_unfit(new.replace("Fotos", "fotos"), site, field="assets")
    elif "Use that path" in message:
        refuse_unfit(there, site, field="assets")
    else:
        assert "Choose another name" in message


@pytest.mark.parametrize(
    ("there", "is_regular", "new"),
    [
        ("public", False, "public/a.png"),
        ("content/posts", False, "content/posts/deep/a.md"),
        ("content/posts", True, "content/posts/a.md"),
        ("content/a.md", True, "content/a.md/b.md"),
        ("public/logo.png", False, "public/logo.png"),
        ("public/logo.png/small.png", True, "public/logo.png"),
    ],
)
def test_a_link_a_file_or_a_folder_in_the_way_is_refused(
    there: str, is_regular: bool, new: str
) -> None:
    error = refused(new, indexed(jobs.site(), there, is_regular=is_regular))
    assert isinstance(error, UnsafePath)
    assert error.rule == "path_symlink"
    assert there.startswith(error.message.split()[3])


@pytest.mark.parametrize(
    "new", ["public/a.png", "public/b.png", "content/a.md", "content/b.md", "other/c.md", "c.md"]
)
def test_an_existing_file_and_a_free_name_are_fit(new: str) -> None:
    site = indexed(jobs.site(), "public/a.png", "content/a.md", "Public/x.png", "Content/y.md")
    refuse_unfit(new, site, field="assets")


@pytest.mark.parametrize("new", ["content/a-b.md", "content-new/a.md", "content/a/b.md"])
def test_a_name_that_only_begins_alike_is_nobodys_twin(new: str) -> None:
    refuse_unfit(new, indexed(jobs.site(), "Content/A.md", "content/x.md"), field="target_path")


def test_another_sites_files_do_not_count() -> None:
    indexed(jobs.site("other"), "content/A.md")
    refuse_unfit("content/a.md", jobs.site(), field="target_path")


def test_what_it_costs_does_not_grow_with_the_site(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    site = indexed(jobs.site(), *(f"content/posts/{number}.md" for number in range(300)))
    with django_assert_max_num_queries(7):
        refuse_unfit("content/posts/new.md", site, field="target_path")
