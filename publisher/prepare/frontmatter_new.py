"""Front matter as new: written before a text that has none."""

from collections.abc import Mapping
from typing import Literal

from publisher.prepare.frontmatter_read import split

WrittenStyle = Literal["yaml", "toml"]


def written(fields: Mapping[str, str], *, style: WrittenStyle, newline: str = "\n") -> str:
    """A whole front matter of these fields, whose values are written already."""
    fence, sign = ("+++", " = ") if style == "toml" else ("---", ": ")
    lines = [fence, *(f"{name}{sign}{value}" for name, value in fields.items()), fence, ""]
    return newline.join(lines)


def put_before(data: bytes, fields: Mapping[str, str], *, style: WrittenStyle) -> bytes:
    """The text behind a front matter of these fields: its bytes stay, a BOM stays in front."""
    document = split(data)
    head = written(fields, style=style, newline=document.newline).encode()
    return document.bom + head + data[len(document.bom) :]
