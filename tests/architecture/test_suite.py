"""The suite itself: what must stay together does."""

import pytest


@pytest.mark.xdist_group("together")
def test_tests_of_one_group_go_to_one_process(request: pytest.FixtureRequest) -> None:
    # The scheduler knows a group by the end of a test's id only.
    is_asked = getattr(request.config.option, "loadgroup", False)
    assert request.node.nodeid.endswith("@together") == is_asked
