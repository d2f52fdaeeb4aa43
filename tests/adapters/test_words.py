"""The line that says why a remote was not reached is picked from git's words, in plain form."""

import pytest

from publisher.adapters.git import words

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
