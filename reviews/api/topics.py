"""Topics: a session says that its topic goes on, or that it ended and shall be published."""

from django.http import HttpRequest
from django.urls import register_converter
from django.urls.converters import StringConverter
from ninja import Router, Status

from publisher import clock
from publisher.domain.errors import InvalidInput
from reviews.api.auth import caller
from reviews.api.bodies import ClosedTopicBody, TopicBody
from reviews.api.jobs import sources_of
from reviews.api.shapes import Json, topic
from reviews.services import work

router = Router(tags=["topics"])


class SessionConverter(StringConverter):
    """A session's whole name: programs choose it, and it may hold slashes and line breaks."""

    regex = r"[\s\S]+"


register_converter(SessionConverter, "session")


@router.post("/topics/{session:session}/open", response=Json, summary="Let a session's topic go on")
def open_topic(request: HttpRequest, session: str, body: TopicBody) -> Json:
    """The next close makes a new job. An open topic stays open."""
    cursor = work.open_topic(body.site, session, caller=caller(request), now=clock.now())
    return topic(cursor)


@router.post(
    "/topics/{session:session}/close",
    response={200: Json, 201: Json},
    summary="Close a session's topic",
)
def close_topic(request: HttpRequest, session: str, body: ClosedTopicBody) -> Status[Json]:
    """201 with the job of this close; 200 with the same job when it was closed before."""
    if body.source is not None and not body.source.strip():
        raise InvalidInput("source", "The source is empty.")
    asked = work.SubmitRequest(
        site=body.site,
        sources=sources_of(body),
        topic=body.topic,
        title=body.title,
        provider=body.provider,
        memory_scope=body.memory_scope,
    )
    done = work.close_topic(asked, session, caller=caller(request), now=clock.now())
    answer = {
        "id": done.job.pk,
        "job_id": done.job.pk,
        "state": done.job.state,
        "revision": done.job.revision,
        "created": done.created,
        **topic(done.cursor),
    }
    return Status(201 if done.created else 200, answer)
