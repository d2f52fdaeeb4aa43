"""The settings under test: the real ones in a data folder of their own, with cheap passwords."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def _make_folder() -> str:
    """Make the run's folder; only the process that made it removes it."""
    folder, owner = tempfile.mkdtemp(prefix="imprimatur-test-"), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


# Workers of one test run inherit the variable, so they share the first one's folder.
if "IMPRIMATUR_TEST_DATA" not in os.environ:
    os.environ["IMPRIMATUR_TEST_DATA"] = _make_folder()
_worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
os.environ["IMPRIMATUR_DATA_DIR"] = str(Path(os.environ["IMPRIMATUR_TEST_DATA"]) / _worker)

from publisher.settings import *  # noqa: E402, F403 (the folder must be named first)

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Axes wants a request at each login; its own test switches it on.
AXES_ENABLED = False
STORAGES["staticfiles"] = {  # noqa: F405
    "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
}
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
ALLOWED_HOSTS = ["*"]
