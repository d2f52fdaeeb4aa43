"""The sweep over the crash matrix tries all of it, and counts what it tried as what it was."""

from collections import Counter
from dataclasses import dataclass, field

import pytest

from tests.support.matrix import MODES, Stage
from tests.support.sweep import PAIRS_EACH, sweep


@dataclass
class Played:
    """A way of three passings on which nothing really happens."""

    passed_again: bool = True
    is_broken: bool = False
    recovered: tuple[str, ...] = ("in:recovery", "in:recovery:2")
    runs: list[tuple[str, str, str]] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=lambda: [Stage("all", passed=["a", "b", "a"])])

    def recovery(self, point: str, mode: str, *, turn: int) -> list[str]:
        return list(self.recovered)

    def run(self, point: str, mode: str, *, again: str, turn: int, to_end: bool) -> Stage:
        self.runs.append((point, mode, again))
        return self.stages[0]

    def was_passed(self, passing: str, *, by: str) -> bool:
        assert passing in self.recovered
        assert by == "second"
        return self.passed_again

    def check(self, stage: Stage) -> None:
        assert not self.is_broken


def swept(way: Played) -> Counter[str]:
    return sweep(way, 1)  # type: ignore[arg-type]


PAIRS = len(range(0, 3 * len(MODES), PAIRS_EACH))


def test_without_a_limit_every_passing_meets_every_trouble_once() -> None:
    way = Played()
    swept(way)
    single = [(point, mode) for point, mode, again in way.runs if not again]
    assert sorted(single) == sorted((point, mode) for point in ("a", "b", "a:2") for mode in MODES)


def test_the_second_trouble_is_at_what_the_rescuer_passes() -> None:
    way = Played()
    assert swept(way)["pairs"] == PAIRS
    second = [again.partition("=")[0] for _, _, again in way.runs if again]
    assert len(second) == PAIRS
    assert set(second) <= set(way.recovered)


def test_a_pair_counts_when_its_second_trouble_came() -> None:
    counts = swept(Played(passed_again=False))
    assert (counts["pairs"], counts["pairs drawn"]) == (0, PAIRS)


def test_where_nothing_is_left_to_recover_no_pair_counts() -> None:
    counts = swept(Played(recovered=()))
    assert (counts["pairs"], counts["pairs drawn"]) == (0, PAIRS)


def test_what_breaks_is_told_by_the_words_that_repeat_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = swept(Played(is_broken=True))
    assert counts["broken"] == 3 * len(MODES) + PAIRS
    told = capsys.readouterr().out
    assert "BROKEN 'a:2' 'pause' '0' ''" in told
    assert "'?'" not in told
