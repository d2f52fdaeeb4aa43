"""Job ids: time-ordered UUIDs (version 7), so that the newest job has the greatest id."""

import uuid


def job_id(*, unix_milliseconds: int, randomness: bytes) -> str:
    """A UUIDv7 as text; ``randomness`` is 10 bytes, of which 74 bits are used (RFC 9562, 5.7)."""
    value = (unix_milliseconds & (2**48 - 1)) << 80 | int.from_bytes(randomness[:10], "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))
