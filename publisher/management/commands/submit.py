"""``manage.py submit``: hand in sources to draft from, or a ready draft."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from publisher.domain.errors import InvalidInput
from publisher.domain.states import Actor
from publisher.management.console import ConsoleCommand, acting, moment, reached_site
from publisher.management.payload import read_file, read_payload, read_source
from publisher.processes.doctor.glance import glance
from publisher.services.submit import Asset, SubmitRequest, submit


class Command(ConsoleCommand):
    """Prints {job_id, state, created}."""

    help = "Submit sources to draft from (--source), or a ready draft (--content, --payload)."

    def add_arguments(self, parser: CommandParser) -> None:
        """The request's fields."""
        super().add_arguments(parser)
        parser.add_argument("--site", required=True)
        parser.add_argument("--kind", default="blog.publish/v1")
        parser.add_argument("--source", action="append", default=[], metavar="FILE|-|ID=FILE")
        parser.add_argument("--content", metavar="FILE")
        parser.add_argument("--payload", metavar="DIR")
        parser.add_argument("--action", choices=["create", "update", "delete"])
        parser.add_argument("--target-path")
        parser.add_argument("--asset", action="append", default=[], metavar="PATH=FILE")
        parser.add_argument(
            "--title", default="",
            help="the article's title; becomes front matter of a ready draft that has none, "
            "where the site's articles carry front matter",
        )  # fmt: skip
        for name in ("topic", "summary"):
            parser.add_argument(f"--{name}", default="")
        parser.add_argument("--key", help="idempotency key")
        parser.add_argument("--provider")
        parser.add_argument("--memory-scope")
        parser.add_argument("--not-before", metavar="TIME")

    def handle(self, *args: Any, **options: Any) -> None:
        """Submit, and print the job."""
        glance()
        with self.refusals():
            request = _request(options)
            site = reached_site(request.site, options["user"])
            by = acting(options, Actor.SUBMITTER, "submit", site.scope, site)
            done = submit(request, who=by, scope=None, now=self.now())
        job = done.job
        document = {"job_id": job.pk, "state": job.state, "created": done.created}
        verb = "Submitted" if done.created else "Already submitted"
        self.show(options, document, f"{verb}: job {job.pk} is {job.state}.")


def _request(options: dict[str, Any]) -> SubmitRequest:
    fields: dict[str, Any] = {
        "site": options["site"],
        "kind": options["kind"],
        "sources": tuple(read_source(text) for text in options["source"]),
        "provider": options["provider"],
        "memory_scope": options["memory_scope"],
        "assets": tuple(_asset(text) for text in options["asset"]),
        "not_before": moment(options["not_before"]) if options["not_before"] else None,
    }
    if options["payload"]:
        _refuse_both(options)
        fields |= read_payload(Path(options["payload"]))
    given = {name: options[name] for name in ("action", "target_path", "topic", "title", "summary")}
    fields |= {name: value for name, value in given.items() if value}
    if options["key"] is not None:
        fields["key"] = options["key"]
    if options["content"]:
        fields["content"] = read_file(Path(options["content"]), field="content")
    return SubmitRequest(**fields)


def _refuse_both(options: dict[str, Any]) -> None:
    """What a payload says itself is not to be said beside it: one of the two would get lost."""
    for name, key in (("content", "body_file"), ("asset", "assets")):
        if options[name]:
            raise InvalidInput(
                name, f"A payload names its own in {key}. Leave out --{name}, or --payload."
            )


def _asset(text: str) -> Asset:
    path, equals, file = text.partition("=")
    if not equals:
        raise InvalidInput("asset", "Give an asset as PATH=FILE.")
    return Asset(path, read_file(Path(file), field="asset"))
