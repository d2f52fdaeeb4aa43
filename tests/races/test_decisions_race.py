"""Decisions that race, in real processes, on both databases: one wins, and nobody sees an error."""

from tests.support.git import blob, git
from tests.support.racer import draft
from tests.support.racing import Arena, Race, racer, rounds

ROUNDS = rounds(12)
CROWDED_ROUNDS = rounds(3)
EDIT_ROUNDS = rounds(30)
"""Case 65 plays 500, as ``make races`` does: an edit has the narrowest window."""


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
    race = arena.race(processes, rounds=CROWDED_ROUNDS, reviewers=[])
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        answers = list(race.rounds[number].values())
        assert codes(race, number) == [""] * 20
        assert all(answer["body"] == answers[0]["body"] for answer in answers)
        assert (after["decisions"], after["moves"]) == (1, 1)


def test_of_twenty_requests_by_five_people_one_is_taken(arena: Arena) -> None:
    names = ["rui", "mei", "kim", "lee", "max"]
    processes = [[racer(name, "approve", f"{name}-{n}") for n in range(4)] for name in names]
    race = arena.race(processes, rounds=CROWDED_ROUNDS, reviewers=names)
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        assert codes(race, number) == ["", *["already_decided"] * 19]
        assert (after["state"], after["decisions"]) == ("READY_TO_COMMIT", 1)


def test_an_approval_and_an_edit_at_once_never_both_happen(arena: Arena) -> None:
    """Case 65: both orders in turn, beside a worker that publishes at once."""
    arena.connect()
    yes, save = racer("rui", "approve", "a"), racer("ada", "edit", "b")
    waits = [[{**yes, "waits_in": 0}], [{**save, "waits_in": 1}]]
    race = arena.race(waits, rounds=EDIT_ROUNDS, reviewers=[], jobs="handed_in", with_worker=True)
    won = {n for n, answers in enumerate(race.rounds) if answers[yes["id"]]["code"] == ""}
    print(f"{EDIT_ROUNDS} rounds, {race.overlapped()} overlapped, the approval won {len(won)}")
    assert race.overlapped() > 0
    assert 0 < len(won) < EDIT_ROUNDS
    for number, (said, after) in enumerate(zip(race.rounds, race.after, strict=True)):
        approved, saved = said[yes["id"]], said[save["id"]]
        if number in won:
            assert (saved["status"], saved["code"]) == (409, "wrong_state")
            assert (after["state"], after["revision"]) == ("PUBLISHED", 1)
        else:
            assert (approved["status"], approved["code"]) == (409, "superseded")
            assert (saved["status"], saved["code"]) == (200, "")
            assert (after["state"], after["revision"]) == ("WAITING_APPROVAL", 2)
    assert on_the_remote(arena) == {n: draft(n).encode() for n in won}
    arena.here.command("verify", "--deep")


def on_the_remote(arena: Arena) -> dict[int, bytes]:
    """The pieces that were published, by the number in their names; each came with one commit."""
    history = git(arena.here.remote, "log", "--format=", "--name-only", "main", "--", "content")
    names = [name for name in history.decode().splitlines() if "piece-" in name]
    assert len(names) == len(set(names))
    return {
        int(name.partition("piece-")[2].removesuffix(".md")): blob(arena.here.remote, name)
        for name in names
    }
