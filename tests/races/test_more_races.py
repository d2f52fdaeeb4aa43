"""A yes that races with a cancel, its expiry, the loss of a right and a stricter policy.

Right is what one of the two orders would have led to, and nothing that was not approved at the end
may leave. In every second round the one goes first, in the others the other.
"""

from tests.races.test_decisions_race import on_the_remote
from tests.support.racer import draft
from tests.support.racing import Arena, Race, racer, rounds

ROUNDS = rounds(6)
YES = racer("", "approve", "a")
LONGER = 0.02
"""Seconds; a call of a service takes less time than one to the API, so either may win."""


def both_orders(arena: Arena, rival: str, act: str) -> tuple[Race, list[str]]:
    """The race, and what was answered to the yes of each round."""
    other = racer(rival, act, "b")
    turns = [[{**YES, "waits_in": 0}], [{**other, "waits_in": 1, "waits": LONGER}]]
    race = arena.race(turns, rounds=ROUNDS, reviewers=[], jobs="apart")
    codes = [answers[YES["id"]]["code"] for answers in race.rounds]
    print(f"{act}: {ROUNDS} rounds, {race.overlapped()} overlapped, {codes.count('')} times yes")
    assert race.overlapped() > 0
    return race, codes


def test_a_yes_and_a_cancel_at_once_never_publish_what_was_cancelled(arena: Arena) -> None:
    arena.connect()
    yes, stop = racer("rui", "approve", "a"), racer("ada", "cancel", "b")
    turns = [[{**yes, "waits_in": 0}], [{**stop, "waits_in": 1}]]
    race = arena.race(turns, rounds=ROUNDS, reviewers=[], jobs="handed_in", with_worker=True)
    assert race.overlapped() > 0
    published = set()
    for number, (said, after) in enumerate(zip(race.rounds, race.after, strict=True)):
        approved, cancelled = said[yes["id"]], said[stop["id"]]
        if cancelled["code"] == "":
            assert after["state"] == "CANCELLED"
            assert approved["code"] in ("", "wrong_state"), approved
            assert after["decisions"] == (approved["code"] == "")
            assert "approve" not in after["told"][after["told"].index("cancel") :]
        else:
            assert (cancelled["status"], approved["code"]) == (409, "")
            assert after["state"] == "PUBLISHED"
            published.add(number)
    assert on_the_remote(arena) == {number: draft(number).encode() for number in published}
    arena.here.command("verify", "--deep")


def test_a_yes_and_its_expiry_at_once_leave_exactly_one(arena: Arena) -> None:
    race, codes = both_orders(arena, "", "expire")
    for number, after in enumerate(race.after):
        (lapse,) = [answer for name, answer in race.rounds[number].items() if name != YES["id"]]
        if codes[number] == "":
            assert lapse["code"] == "too_late"
            assert (after["state"], after["statuses"]) == ("READY_TO_COMMIT", ["approved"])
        else:
            assert (codes[number], lapse["code"]) == ("expired", "")
            assert (after["state"], after["statuses"]) == ("REVIEW", ["expired"])
            assert (after["decisions"], after["leaves"]) == (0, False)


def test_a_yes_of_somebody_who_loses_the_right_at_once_lets_nothing_out(arena: Arena) -> None:
    race, codes = both_orders(arena, "omar", "take_role")
    for number, after in enumerate(race.after):
        said = race.rounds[number][YES["id"]]
        assert race.rounds[number]["omar-take_role-b"]["code"] == ""
        assert after["leaves"] is False
        assert after["decisions"] == (codes[number] == "")
        if codes[number]:
            assert said["status"] in (403, 404), said
        # A yes whose giver lost the right while it was given is kept, and counts for nothing.
        is_met = said["body"].get("approval_status") == "approved"
        assert after["state"] == ("READY_TO_COMMIT" if is_met else "WAITING_APPROVAL")
        assert after["moves"] == is_met


def test_a_yes_and_a_stricter_policy_at_once_let_nothing_out_on_too_few(arena: Arena) -> None:
    race, codes = both_orders(arena, "omar", "ask_two")
    assert set(codes) == {""}
    for number, after in enumerate(race.after):
        said = race.rounds[number][YES["id"]]["body"]
        assert race.rounds[number]["omar-ask_two-b"]["code"] == ""
        assert (after["decisions"], after["leaves"]) == (1, False)
        is_met = said["approval_status"] == "approved"
        assert after["state"] == ("READY_TO_COMMIT" if is_met else "WAITING_APPROVAL")
