"""Logs: one stream on stderr, every line scrubbed of credentials, whoever wrote it."""

import logging
from collections.abc import MutableMapping
from typing import Any

import structlog
from gunicorn.glogging import Logger as GunicornBase

from publisher.domain.secrets import scrub_text, scrub_value

Record = MutableMapping[str, Any]


def redact(logger: object, method: str, record: Record) -> Record:
    """Scrub each text of the record; the last step before it becomes a line."""
    for key, value in record.items():
        record[key] = scrub_value(value, other=_plain)
    return record


def _plain(value: object) -> object:
    """Whatever would be written in its own words is put into words here, to be scrubbed, too."""
    if value is None or isinstance(value, bool | int | float):
        return value
    return scrub_text(str(value))


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
    structlog.processors.format_exc_info,
    redact,
]


def configure(form: str) -> dict[str, Any]:
    """Set structlog up and return Django's LOGGING: other libraries' lines pass the same way."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False)
    if form == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": [*SHARED[:-1], structlog.stdlib.ExtraAdder(), redact],
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    }
    quiet = {"level": "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            "django-q": quiet,
            "axes": quiet,
            "git": quiet,
            "httpx2": quiet,
            "fontTools": quiet,
            "watchfiles": quiet,
        },
    }


class GunicornLogger(GunicornBase):  # type: ignore[misc]
    """Sends the web server's lines the same way as all others."""

    def setup(self, cfg: Any) -> None:
        """Replace gunicorn's own handlers by ours."""
        self.cfg = cfg
        self.error_log.propagate = True
        self.access_log.propagate = True
        self.error_log.setLevel(logging.WARNING)
        self.access_log.setLevel(logging.WARNING)
