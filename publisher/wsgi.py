"""The entry point for WSGI servers."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from publisher.request_bodies import whole

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "publisher.settings")

application = whole(get_wsgi_application(), limit=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
# Now, before another release can lie in this one's place; and only now that the models are loaded.
import_module("publisher.processes.doctor.database").own_migrations()
