"""Remotes as people read them: an ssh user belongs to the address, a secret never does."""

import pytest

from publisher.domain.errors import InvalidInput
from publisher.domain.remotes import check_remote, shown


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("ssh://git@h/x", "ssh://git@h/x"),
        ("ssh://git@h:22/x?token=t", "ssh://git@h:22/x"),
        ("git@h:team/x.git", "git@h:team/x.git"),
        ("ssh://h/x", "ssh://h/x"),
        ("ssh://git:sesame@h/x", "ssh://h/x"),
        ("ssh://git@sesame@h/x", "ssh://h/x"),
        ("https://sesame@h/x", "https://h/x"),
        ("https://u:sesame@h/x", "https://h/x"),
        ("/srv/a@b.git", "/srv/a@b.git"),
    ],
)
def test_only_a_bare_ssh_user_is_shown(remote: str, expected: str) -> None:
    assert shown(remote) == expected


def test_an_address_with_credentials_is_refused_without_a_word_of_options() -> None:
    with pytest.raises(InvalidInput, match="Leave them out") as refusal:
        check_remote("https://u:sesame@h/x", protocols={"https"})
    assert "--" not in refusal.value.message
    assert "sesame" not in refusal.value.message
