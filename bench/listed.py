"""Listed: jobs by the million in every state and of many people, with words to be found by.

Imported only after Django was set up.
"""

from django.db import connection

from bench import finished, many
from publisher.models import Job, JobEvent, SearchText

CHUNK = 100_000
STATE = (
    "CASE WHEN n % 1000 = 3 THEN 'FAILED' WHEN n % 100 = 5 THEN 'REJECTED' "
    "WHEN n % 10 = 7 THEN 'SKIPPED' ELSE 'PUBLISHED' END"
)
JOB = {
    "state": STATE.replace("%", "%%"),
    "operation": "CASE WHEN n %% 500 = 9 THEN 'delete' WHEN n %% 2 = 0 THEN 'update' ELSE 'create' END",
    "requester": "'person' || (n %% 2000)",
    "title": "'Text ' || n",
}
EVENT = {"event": "'submit'", "actor": "'submitter'", "actor_name": "'person' || (n %% 2000)"}
WORDS = (
    "'text common part' || (n %% 1000) || ' rare' || n || ' content md person' || (n %% 2000)"
    " || ' 修 理 修理 咖 啡 咖啡'"
)


def write(count: int) -> None:
    """This many jobs that are over."""
    finished.write(1, whole=False)
    template = Job.objects.filter(site=finished.site()).earliest("pk").pk
    SearchText.objects.get_or_create(job_id=template, defaults={"text": "", "words": ""})
    places = {"id": "(1765231558656 + n) * 65536", "text": WORDS, "words": WORDS}
    with finished.unguarded(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
        for begin in range(1, count, CHUNK):
            last = min(begin + CHUNK, count) - 1
            for model, also in ((Job, JOB), (JobEvent, EVENT), (SearchText, places)):
                cursor.execute(many.copying(model, begin, last, also), [template])
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
