"""The console acts for people who exist."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from publisher.models import Job
from tests.support import jobs, people

pytestmark = pytest.mark.django_db


def test_nobody_submits_under_a_name_that_nobody_has(tmp_path: Path) -> None:
    people.everybody()
    site = jobs.site()
    draft = tmp_path / "a.md"
    draft.write_text("# A\n\nText.\n")
    arguments = ["submit", "--site", site.name, "--content", str(draft), "--target-path"]
    errors = StringIO()
    with pytest.raises(SystemExit) as left:
        call_command(*arguments, "content/posts/a.md", "--as", "stranger", stderr=errors)
    assert left.value.code == 5
    assert "stranger" in errors.getvalue()
    assert not Job.objects.exists()
    call_command(*arguments, "content/posts/a.md", "--as", "ada", stdout=StringIO())
    assert Job.objects.get().requester == "ada"
