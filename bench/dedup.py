"""Measure the duplicate judge on real edits and unrelated articles, and the index on 10,000 texts.

Run ``python -m bench.dedup``. The articles are looked for in ``IMPRIMATUR_BENCH_DATA``, else in
``../shared/data``. Exits 1 when a promise is not kept, 2 when the articles are not there.
"""

import os
import random
import statistics
import sys
import time
from pathlib import Path

from publisher.prepare.dedup import Candidate, SketchIndex, judge, sketch

RECALL, FALSE_ALARMS, INDEX_RECALL = 0.95, 0.05, 0.99
TEXTS, QUESTIONS, CHANGED = 10_000, 300, 0.10


def main() -> int:
    """Print one table for the judge and one for the index; 0 when every promise holds."""
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    folder = Path(os.environ.get("IMPRIMATUR_BENCH_DATA", default)) / "edits"
    if not folder.is_dir():
        print(f"No edits in {folder}: set IMPRIMATUR_BENCH_DATA.", file=sys.stderr)
        return 2
    print("judge     pairs  recall  right target  false alarms (1 unrelated each)  (all others)")
    results = [_judge(folder / language) for language in ("zh", "en")]
    print("\nindex     texts  build s  question ms (p50)  recall at 10")
    results += [_index(language) for language in ("zh", "en")]
    return 0 if all(results) else 1


def _title(text: str) -> str:
    line = next((line for line in text.splitlines() if line.startswith("title")), "")
    return line.partition(":" if ":" in line[:6] else "=")[2].strip(" '\"")


def _judge(folder: Path) -> bool:
    pairs = [
        (before.read_text(), before.with_name(before.name.replace("before", "after")).read_text())
        for before in sorted(folder.glob("*-before.md"))
    ]
    known = [Candidate(f"{n}", _title(old), sketch(old), old) for n, (old, _) in enumerate(pairs)]
    found = right = alarms = alarms_of_all = 0
    for number, (_, new) in enumerate(pairs):
        title = _title(new)
        alone = judge(new, title=title, candidates=[known[number]])
        found += alone.kind != "NEW"
        right += judge(new, title=title, candidates=known).target == str(number)
        neighbour = known[(number + 1) % len(known)]
        alarms += judge(new, title=title, candidates=[neighbour]).kind != "NEW"
        others = known[:number] + known[number + 1 :]
        alarms_of_all += judge(new, title=title, candidates=others).kind != "NEW"
    size = len(pairs)
    print(
        f"{folder.name:8} {size:6}  {found / size:6.3f}  {right / size:12.3f}"
        f"  {alarms / size:31.3f}  {alarms_of_all / size:12.3f}"
    )
    is_found = min(found, right) >= RECALL * size
    return is_found and max(alarms, alarms_of_all) <= FALSE_ALARMS * size


def _index(language: str) -> bool:
    """Made texts with the word frequencies of a language; each question has 10 % other words."""
    chance = random.Random(7)
    if language == "zh":
        words, join, length = [chr(0x4E00 + n) for n in range(4000)], "", 1200
    else:
        letters = "etaoinshrdlucmfwypvbgk"
        words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(8000)]
        join, length = " ", 650
    weights = [1 / (n + 3) for n in range(len(words))]
    texts = [chance.choices(words, weights, k=length) for _ in range(TEXTS)]
    started = time.perf_counter()
    index = SketchIndex({str(n): sketch(join.join(text)) for n, text in enumerate(texts)})
    index.rank(sketch("first question sorts"))
    built = time.perf_counter() - started
    times, hits = [], 0
    for number in chance.sample(range(TEXTS), QUESTIONS):
        changed = [
            chance.choices(words, weights)[0] if chance.random() < CHANGED else word
            for word in texts[number]
        ]
        question = sketch(join.join(changed))
        started = time.perf_counter()
        hits += str(number) in index.rank(question)
        times.append(time.perf_counter() - started)
    recall = hits / QUESTIONS
    print(
        f"{language:8} {TEXTS:6}  {built:7.1f}  {statistics.median(times) * 1000:17.2f}  {recall:12.3f}"
    )
    return recall >= INDEX_RECALL


if __name__ == "__main__":
    raise SystemExit(main())
