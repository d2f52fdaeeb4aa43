"""The stand-in provider: writes an article from the sources' own sentences, offline, always the same."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from publisher.adapters.providers.blocks import Block, blocks_of, own_title, plain, sentences
from publisher.adapters.providers.phrases import is_chinese, phrases, terms
from publisher.adapters.providers.sections import behind, headed, headline
from publisher.domain.errors import ProviderError
from publisher.ports import DraftResult, Source

_TITLE_LENGTH = 80
# By whether the text is Chinese: a sign of it says as much as several letters.
_SUMMARY_LENGTH = {True: 110, False: 220}
_SHORTEST_SUMMARY = {True: 30, False: 80}
_LONGEST_SUMMARY = 400
"""Where one sentence is longer, its beginning has to do."""
_SHORTEST, _LONGEST = {True: 4, False: 12}, {True: 18, False: 75}
_TAGS = 5
_JOINT = re.compile(r",? (?:and|but|because|so that|which|while) ")
_ENDS = '.。!！?？:：…”"）)'
_STOPS = ".。!！?？:：,，;；"
_COURTESIES = ("hi ", "hello", "dear ", "thanks", "thank you", "best regards", "regards", "cheers")
_CHINESE_COURTESIES = ("大家好", "各位好", "您好", "你好", "谢谢", "此致", "祝好")


class StandIn:
    """Drafts without a model: extracts, orders and heads what the sources say, and adds nothing."""

    name = "standin"

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self.cancelled = cancelled

    def draft(
        self, sources: Sequence[Source], *, topic: str | None, title: str | None
    ) -> DraftResult:
        """An article in which every sentence is from a source, once; ProviderError without text.

        Headings are the sources' own; a longer part without any is divided by short sentences of
        its own. Lists, code, tables and links stay. The language is that of most of the text.
        """
        parts = [self._blocks(source) for source in sources]
        blocks = [block for part in parts for block in part]
        if not any(block.kind != "heading" and _has_words(block) for block in blocks):
            raise ProviderError("The sources hold no text to draft from.", permanent=True)
        prose = "\n".join(plain(block.text) for block in blocks if block.kind != "code")
        chinese = is_chinese(prose)
        given = title or next(filter(None, (own_title(source.text) for source in sources)), None)
        chosen = _title(given, topic, blocks, prose, chinese=chinese)
        kept = _without_said(_unrepeated(parts), chosen)
        body = _headed(kept, chosen, chinese=chinese)
        if not body:
            raise ProviderError("The sources hold nothing but a title.", permanent=True)
        headings = tuple(plain(block.text) for block in body if block.kind == "heading")
        return DraftResult(
            title=chosen,
            summary=_summary(list(chain(*kept)), chosen, chinese=chinese),
            tags=tuple(terms(prose, chosen, *headings, chinese=chinese)[:_TAGS]),
            headings=headings,
            body="\n\n".join(map(_written, body)) + "\n",
            language="zh" if chinese else "en",
        )

    def _blocks(self, source: Source) -> list[Block]:
        if self.cancelled():
            raise ProviderError("Drafting was stopped from here.")
        return _title_apart(_without_courtesies(blocks_of(source.text)))


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


def _title_apart(blocks: list[Block]) -> list[Block]:
    """A short first line without a full stop, above a line that begins anew, is a block of its own."""
    if not blocks or blocks[0].kind != "paragraph":
        return blocks
    line, _, rest = blocks[0].text.partition("\n")
    is_apart = rest and len(line) < _TITLE_LENGTH and sentences(blocks[0].text)[0] == line.strip()
    if not is_apart or line.rstrip()[-1] in _STOPS:
        return blocks
    return [Block("paragraph", line), Block("paragraph", rest), *blocks[1:]]


def _without_said(parts: list[list[Block]], title: str) -> list[list[Block]]:
    """What the title says in the very words of the first sentence is not said again below it."""
    if not parts or not parts[0] or parts[0][0].kind != "paragraph":
        return parts
    block, *others = parts[0]
    first = next(iter(sentences(block.text)), "")
    rest = behind(block.text, first) if plain(first) == first and headline(first) == title else None
    if rest:
        return [[replace(block, text=rest), *others], *parts[1:]]
    is_text_left = any(one.kind == "paragraph" for one in chain(others, *parts[1:]))
    return [others, *parts[1:]] if rest == "" and is_text_left else parts


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
    return is_line and len(blocks) > 1 and block.text.rstrip()[-1] not in _STOPS


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
    body: list[Block] = []
    for part in parts:
        content = [block for block in part if not _says_title(block, title, part)]
        levels = [block.level for block in content if block.kind == "heading"]
        if levels:
            top = min(levels)
            body += [_lowered(block, top) for block in content]
        else:
            body += headed(content, chinese=chinese)
    return [
        block
        for block, following in zip(body, [*body[1:], None], strict=False)  # there may be none
        if block.kind != "heading" or _has_text(block, following)
    ]


def _says_title(block: Block, title: str, part: Sequence[Block]) -> bool:
    is_candidate = block.kind == "heading" or _is_title(block, part)
    return is_candidate and plain(block.text) == title


def _has_text(block: Block, following: Block | None) -> bool:
    """Whether a heading heads anything: text, or a heading below it."""
    if following is None:
        return False
    return following.kind != "heading" or following.level > block.level


def _lowered(block: Block, top: int) -> Block:
    return replace(block, level=min(6, block.level - top + 2)) if block.kind == "heading" else block


def _summary(blocks: Sequence[Block], title: str, *, chinese: bool) -> str:
    """The first sentences that say enough; else whatever comes first."""
    limit, least = _SUMMARY_LENGTH[chinese], _SHORTEST_SUMMARY[chinese]
    chosen: list[str] = []
    for block in blocks:
        for sentence in _whole(block, title):
            if chosen and sum(map(len, chosen)) + len(sentence) > limit:
                break
            if sentence not in chosen:
                chosen.append(sentence)
        if sum(map(len, chosen)) >= least:
            break
    said = ("" if chinese else " ").join(chosen) or _first_line(blocks) or title
    return said if len(said) <= _LONGEST_SUMMARY else said[: _LONGEST_SUMMARY - 1].rstrip() + "…"


def _whole(block: Block, title: str) -> list[str]:
    """A paragraph's sentences with an end, without the one that is the title."""
    found = map(plain, sentences(block.text)) if block.kind == "paragraph" else ()
    return [one for one in found if one and one[-1] in _ENDS and headline(one) != title]


def _first_line(blocks: Sequence[Block]) -> str:
    lines = [line for block in blocks if block.kind != "heading" for line in block.text.split("\n")]
    readable = [line for line in lines if plain(line) and not line.startswith(("```", "~~~"))]
    bare = [plain(line.lstrip("-*+> |")) for line in readable]
    return next(filter(None, [*bare, *readable]), "")


def _written(block: Block) -> str:
    return f"{'#' * block.level} {block.text}" if block.kind == "heading" else block.text
