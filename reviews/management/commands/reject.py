"""reject: Say no to a job, for good."""

from reviews.deciding import DecisionCommand
from reviews.models import Answer


class Command(DecisionCommand):
    """Decide at the console."""

    help = "Say no to a job, for good."
    answer = Answer.REJECT
