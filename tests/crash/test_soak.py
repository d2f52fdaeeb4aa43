"""Processes of a running installation are killed under load: every accepted job is published once.

SOAK_KILLS and SOAK_SEED choose how many and which; ``make soak`` kills 200. They come in bursts: where
what just starts is killed again and again, nothing is under load.
"""

import os
import random
import signal
import threading
from pathlib import Path

from tests.support.git import head
from tests.support.soak import prepare, press_on

KILLS = int(os.environ.get("SOAK_KILLS", "4"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
KILLS_A_JOB = 2
BURST = 5


def test_killed_processes_lose_nothing_and_double_nothing(tmp_path: Path, database: str) -> None:
    soak = prepare(tmp_path, database)
    stop, draw = threading.Event(), random.Random(SEED)
    before = (head(soak.here.remote),)
    jobs = max(2, KILLS // KILLS_A_JOB)
    root = soak.start()
    load = threading.Thread(target=press_on, args=(soak, jobs, stop))
    load.start()
    try:
        for number in range(1, KILLS + 1):
            stop.wait(draw.uniform(0.1, 1.2))
            accepted = len(soak.accepted)
            soak.kill_one(root.pid, draw)
            if number % BURST == 0 and accepted < jobs:
                soak.recovers(accepted)
        soak.publishes_all(jobs, seconds=300 + 3 * jobs)
    finally:
        stop.set()
        load.join(60)
        root.send_signal(signal.SIGTERM)
        root.wait(60)
    print("killed:", dict(soak.killed), "jobs:", jobs)
    assert soak.killed.total() > 0
    assert len(set(soak.accepted.values())) == jobs
    assert soak.here.broken(before=before) == []
