"""The line that says why a remote was not reached is picked from git's words, in plain form."""

import pytest

from publisher.adapters.git import words
from tests.support.growth import no_explosion

SSH_TAIL = (
    "fatal: Could not read from remote repository.\n"
    "Please make sure you have the correct access rights\nand the repository exists."
)


@pytest.mark.parametrize(
    "why",
    ["ssh: connect to host h port 22: Connection refused",
     "ssh: Could not resolve hostname h: Name or service not known",
     "git@h: Permission denied (publickey)."],
)  # fmt: skip
def test_what_ssh_said_is_told_and_not_gits_line_below_it(why: str) -> None:
    assert words.reason(f"{why}\n{SSH_TAIL}") == why
    assert words.reason(f"{why}\n{SSH_TAIL}", first=True) == why


def test_an_error_of_git_is_told_without_its_mark() -> None:
    text = f"fatal: '/srv/x' does not appear to be a git repository\n{SSH_TAIL}"
    assert words.reason(text) == "'/srv/x' does not appear to be a git repository"


def test_the_first_or_the_last_of_several_errors_is_told() -> None:
    text = "error: one\nsome line\nfatal: two"
    assert (words.reason(text, first=True), words.reason(text)) == ("one", "two")


def test_words_that_say_nothing_are_no_reason() -> None:
    assert words.reason(SSH_TAIL) == "git gave no reason"


@pytest.mark.parametrize(
    "address",
    ["https://bot:SECRETsec/retSECRET0017@127.0.0.1:9/r.git", "https://retSECRET0017@h/r.git",
     "ssh://git:retSECRET0017@h/r", "https://bot:1/retSECRET0017%40h/r"],
)  # fmt: skip
def test_an_address_that_git_quotes_is_kept_without_its_login(address: str) -> None:
    text = words.clean(f"fatal: unable to access '{address}': no 'a@b'\n".encode())
    assert "SECRET" not in text
    assert text.endswith("': no 'a@b'")


@pytest.mark.parametrize("unit", ["a", "a://", "https://x"])
def test_hostile_words_of_a_remote_do_not_explode(unit: str) -> None:
    with no_explosion():
        words.clean((unit * ((1 << 18) // len(unit))).encode())
