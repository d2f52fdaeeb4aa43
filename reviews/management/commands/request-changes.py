"""request-changes: Send a job back for another version."""

from reviews.deciding import DecisionCommand
from reviews.models import Answer


class Command(DecisionCommand):
    """Decide at the console."""

    help = "Send a job back for another version."
    answer = Answer.REQUEST_CHANGES
