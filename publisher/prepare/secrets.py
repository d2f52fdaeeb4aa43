"""The secrets gate: a draft that holds a credential cannot be published in that revision."""

from publisher.domain.findings import Finding, Severity
from publisher.domain.secrets import scan_parted


def check(path: str, text: str) -> list[Finding]:
    """One blocking finding for each credential; the finding never repeats it."""
    return [
        Finding(
            Severity.BLOCK,
            path,
            hit.line,
            "secret",
            f"This looks like a credential ({hit.rule}).",
            "Take it out of the text, and revoke it: whoever has seen it can use it.",
            column=hit.start - text.rfind("\n", 0, hit.start),
        )
        for hit in scan_parted(text)
    ]
