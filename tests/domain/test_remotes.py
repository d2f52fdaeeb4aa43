"""Remotes as people read them: an ssh user belongs to the address, a secret never does."""

import pytest

from publisher.domain.errors import InvalidInput
from publisher.domain.remotes import check_remote, shown, whereabouts


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


HIDDEN = (
    "https://bot:SECRETsec/retSECRET0017@127.0.0.1:9/r.git",
    "https://bot:1234/retSECRET0017@127.0.0.1/r.git",
    "https://bot/retSECRET0017@127.0.0.1/r.git",
    "https://bot:retSECRET0017%40127.0.0.1/r.git",
    "https://retSECRET0017%40127.0.0.1/r.git",
    "https://bot:retSECRET0017\uff20127.0.0.1/r.git",
    "https://bot:retSECRET0017?x@127.0.0.1/r.git",
    "https://bot:retSECRET0017#x@127.0.0.1/r.git",
    "https://bot:retSECRET0017\\@127.0.0.1/r.git",
    "HTTPS://bot:sec/retSECRET0017@127.0.0.1/r.git",
    "ssh://git:sec/retSECRET0017@h/r.git",
    "ssh://git:22/retSECRET0017@h/r.git",
    "ssh://git@retSECRET0017@h/r.git",
    "git:retSECRET0017@h:r.git",
    "https:bot:retSECRET0017@h/r.git",
    "git@retSECRET0017@h:r.git",
)


@pytest.mark.parametrize("remote", HIDDEN)
def test_a_password_is_found_however_it_is_written(remote: str) -> None:
    with pytest.raises(InvalidInput, match="holds credentials") as refusal:
        check_remote(remote, protocols={"https", "ssh", "file"})
    assert refusal.value.field == "remote"
    assert "retSECRET0017" not in refusal.value.message


@pytest.mark.parametrize("remote", HIDDEN)
def test_an_old_address_that_holds_one_is_shown_without_it(remote: str) -> None:
    assert "retSECRET0017" not in shown(remote)


@pytest.mark.parametrize(
    "remote",
    ["https://h:99999/r", "https://h:0/r", "https://h:many/r", "ssh://h:x/r"],
)
def test_a_port_is_a_number_that_can_be_one(remote: str) -> None:
    with pytest.raises(InvalidInput, match="names a port"):
        check_remote(remote, protocols={"https", "ssh"})


@pytest.mark.parametrize("remote", ["https:///r", "https://[1/r", "https://-h/r", "https://a b/r"])
def test_a_host_that_cannot_be_one_is_named(remote: str) -> None:
    with pytest.raises(InvalidInput, match="names no host"):
        check_remote(remote, protocols={"https"})


@pytest.mark.parametrize(
    "remote",
    ["https://h.example:8443/a/b.git", "ssh://git@h:22/srv/a@b.git",
     "git@h:a@b.git", "h:r.git", "/srv/a@b.git", "https://h/ä b.git"],
)  # fmt: skip
def test_a_sound_address_is_taken_as_it_is(remote: str) -> None:
    assert check_remote(remote, protocols={"https", "ssh", "file"}) == remote


HOSTS = {"git.example.org", "10.0.0.1"}
ANY = {"https", "ssh", "file"}


@pytest.mark.parametrize(
    "remote",
    ["https://git.example.org/r", "https://GIT.example.org:8443/r", "ssh://git@10.0.0.1:22/r",
     "git@git.example.org:r", "10.0.0.1:r", "/srv/r.git"],
)  # fmt: skip
def test_an_address_on_a_listed_host_is_taken(remote: str) -> None:
    assert check_remote(remote, protocols=ANY, hosts=HOSTS) == remote


@pytest.mark.parametrize(
    "remote",
    ["https://example.org/r", "https://git.example.org.evil.net/r", "https://10.0.0.11/r",
     "https://evil.net/git.example.org", "ssh://git.example.org@evil.net/r", "evil.net:git.example.org/r",
     "git.example.org@evil.net:r"],
)  # fmt: skip
def test_an_address_on_another_host_is_refused_with_the_way_out(remote: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"Use one of: 10\.0\.0\.1, git\.example\.org;"
    ) as refusal:
        check_remote(remote, protocols=ANY, hosts=HOSTS)
    assert refusal.value.field == "remote"
    assert "IMPRIMATUR_GIT_HOSTS" in refusal.value.message


@pytest.mark.parametrize(
    "remote",
    [
        "https://git.example.org/team/blog", "https://git.example.org/team/blog/",
        "https://GIT.example.org:443/team//blog.git", "https://git.example.org./Team/Blog.git/",
        "https://git.example.org/team/x/../%62log", "ssh://git.example.org:2222/team/blog.git",
        "ssh://git@git.example.org/team/blog", "git@git.example.org:team/blog.git",
        "git.example.org:/team/blog", "[git.example.org:22]:team/blog", "git.example.org:~/team/blog",
    ],
)  # fmt: skip
def test_one_repository_is_at_one_place_however_it_is_written(remote: str) -> None:
    assert whereabouts(remote) == "git.example.org/team/blog"


@pytest.mark.parametrize(
    "remote",
    ["https://example.org/team/blog", "git@git.example.org:blog", "https://[::1]/team/blog"],
)
def test_another_host_or_path_is_another_place(remote: str) -> None:
    assert whereabouts(remote) != whereabouts("https://git.example.org/team/blog")
