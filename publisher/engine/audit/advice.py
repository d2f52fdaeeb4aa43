"""Advice: what to do about each kind of breach, in plain words; docs/operations.md has the same rules."""

_RESTORE = "Stop the workers, keep a copy of everything, and restore the newest good backup."
_WHO_WROTE = "Somebody or something wrote into the database past the product: find out who. "
_REMOTE = "Look at the commit on the remote, and at who pushed it. Nothing is changed by itself."

ADVICE = {
    "guard_missing": "Run migrate; it puts the guards back. Then run verify again.",
    "guard_changed": _WHO_WROTE + "Run migrate; it puts the guards back. Then run verify again.",
    "moves_differ": _WHO_WROTE + "Run migrate; it puts the table back. Then run verify again.",
    "database_unreadable": _RESTORE,
    "check_failed": _WHO_WROTE + _RESTORE,
    "row_unreadable": _WHO_WROTE + _RESTORE,
    "database_behind": (
        "The database lost its newest writes: its -wal file went missing, or an older copy was put "
        "in place. Put the right files back, or restore a backup together with its seals.jsonl; "
        "what is on the remote already is found there and not pushed again."
    ),
    "seals_cut": (
        "After a restore, and with workers on several machines, that is so until the next seal, which "
        "adds what is missing. Otherwise find out who cut the file."
    ),
    "seal_changed": _WHO_WROTE + _RESTORE,
    "seal_broken": _WHO_WROTE + _RESTORE,
    "event_gap": _WHO_WROTE + _RESTORE,
    "event_changed": _WHO_WROTE + _RESTORE,
    "event_orphaned": _WHO_WROTE + _RESTORE,
    "head_differs": _WHO_WROTE + _RESTORE,
    "state_differs": _WHO_WROTE + "Read the job's history: its last move is what happened.",
    "unknown_state": _WHO_WROTE + "Read the job's history: its last move is what happened.",
    "illegal_move": _WHO_WROTE + "Look at what this job sent before you trust it.",
    "stale_generation": "A worker wrote after it had lost its job. Look at what it sent.",
    "lease_left": "Nobody can work on this job any more, so the lease does no harm; " + _WHO_WROTE,
    "stuck": "Retry the job, or cancel it and submit it again. Read its log to see how it came so.",
    "open_intent": _WHO_WROTE
    + "Run evaluate for the job: the remote tells whether it was published.",
    "intent_differs": _WHO_WROTE
    + "Run evaluate for the job: the remote tells whether it was published.",
    "no_receipt": "Run evaluate for the job: the remote tells whether it was published.",
    "second_receipt": _WHO_WROTE + "Look at the remote for commits of this job.",
    "receipt_unpublished": "Run evaluate for the job: the remote tells whether it was published.",
    "unapproved_write": "Look at what was published, and take it back if nobody wants it.",
    "own_approval": "Let somebody else read what was published, and take it back if need be.",
    "requester_differs": _WHO_WROTE + _RESTORE,
    "receipt_differs": _WHO_WROTE
    + "Run evaluate for the job: the remote tells what was published.",
    "revision_missing": _WHO_WROTE + _RESTORE,
    "revision_changed": _WHO_WROTE + _RESTORE,
    "envelope_changed": _WHO_WROTE + _RESTORE,
    "approval_changed": _WHO_WROTE + _RESTORE,
    "decision_changed": _WHO_WROTE + _RESTORE,
    "job_changed": _WHO_WROTE + _RESTORE,
    "artifact_missing": "Put the file back from a backup; its name is the hash of its bytes.",
    "artifact_damaged": "Put the file back from a backup; its name is the hash of its bytes.",
    "artifact_unknown": "Put the row back from a backup, or submit the job again.",
    "message_undone": "Run reconcile: it asks for the work again.",
    "remote_unreadable": "Run site check for this site; it says what does not work.",
    "site_unchecked": "Its repository is as it was left. To have it checked, add the site again.",
    "branch_unchecked": "That branch is as it was left. Run evaluate for a job: it looks there.",
    "remote_replaced": "If the new repository is the right one, run site resume; else restore the old one.",
    "second_commit": _REMOTE,
    "unknown_commit": (
        "An older backup was restored, or another installation publishes there. " + _REMOTE
    ),
    "forged_commit": _REMOTE,
    "commit_unpublished": _REMOTE + " Run evaluate for the job.",
    "not_on_remote": _REMOTE + " To have it there again, submit it again.",
    "history_rewritten": "Ask who rewrote the branch. To have the article there again, submit it again.",
    "proof_differs": "Run evaluate for the job: it reads the commit's bytes again.",
    "manifest_differs": _REMOTE,
    "bytes_differ": _REMOTE,
    "foreign_paths": _REMOTE,
    "approval_differs": _REMOTE,
}
