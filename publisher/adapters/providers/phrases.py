"""Key phrases: what a text speaks of, taken from its own words, in Chinese and English."""

import re
from collections import Counter
from collections.abc import Iterator

_ENGLISH = """
    a about above after again against all also am an and any are as at be became because
    been before being below between both but by can cannot could did do does doing done down
    during each either else ever every few first for from further gets get got had has have
    having he her here hers him his how however i if in into is it its itself just last
    least less let made make many may me might more most much must my near need neither
    never new no nor not now of off often on once one only onto or other our ours out over
    own per quite rather said same saw say says second see seen several shall she should
    since so some still such take than that the their them then there these they thing this
    those three through to today too took toward two under until up upon us use used using
    very was we well went were what when where whether which while who whole whom whose why
    will with within without would yes yet you your yours
    http https www com org html href src four five six seven eight nine ten
    asked told came come goes going keep kept put way monday tuesday wednesday thursday
    friday saturday sunday january february march april june july august september october
    november december
"""
_ENGLISH_STOPS = frozenset(_ENGLISH.split())
_CHINESE_BREAKS = re.compile(
    r"[^\u4e00-\u9fff]+|我们|你们|他们|她们|它们|大家|因为|所以|如果|但是|而且|并且|或者|以及|由于|然后|之后|之前"
    r"|已经|可以|需要|必须|应该|可能|没有|不是|不会|不能|不再|一个|一次|一些|这个|那个|这些|那些|这次|本次|什么|怎么"
    r"|为什么|其中|目前|现在|今天|昨天|明天|上午|下午|晚上|同时|此外|另外|仍然|继续|开始|进行|通过|按照|根据|关于|对于"
    r"|小时|分钟|以后|以前|以内|以上|以下|左右|共有|分别|其他|所有|全部|每个|各个|自己|时候|直接|只有|只要|还有"
    r"|[的了是在和与将把被及或而但也都就还很更最这那我你他她它们于从向给让使由并到对要不没有每各该此第个名次年月日]"
)
_NUMERALS = frozenset("一二三四五六七八九十百千万两几")
_ENOUGH = 60_000
_MOST_TERMS = 8
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+#\-]*(?:[./][A-Za-z0-9]+)*|[^\sA-Za-z]")
_NAME = re.compile(r"(?<![A-Za-z])[A-Z][A-Za-z0-9+#\-]{2,}(?![A-Za-z])")


def is_chinese(text: str) -> bool:
    """Whether a text is to be read as Chinese: a fifth of its letters are enough."""
    letters = sum(1 for char in text if char.isalpha())
    ideographs = sum(1 for char in text if "\u4e00" <= char <= "\u9fff")
    return ideographs * 5 >= letters > 0


def phrases(text: str, *, chinese: bool) -> list[str]:
    """Phrases of the text, weightiest first: often said, and more than one word or sign long."""
    found = list((_chinese if chinese else _english)(text[:_ENOUGH]))
    counts = Counter(phrase.lower() for phrase in found)
    first: dict[str, tuple[int, str]] = {}
    for position, phrase in enumerate(found):
        first.setdefault(phrase.lower(), (position, phrase))
    order = sorted(first, key=lambda one: (-_weight(one, counts[one], chinese), first[one][0]))
    return [first[one][1] for one in order]


def terms(text: str, *prominent: str, chinese: bool) -> list[str]:
    """Short terms said at least twice, weightiest first; those of title and headings count thrice."""
    text = text[:_ENOUGH]
    counts = Counter(_chinese_parts(text) if chinese else (one.lower() for one in _english(text)))
    if chinese:
        counts.update(_NAME.findall(text))
    above = "\n".join(prominent).lower()
    often = {one: n for one, n in counts.items() if n >= 2 and len(one.split()) <= 2}
    weights = {
        one: n * (3 if one.lower() in above else 1) * min(len(one), 3 if chinese else 6)
        for one, n in often.items()
        # A part that is nearly always said within a longer term is no term of its own.
        if not (
            chinese and any(one in two and often[two] * 5 >= n * 4 for two in often if two != one)
        )
    }
    chosen: list[str] = []
    for one in sorted(weights, key=lambda term: (-weights[term], term)):
        if not any(one in other or other in one for other in chosen):
            chosen.append(one)
        if len(chosen) == _MOST_TERMS:
            break
    return chosen


def _weight(phrase: str, count: int, chinese: bool) -> float:
    size = len(phrase) if chinese else len(phrase.split()) + 0.5
    return count * min(size, 4 if chinese else 2.5)


def _chinese_parts(text: str) -> Iterator[str]:
    """All runs of two to four ideographs between words that only join; no numbers."""
    for piece in _CHINESE_BREAKS.split(text):
        for size in (2, 3, 4):
            for start in range(len(piece or "") - size + 1):
                part = piece[start : start + size]
                # What a numeral counts is cut off from its number, and no word.
                if not _NUMERALS.intersection(piece[max(0, start - 1) : start + size]):
                    yield part


def _chinese(text: str) -> Iterator[str]:
    for piece in _CHINESE_BREAKS.split(text):
        if piece and 2 <= len(piece) <= 8:
            yield piece


def _english(text: str) -> Iterator[str]:
    run: list[str] = []
    for word in [*_WORD.findall(text), "."]:
        is_kept = word[0].isalpha() and word.lower() not in _ENGLISH_STOPS and len(word) > 2
        if is_kept and len(run) < 3:
            run.append(word)
            continue
        if run:
            yield " ".join(run)
            yield from (one for one in run if len(run) > 1)
        run = [word] if is_kept else []
