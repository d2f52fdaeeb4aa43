"""Keyed: digests under the installation's secret key, and under former ones, which still count."""

from django.conf import settings

from publisher.domain.keys import keyed_digest, own_digest


def digests(value: str, *, is_own: bool = False) -> list[str]:
    """All that this value may be stored as: the first is the one to store, the others are of former keys.

    After a change of the key, what a program repeats would otherwise become a second job.
    """
    digested = own_digest if is_own else keyed_digest
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [digested(secret.encode(), value) for secret in secrets]
