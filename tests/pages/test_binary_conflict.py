"""What is no text is chosen by its origin: shown by size and hash, never put into an editor."""

from reviews.presenters import conflict
from reviews.presenters.conflict import Version

ENTRY = {"path": "public/c.png", "kind": "content", "author": "Wen", "date": "", "moved_to": ""}
IMAGE = b"\x89PNG\r\n\xff\xfe more bytes"


def test_bytes_that_are_no_utf8_are_never_editable() -> None:
    clash = conflict.clash(
        ENTRY, 0, base=Version(IMAGE), theirs=Version(IMAGE + b"1"), ours=Version(IMAGE + b"2"),
        may_give_up=True,
    )  # fmt: skip
    assert clash.ours.is_binary
    assert "content" not in [choice.name for choice in clash.choices]
    assert f"{len(IMAGE) + 1} bytes" in clash.theirs.text


def test_a_text_can_be_written_by_hand() -> None:
    clash = conflict.clash(
        ENTRY, 0, base=Version(b"a\n"), theirs=Version(b"b\n"), ours=Version(b"c\n"),
        may_give_up=True,
    )  # fmt: skip
    assert "content" in [choice.name for choice in clash.choices]
