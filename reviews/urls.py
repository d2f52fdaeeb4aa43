"""The people's addresses: pages, the API, and what watchers ask."""

from django.urls import include, path, re_path

from reviews.api import health as probes
from reviews.views import (
    account,
    acts,
    approvals,
    audit,
    conflicts,
    effects,
    health,
    inbox,
    jobs,
    me,
    people,
    policies,
    review,
    sites,
    submit,
)

urlpatterns = [
    path("", inbox.inbox, name="inbox"),
    path("login/", account.login, name="login"),
    path("logout/", account.logout, name="logout"),
    path("setup/<str:token>/", account.setup, name="setup"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<str:job_id>/", jobs.job, name="job"),
    path("jobs/<str:job_id>/live/", jobs.job_live, name="job_live"),
    path("jobs/<str:job_id>/review/", review.review, name="job_review"),
    path("jobs/<str:job_id>/edit/", review.edit, name="job_edit"),
    path("jobs/<str:job_id>/override/", review.override, name="job_override"),
    path("jobs/<str:job_id>/act/<slug:name>/", acts.act, name="job_act"),
    re_path(
        r"^jobs/(?P<job_id>[^/]+)/files/(?P<digest>[0-9a-f]{64})/$", approvals.file, name="job_file"
    ),
    path("approvals/<int:approval_id>/", approvals.approval, name="approval"),
    path("approvals/<int:approval_id>/decide/", approvals.decide, name="approval_decide"),
    path("approvals/<int:approval_id>/live/", approvals.live, name="approval_live"),
    path("conflicts/", conflicts.conflicts, name="conflicts"),
    path("conflicts/<int:conflict_id>/", conflicts.conflict, name="conflict"),
    path("conflicts/<int:conflict_id>/resolve/", conflicts.resolve, name="conflict_resolve"),
    path("conflicts/<int:conflict_id>/give-up/", conflicts.give_up, name="conflict_give_up"),
    path("effects/", effects.effects, name="effects"),
    path("submit/", submit.submit, name="submit"),
    path("sites/", sites.sites, name="sites"),
    path("connect/", sites.add, name="site_add"),
    path("sites/<slug:name>/", sites.site, name="site"),
    path("sites/<slug:name>/<slug:act_name>/", sites.act, name="site_act"),
    path("people/", people.people, name="people"),
    path("policies/", policies.policies, name="policies"),
    path("health/", health.health, name="health"),
    path("audit/", audit.audit, name="audit"),
    path("me/", me.me, name="me"),
    path("me/zone/", me.zone, name="me_zone"),
    path("me/tokens/", me.make_token, name="token_create"),
    path("me/tokens/<int:token_id>/revoke/", me.revoke_token, name="token_revoke"),
    path("api/v1/", include("reviews.api.urls")),
    path("healthz", probes.healthz, name="healthz"),
    path("readyz", probes.readyz, name="readyz"),
    path("metrics", probes.metrics, name="metrics"),
]
