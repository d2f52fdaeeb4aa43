"""The environment: every variable the program reads, checked once, before anything starts."""

import ipaddress
import sys
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from publisher import fault_names
from publisher.domain.addresses import Unsound, holds_at, sound
from publisher.domain.errors import InvalidInput

BASE_DIR = Path(__file__).resolve().parent.parent
DATABASE_SCHEMES = {"sqlite", "postgres", "postgresql", "pgsql"}
REDIS_SCHEMES = {"redis", "rediss", "unix"}
EMAIL_SCHEMES = {"smtp", "smtps", "smtp+tls", "console", "dummy"}
GIT_PROTOCOLS = {"https", "ssh", "file"}
GIT_TOLERABLE = {
    "badTimezone", "missingEmail", "missingNameBeforeEmail", "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail", "zeroPaddedDate", "zeroPaddedFilemode",
}  # fmt: skip
"""Checks that old tools' commits fail and that protect nobody; no other can be let pass."""

PORT = "must have a number between 1 and 65535 as its port"


class Environment(BaseSettings):
    """What the operator decided. Field names are the variables' names in lower case."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    imprimatur_data_dir: Path = BASE_DIR / "var"
    database_url: str = ""
    redis_url: str = ""
    secret_key: SecretStr = SecretStr("")
    secret_key_file: Path | None = None
    allowed_hosts: str = ""
    public_url: str = ""
    trusted_proxies: str = ""
    debug: bool = False
    llm_base_url: str = ""
    llm_model: str = ""
    llm_api_key: SecretStr = SecretStr("")
    llm_api_key_file: Path | None = None
    imprimatur_fault: str = ""
    imprimatur_git_protocols: str = "https,ssh,file"
    imprimatur_git_ca_file: Path | None = None
    imprimatur_https_proxy: str = ""
    imprimatur_git_tolerate: str = ""
    imprimatur_git_seconds: int = Field(default=120, ge=1, le=600)
    imprimatur_cli_decisions: bool = False
    imprimatur_node: str = Field(default="", max_length=100, pattern=r"^[A-Za-z0-9._-]*$")
    imprimatur_reconcile_seconds: int = Field(default=300, ge=1, le=86_400)
    imprimatur_lease_seconds: int = Field(default=90, ge=1, le=3_600)
    email_url: str = ""
    log_format: Literal["json", "console"] = "console"
    demo_password: SecretStr = SecretStr("")

    @field_validator("imprimatur_data_dir")
    @classmethod
    def _usable_folder(cls, value: Path) -> Path:
        folder = value.expanduser().resolve()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"the folder cannot be made ({error.strerror})") from error
        return folder

    @field_validator("database_url", "redis_url", "email_url")
    @classmethod
    def _known_scheme(cls, value: str, info: object) -> str:
        name = str(getattr(info, "field_name", ""))
        known = {
            "database_url": DATABASE_SCHEMES,
            "redis_url": REDIS_SCHEMES,
            "email_url": EMAIL_SCHEMES,
        }[name]
        parts = urlsplit(value)
        if value and parts.scheme not in known:
            raise ValueError(f"must be an address that starts with one of {_listed(known)}")
        try:
            _ = parts.port
        except ValueError:
            raise ValueError(PORT) from None
        return value

    @field_validator("public_url", "llm_base_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        if value:
            _web(value, "must be a web address such as https://publish.example.org")
        return value.rstrip("/")

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        for part in split(value):
            try:
                ipaddress.ip_network(part, strict=False)
            except ValueError as error:
                raise ValueError("must be IP addresses or networks, separated by commas") from error
        return value

    @field_validator("imprimatur_git_protocols")
    @classmethod
    def _protocols(cls, value: str) -> str:
        if not split(value) or not set(split(value)) <= GIT_PROTOCOLS:
            raise ValueError(f"must name some of {_listed(GIT_PROTOCOLS)}, separated by commas")
        return value

    @field_validator("imprimatur_git_tolerate")
    @classmethod
    def _harmless_checks(cls, value: str) -> str:
        if not set(split(value)) <= GIT_TOLERABLE:
            raise ValueError(f"must name some of {_listed(GIT_TOLERABLE)}, separated by commas")
        return value

    @field_validator("imprimatur_fault")
    @classmethod
    def _fault(cls, value: str) -> str:
        try:
            if value:
                fault_names.parse(value)
        except InvalidInput as refused:
            # The list is a command's, and no command starts with a wrong variable.
            way_out = f"{refused.message.rstrip('.')}, once this variable is empty"
            raise ValueError(way_out) from None
        return value

    @field_validator("imprimatur_https_proxy")
    @classmethod
    def _proxy(cls, value: str) -> str:
        if value and holds_at(value):
            raise ValueError("must hold no login: other processes on this machine could read it")
        if value:
            _web(value, "must be a proxy's address such as http://proxy.example.org:3128")
        return value

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < 32:
            raise ValueError("must have at least 32 characters")
        return value

    @field_validator("secret_key_file", "llm_api_key_file", "imprimatur_git_ca_file")
    @classmethod
    def _readable_file(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_file():
            raise ValueError("must name a file that exists")
        return value.absolute() if value is not None else None


def split(value: str) -> list[str]:
    """Split a list written with commas."""
    return [part.strip() for part in value.split(",") if part.strip()]


def _web(value: str, wanted: str) -> SplitResult:
    """The address's parts; ValueError for what is none of http or https."""
    try:
        parts = sound(value)
    except Unsound as wrong:
        raise ValueError(PORT if wrong.part == "port" else wanted) from None
    if parts.scheme not in {"http", "https"}:
        raise ValueError(wanted)
    return parts


def _listed(values: set[str]) -> str:
    return ", ".join(sorted(values))


def read() -> Environment:
    """Read the environment; a wrong value ends the start with its name, never with a secret."""
    try:
        return Environment()
    except ValidationError as refused:
        for error in refused.errors(include_input=False, include_url=False):
            name = str(error["loc"][0]).upper() if error["loc"] else "environment"
            reason = error["msg"].removeprefix("Value error, ")
            sys.stderr.write(f"imprimatur: {name} cannot be used: {reason}.\n")
        sys.exit(2)
