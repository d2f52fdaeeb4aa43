"""Secrets: what is found, what is left alone, and that scrubbing is stable and linear."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publisher.domain.secret_values import looks_drawn
from publisher.domain.secrets import scan_parted, scan_secrets, scrub_line, scrub_parted, scrub_text
from publisher.domain.trailers import one_line
from tests.support.growth import no_explosion

# Put together at run time, so that no scanner of repositories trips over this file.
A36 = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
HEX32 = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
PEM = (
    "-----BEGIN RSA "
    "PRIVATE KEY-----\n" + ("MIIEow" + A36) * 3 + "\n-----END RSA " + "PRIVATE KEY-----"
)

POSITIVES = [
    ("aws-access-key", "密钥AKIA" + "QRSTUVWX234567AB已失效"),
    ("github-token", "git clone with ghp_" + A36),
    ("github-token", "github_pat_" + "A1b2C3d4E5f6G7h8I9j0K1_" + (A36 + A36)[:59]),
    ("gitlab-token", "PRIVATE-TOKEN is glpat-" + A36[:20]),
    ("slack-token", "xoxb-" + "123456789012-abcdefABCDEF12"),
    ("stripe-key", "sk_live_" + A36[:24]),
    ("model-api-key", "key sk-proj-" + A36 + "-" + A36),
    ("model-api-key", "key sk-ant-api03-" + A36),
    ("model-api-key", "老的 sk-" + A36 + A36[:12] + "。"),
    ("google-api-key", "AIza" + A36[:35]),
    ("npm-token", "npm_" + A36),
    ("huggingface-token", "hf_" + A36[:34]),
    ("vault-token", "hvs." + A36[:28]),
    ("aliyun-access-key", "LTAI" + "5tAbCdEfGh123456"),
    ("imprimatur-token", "pub_" + (A36 + A36)[:43]),
    ("imprimatur-token", "shown once: imp_" + (A36 + A36)[:43]),
    ("imprimatur-token", "https://example.invalid/setup/set_" + (A36 + "_-" + A36)[:43] + "/"),
    (
        "json-web-token",
        "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
    ),
    ("private-key", "key:\n" + PEM + "\nend"),
    ("private-key", '{"k": "' + PEM.replace("\n", "\\n") + '"}'),
    ("bot-token", "bot 123456789:AA" + A36[:33]),
    ("webhook-url", "https://hooks.slack.com/services/T00AA/B00BB/" + A36[:24]),
    ("storage-key", "AccountKey=" + A36 + A36 + "=="),
    ("url-credentials", "see https://bot:s3cr3t@git.example.invalid/x.git"),
    ("url-credentials", "postgres://app:p@ss/word@db".replace("/word", "w0rd")),
    ("url-credentials", "https://" + A36 + "@git.example.invalid/x.git"),
    ("authorization", "curl -H 'Authorization: Bearer " + A36 + "'"),
    ("authorization", "proxy says: basic " + "dXNlcjpwYXNzd29yZDEyMzQ="),
    ("cookie", "Set-Cookie: sessionid=" + HEX32 + "; HttpOnly"),
    ("password", "DB_PASSWORD=Tr0ub4dor&3"),
    ("password", 'password: "c0rrect-horse"'),
    ("password", "密码：Spring2026!"),
    ("password", "口令是 a1b2c3d4。"),
    ("password", '"aws_secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY"'),
    ("password", "//registry.example.invalid/:_authToken=" + HEX32),
    ("password", "client_secret := '" + HEX32 + "'"),
]

NEGATIVES = [
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b fixed it",
    "id 123e4567-e89b-12d3-a456-426614174000",
    'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
    "The password must have at least 12 characters, the token is rotated every 30 days.",
    "密码至少要有 12 个字符，密钥每 90 天更换一次。",
    "password: <your password>",
    "password: ${DB_PASSWORD}",
    "token = process.env.TOKEN2024",
    "api_key: your-api-key-here-123",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "postgres://user:password@localhost/db",
    "https://example.invalid:8443/a@b and mailto:ada@example.invalid",
    "max_tokens: 4096, token: 12ab",
    "const password = usePassword2(form)",
    "secret_key_file: /run/secrets/imprimatur/key1",
    "password: form.fields.password2",
    "Cookie: theme=dark",
    "-----BEGIN PRIVATE " + "KEY----- is the first line of such a file",
    "basic understanding of react-18 is enough",
    "call set_" + "reader_preferences_for_the_2_newest_articles_of_all_times"[:43] + "(reader)",
    "SET set_" + "MAXIMUM_NUMBER_OF_CONNECTIONS_OF_EACH_CLIENT"[:43],
    "skeleton sk-1 and ghp_short, AKIA, eyJ, npm_install",
    "[REDACTED:password] and password: [REDACTED:password]",
]


@pytest.mark.parametrize(("rule", "text"), POSITIVES)
def test_it_finds_a_credential_and_names_its_rule(rule: str, text: str) -> None:
    assert rule in [hit.rule for hit in scan_secrets(text)]


@pytest.mark.parametrize("text", NEGATIVES)
def test_it_leaves_harmless_text_alone(text: str) -> None:
    assert scan_secrets(text) == []
    assert scrub_text(text) == text


def test_it_hides_the_value_and_keeps_the_words_around_it() -> None:
    assert scrub_text('password: "c0rrect-horse" # old') == 'password: "[REDACTED:password]" # old'
    scrubbed = scrub_text("https://bot:s3cr3t@git.example.invalid/x")
    assert scrubbed == "https://[REDACTED:url-credentials]@git.example.invalid/x"


def test_it_counts_lines_from_one() -> None:
    hits = scan_secrets("one\n" + "ghp_" + A36 + "\n\nAKIA" + "QRSTUVWX234567AB")
    assert [hit.line for hit in hits] == [2, 4]


def test_a_credential_that_is_bared_by_scrubbing_is_scrubbed_too() -> None:
    text = scrub_text(PEM + "AKIA" + "QRSTUVWX234567AB")
    assert "QRST" not in text


def test_a_letter_that_grows_in_lower_case_does_not_shift_the_hits() -> None:
    assert (
        scrub_text("\u0130\u0130 PASSWORD=abc12345") == "\u0130\u0130 PASSWORD=[REDACTED:password]"
    )


@settings(max_examples=150)
@given(
    st.lists(
        st.one_of(st.sampled_from([text for _, text in POSITIVES]), st.text(max_size=12)),
        max_size=5,
    )
)
def test_scrubbing_twice_is_scrubbing_once(parts: list[str]) -> None:
    once = scrub_text("".join(parts))
    assert scrub_text(once) == once


@pytest.mark.parametrize(
    "piece",
    ["x", "password=", "://a:", "eyJaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----\n", "cookie: a=b1"],
)
def test_hostile_text_of_five_mebibytes_costs_what_its_length_costs(piece: str) -> None:
    text = piece * (5 * 1024 * 1024 // len(piece))
    with no_explosion():
        scan_secrets(text)


PARTED = [
    ("password:{}hunter2hunter2X9k", "hunter2"),
    ("Authorization: Bearer{}abcdEFGH12345678ijklMNOP", "abcdEFGH"),
    ("Cookie:{}session=abcdEFGH12345678ijklMNOP", "abcdEFGH"),
]
BREAKS = ["\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\x0b", " \n "]


@pytest.mark.parametrize("line_break", BREAKS, ids=ascii)
@pytest.mark.parametrize(("text", "value"), PARTED)
def test_a_credential_that_folding_would_bare_is_in_no_line(
    text: str, value: str, line_break: str
) -> None:
    line = scrub_line(text.format(line_break))
    assert value not in line
    assert "[REDACTED:" in line


@pytest.mark.parametrize("line_break", BREAKS, ids=ascii)
@pytest.mark.parametrize(("text", "value"), PARTED)
def test_a_credential_that_a_break_parts_is_found_and_hidden_where_it_stands(
    text: str, value: str, line_break: str
) -> None:
    whole = "# One\n\nTwo " + text.format(line_break) + "\nlast line\n"
    assert scan_secrets(whole) == []
    (hit,) = scan_parted(whole)
    assert value in whole[hit.start : hit.end]
    assert hit.line == whole.count("\n", 0, whole.index(value)) + 1
    scrubbed = scrub_parted(whole)
    assert scrubbed == f"{whole[: hit.start]}[REDACTED:{hit.rule}]{whole[hit.end :]}"
    assert scrubbed.endswith("]\nlast line\n")


PROSE_WITH_BREAKS = [
    "To change your password:\n\nWindows11: open Settings.",
    "To change your password:\niPhone14 users open Settings",
    "Every user has a secret:\n\nsha256-hashed and salted",
    "The credential:\n\nOAuth2-based flows",
    "The credential:\n\noauth2client and argon2id are names",
    "The password:\n\n**Step1** open the page",
    "the password=\r\n\r\nv1.2.3-beta of the tool",
    'password:\n"Windows11 is great"',
    "It says \"password: 'Windows11\nis a system'\"",
    "We use a bearer\nOAuth2AuthorizationFrameworkRFC6749",
    "It speaks basic \nhttp/1.1-authentication-scheme-rfc7617",
    "a token\nrfc7519-json-web-token-specification",
    "see the token \n/docs/api/v2/authentication-guide.html",
    "Set a cookie:\nutm_source=newsletter-2026-edition",
    "如何重置密码：\n\n第1步：打开设置",
    "默认密码为\n\n12位随机字符串",
    "密码策略要求如下，密码：\n\n至少8位字符，含有大小写字母",
    "忘记密码：\n点击【登录2】页面",
    "密钥是\nAES256算法的一部分",
    "令牌：\n\nOAuth2授权码模式",
]

SECRETS_BEHIND_A_BREAK = [
    ("password", "password:\nhunter2X9kZZ"),
    ("password", "password:\r\n\r\n  hunter2X9kZZ"),
    ("password", "password:\n'Tr0ub4dor&3'"),
    ("password", "The api key:\n\n**a1b2c3d4e5**".replace("api key", "api_key")),
    ("password", "secret_key =\n  " + HEX32),
    ("password", "aws_secret_access_key:\n wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY"),
    ("password", "client_secret:\n123e4567-e89b-42d3-a456-426614174000"),
    ("password", "password:\nxkqzvtrw7mnplvb"),
    ("password", "密码：\n\nhunter2X9kZZ"),
    ("password", "口令是\n“hunter2X9kZZ”"),
    ("authorization", "Authorization: Basic\ndXNlcjpwYXNzd29yZDEyMzQ="),
    ("authorization", "Bearer\nabc123def456ghi789jkl012mno"),
    ("cookie", "Cookie:\nsession=" + HEX32),
    ("github-token", "the token:\nghp_" + A36),
    ("github-token", "first\nghp_" + A36 + "\nlast"),
    ("model-api-key", "my key\n\nsk-proj-" + A36),
    ("model-api-key", "这是\nsk-" + A36),
    ("aws-access-key", "access_key:\n\nAKIA" + "QRSTUVWX234567AB"),
]


@pytest.mark.parametrize("text", PROSE_WITH_BREAKS)
def test_a_word_on_another_line_makes_no_credential_of_a_name(text: str) -> None:
    assert scan_parted(text) == []
    assert scrub_parted(text) == text


@pytest.mark.parametrize(("rule", "text"), SECRETS_BEHIND_A_BREAK)
def test_what_looks_like_a_secret_is_found_behind_a_break(rule: str, text: str) -> None:
    assert rule in [hit.rule for hit in scan_parted(text)]


@settings(max_examples=150)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([text for _, text in POSITIVES]),
            st.sampled_from([*BREAKS, "password:", "cookie:", "bearer", "hunter2X9kZZ"]),
            st.text(max_size=12),
        ),
        max_size=6,
    )
)
def test_what_was_scrubbed_over_its_breaks_shows_no_secret_once_it_is_folded(
    parts: list[str],
) -> None:
    text = scrub_parted("".join(parts))
    assert scan_parted(text) == []
    folded = one_line(text, len(text) + 1)
    assert not [hit for hit in scan_secrets(folded) if looks_drawn(folded[hit.start : hit.end])]


def test_a_line_is_cut_after_its_secrets_are_out() -> None:
    text = "a" * 180 + " password:\nhunter2hunter2X9k"
    line = scrub_line(text)
    assert len(line) == 200
    assert "hun" not in line


@settings(max_examples=150)
@given(
    st.lists(
        st.one_of(st.sampled_from([text for _, text in POSITIVES]), st.text(max_size=12)),
        max_size=5,
    ),
    st.integers(1, 300),
)
def test_a_scrubbed_line_is_one_within_its_limit_and_stable(parts: list[str], limit: int) -> None:
    line = scrub_line("\n".join(parts), limit)
    assert len(line) <= limit
    assert scrub_line(line, limit) == line == scrub_text(line)
