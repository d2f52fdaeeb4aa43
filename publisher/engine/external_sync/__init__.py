"""External sync: hand edits in a live checkout, found at each sweep and sent by their own lane."""

from publisher.engine.external_sync.ask import LOOK, ask, ask_after_publications, watched
from publisher.engine.external_sync.forward import forward
from publisher.engine.external_sync.scan import scan
from publisher.engine.external_sync.send import send
from publisher.selectors_live import KIND, report

__all__ = [
    "KIND",
    "LOOK",
    "ask",
    "ask_after_publications",
    "forward",
    "report",
    "scan",
    "send",
    "watched",
]
