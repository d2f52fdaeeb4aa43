"""Measure the review page's differences: seconds of CPU beside git's own, and bytes of the answer.

Run ``python -m bench.diff`` (``--sizes 10,100,1000,5000`` in KB). Each size in four kinds: some
lines changed, every line, one line without an end, one line again and again. Exits 1 when a page
takes over two seconds or twice git's time and a constant, or when an answer is too large.
"""

import argparse
import importlib
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.scratch import installation

LONGEST_SECONDS = 2.0
CONSTANT_SECONDS = 0.6
"""What a page costs whatever it holds, and what the words of one part may take."""
LARGEST_KB = 300
ROUNDS = 3
LINE = "The library on Mill Street has lent books for {} years, and tools since March."
LOOKS = ("?tab=diff", "?tab=diff&side=1", "?tab=since", "?tab=rendered")

Texts = tuple[str, str]


def main() -> int:
    """Each kind in each size; one line for each look at it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="10,100,1000,5000")
    sizes = [int(size) * 1000 for size in parser.parse_args().sizes.split(",")]
    failed = 0
    with installation(postgresql=False) as folder:
        importlib.import_module("publisher.processes.web").collect_static()
        people = importlib.import_module("tests.support.people")
        people.everybody()
        for size in sizes:
            for kind, (old, new) in kinds(size):
                text, floor = difference(folder, old, new)
                for look, seconds, kb in pages(old, new, text):
                    limit = min(LONGEST_SECONDS, 2 * floor + CONSTANT_SECONDS)
                    is_met = seconds <= limit and kb <= LARGEST_KB
                    failed += not is_met
                    print(
                        f"{size // 1000:>5} KB {kind:<9} {look:<16} {seconds:6.2f} s  "
                        f"git {floor:5.2f} s  {kb:5.0f} KB  {'' if is_met else 'OVER'}",
                        flush=True,
                    )
    return 1 if failed else 0


def kinds(size: int) -> Iterator[tuple[str, Texts]]:
    """Texts of about this size, as they were and as they are."""
    count = max(1, size // (len(LINE) + 4))
    lines = [LINE.format(number) for number in range(count)]
    some = [f"{line} It rained." if at % 50 == 7 else line for at, line in enumerate(lines)]
    every = [line.replace("tools", "boats") for line in lines]
    yield "normal", (_prose(lines), _prose(some))
    yield "every", (_prose(lines), _prose(every))
    yield "one line", ("word " * (size // 5) + "\n", "word " * (size // 5) + "end\n")
    again = [LINE.format(9)] * count
    yield (
        "repeated",
        (_prose(again), _prose([*again[: count // 2], "New.", *again[count * 2 // 3 :]])),
    )


def _prose(lines: list[str]) -> str:
    return "\n\n".join(lines) + "\n"


def difference(folder: Path, old: str, new: str) -> tuple[str, float]:
    """What git makes of them, and its seconds of CPU."""
    (folder / "old").write_text(old)
    (folder / "new").write_text(new)
    command = ["git", "diff", "--no-index", "--histogram", "--no-color", "old", "new"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = answer.stdout
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return text[text.find("\n@@ ") + 1 :], seconds


def pages(old: str, new: str, text: str) -> Iterator[tuple[str, float, float]]:
    """Each look at the change: the least of some rounds, and the kilobytes of its answer."""
    page_rows = importlib.import_module("tests.support.page_rows")
    jobs = importlib.import_module("tests.support.jobs")
    rows = importlib.import_module("tests.support.reading_rows")
    now = importlib.import_module("publisher.clock").now()
    place = jobs.site()
    job = page_rows.update(at=place, now=now, old=old, new=new, diff=text)
    changed = jobs.request_of(job)
    first = rows.article(place, text=old)
    client = _client()
    _read(client, first)
    second = rows.revised(first, new)
    for look in LOOKS:
        request = second if look == "?tab=since" else changed
        address = f"/approvals/{request.pk}/{look}"
        seconds, kb = _least(lambda address=address: client.get(address))  # type: ignore[misc]
        yield look, seconds, kb


def _client() -> Any:
    client = importlib.import_module("django.test").Client(HTTP_HOST="localhost")
    principal = importlib.import_module("reviews.models").Principal
    client.force_login(principal.objects.get(name="rui").user)
    return client


def _read(client: Any, request: Any) -> None:
    """All parts of a text, raw."""
    part, answer = 1, client.get(f"/approvals/{request.pk}/?tab=raw")
    while f"part={part + 1}#file-1" in answer.content.decode():
        part += 1
        answer = client.get(f"/approvals/{request.pk}/?tab=raw&part={part}")


def _least(ask: Callable[[], Any]) -> tuple[float, float]:
    found, size = [], 0
    for _round in range(ROUNDS):
        start = time.process_time()
        answer = ask()
        found.append(time.process_time() - start)
        size = len(answer.content)
    return min(found), size / 1000


if __name__ == "__main__":
    raise SystemExit(main())
