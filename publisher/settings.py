"""Django's settings, made from the environment alone."""

from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from publisher import databases, env, env_rules, logs, mail, secret_key

# Lets generic classes such as ModelAdmin name their type when they run, not only when checked.
django_stubs_ext.monkeypatch()

ENV = env.read()
BASE_DIR = env.BASE_DIR
DATA_DIR = ENV.imprimatur_data_dir
HAS_REVIEWS = getattr(find_spec("reviews"), "origin", None) is not None

# What only this program reads.
IMPRIMATUR_DATA_DIR = DATA_DIR
IMPRIMATUR_FAULT = ENV.imprimatur_fault
IMPRIMATUR_GIT_PROTOCOLS = tuple(env.split(ENV.imprimatur_git_protocols))
IMPRIMATUR_GIT_HOSTS = tuple(env.split(ENV.imprimatur_git_hosts))
IMPRIMATUR_GIT_CA_FILE = str(ENV.imprimatur_git_ca_file or "")
IMPRIMATUR_HTTPS_PROXY = ENV.imprimatur_https_proxy
IMPRIMATUR_GIT_TOLERATE = tuple(env.split(ENV.imprimatur_git_tolerate))
IMPRIMATUR_GIT_SECONDS = ENV.imprimatur_git_seconds
IMPRIMATUR_CLI_DECISIONS = ENV.imprimatur_cli_decisions
IMPRIMATUR_NODE = ENV.imprimatur_node
IMPRIMATUR_RECONCILE_SECONDS = ENV.imprimatur_reconcile_seconds
IMPRIMATUR_LEASE_SECONDS = ENV.imprimatur_lease_seconds
IMPRIMATUR_AUTHORITY = "reviews.authority.DatabaseAuthority" if HAS_REVIEWS else None
DEMO_PASSWORD = ENV.demo_password.get_secret_value()
LLM_BASE_URL = ENV.llm_base_url
LLM_MODEL = ENV.llm_model
LLM_API_KEY = ENV.llm_api_key.get_secret_value()
if ENV.llm_api_key_file is not None:
    LLM_API_KEY = env_rules.secret(ENV.llm_api_key_file)
PUBLIC_URL = ENV.public_url
TRUSTED_PROXIES = env.split(ENV.trusted_proxies)

# Django's core.
DEBUG = ENV.debug
SECRET_KEY = ENV.secret_key.get_secret_value()
if ENV.secret_key_file is not None:
    SECRET_KEY = env_rules.secret(ENV.secret_key_file)
if not SECRET_KEY:
    SECRET_KEY = secret_key.load_or_make(DATA_DIR / "secret_key")
SECRET_KEY_FALLBACKS = [
    env_rules.secret(Path(name)) for name in env.split(ENV.secret_key_fallback_files)
]
PUBLIC_HOST = urlsplit(PUBLIC_URL).hostname
if PUBLIC_HOST and ":" in PUBLIC_HOST:
    PUBLIC_HOST = f"[{PUBLIC_HOST}]"  # as the Host header spells it
ALLOWED_HOSTS = env.split(ENV.allowed_hosts) or ["localhost", "127.0.0.1", "[::1]"]
if PUBLIC_HOST and PUBLIC_HOST not in ALLOWED_HOSTS:
    ALLOWED_HOSTS.append(PUBLIC_HOST)

INSTALLED_APPS = [
    "publisher.apps.PublisherConfig",
    *(["reviews"] if HAS_REVIEWS else []),
    "publisher.apps.ReadOnlyAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_q",
    "axes",
    "csp",
    "django_htmx",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # The people's app puts its own middleware here (see REVIEWS_MIDDLEWARE below).
    "publisher.request_bodies.NotTooLarge",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
# Default deny and the like: names in the order in which they run, right after authentication.
REVIEWS_MIDDLEWARE = [
    "reviews.session_ends.SessionEnds",
    "reviews.api.middleware.ApiProblems",
    "reviews.nul.NoNul",
    "reviews.middleware.DefaultDeny",
]
if HAS_REVIEWS:
    _after = MIDDLEWARE.index("django.contrib.auth.middleware.AuthenticationMiddleware") + 1
    MIDDLEWARE[_after:_after] = REVIEWS_MIDDLEWARE
    AXES_LOCKOUT_CALLABLE = "reviews.views.errors.locked_out"
    CSRF_FAILURE_VIEW = "reviews.views.errors.csrf_failed"

ROOT_URLCONF = "publisher.urls"
WSGI_APPLICATION = "publisher.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
            ],
        },
    }
]
DATABASES = {"default": databases.configure(ENV.database_url, data_dir=DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Files. Artifacts lie where no address leads; static files carry their hash in the name.
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [path for path in [BASE_DIR / "static"] if path.is_dir()]
STATIC_STORAGE = "whitenoise.storage.CompressedManifestStaticFilesStorage"
if DEBUG:
    STATIC_STORAGE = "django.contrib.staticfiles.storage.StaticFilesStorage"
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(DATA_DIR / "files")},
    },
    "artifacts": {
        "BACKEND": "publisher.storage.DurableFileSystemStorage",
        "OPTIONS": {"location": str(DATA_DIR / "artifacts")},
    },
    "staticfiles": {"BACKEND": STATIC_STORAGE},
}
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024

# Caches and the queue. Its state is written twice a second, so it has a file cache of its own.
REDIS_URL = ENV.redis_url
FILE_CACHE = "django.core.cache.backends.filebased.FileBasedCache"
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": FILE_CACHE, "LOCATION": str(DATA_DIR / "cache")},
    "qstat": {"BACKEND": FILE_CACHE, "LOCATION": str(DATA_DIR / "qstat")},
}
if REDIS_URL:
    CACHES["default"] = {
        "BACKEND": "publisher.caches.PatientRedisCache",
        "LOCATION": REDIS_URL,
    }
# A hint is a doorbell: it runs once or is lost, and the look at due work brings it back.
Q_CLUSTER: dict[str, Any] = {
    "name": "publisher",
    "workers": 2,
    "timeout": 900,
    "retry": 3600,
    "poll": 0.05,
    "guard_cycle": 0.5,
    "save_limit": -1,
    "max_attempts": 1,
    "ack_failures": True,
    "bulk": 1,
    "queue_limit": 2,
    "catch_up": False,
    "recycle": 500,
    "cache": "qstat",
    **({"redis": REDIS_URL} if REDIS_URL else {"orm": "default"}),
}

# People: passwords, login throttling, sessions.
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_HTTP_RESPONSE_CODE = 429
AXES_CLIENT_IP_CALLABLE = "publisher.clients.client_address"
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"
SECURE = PUBLIC_URL.startswith("https://")
# A name that browsers take from this host alone and over https alone.
_HOST_ONLY = "__Host-" if SECURE else ""
SESSION_COOKIE_NAME = f"{_HOST_ONLY}sessionid"
CSRF_COOKIE_NAME = f"{_HOST_ONLY}csrftoken"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = SECURE
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = SECURE
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "frame-src": [SELF],
    }
}

# Languages and time.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "publisher.formats"
TIME_ZONE = "UTC"
USE_TZ = True

LOGGING = logs.configure(ENV.log_format)
vars().update(mail.configure(ENV.email_url))
