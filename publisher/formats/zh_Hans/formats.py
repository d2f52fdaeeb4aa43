"""Chinese times: always with their zone."""

DATETIME_FORMAT = "Y年n月j日 H:i T"
