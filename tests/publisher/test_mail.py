"""One address becomes Django's mail settings."""

import pytest
from django.core.mail import EmailMessage, get_connection

from publisher.mail import configure


def test_without_an_address_no_mail_leaves() -> None:
    assert configure("") == {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}


def test_mail_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    message = EmailMessage("Hello", "It is published.", "a@example.org", ["b@example.org"])
    get_connection(configure("console:")["EMAIL_BACKEND"]).send_messages([message])
    assert "It is published." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("scheme", "port", "ssl", "tls"),
    [("smtp", 587, False, False), ("smtp+tls", 587, False, True), ("smtps", 465, True, False)],
)
def test_the_scheme_says_how_the_connection_is_protected(
    scheme: str, port: int, ssl: bool, tls: bool
) -> None:
    made = configure(f"{scheme}://mail.example.org")
    assert (made["EMAIL_PORT"], made["EMAIL_USE_SSL"], made["EMAIL_USE_TLS"]) == (port, ssl, tls)
    assert made["EMAIL_HOST"] == "mail.example.org"


def test_a_port_of_its_own_wins() -> None:
    assert configure("smtps://mail.example.org:2465")["EMAIL_PORT"] == 2465


def test_name_and_password_may_hold_any_character() -> None:
    made = configure("smtp+tls://a%40b:p%3A%2Fw@mail.example.org")
    assert (made["EMAIL_HOST_USER"], made["EMAIL_HOST_PASSWORD"]) == ("a@b", "p:/w")


def test_the_sender_is_named_or_made_from_the_host() -> None:
    assert configure("smtp://mail.example.org")["DEFAULT_FROM_EMAIL"] == (
        "imprimatur@mail.example.org"
    )
    assert configure("smtp:")["DEFAULT_FROM_EMAIL"] == "imprimatur@localhost"
    named = configure("smtp://mail.example.org?from=blog%2Bdesk@example.org")
    assert named["DEFAULT_FROM_EMAIL"] == "blog+desk@example.org"


def test_a_plus_in_the_sender_stays_a_plus() -> None:
    named = configure("smtp://mail.example.org?from=blog+desk@example.org")
    assert named["DEFAULT_FROM_EMAIL"] == "blog+desk@example.org"


def test_a_server_that_is_silent_holds_nobody_up_for_long() -> None:
    assert configure("smtp://mail.example.org")["EMAIL_TIMEOUT"] == 20
