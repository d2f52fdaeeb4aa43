"""The secrets gate: a draft that holds a credential cannot be published in that revision."""

from collections.abc import Collection, Sequence

from publisher.domain.findings import Finding, Severity
from publisher.domain.secrets import SecretHit, marks_in, scan_parted


def check(
    path: str, text: str, *, public: Sequence[str] = (), taken: Collection[str] = ()
) -> list[Finding]:
    """One finding for each credential, and for each mark in the place of one; none repeats it.

    A credential blocks, unless one of the ``public`` texts holds it already: then it is not ours to
    hide. A mark blocks if its rule is among those ``taken`` out of this file at the door, which is
    told in any case; else it is a warning, unless the ``public`` texts have such a mark too.
    """
    hits, marks = scan_parted(text), marks_in(text)
    compared = public if hits or taken else ()
    held = [(each[hit.start : hit.end], hit.rule) for each in compared for hit in scan_parted(each)]
    known, samples = {value for value, _ in held}, {rule for _, rule in held}
    found = [
        _finding(
            Severity.WARN if text[hit.start : hit.end] in known else Severity.BLOCK, path, text, hit,
            f"This looks like a credential ({hit.rule}).",
            "Take it out of the text, and revoke it: whoever has seen it can use it.",
        )
        for hit in hits
    ]  # fmt: skip
    lost = sorted(set(taken) - {mark.rule for mark in marks})
    places = [mark for mark in marks if mark.rule in taken]
    places += [SecretHit(rule, 0, 0, 0) for rule in lost]
    found += [_taken(path, text, place, is_sample=place.rule in samples) for place in places]
    found += [
        _finding(
            Severity.WARN, path, text, mark,
            f"{text[mark.start : mark.end]} would be published: it stands for what was taken out.",
            "Write this sentence anew, and revoke what was taken out.",
        )
        for mark in marks
        if mark.rule not in taken and not any(text[mark.start : mark.end] in each for each in public)
    ]  # fmt: skip
    return found


def _taken(path: str, text: str, mark: SecretHit, *, is_sample: bool) -> Finding:
    message = f"The submitted text held what looks like a credential ({mark.rule})."
    advice = "It was not stored. Take it out and revoke it, then submit a new revision."
    if is_sample:
        advice = (
            "It was not stored. If the site shows it already, save the whole text again: then it "
            "stays. Else take it out and revoke it."
        )
    return _finding(Severity.BLOCK, path, text, mark, message, advice)


def _finding(
    severity: Severity, path: str, text: str, hit: SecretHit, message: str, advice: str
) -> Finding:
    """At its place; a mark that the text no longer shows has none."""
    column = hit.start - text.rfind("\n", 0, hit.start)
    place = (hit.line, column) if hit.line else (None, None)
    return Finding(severity, path, place[0], "secret", message, advice, column=place[1])
