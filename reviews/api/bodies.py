"""Bodies: what requests may hold. Unknown fields are refused by name."""

import base64
import binascii
import re
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    field_validator,
)

from publisher.domain.errors import InvalidInput
from publisher.domain.paths import MAX_PATH_BYTES


def _without_nul(value: str) -> str:
    if "\x00" in value:
        raise ValueError("must not hold a NUL character")
    return value


def _encodable(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode, without half a surrogate pair") from None
    return value


def _at_most(characters: int) -> tuple[Any, ...]:
    """A text's limit, counted after it was found to be one; the documentation tells it as well."""

    def check(value: str) -> str:
        if len(value) > characters:
            raise ValueError(
                f"must be at most {characters} characters long, not {len(value)}: shorten it"
            )
        return value

    return AfterValidator(check), Field(json_schema_extra={"maxLength": characters})


Text = Annotated[str, AfterValidator(_encodable)]
"""What becomes a file's bytes; how much of it is allowed is the services' business."""
Words = Annotated[Text, AfterValidator(_without_nul)]
"""How many characters of it are allowed is the services' business, too."""
Line = Annotated[Words, *_at_most(2000)]
Prose = Annotated[Words, *_at_most(20_000)]
Path = Annotated[Words, *_at_most(MAX_PATH_BYTES)]
"""Kept as it came, so it is no longer than what is kept; services check the paths of files."""


_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _written(value: Any) -> Any:
    if value is not None and not (isinstance(value, str) and _DAY.match(value)):
        raise ValueError("must be a time in text, such as 2026-05-03T18:00+02:00")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_written)]
"""A number could be seconds or milliseconds, of whatever clock."""


class Body(BaseModel):
    """What all bodies share: exact types, no unknown field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceBody(Body):
    """One piece of material to draft from."""

    id: Line
    text: Text


class AssetBody(Body):
    """A file that goes with a ready draft, in base64."""

    path: Line
    base64: str

    def data(self) -> bytes:
        """The bytes; InvalidInput when this is no base64."""
        try:
            return base64.b64decode(self.base64, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput("assets", f"The asset {self.path} is no valid base64.") from None


class SubmitBody(Body):
    """A source (or several) to draft from, or a ready draft with its path."""

    site: Line
    kind: Line = "blog.publish/v1"
    source: Text | None = None
    sources: list[SourceBody] | None = None
    content: Text | None = None
    action: Line | None = None
    target_path: Line | None = None
    topic: Words = ""
    title: Words = ""
    summary: Words = ""
    assets: list[AssetBody] = []
    set_front_matter: dict[str, JsonValue] | None = None
    memory_scope: Line | None = None
    provider: Line | None = None
    not_before: Moment | None = None


class TopicBody(Body):
    """Which site a session's topic belongs to."""

    site: Line


class ClosedTopicBody(TopicBody):
    """What was said in a topic until it was closed; left out, only the job made before is named."""

    source: Text | None = None
    sources: list[SourceBody] | None = None
    topic: Words = ""
    title: Words = ""
    provider: Line | None = None
    memory_scope: Line | None = None


class FileBody(Body):
    """One file of a draft."""

    path: Line
    content: Text


class DraftBody(Body):
    """Files of a draft as they shall be, and the revision that the edit began from.

    ``target_path`` puts the article elsewhere, ``action`` makes it a new article or a change.
    """

    files: list[FileBody] = Field(min_length=1, max_length=50)
    base_revision: int = Field(ge=1)
    target_path: Line | None = None
    action: Line | None = None


class RevisionBody(Body):
    """Other sources for the same job."""

    source: Text | None = None
    sources: list[SourceBody] | None = None


class ReasonBody(Body):
    """Why something is done."""

    reason: Prose = ""


class OverrideBody(Body):
    """One finding to overrule, and why."""

    finding: int
    reason: Prose


class CommentBody(Body):
    """A comment on one line of one file."""

    path: Path = ""
    line: int | None = Field(default=None, ge=1, le=2_000_000_000)
    text: Prose


class DecisionBody(Body):
    """One answer, with the hash of what was reviewed and the client's own id of this request."""

    decision: Line
    reviewed_hash: Line = ""
    request_id: Line = ""
    comment: Prose = ""
    comments: list[CommentBody] = Field(default=[], max_length=200)
    acknowledged: list[Line] = Field(default=[], max_length=1000)
    on_behalf_of: Line = ""
    password: SecretStr = SecretStr("")

    @field_validator("reviewed_hash", "request_id", mode="before")
    @classmethod
    def _null_is_missing(cls, value: Any) -> Any:
        """A null hash is a missing hash: 400 by name, whatever the spelling."""
        return "" if value is None else value


class ChoiceBody(Body):
    """What shall become of one file of a conflict."""

    path: Line
    choice: Line
    content: Text | None = None
    new_path: Line | None = None


class ResolutionBody(Body):
    """A choice for each file, on exactly the two versions that were shown."""

    files: list[ChoiceBody] = Field(min_length=1, max_length=200)
    ours_sha256: Line
    theirs_sha256: Line


class TrialBody(Body):
    """Rules to try out: those that are named change, where they are for."""

    rules: dict[str, JsonValue]
    scope: Line = "default"
    site: Line = ""
    action: Line = "*"
