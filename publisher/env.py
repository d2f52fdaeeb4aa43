"""The environment: every variable the program reads, checked once, before anything starts."""

import ipaddress
import sys
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from publisher import env_rules, fault_names
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

LEASE_SECONDS = (1, 3_600)
"""How long a claim may hold without a renewal."""

SECRET_CHARACTERS = 32
"""How many a key needs at least, so that nobody guesses it."""


class Environment(BaseSettings):
    """What the operator decided. Field names are the variables' names in lower case."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    imprimatur_data_dir: Path = BASE_DIR / "var"
    database_url: str = ""
    redis_url: str = ""
    secret_key: SecretStr = SecretStr("")
    secret_key_file: Path | None = None
    secret_key_fallback_files: str = ""
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
    imprimatur_git_hosts: str = ""
    imprimatur_git_ca_file: Path | None = None
    imprimatur_https_proxy: str = ""
    imprimatur_git_tolerate: str = ""
    imprimatur_git_seconds: int = Field(default=120, ge=1, le=600)
    imprimatur_cli_decisions: bool = False
    imprimatur_node: str = Field(default="", max_length=100, pattern=r"^[A-Za-z0-9._-]*$")
    imprimatur_reconcile_seconds: int = Field(default=300, ge=1, le=86_400)
    imprimatur_lease_seconds: int = Field(default=90, ge=LEASE_SECONDS[0], le=LEASE_SECONDS[1])
    email_url: str = ""
    log_format: Literal["json", "console"] = "console"
    demo_password: SecretStr = SecretStr("")

    @field_validator("imprimatur_data_dir")
    @classmethod
    def _usable_folder(cls, value: Path) -> Path:
        try:
            folder = value.expanduser().resolve()
            # Unpublished texts and sessions lie there; who made it with other rights meant them.
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except RuntimeError:
            raise ValueError("begins with ~ and the name of nobody on this machine") from None
        except OSError as error:
            raise ValueError(f"the folder cannot be made ({error.strerror})") from error
        return folder

    @field_validator("database_url")
    @classmethod
    def _database(cls, value: str) -> str:
        if value:
            env_rules.database(env_rules.with_scheme(value, DATABASE_SCHEMES))
        return value

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: str) -> str:
        if value:
            env_rules.redis(env_rules.with_scheme(value, REDIS_SCHEMES))
        return value

    @field_validator("email_url")
    @classmethod
    def _mail(cls, value: str) -> str:
        if value:
            env_rules.mail(env_rules.with_scheme(value, EMAIL_SCHEMES))
        return value

    @field_validator("public_url")
    @classmethod
    def _public(cls, value: str) -> str:
        return env_rules.public(value) if value else ""

    @field_validator("llm_base_url")
    @classmethod
    def _provider(cls, value: str) -> str:
        if value:
            env_rules.provider(value)
        return value.rstrip("/")

    @field_validator("llm_api_key")
    @classmethod
    def _api_key(cls, value: SecretStr) -> SecretStr:
        return SecretStr(env_rules.key(value.get_secret_value()))

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts(cls, value: str) -> str:
        for name in split(value):
            env_rules.host(name)
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        for part in split(value):
            try:
                ipaddress.ip_network(part)
            except ValueError as error:
                raise ValueError(
                    "must be IP addresses or networks, separated by commas; a network such as "
                    "10.0.0.0/8 begins at its first address"
                ) from error
        return value

    @field_validator("imprimatur_git_protocols")
    @classmethod
    def _protocols(cls, value: str) -> str:
        if not split(value) or not set(split(value)) <= GIT_PROTOCOLS:
            raise ValueError(f"must name some of {_listed(GIT_PROTOCOLS)}, separated by commas")
        return value

    @field_validator("imprimatur_git_hosts")
    @classmethod
    def _git_hosts(cls, value: str) -> str:
        for name in split(value):
            env_rules.git_host(name)
        return value.lower()

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
        return env_rules.proxy(value) if value else ""

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < SECRET_CHARACTERS:
            raise ValueError(f"must have at least {SECRET_CHARACTERS} characters")
        return value

    @field_validator("secret_key_file")
    @classmethod
    def _key_file(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        env_rules.secret(env_rules.file(value), least=SECRET_CHARACTERS)
        return value.absolute()

    @field_validator("secret_key_fallback_files")
    @classmethod
    def _former_key_files(cls, value: str) -> str:
        files = [env_rules.file(Path(name)) for name in split(value)]
        for path in files:
            env_rules.secret(path, least=SECRET_CHARACTERS)
        return ",".join(map(str, files))

    @field_validator("llm_api_key_file")
    @classmethod
    def _api_key_file(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        env_rules.secret(env_rules.file(value), is_line=True)  # it becomes a header
        return value.absolute()

    @field_validator("imprimatur_git_ca_file")
    @classmethod
    def _certificates(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        env_rules.certificates(env_rules.file(value))
        return value.absolute()


def split(value: str) -> list[str]:
    """Split a list written with commas."""
    return [part.strip() for part in value.split(",") if part.strip()]


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
