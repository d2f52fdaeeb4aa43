"""The stand-in provider: writes an article from the sources' own sentences, offline, always the same."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from publisher.adapters.providers.blocks import Block, blocks_of, own_title, plain, sentences
from publisher.adapters.providers.phrases import is_chinese, phrases, terms
from publisher.domain.errors import ProviderError
from publisher.ports import DraftResult, Source

_TITLE_LENGTH = 80
# By whether the text is Chinese: a sign of it says as much as several letters.
_SUMMARY_LENGTH = {True: 110, False: 220}
_SHORTEST_SUMMARY = {True: 20, False: 50}
_SHORTEST, _LONGEST = {True: 4, False: 12}, {True: 18, False: 75}
_SECTION_BLOCKS = 3
_TAGS = 5
_JOINT = re.compile(r",? (?:and|but|because|so that|which|while) ")
_COURTESIES = ("hi ", "hello", "dear ", "thanks", "thank you", "best regards", "regards", "cheers")
_CHINESE_COURTESIES = ("大家好", "各位好", "您好", "你好", "谢谢", "此致", "祝好")


class StandIn:
    """Drafts without a model: extracts, orders and heads what the sources say, and adds nothing."""

    name = "standin"

    def draft(
        self, sources: Sequence[Source], *, topic: str | None, title: str | None
    ) -> DraftResult:
        """An article in which every sentence is from a source; raises ProviderError without text.

        Headings are the sources' own; a part without any gets one from its key phrases. Lists,
        code, tables and links stay as they are. The language is that of most of the text.
        """
        parts = [_without_courtesies(blocks_of(source.text)) for source in sources]
        blocks = [block for part in parts for block in part]
        if not any(block.kind != "heading" and _has_words(block) for block in blocks):
            raise ProviderError("The sources hold no text to draft from.", permanent=True)
        prose = "\n".join(plain(block.text) for block in blocks if block.kind != "code")
        chinese = is_chinese(prose)
        given = title or next(filter(None, (own_title(source.text) for source in sources)), None)
        chosen = _title(given, topic, blocks, prose, chinese=chinese)
        body = _headed(_unrepeated(parts), chosen, chinese=chinese)
        if not body:
            raise ProviderError("The sources hold nothing but a title.", permanent=True)
        headings = tuple(plain(block.text) for block in body if block.kind == "heading")
        return DraftResult(
            title=chosen,
            summary=_summary(body, chinese=chinese),
            tags=tuple(terms(prose, chosen, *headings, chinese=chinese)[:_TAGS]),
            headings=headings,
            body="\n\n".join(map(_written, body)) + "\n",
            language="zh" if chinese else "en",
        )


def _has_words(block: Block) -> bool:
    text = block.text.partition("\n")[2] if block.kind == "code" else block.text
    return any(char.isalnum() for char in text)


def _without_courtesies(blocks: list[Block]) -> list[Block]:
    return [block for block in blocks if not _is_courtesy(block)]


def _is_courtesy(block: Block) -> bool:
    text = block.text.strip().lower()
    if block.kind != "paragraph" or len(text) > 40 or any(char.isdigit() for char in text):
        return False
    return text.startswith(_COURTESIES) or (
        len(text) <= 12 and text.startswith(_CHINESE_COURTESIES)
    )


def _title(
    given: str | None, topic: str | None, blocks: Sequence[Block], prose: str, *, chinese: bool
) -> str:
    """The title asked for, else the source's own, else the topic, else the first words that fit."""
    if given and plain(given):
        return plain(given)
    first = [block for block in blocks[:1] if block.kind == "heading" or _is_title(block, blocks)]
    top = [block for block in blocks if block.kind == "heading" and block.level == 1]
    own = [block.text for block in (*top, *first)][:1]
    leads = _leads(blocks, chinese=chinese)
    choices = chain(own, [topic or ""], leads, phrases(prose, chinese=chinese)[:1])
    line = next((found for choice in choices if (found := plain(choice))), plain(prose))
    if not line:
        raise ProviderError("The sources hold no words to make a title of.", permanent=True)
    return (line[0].upper() + line[1:])[:_TITLE_LENGTH]


def _is_title(block: Block, blocks: Sequence[Block]) -> bool:
    """A short line without a full stop that begins a longer text is its title."""
    is_line = block.kind == "paragraph" and "\n" not in block.text and len(block.text) <= 60
    return is_line and len(blocks) > 2 and block.text.rstrip()[-1] not in ".。!！?？:：,，;；"


def _leads(blocks: Iterable[Block], *, chinese: bool) -> Iterator[str]:
    """First clauses of paragraphs, short enough to stand above a text."""
    for block in blocks:
        if block.kind != "paragraph":
            continue
        first = next(iter(sentences(block.text)), "")
        clause = plain(first).split("，")[0].rstrip("。.!！?？:：")
        for cut in (clause, _JOINT.split(clause)[0]):
            if _SHORTEST[chinese] <= len(cut) <= _LONGEST[chinese] and "：" not in cut:
                yield cut
                break


def _unrepeated(parts: Iterable[list[Block]]) -> list[list[Block]]:
    """What two sources say in the same words is said once."""
    seen: set[str] = set()
    kept = []
    for part in parts:
        mine = []
        for block in part:
            key = " ".join(block.text.split())
            if block.kind == "heading" or key not in seen:
                mine.append(block)
            seen.add(key)
        kept.append(mine)
    return kept


def _headed(parts: Sequence[list[Block]], title: str, *, chinese: bool) -> list[Block]:
    """All blocks in order, below headings from the second level on, none of them empty."""
    own = {plain(block.text).lower() for part in parts for block in part if block.kind == "heading"}
    body: list[Block] = []
    used = {title.lower(), *own}
    for part in parts:
        content = [block for block in part if not _says_title(block, title, part)]
        levels = [block.level for block in content if block.kind == "heading"]
        if levels:
            top = min(levels)
            body += [_lowered(block, top) for block in content]
            continue
        for section in _sections(content):
            found = _heading(section, used, chinese=chinese)
            if found is not None:
                used.add(found.lower())
                body.append(Block("heading", found, 2))
            body += section
    return [
        block
        for block, following in zip(body, [*body[1:], None], strict=True)
        if block.kind != "heading" or _has_text(block, following)
    ]


def _says_title(block: Block, title: str, part: Sequence[Block]) -> bool:
    is_candidate = block.kind == "heading" or _is_title(block, part)
    return is_candidate and plain(block.text) == title


def _heading(section: Sequence[Block], used: Collection[str], *, chinese: bool) -> str | None:
    """What a part without a heading is about: its first short lead, else its weightiest phrase."""
    text = "\n".join(plain(block.text) for block in section if block.kind != "code")
    choices = chain(_leads(section, chinese=chinese), phrases(text, chinese=chinese))
    found = next((choice for choice in choices if choice.lower() not in used), None)
    return found and found[0].upper() + found[1:]


def _has_text(block: Block, following: Block | None) -> bool:
    """Whether a heading heads anything: text, or a heading below it."""
    if following is None:
        return False
    return following.kind != "heading" or following.level > block.level


def _lowered(block: Block, top: int) -> Block:
    return replace(block, level=min(6, block.level - top + 2)) if block.kind == "heading" else block


def _sections(blocks: Sequence[Block]) -> list[list[Block]]:
    """Even parts of a text without headings; a list, table or code stays with what leads to it."""
    leads = [n for n, block in enumerate(blocks) if block.kind == "paragraph"]
    if len(leads) <= _SECTION_BLOCKS:
        return [list(blocks)] if blocks else []
    starts = [0, *leads[_SECTION_BLOCKS - 1 :: _SECTION_BLOCKS - 1]]
    ends = [*starts[1:], len(blocks)]
    return [list(blocks[start:end]) for start, end in zip(starts, ends, strict=True) if end > start]


def _summary(body: Sequence[Block], *, chinese: bool) -> str:
    """The first sentences of the first paragraph that says enough; else of whatever comes first."""
    limit, least = _SUMMARY_LENGTH[chinese], _SHORTEST_SUMMARY[chinese]
    chosen: list[str] = []
    for block in body:
        for sentence in sentences(block.text) if block.kind == "paragraph" else []:
            if chosen and sum(map(len, chosen)) + len(sentence) > limit:
                break
            chosen.append(plain(sentence))
        if sum(map(len, chosen)) >= least:
            break
    if not chosen:
        lines = [
            line for block in body if block.kind != "heading" for line in block.text.split("\n")
        ]
        readable = [line for line in lines if plain(line) and not line.startswith(("```", "~~~"))]
        bare = [plain(line.lstrip("-*+> |")) for line in readable]
        return next(filter(None, [*bare, *readable]), "")
    return ("" if chinese else " ").join(chosen)


def _written(block: Block) -> str:
    return f"{'#' * block.level} {block.text}" if block.kind == "heading" else block.text
