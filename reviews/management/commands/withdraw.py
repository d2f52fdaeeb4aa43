"""withdraw: Take an approval back while nothing has left."""

from reviews.deciding import DecisionCommand
from reviews.models import Answer


class Command(DecisionCommand):
    """Decide at the console."""

    help = "Take an approval back while nothing has left."
    answer = Answer.WITHDRAW
