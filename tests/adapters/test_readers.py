"""Readers are shared by the jobs that follow each other on a clone, and few are kept."""

from pathlib import Path

from publisher.adapters.git.readers import Readers
from publisher.adapters.git.repository import GitRepository
from tests.support.git import second_person


def shared(repository: GitRepository, readers: Readers) -> GitRepository:
    return GitRepository(
        repository.spec, root=repository.runner.folder.parent, protocols=("file",), readers=readers
    )


def test_the_next_job_reads_through_the_process_of_the_one_before(
    repository: GitRepository, remote: Path
) -> None:
    readers = Readers()
    first = shared(repository, readers)
    tip = first.fetch()
    reader = readers.of(first.runner)
    assert reader.resolve("refs/remotes/origin/main") == tip
    child = reader._child
    first.close()

    theirs = second_person(remote, {"README.md": b"newer"}, "newer")
    second = shared(repository, readers)
    assert second.fetch() == theirs
    assert second.read_path(theirs, "README.md") == b"newer"
    assert reader._child is child is not None
    reader.close()


def test_only_the_clones_used_last_keep_theirs(repository: GitRepository, tmp_path: Path) -> None:
    readers = Readers(kept=1)
    one = shared(repository, readers)
    one.fetch()
    assert readers.of(one.runner)._child is not None
    elsewhere = GitRepository(repository.spec, root=tmp_path / "other", protocols=("file",))
    other = readers.of(elsewhere.runner)
    assert one._objects._child is None
    assert readers.of(elsewhere.runner) is other


def test_a_lost_lease_of_one_job_stops_no_read_of_another(repository: GitRepository) -> None:
    readers = Readers()
    lost = GitRepository(
        repository.spec,
        root=repository.runner.folder.parent,
        protocols=("file",),
        cancelled=lambda: True,
        readers=readers,
    )
    tip = repository.fetch()
    assert lost.tip() == tip
    readers.of(lost.runner).close()
