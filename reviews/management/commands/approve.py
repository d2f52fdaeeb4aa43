"""approve: Say yes to exactly what was reviewed."""

from reviews.deciding import DecisionCommand
from reviews.models import Answer


class Command(DecisionCommand):
    """Decide at the console."""

    help = "Say yes to exactly what was reviewed."
    answer = Answer.APPROVE
