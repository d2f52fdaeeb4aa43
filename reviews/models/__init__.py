"""The people's tables, one file per noun."""

from reviews.models.approval import Approval, ApprovalStatus
from reviews.models.assignment import Assignment
from reviews.models.decision import Answer, Decision
from reviews.models.delegation import Delegation
from reviews.models.notice import Notice, View
from reviews.models.policy import Policy
from reviews.models.principal import Kind, Membership, Principal, Role
from reviews.models.reading import Claim, Comment, Shown
from reviews.models.resolution import Resolution
from reviews.models.token import Token
from reviews.models.wrong_hash import WrongHash

__all__ = [
    "Answer",
    "Approval",
    "ApprovalStatus",
    "Assignment",
    "Claim",
    "Comment",
    "Decision",
    "Delegation",
    "Kind",
    "Membership",
    "Notice",
    "Policy",
    "Principal",
    "Resolution",
    "Role",
    "Shown",
    "Token",
    "View",
    "WrongHash",
]
