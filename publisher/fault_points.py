"""The points that each lane passes inside ``work``, in order of first use; a test walks them all.

``publish`` is a ready draft from its submit to PUBLISHED. ``conflict`` is an approved one whose
target somebody else changed: it conflicts, a person settles it, it is approved and published.
``external_sync`` is a hand edit from the look at the live checkout until it is sent and the checkout
is forwarded. ``drafted`` is an article that a provider makes from a source, with another one that
arrives between the yes and the commit. ``rescued`` is what the next worker does where one died: before
its commit was told, and after its push.
``report`` has none: no job of that lane can be submitted yet.
"""

_PUBLISH = """
before:note.claimed inside:note.claimed after:note.claimed before:record.prepare
inside:record.prepare after:record.prepare before:repository.fetch after:repository.fetch
before:repository.make_workspace after:repository.make_workspace before:repository.tip
after:repository.tip before:note.step_committed inside:note.step_committed after:note.step_committed
before:repository.entries after:repository.entries before:repository.read after:repository.read
before:artifacts.write inside:artifacts.write after:artifacts.write before:repository.lfs_paths
after:repository.lfs_paths before:repository.diff after:repository.diff before:authority.open
after:authority.open before:record.ask inside:record.ask after:record.ask before:repository.close
after:repository.close before:locks.hold after:locks.hold before:repository.commits
after:repository.commits before:repository.read_path after:repository.read_path before:record.commit
inside:record.commit after:record.commit before:repository.build_commit
after:repository.build_commit before:record.committed inside:record.committed after:record.committed
before:record.deliver before:authority.authorise after:authority.authorise inside:record.deliver
after:record.deliver before:repository.push after:repository.push before:repository.resolves
after:repository.resolves before:record.confirm before:authority.done after:authority.done
inside:record.confirm after:record.confirm before:repository.remove_workspace
after:repository.remove_workspace
"""
_CONFLICT = """
before:note.claimed inside:note.claimed after:note.claimed before:locks.hold after:locks.hold
before:repository.fetch after:repository.fetch before:repository.is_ancestor
after:repository.is_ancestor before:repository.resolves after:repository.resolves
before:repository.commits after:repository.commits before:repository.read_path
after:repository.read_path before:repository.changes after:repository.changes
before:repository.lfs_paths after:repository.lfs_paths before:repository.last_change
after:repository.last_change before:artifacts.write inside:artifacts.write after:artifacts.write
before:record.clash before:authority.void after:authority.void inside:record.clash
after:record.clash before:repository.close after:repository.close before:record.prepare
inside:record.prepare after:record.prepare before:repository.make_workspace
after:repository.make_workspace before:repository.tip after:repository.tip
before:note.step_committed inside:note.step_committed after:note.step_committed
before:repository.entries after:repository.entries before:repository.read after:repository.read
before:repository.diff after:repository.diff before:authority.open after:authority.open
before:record.ask inside:record.ask after:record.ask before:record.commit inside:record.commit
after:record.commit before:repository.build_commit after:repository.build_commit
before:record.committed inside:record.committed after:record.committed before:record.deliver
before:authority.authorise after:authority.authorise inside:record.deliver after:record.deliver
before:repository.push after:repository.push before:record.confirm before:authority.done
after:authority.done inside:record.confirm after:record.confirm before:repository.remove_workspace
after:repository.remove_workspace
"""
_EXTERNAL_SYNC = """
before:repository.live after:repository.live before:locks.hold after:locks.hold before:live.state
after:live.state before:repository.tip after:repository.tip before:repository.resolves
after:repository.resolves before:repository.is_ancestor after:repository.is_ancestor
before:live.edits after:live.edits before:repository.entries after:repository.entries
before:live.contents after:live.contents before:repository.close after:repository.close
before:repository.is_silent after:repository.is_silent before:repository.fetch
after:repository.fetch before:repository.build_commits after:repository.build_commits
before:repository.push after:repository.push before:repository.changes after:repository.changes
before:live.forward after:live.forward
"""
_DRAFTED = """
before:note.claimed inside:note.claimed after:note.claimed before:record.prepare
inside:record.prepare after:record.prepare before:repository.fetch after:repository.fetch
before:repository.make_workspace after:repository.make_workspace before:repository.tip
after:repository.tip before:note.step_committed inside:note.step_committed after:note.step_committed
before:repository.entries after:repository.entries before:provider.draft after:provider.draft
before:repository.names after:repository.names before:repository.lfs_paths
after:repository.lfs_paths before:artifacts.write inside:artifacts.write after:artifacts.write
before:authority.open after:authority.open before:record.ask inside:record.ask after:record.ask
before:repository.close after:repository.close before:locks.hold after:locks.hold
before:repository.is_ancestor after:repository.is_ancestor before:repository.resolves
after:repository.resolves before:repository.commits after:repository.commits
before:repository.read_path after:repository.read_path before:repository.changes
after:repository.changes before:record.recheck inside:record.recheck after:record.recheck
before:repository.read after:repository.read before:record.keep inside:record.keep after:record.keep
before:record.commit inside:record.commit after:record.commit before:repository.build_commit
after:repository.build_commit before:record.committed inside:record.committed after:record.committed
before:record.deliver before:authority.authorise after:authority.authorise inside:record.deliver
after:record.deliver before:repository.push after:repository.push before:record.confirm
before:authority.done after:authority.done inside:record.confirm after:record.confirm
before:repository.remove_workspace after:repository.remove_workspace
"""
_RESCUED = """
before:note.claimed inside:note.claimed after:note.claimed before:record.lose_sight
inside:record.lose_sight after:record.lose_sight before:repository.job_branch
after:repository.job_branch before:repository.facts after:repository.facts
before:repository.read_path after:repository.read_path before:repository.changes
after:repository.changes before:record.recover inside:record.recover after:record.recover
before:locks.hold after:locks.hold before:repository.fetch after:repository.fetch
before:repository.commits after:repository.commits before:repository.lfs_paths
after:repository.lfs_paths before:repository.build_commit after:repository.build_commit
before:record.deliver before:authority.authorise after:authority.authorise inside:record.deliver
after:record.deliver before:repository.push after:repository.push before:repository.resolves
after:repository.resolves before:record.confirm before:authority.done after:authority.done
inside:record.confirm after:record.confirm before:repository.remove_workspace
after:repository.remove_workspace before:repository.close after:repository.close
"""
_LANES = {
    "publish": _PUBLISH, "report": "", "conflict": _CONFLICT, "external_sync": _EXTERNAL_SYNC,
    "drafted": _DRAFTED, "rescued": _RESCUED,
}  # fmt: skip

LANES = {lane: tuple(points.split()) for lane, points in _LANES.items()}
LANES["all"] = tuple(dict.fromkeys(point for points in LANES.values() for point in points))
