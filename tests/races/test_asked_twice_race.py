"""Requests, topics' ends, taking back and telling of losses, by several at once, on both databases."""

from typing import Any

from tests.support.racing import Arena, Race

ROUNDS = 12
PROCESSES = 4
ASKING = 50


def at_once(arena: Arena, act: str, name: str, jobs: str) -> Race:
    racers = [[{"id": f"{act}-{n}", "name": name, "act": act}] for n in range(PROCESSES)]
    race = arena.race(racers, rounds=ROUNDS, reviewers=[], jobs=jobs)
    assert race.overlapped() > 0
    return race


def one_job(answers: dict[str, Any]) -> str:
    """Everybody was told the same job, and one of them made it."""
    assert [answer["code"] for answer in answers.values()] == [""] * len(answers), answers
    bodies = [answer["body"] for answer in answers.values()]
    assert sum(body["created"] for body in bodies) == 1
    (made,) = {body["job"] for body in bodies}
    return str(made)


def test_of_several_closers_at_once_one_makes_the_job(arena: Arena) -> None:
    race = at_once(arena, "close", "ada", "topics")
    for answers, after in zip(race.rounds, race.after, strict=True):
        made = one_job(answers)
        assert after == {"open": False, "close_revision": 1, "jobs": [made]}


def test_of_several_who_take_back_at_once_one_makes_the_job(arena: Arena) -> None:
    race = at_once(arena, "revert", "omar", "published")
    for answers, after in zip(race.rounds, race.after, strict=True):
        made = one_job(answers)
        assert (after["reverts"], after["asked"], after["state"]) == ([made], 1, "PUBLISHED")


def test_of_several_sweeps_at_once_one_tells_of_each_loss(arena: Arena) -> None:
    arena.connect()
    race = at_once(arena, "sweep", "", "lost")
    assert [after["missed"] for after in race.after] == [1] * ROUNDS


def test_of_fifty_requests_with_one_key_at_once_one_makes_the_job(arena: Arena) -> None:
    racers: list[list[Any]] = [
        [{"id": f"{n}", "name": "ada", "act": "submit"} for n in range(process, ASKING, PROCESSES)]
        for process in range(PROCESSES)
    ]
    race = arena.race(racers, rounds=1, reviewers=[], jobs="keys")
    assert race.overlapped() > 0
    for answers in race.rounds:
        one_job(answers)
    assert [after["jobs"] for after in race.after] == [1]
