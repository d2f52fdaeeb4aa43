"""A site whose repository cannot be read says so in the list and on its page, with a way on."""

from collections.abc import Callable

import pytest
from django.test import Client

from publisher.models import Site
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
FAULT = "Nothing answers at the remote's address: the connection was refused."
SHOWN = FAULT.replace("'", "&#x27;")


@pytest.mark.parametrize("clone_state", ["pending", "cloning"])
@pytest.mark.parametrize("address", ["/sites/", "/sites/blog/"])
def test_a_first_reading_that_failed_is_told_with_its_cause_and_a_way_on(
    clone_state: str, address: str, rows: Rows, at: Login
) -> None:
    Site.objects.update(clone_state=clone_state, last_error=FAULT)
    page = at("rui").get(address).content.decode()
    assert "The repository could not be read yet. It is tried again by itself" in page
    assert "is being read for the first time" not in page
    assert SHOWN in page
    assert "Needs attention" in page


@pytest.mark.parametrize("address", ["/sites/", "/sites/blog/"])
def test_an_ssh_user_is_shown_as_part_of_the_address(address: str, rows: Rows, at: Login) -> None:
    Site.objects.update(remote="ssh://git@git.example.org/blog.git")
    assert "ssh://git@git.example.org/blog.git" in at("rui").get(address).content.decode()


def test_credentials_in_the_address_are_refused_in_words_of_the_page(rows: Rows, at: Login) -> None:
    form = {"name": "two", "remote": "https://u:sesame@git.example.org/x.git"}
    response = at("omar").post("/connect/", form)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Leave them out and connect it without" in page
    assert "--https-token-file" not in page


@pytest.mark.parametrize("name", ["two", ""], ids=["refused", "incomplete"])
def test_a_password_in_the_address_is_not_printed_again(name: str, rows: Rows, at: Login) -> None:
    remote = "https://bot:SECRETsec/retSECRET0017@127.0.0.1:9/r.git"
    response = at("omar").post("/connect/", {"name": name, "remote": remote, "branch": "kept"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "SECRET" not in page
    assert 'value="kept"' in page
    assert not Site.objects.filter(remote=remote).exists()
