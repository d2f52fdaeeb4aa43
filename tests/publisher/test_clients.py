"""The client's address is believed from our own proxies, and from nobody else."""

import pytest
from django.test import RequestFactory

from publisher.clients import client_address

VISITOR, LIAR = "203.0.113.9", "198.51.100.7"


def seen(settings: object, *, peer: str, forwarded: str = "", trusted: tuple[str, ...] = ()) -> str:
    settings.TRUSTED_PROXIES = trusted  # type: ignore[attr-defined]
    request = RequestFactory().get("/")
    request.META["REMOTE_ADDR"] = peer
    request.META["HTTP_X_FORWARDED_FOR"] = forwarded
    return client_address(request)


def test_without_a_proxy_the_peer_is_the_client_whatever_it_claims(settings: object) -> None:
    assert seen(settings, peer=VISITOR, forwarded=LIAR) == VISITOR


def test_a_trusted_proxy_names_the_client(settings: object) -> None:
    assert seen(settings, peer="10.0.0.1", forwarded=VISITOR, trusted=("10.0.0.1",)) == VISITOR


def test_what_the_client_wrote_before_its_own_address_is_not_believed(settings: object) -> None:
    forwarded = f"{LIAR}, {VISITOR}"
    assert seen(settings, peer="10.0.0.1", forwarded=forwarded, trusted=("10.0.0.1",)) == VISITOR


def test_a_chain_of_proxies_is_walked_back_to_its_beginning(settings: object) -> None:
    forwarded = f"{LIAR}, {VISITOR}, 10.0.0.2"
    assert seen(settings, peer="10.0.0.1", forwarded=forwarded, trusted=("10.0.0.0/8",)) == VISITOR


def test_words_that_are_no_address_name_nobody(settings: object) -> None:
    forwarded = f"{VISITOR}, <script>"
    assert seen(settings, peer="10.0.0.1", forwarded=forwarded, trusted=("10.0.0.1",)) == ""


def test_words_before_an_address_do_not_matter(settings: object) -> None:
    forwarded = f"<script>, {VISITOR}"
    assert seen(settings, peer="10.0.0.1", forwarded=forwarded, trusted=("10.0.0.1",)) == VISITOR


def test_when_every_hop_is_ours_the_furthest_asks(settings: object) -> None:
    forwarded = "10.0.0.3, 10.0.0.2"
    assert seen(settings, peer="10.0.0.1", forwarded=forwarded, trusted=("10.0.0.0/8",)) == (
        "10.0.0.3"
    )


def test_a_socket_without_an_address_names_nobody(settings: object) -> None:
    assert seen(settings, peer="") == ""


@pytest.mark.parametrize(
    ("peer", "trusted"), [("::ffff:10.0.0.1", "10.0.0.1"), ("fd00::0:1", "fd00::/8")]
)
def test_a_proxy_is_known_in_every_spelling(settings: object, peer: str, trusted: str) -> None:
    assert seen(settings, peer=peer, forwarded=VISITOR, trusted=(trusted,)) == VISITOR


def test_a_client_counts_as_one_in_every_spelling(settings: object) -> None:
    assert seen(settings, peer=f"::ffff:{VISITOR}") == seen(settings, peer=VISITOR)
