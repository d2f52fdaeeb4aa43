"""A disk without room refuses what was sent, in words, and hands back what was typed."""

import errno
import os
from collections.abc import Callable
from unittest import mock

import pytest
from django.db import OperationalError
from django.test import Client

from publisher.models import Job
from tests.support.page_rows import Rows

Login = Callable[[str], Client]

FULL = [
    OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
    OperationalError("database or disk is full"),
]
TYPED = "# A text that took an hour\n\nIt is not to be lost.\n"


@pytest.mark.parametrize("trouble", FULL, ids=["room", "quota", "database"])
def test_a_text_that_finds_no_room_comes_back_on_the_page(
    trouble: Exception, rows: Rows, at: Login
) -> None:
    before = Job.objects.count()
    with mock.patch("publisher.artifacts.write", side_effect=trouble):
        response = at("ada").post(
            f"/jobs/{rows.review.pk}/edit/", {"text": TYPED, "base_revision": 1}
        )
    page = response.content.decode()
    assert (response.status_code, Job.objects.count()) == (507, before)
    assert "The disk is full" in page
    assert "It is not to be lost." in page
    assert f'href="/jobs/{rows.review.pk}/"' in page


def test_other_trouble_of_the_system_is_a_fault_of_ours(rows: Rows, at: Login) -> None:
    trouble = OSError(errno.EIO, os.strerror(errno.EIO))
    client = at("ada")
    client.raise_request_exception = False
    with mock.patch("publisher.artifacts.write", side_effect=trouble):
        response = client.post(f"/jobs/{rows.review.pk}/edit/", {"text": TYPED, "base_revision": 1})
    assert response.status_code == 500
