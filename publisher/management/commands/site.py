"""``manage.py site``: connect repositories and look after them."""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from publisher import selectors, token_file, wiring
from publisher.domain.branches import check_branch
from publisher.domain.errors import CredentialsRefused, InvalidInput, RepositoryError
from publisher.domain.remotes import shown
from publisher.domain.states import Actor
from publisher.engine import site_rules
from publisher.engine import sites as engine_sites
from publisher.journal import Who
from publisher.management.console import (
    INVALID,
    ConsoleCommand,
    acting,
    common,
    may_see,
    reached_site,
    who,
)
from publisher.models import Site
from publisher.services import sites

_FIELDS = (
    "branch", "articles", "assets", "fonts", "font_source", "live_checkout", "quiet_seconds",
    "trailer_prefix", "token_file",
)  # fmt: skip

DEFAULT_SCOPE = "default"

_NAMED = {
    "pause": "let nothing leave until it is resumed",
    "resume": "let it leave again",
    "remove": "take it out of use; its history stays",
    "check": "try what delivery needs, and say what would not work",
}
"""What is done to one site without further words."""

_STAYS = " Somebody uses the site by now, so it stays: mend what is wrong and run site check, or remove it."


class Command(ConsoleCommand):
    """add, list, set, pause, resume, remove, check."""

    help = "Connect a repository, or look after one."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command each."""
        super().add_arguments(parser)
        acts = parser.add_subparsers(dest="act", required=True)
        add = acts.add_parser("add", help="connect a repository")
        add.add_argument("name")
        add.add_argument("--remote", required=True, help="an absolute path or an https URL")
        add.add_argument("--scope", default=DEFAULT_SCOPE)
        _add_rules(add)
        change = acts.add_parser("set", help="change a site's rules")
        change.add_argument("name")
        _add_rules(change)
        for act, told in _NAMED.items():
            acts.add_parser(act, help=told).add_argument("name")
        acts.add_parser("list", help="list the sites, with what is wrong")
        for one in acts.choices.values():
            common(one)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the act; a refusal names the field."""
        with self.refusals():
            getattr(self, f"_{options['act']}")(options)

    def _named(self, options: dict[str, Any]) -> tuple[Site, Who]:
        """The site, and who acts on it, which needs the right to operate there."""
        site = reached_site(options["name"], options["user"])
        return site, acting(options, Actor.OPERATOR, "operate", site.scope, site)

    def _refuse_token(self, options: dict[str, Any]) -> None:
        """Look at the token's file at once, by its own flag, whether the site is new or not."""
        name = options["token_file"]
        if not name:
            return
        try:
            if not Path(name).is_absolute():
                raise token_file.refusal("Name the token file by its absolute path.")
            token_file.check(name)
        except CredentialsRefused as error:
            self.leave(INVALID, f"{error.code}: https-token-file: {error.message}")

    def _add(self, options: dict[str, Any]) -> None:
        acting(options, Actor.OPERATOR, "operate", options["scope"], None)
        _refuse_font(options)
        self._refuse_token(options)
        site = sites.add(
            name=options["name"],
            remote=options["remote"],
            scope=options["scope"],
            now=self.now(),
            **_given(options),
        )
        ports = wiring.ports()
        try:
            engine_sites.reach(site, ports)
        except RepositoryError as error:
            stays = "" if sites.discard(site) else _STAYS
            if not stays:
                engine_sites.forget(site, ports)
            self.leave(INVALID, f"{error.code}: remote: {error.message}{stays}")
        is_new = _is_new_scope(site)
        self.show(
            options,
            {"site": site.name, "branch": site.branch, "is_new_scope": is_new},
            f"Connected {site.name} ({site.branch}). Its clone is made in the background.",
            *(_new_scope(site) if is_new else ()),
        )

    def _set(self, options: dict[str, Any]) -> None:
        site, _by = self._named(options)
        if not _given(options):
            raise InvalidInput(
                "set", "Nothing was asked for. Name a setting to change; see --help."
            )
        _refuse_font(options)
        self._refuse_token(options)
        if options["branch"]:
            # What is no name at all is refused before anybody looks for it.
            engine_sites.require_branch(site, check_branch(options["branch"]), wiring.ports())
        sites.change(site, now=self.now(), **_given(options))
        self.show(options, {"site": site.name}, f"Changed {site.name}.")

    def _pause(self, options: dict[str, Any]) -> None:
        site, _by = self._named(options)
        sites.pause(site)
        self.show(options, {"paused": True}, "Paused: nothing leaves until it is resumed.")

    def _resume(self, options: dict[str, Any]) -> None:
        site, by = self._named(options)
        sites.resume(site, who=by, now=self.now())
        self.show(options, {"paused": False}, "Resumed.")

    def _remove(self, options: dict[str, Any]) -> None:
        site, _by = self._named(options)
        sites.remove(site, now=self.now())
        self.show(options, {"removed": options["name"]}, "Removed; its history stays.")

    def _list(self, options: dict[str, Any]) -> None:
        name = who(options, Actor.OPERATOR).name
        found = selectors.sites(scopes=None)
        rows = [_row(site) for site in found if may_see(name, site.scope, site)]
        lines = [
            f"{row['name']}  {row['remote']}  {row['branch']}  {row['state']}"
            + (f"  {row['last_error']}" if row["last_error"] else "")
            for row in rows
        ]
        self.show(options, {"items": rows}, *lines)

    def _check(self, options: dict[str, Any]) -> None:
        site, _by = self._named(options)
        report = engine_sites.check(site, wiring.ports())
        lines = [f"{'ok ' if fact.ok else 'NOT'}  {fact.name}: {fact.message}" for fact in report]
        self.show(options, {"site": site.name, "facts": [asdict(fact) for fact in report]}, *lines)
        if not all(fact.ok for fact in report):
            self.leave(INVALID, "This site would not work as it is.")


def _is_new_scope(site: Site) -> bool:
    """Whether its scope came into being with it, as far as sites tell; the first one was migrated."""
    others = Site.objects.filter(scope=site.scope).exclude(pk=site.pk)
    return site.scope != DEFAULT_SCOPE and not others.exists()


def _new_scope(site: Site) -> tuple[str, ...]:
    return (
        f"It is the first site in the scope {site.scope}. Only people with a role there see it:",
        f"  manage.py user add NAME --scope {site.scope} --role ROLE",
        f"If the scope is mistyped, remove the site (site remove {site.name}) and add it again.",
    )


def _row(site: Site) -> dict[str, Any]:
    return {
        "name": site.name,
        "remote": shown(site.remote),
        "branch": site.branch,
        "state": site.clone_state,
        "head": site.head,
        "last_error": site.last_error,
        "stop_reason": site.stop_reason,
        "paused": bool(site.paused_lanes),
    }


def _add_rules(parser: ArgumentParser) -> None:
    parser.add_argument("--branch")
    parser.add_argument("--articles", help="a glob; default content/**/*.{md,mdx}")
    parser.add_argument("--assets", help="a glob; default public/**")
    parser.add_argument("--fonts", help="the path of the derived font file")
    parser.add_argument("--font-source", help="the font file to cut the subset from")
    parser.add_argument("--live-checkout", help="a clone that people edit; empty for none")
    parser.add_argument("--quiet-seconds", type=int, help="how long a hand edit rests first")
    parser.add_argument("--trailer-prefix")
    parser.add_argument("--https-token-file", dest="token_file")
    parser.add_argument("--required-front-matter", help="keys, separated by commas")


def _refuse_font(options: dict[str, Any]) -> None:
    """Look into the font at once, instead of when the first job needs it."""
    if options["font_source"]:
        site_rules.check_font(options["font_source"])


def _given(options: dict[str, Any]) -> dict[str, Any]:
    values = {name: options[name] for name in _FIELDS if options[name] is not None}
    if options["required_front_matter"] is not None:
        keys = options["required_front_matter"].split(",")
        values["required_front_matter"] = [key.strip() for key in keys if key.strip()]
    return values
