"""Mail settings from one address, as the database has one."""

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

BACKENDS = "django.core.mail.backends"


def configure(url: str) -> dict[str, Any]:
    """Turn ``smtp+tls://user:password@host:587?from=a@b`` into settings; without one, no mail."""
    parts = urlsplit(url)
    if parts.scheme in {"", "dummy", "console"}:
        return {"EMAIL_BACKEND": f"{BACKENDS}.{parts.scheme or 'dummy'}.EmailBackend"}
    host = parts.hostname or "localhost"
    # In an address a plus is a plus; only forms mean a space by it.
    asked = parse_qs(parts.query.replace("+", "%2B"))
    sender = asked.get("from", [f"imprimatur@{host}"])[0]
    return {
        "EMAIL_BACKEND": f"{BACKENDS}.smtp.EmailBackend",
        "EMAIL_HOST": host,
        "EMAIL_PORT": parts.port or (465 if parts.scheme == "smtps" else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 20,
        "DEFAULT_FROM_EMAIL": sender,
    }
