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
# Only these words and no others: "Thanks to Anna the café is open" is news.
_GREETING = re.compile(
    r"(?:hi|hello|dear)(?: (?:all|both|everybody|everyone|colleagues|friends|readers|team|there))?"
    r"|good (?:morning|afternoon|evening)|(?:大家|各位|你们?|您)好"
)
_FAREWELL = re.compile(
    r"(?:many )?thanks|thank you|(?:(?:best|kind) )?regards|best wishes|cheers"
    r"|(?:thanks|thank you) (?:to )?(?:all|everybody|everyone)"
    r"|谢谢(?:大家|各位|您)?|此致(?: ?敬礼)?|祝好"
)
_NAME = re.compile(r"[A-Z][\w.'\-]*(?: [A-Z][\w.'\-]*){0,2}|")
_SAYS_ENOUGH = {True: 10, False: 30}
"""A shorter paragraph, such as an answer, says something else wherever it stands."""


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
        kept = _without_said(_unrepeated(parts, chinese=chinese), chosen)
        body = _headed(kept, chinese=chinese)
        if not any(map(_has_words, body)):
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
    """Without a greeting that stands before all text, and without thanks and a name at its end."""
    kept = list(blocks)
    first = next((number for number, one in enumerate(kept) if one.kind != "heading"), None)
    if first is not None and _is_courtesy(_GREETING, kept[first].text):
        del kept[first]
    while kept and _is_farewell(kept[-1]):
        kept.pop()
    return kept


def _is_farewell(block: Block) -> bool:
    words, _, name = block.text.partition("\n")
    is_signed = block.kind == "paragraph" and _NAME.fullmatch(name.strip()) is not None
    return is_signed and _is_courtesy(_FAREWELL, words)


def _is_courtesy(courtesy: re.Pattern[str], text: str) -> bool:
    return courtesy.fullmatch(text.strip().rstrip(f"{_STOPS}~～").lower()) is not None


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
    """What the title says is not said again below it: what stood above, else the first sentence."""
    below = [_below_title(part, title) for part in parts]
    if below != parts or not parts[0] or parts[0][0].kind != "paragraph":
        return below
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
    is_titling = is_line and _has_words(block) and block.text.rstrip()[-1] not in _STOPS
    return is_titling and len(blocks) > 1


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


def _unrepeated(parts: Iterable[list[Block]], *, chinese: bool) -> list[list[Block]]:
    """A paragraph that an earlier source has in the same words is left out; nothing else is."""
    seen: set[str] = set()
    kept = []
    for part in parts:
        said = [_said(block, chinese=chinese) for block in part]
        kept.append([one for one, words in zip(part, said, strict=True) if words not in seen])
        seen.update(filter(None, said))
    return kept


def _said(block: Block, *, chinese: bool) -> str:
    """A paragraph's words, where they are enough to say the same wherever they stand."""
    words = " ".join(block.text.split())
    is_enough = len(words) >= _SAYS_ENOUGH[chinese] and _has_words(block)
    return words if is_enough and block.kind == "paragraph" else ""


def _headed(parts: Sequence[list[Block]], *, chinese: bool) -> list[Block]:
    """All blocks in order, below headings from the second level on; what heads nothing is a line."""
    body: list[Block] = []
    for part in parts:
        levels = [block.level for block in part if block.kind == "heading"]
        if levels:
            top = min(levels)
            body += [_lowered(block, top) for block in part]
        else:
            body += headed(part, chinese=chinese)
    return [
        Block("paragraph", block.text)
        if block.kind == "heading" and not _has_text(block, following)
        else block
        for block, following in zip(body, [*body[1:], None], strict=False)  # there may be none
    ]


def _below_title(part: list[Block], title: str) -> list[Block]:
    """Without the first line or the first heading of the top level, where that is the title."""
    for number, block in enumerate(part):
        is_first = number == 0 and (block.kind == "heading" or _is_title(block, part))
        is_title = (is_first or block.level == 1) and plain(block.text) == title
        if is_title and "](" not in block.text:  # the title holds no address of a link
            return [*part[:number], *part[number + 1 :]]
    return part


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
