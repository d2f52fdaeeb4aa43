"""Who is at the other end: the client's address, believed from trusted proxies only."""

import ipaddress
from collections.abc import Sequence

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest, credentials: object = None) -> str:
    """Return the address of the first hop that is not one of our proxies."""
    peer = str(request.META.get("REMOTE_ADDR", ""))
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    hops = [part.strip() for part in forwarded.split(",") if part.strip()]
    return first_untrusted([*hops, peer], trusted=settings.TRUSTED_PROXIES)


def first_untrusted(hops: Sequence[str], *, trusted: Sequence[str]) -> str:
    """Walk back from the nearest hop; stop at the first that is no trusted proxy."""
    networks = [ipaddress.ip_network(each, strict=False) for each in trusted]
    for hop in reversed(hops):
        try:
            address = _address(hop)
        except ValueError:
            return ""
        if not any(address in network for network in networks):
            return str(address)
    return hops[0] if hops else ""


def _address(hop: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The address in its one spelling: a server for both families calls an old one ``::ffff:…``."""
    address = ipaddress.ip_address(hop)
    return getattr(address, "ipv4_mapped", None) or address
