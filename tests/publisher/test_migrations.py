"""The migrations make exactly the tables of the models."""

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_no_model_lacks_a_migration() -> None:
    call_command("makemigrations", "publisher", "reviews", check=True, dry_run=True, verbosity=0)
