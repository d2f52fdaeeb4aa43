"""The table of credential shapes: what starts one, how it goes on, and what only looks like one."""

import re
from collections.abc import Callable
from dataclasses import dataclass

# ``\b`` sees no border between a Chinese character and a letter, so borders are ASCII look-arounds.
_LEFT = r"(?<![A-Za-z0-9_\-])"
_RIGHT = r"(?![A-Za-z0-9_\-])"

_PLACEHOLDER = re.compile(
    r"(?:x+|\*+|\.+|…+|-+|_+|<.*>|\$.*|%.*%|\{.*\}|\[.*\]|(?:your|my|the|some|an?)[-_ ].*|example.*"
    r"|changeme|placeholder|redacted|null|none|nil|true|false|undefined|string|password|passwd|secret|token"
    r"|(?:process\.env|os\.environ|env|import\.meta|config|settings|secrets|vars)[.\[(].*)",
    re.IGNORECASE | re.DOTALL,
)
_PATH_LIKE = re.compile(r"(?:\.{1,2}|~)?/(?:[\w.\-]+/)+[\w.\-]*|https?://[^@]*")
_DOTTED_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+")
_SAMPLE_USERS = frozenset({"user", "username", "name"})
_SAMPLE_PASSWORDS = frozenset({"password", "pass", "passwd", "pw"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape: the texts it can start with, the pattern from there, and a last look at the match.

    The pattern names the part to hide ``s`` or ``bare``; without such a group all of it is hidden.
    With ``is_folded`` the anchors are looked for in the lower-cased text. ``is_told``: only a word
    before the value tells it; from another line it is told by its own look as well.
    """

    name: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    is_folded: bool = False
    is_told: bool = False
    accepts: Callable[[re.Match[str]], bool] | None = None


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret and is none: ``<token>``, ``$TOKEN``, ``xxx``."""
    return _PLACEHOLDER.fullmatch(value) is not None


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _accepts_assignment(match: re.Match[str]) -> bool:
    value = match["s"] or match["bare"]
    if is_placeholder(value) or _PATH_LIKE.fullmatch(value):
        return False
    if "token" in match["key"].lower() and len(value) < 16:
        return False
    if match["quote"]:
        has_sign = any(not c.isalnum() and not c.isspace() and c not in "-_.,:;'/" for c in value)
        return _mixed(value) or (has_sign and " " not in value and value.isascii())
    is_call = match.string[match.end() : match.end() + 1] in ("(", "[")
    return _mixed(value) and not is_call and not _DOTTED_NAME.fullmatch(value)


def _accepts_url(match: re.Match[str]) -> bool:
    if match["s"] is None:
        return _mixed(match["bare"])
    user, _, password = match["s"].partition(":")
    if is_placeholder(password):
        return password.lower() in _SAMPLE_PASSWORDS and user.lower() not in _SAMPLE_USERS
    return not (user.lower() in _SAMPLE_USERS and password.lower() in _SAMPLE_PASSWORDS)


def _accepts_bearer(match: re.Match[str]) -> bool:
    return _mixed(match["s"]) and not is_placeholder(match["s"])


def _accepts_cookie(match: re.Match[str]) -> bool:
    return _mixed(match["value"])


def _token(name: str, anchors: str, body: str) -> Rule:
    """A rule for one vendor's prefix; the alternatives of the prefix are separated by blanks."""
    starts = tuple(anchors.split())
    prefix = "|".join(re.escape(start) for start in starts)
    return Rule(name, starts, re.compile(f"{_LEFT}(?:{prefix}){body}{_RIGHT}"))


_KEY_WORDS = (
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "access-key",
    "accesskey",
    "private_key",
    "auth_token",
    "auth-token",
    "authtoken",
    "access_token",
    "access-token",
    "accesstoken",
    "refresh_token",
    "bot_token",
    "bearer_token",
    "credential",
    "密码",
    "口令",
    "密钥",
    "令牌",
)

_VENDORS = (
    _token("aws-access-key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}"),
    _token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{36,255}"),
    _token("github-token", "github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    _token(
        "gitlab-token", "glpat- glptt- glrt- gldt- glcbt- glsoat- glft-", r"[A-Za-z0-9_\-.]{18,300}"
    ),
    _token(
        "slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[A-Za-z0-9\-]{10,250}"
    ),
    _token("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", "[A-Za-z0-9]{16,250}"),
    _token("webhook-secret", "whsec_", "[A-Za-z0-9+/=]{24,200}"),
    _token(
        "model-api-key",
        "sk-proj- sk-ant- sk-svcacct- sk-admin- sk-or-",
        r"[A-Za-z0-9_\-]{16,250}",
    ),
    _token("model-api-key", "sk-", "[A-Za-z0-9]{32,200}"),
    _token("google-api-key", "AIza", r"[A-Za-z0-9_\-]{35}"),
    _token("google-oauth", "ya29. GOCSPX-", r"[A-Za-z0-9_\-]{20,500}"),
    _token("npm-token", "npm_", "[A-Za-z0-9]{36}"),
    _token("pypi-token", "pypi-AgE", r"[A-Za-z0-9_\-]{40,400}"),
    _token("huggingface-token", "hf_", "[A-Za-z0-9]{30,50}"),
    _token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{64}"),
    _token("docker-token", "dckr_pat_ dckr_oat_", r"[A-Za-z0-9_\-]{20,100}"),
    _token("shop-token", "shpat_ shpca_ shppa_ shpss_", "[a-fA-F0-9]{32}"),
    _token("mail-api-key", "SG.", r"[A-Za-z0-9_\-]{20,24}\.[A-Za-z0-9_\-]{40,50}"),
    _token("vault-token", "hvs. hvb. hvr.", r"[A-Za-z0-9_\-]{24,300}"),
    _token("aliyun-access-key", "LTAI", "[A-Za-z0-9]{12,26}"),
    _token("tencent-secret-id", "AKID", "[A-Za-z0-9]{32}"),
    _token("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{40,80}"),
    _token("imprimatur-token", "imp_ pub_", r"[A-Za-z0-9_\-]{43}"),
    # The link of the first admin. What is in small or in capital letters alone is a name in a program.
    _token(
        "imprimatur-token",
        "set_",
        r"(?=[a-z0-9_\-]{0,42}[A-Z])(?=[A-Z0-9_\-]{0,42}[a-z])[A-Za-z0-9_\-]{43}",
    ),
    _token(
        "json-web-token",
        "eyJ",
        r"[A-Za-z0-9_\-]{8,2000}\.[A-Za-z0-9_\-]{8,8000}\.[A-Za-z0-9_\-]{8,2000}",
    ),
)

_SHAPES = (
    Rule(
        "private-key",
        ("-----BEGIN ",),
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:\s{1,4}[A-Za-z\-]{1,20}: [^\r\n]{0,200}){0,8}"
            r"(?:[A-Za-z0-9+/=\s]|\\[nr]){40,}"
            r"(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    Rule(
        "bot-token",
        (":AA",),
        re.compile(r"(?<=[0-9]{8}):AA[A-Za-z0-9_\-]{33}" + _RIGHT),
    ),
    Rule(
        "webhook-url",
        ("hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
        re.compile(r"[a-z.]{8,20}/(?:services|api/webhooks)/(?P<s>[A-Za-z0-9_\-/]{20,200})"),
    ),
    Rule(
        "storage-key",
        ("accountkey=", "sharedaccesskey="),
        re.compile(r"(?i:accountkey|sharedaccesskey)=(?P<s>[A-Za-z0-9+/]{40,120}={0,2})"),
        is_folded=True,
    ),
    Rule(
        "url-credentials",
        ("://",),
        re.compile(
            r"://(?:(?P<s>[^\s/:@?#\"'<>`|]{0,200}:[^\s/\"'<>`|]{1,300})|(?P<bare>[A-Za-z0-9_\-]{20,300}))@"
        ),
        accepts=_accepts_url,
    ),
    Rule(
        "authorization",
        ("bearer ", "basic ", "token ", "apikey "),
        re.compile(
            r"(?i:bearer|basic|token|apikey)[ \t]{1,4}"
            r"(?P<s>[A-Za-z0-9._~+/=\-]{20,4000})(?![A-Za-z0-9._~+/=\-])"
        ),
        is_folded=True,
        is_told=True,
        accepts=_accepts_bearer,
    ),
    Rule(
        "cookie",
        ("cookie:",),
        re.compile(
            r"(?i:cookie):[ \t]{0,4}"
            r"(?P<s>[\w.\-]{1,64}=(?P<value>[^\s;\"']{16,4000})[^\r\n\"']{0,4000})"
        ),
        is_folded=True,
        is_told=True,
        accepts=_accepts_cookie,
    ),
    Rule(
        "password",
        tuple(_KEY_WORDS),
        re.compile(
            "(?P<key>(?i:" + "|".join(_KEY_WORDS) + ")"
            r"(?i:[_\-]?(?:access[_\-]?)?(?:key|token|value))?[0-9]{0,2})"
            r"[\"'`]?[ \t]{0,4}(?::=|=>|[:=：是为])[ \t]{0,4}"
            r"(?:(?P<quote>[\"'`])(?P<s>[^\"'`\r\n]{6,200})(?P=quote)"
            r"|(?P<bare>[^\s\"'`,;<>()\[\]{}|（）「」，。；、！]{6,}+))"
        ),
        is_folded=True,
        is_told=True,
        accepts=_accepts_assignment,
    ),
)

RULES: tuple[Rule, ...] = _VENDORS + _SHAPES
