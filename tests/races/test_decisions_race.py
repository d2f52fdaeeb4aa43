"""Decisions that race, in real processes, on both databases: one wins, and nobody sees an error."""

import os
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.racing import Arena, Race

ROUNDS = 12
EDIT_ROUNDS = int(os.environ.get("RACE_ROUNDS", "60"))
"""An edit against an approval has the narrowest window, so it is tried most often."""


@pytest.fixture(params=["sqlite", "postgresql"])
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Arena:
    """A database of each kind in turn."""
    if request.param == "sqlite":
        return Arena("", tmp_path)
    return Arena(postgres.new_database(request.getfixturevalue("postgres_dsn")), tmp_path)


def racer(name: str, act: str, request_id: str) -> dict[str, str]:
    return {"id": f"{name}-{act}-{request_id}", "name": name, "act": act, "request_id": request_id}


def codes(race: Race, number: int) -> list[str]:
    return sorted(answer["code"] for answer in race.rounds[number].values())


def test_of_two_reviewers_at_once_one_decides(arena: Arena) -> None:
    processes = [[racer("rui", "approve", "a")], [racer("mei", "approve", "b")]]
    race = arena.race(processes, rounds=ROUNDS, reviewers=[])
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        assert codes(race, number) == ["", "already_decided"]
        assert (after["state"], after["decisions"], after["moves"]) == ("READY_TO_COMMIT", 1, 1)


def test_a_yes_and_a_no_at_once_leave_exactly_one(arena: Arena) -> None:
    processes = [[racer("rui", "approve", "a")], [racer("mei", "reject", "b")]]
    race = arena.race(processes, rounds=ROUNDS, reviewers=[])
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        assert codes(race, number) == ["", "already_decided"]
        won = race.rounds[number]["rui-approve-a"]["code"] == ""
        assert after["state"] == ("READY_TO_COMMIT" if won else "REJECTED")
        assert after["decisions"] == 1


def test_a_double_click_is_one_decision_with_one_answer(arena: Arena) -> None:
    click = [{**racer("rui", "approve", "same"), "id": f"click-{n}"} for n in range(20)]
    processes = [click[start : start + 5] for start in range(0, 20, 5)]
    race = arena.race(processes, rounds=3, reviewers=[])
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        answers = list(race.rounds[number].values())
        assert codes(race, number) == [""] * 20
        assert all(answer["body"] == answers[0]["body"] for answer in answers)
        assert (after["decisions"], after["moves"]) == (1, 1)


def test_of_twenty_requests_by_five_people_one_is_taken(arena: Arena) -> None:
    names = ["rui", "mei", "kim", "lee", "max"]
    processes = [[racer(name, "approve", f"{name}-{n}") for n in range(4)] for name in names]
    race = arena.race(processes, rounds=3, reviewers=names)
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        assert codes(race, number) == ["", *["already_decided"] * 19]
        assert (after["state"], after["decisions"]) == ("READY_TO_COMMIT", 1)


def test_an_approval_and_an_edit_at_once_never_both_happen(arena: Arena) -> None:
    processes = [[racer("rui", "approve", "a")], [racer("ada", "edit", "b")]]
    race = arena.race(processes, rounds=EDIT_ROUNDS, reviewers=[])
    won = sum(answers["rui-approve-a"]["code"] == "" for answers in race.rounds)
    print(f"{EDIT_ROUNDS} rounds, {race.overlapped()} overlapped, the approval won {won}")
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        approved = race.rounds[number]["rui-approve-a"]["code"]
        edited = race.rounds[number]["ada-edit-b"]["code"]
        if approved == "":
            assert (edited, after["state"]) == ("wrong_state", "READY_TO_COMMIT")
            assert (after["revision"], after["statuses"]) == (1, ["approved"])
        else:
            assert (approved, edited, after["state"]) == ("superseded", "", "RECEIVED")
            assert (after["revision"], after["statuses"]) == (2, ["superseded"])
