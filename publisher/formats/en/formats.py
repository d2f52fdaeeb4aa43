"""English times: always with their zone."""

DATETIME_FORMAT = "j M Y, H:i T"
