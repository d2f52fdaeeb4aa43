"""The pulse: when a cluster is called stalled, and when not."""

from publisher.processes.pulse import Pulse, Seen, Verdict


def looks(pulse: Pulse, *, start: float, end: float, **seen: object) -> list[Verdict]:
    """Look four times a second; ``hints_wait`` holds for the first look only."""
    facts = {"acknowledged": 1, "has_idle_worker": True, "hints_wait": False, **seen}
    verdicts = []
    at = start
    while at <= end:
        verdicts.append(pulse.look(Seen(at=at, **facts)))  # type: ignore[arg-type]
        facts["hints_wait"] = False
        at += 0.25
    return verdicts


def quiet_pulse() -> Pulse:
    """A pulse whose first beat went out at 0 and came back at once."""
    pulse = Pulse(0.0)
    pulse.look(Seen(0.0, 0, has_idle_worker=True, hints_wait=False))
    looks(pulse, start=0.25, end=0.5)
    return pulse


def test_a_new_cluster_is_asked_for_a_beat_as_soon_as_a_worker_is_free() -> None:
    pulse = Pulse(0.0)
    starting = Seen(0.25, 0, has_idle_worker=False, hints_wait=False)
    assert pulse.look(starting) is Verdict.FINE
    assert pulse.look(Seen(0.5, 0, has_idle_worker=True, hints_wait=False)) is Verdict.BEAT


def test_a_quiet_cluster_is_asked_for_a_beat_every_five_seconds() -> None:
    verdicts = looks(quiet_pulse(), start=0.75, end=5.0)
    assert verdicts[:-1] == [Verdict.FINE] * (len(verdicts) - 1)
    assert verdicts[-1] is Verdict.BEAT


def test_a_hint_that_nobody_acknowledges_is_a_stall_after_three_seconds() -> None:
    verdicts = looks(quiet_pulse(), start=0.75, end=3.75, hints_wait=True)
    assert verdicts[-1] is Verdict.STALLED
    assert Verdict.STALLED not in verdicts[:-1]


def test_more_than_one_beat_is_tried_before_a_stall() -> None:
    verdicts = looks(quiet_pulse(), start=0.75, end=3.5, hints_wait=True)
    assert verdicts.count(Verdict.BEAT) >= 2


def test_a_receipt_ends_the_wait() -> None:
    pulse = quiet_pulse()
    looks(pulse, start=0.75, end=3.0, hints_wait=True)
    assert Verdict.STALLED not in looks(pulse, start=3.25, end=5.0, acknowledged=2)


def test_a_hint_that_comes_together_with_a_receipt_is_still_owed() -> None:
    pulse = quiet_pulse()
    verdicts = looks(pulse, start=0.75, end=3.75, acknowledged=2, hints_wait=True)
    assert verdicts[-1] is Verdict.STALLED


def test_a_cluster_whose_workers_all_work_is_not_stalled() -> None:
    verdicts = looks(quiet_pulse(), start=0.75, end=60.0, has_idle_worker=False, hints_wait=True)
    assert set(verdicts) == {Verdict.FINE}


def test_the_wait_begins_when_a_worker_becomes_free() -> None:
    pulse = quiet_pulse()
    looks(pulse, start=0.75, end=60.0, has_idle_worker=False, hints_wait=True)
    verdicts = looks(pulse, start=60.25, end=63.25)
    assert verdicts[-1] is Verdict.STALLED
    assert Verdict.STALLED not in verdicts[:-1]


def test_a_watcher_that_was_held_up_itself_starts_to_count_anew() -> None:
    pulse = quiet_pulse()
    looks(pulse, start=0.75, end=2.0, hints_wait=True)
    assert pulse.look(Seen(10.0, 1, has_idle_worker=True, hints_wait=True)) is not Verdict.STALLED
