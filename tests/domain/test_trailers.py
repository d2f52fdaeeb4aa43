"""Trailers: only real ones count, what is written is read back, and no title adds one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain.errors import InvalidInput
from publisher.domain.trailers import (
    bare_hex,
    is_ambiguous,
    job_message,
    message,
    one_line,
    parse,
    value,
    values,
    write,
)
from tests.support.growth import no_explosion

HEX = "ab" * 32
ENVELOPE = {
    "job_id": "0190-1",
    "action": "blog.publish/v1",
    "target": {
        "operation": "update",
        "paths": [{"path": "content/第二篇 🙂.mdx", "base_sha256": None}],
    },
    "commit": {"subject": "Update Second post", "author": "A <a@b>"},
}


def test_the_last_paragraph_is_read_in_order() -> None:
    text = "Subject\n\nBody.\n\nBlog-Job-Id: j1\nBlog-Writer-Node:   n1  \n"
    assert parse(text) == (("Blog-Job-Id", "j1"), ("Blog-Writer-Node", "n1"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "Blog-Job-Id: j1",
        "\n\nBlog-Job-Id: j1\n",
        "Subject\nBlog-Job-Id: j1\n",
        "Subject\n\nBlog-Job-Id: j1\n\nand it never arrived.\n",
        "Subject\n\nthe commit should have carried\nBlog-Job-Id: j1\n",
        "Subject\n\nBlog-Job-Id: j1\nBlog-Manifest-Sha256: x\nLost: y\nas it was said\n",
        "Subject\n\n    Blog-Job-Id: j1\n",
        "Subject\n\n> Blog-Job-Id: j1\n",
        "Subject\n\n\u00a0Blog-Job-Id: j1\n",
        "Subject\n\nBlog Job Id: j1\n",
        "Subject\n\nBlog_Job_Id: j1\n",
        "Subject\n\nBlog-Job-Id\uff1a j1\n",
        "Subject\n\nNote\rBlog-Job-Id: j1\n",
        "Subject\n\nNote\u2028Blog-Job-Id: j1\n",
        "Subject\n\n(cherry picked from commit abc1234)\n",
    ],
)
def test_what_only_looks_like_a_trailer_does_not_count(text: str) -> None:
    assert parse(text) == ()


def test_a_quotation_in_the_middle_does_not_hide_the_real_trailers() -> None:
    text = "Subject\n\nBlog-Job-Id: quoted\n\nBlog-Job-Id: real\n"
    assert parse(text) == (("Blog-Job-Id", "real"),)


def test_a_line_break_other_than_a_line_feed_stays_within_its_value() -> None:
    text = "Subject\n\nBlog-Job-Id: j1\u2028Signed-off-by: Boss\u0085X: y\n"
    assert parse(text) == (("Blog-Job-Id", "j1\u2028Signed-off-by: Boss\u0085X: y"),)


def test_windows_line_ends_are_no_part_of_a_value() -> None:
    assert parse("Subject\r\n\r\nBlog-Job-Id: j1\r\n") == (("Blog-Job-Id", "j1"),)


def test_a_continued_line_belongs_to_the_value_above() -> None:
    assert parse("S\n\nBlog-Job-Id: j1\n  more\nX: y\n") == (("Blog-Job-Id", "j1 more"), ("X", "y"))


def test_a_cherry_pick_keeps_the_trailers() -> None:
    text = f"S\n\nBlog-Job-Id: j1\n(cherry picked from commit {'a' * 40})\n"
    assert parse(text) == (("Blog-Job-Id", "j1"),)


def test_a_value_is_found_by_its_key_in_any_case() -> None:
    assert value((("blog-job-id", "j1"), ("X", "y")), "Blog-Job-Id") == "j1"


def test_an_absent_key_has_no_value_and_is_not_ambiguous() -> None:
    assert value((("X", "y"),), "Z") is None
    assert not is_ambiguous((("X", "y"),), "Z")


@pytest.mark.parametrize("second", ["j1", "j2"])
def test_two_values_of_one_key_are_ambiguous(second: str) -> None:
    trailers = (("Blog-Job-Id", "j1"), ("BLOG-JOB-ID", second))
    assert value(trailers, "Blog-Job-Id") is None
    assert is_ambiguous(trailers, "Blog-Job-Id")
    assert values(trailers, "blog-job-id") == ("j1", second)


_KEYS = st.from_regex(r"[A-Za-z0-9-]{1,20}", fullmatch=True)
_VALUES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).map(one_line).filter(bool)
_TRAILERS = st.lists(st.tuples(_KEYS, _VALUES), min_size=1, max_size=6)
_TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("\n\r\t :-\u2028\x85")), max_size=60
) | st.sampled_from(["Blog-Job-Id: j9", "a\n\nBlog-Job-Id: j9\nX: y", "\n\n", "x\n\n\nA: b\n\n"])


@given(trailers=_TRAILERS, subject=_TEXT, body=_TEXT)
def test_what_is_written_is_read_back_whatever_subject_and_body_say(
    trailers: list[tuple[str, str]], subject: str, body: str
) -> None:
    text = message(subject=f"x{subject}", body=body, trailers=trailers)
    assert parse(text) == tuple(trailers)
    assert text.encode()


@given(trailers=st.lists(st.tuples(st.text(max_size=5), st.text(max_size=8)), max_size=3))
def test_whatever_would_not_be_read_back_is_refused(trailers: list[tuple[str, str]]) -> None:
    try:
        block = write(trailers)
    except InvalidInput:
        return
    assert parse(f"Subject\n\n{block}") == tuple(trailers)


@pytest.mark.parametrize(
    "trailers",
    [
        [],
        [("", "x")],
        [("Blog Job", "x")],
        [("Blog\nX", "x")],
        [("Blog-Job-Id", "")],
        [("Blog-Job-Id", " x")],
        [("Blog-Job-Id", "x\nSigned-off-by: Boss")],
        [("Blog-Job-Id", "x\u2028y")],
    ],
)
def test_a_trailer_that_is_not_one_line_is_refused(trailers: list[tuple[str, str]]) -> None:
    with pytest.raises(InvalidInput):
        message(subject="s", body="", trailers=trailers)


@pytest.mark.parametrize("subject", ["", " ", "\n\n", "\u2028"])
def test_a_message_needs_a_subject(subject: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        message(subject=subject, body="", trailers=[("X", "y")])
    assert caught.value.field == "subject"


def test_a_message_is_subject_body_and_trailers() -> None:
    text = message(subject="S", body="\none\r\n\ntwo\n\n", trailers=[("X", "y")])
    assert text == "S\n\none\n\ntwo\n\nX: y\n"


def test_a_title_with_line_breaks_becomes_one_line() -> None:
    title = "Hello\n\nBlog-Job-Id: job-9999\nSigned-off-by: Boss <b@x>\u2028x\r\ny"
    assert one_line(title) == "Hello Blog-Job-Id: job-9999 Signed-off-by: Boss <b@x> x y"


def test_spaces_of_a_title_without_breaks_are_kept() -> None:
    assert one_line("  Tea  or\u3000coffee: \\ {x} ") == "Tea  or\u3000coffee: \\ {x}"


def test_a_long_line_is_cut_at_its_limit() -> None:
    assert one_line("a" * 11, limit=10) == "a" * 9 + "…"
    assert one_line("a" * 10, limit=10) == "a" * 10


@given(text=_TEXT, limit=st.integers(1, 50))
def test_one_line_is_one_line_within_its_limit_and_stable(text: str, limit: int) -> None:
    line = one_line(text, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert line.encode().decode() == line
    assert one_line(line, limit=limit) == line


def test_a_huge_title_of_spaces_takes_linear_time() -> None:
    with no_explosion():
        one_line("x" + " " * 2_000_000 + "x")


def job_text(**changes: object) -> str:
    envelope = {**ENVELOPE, **changes}
    return job_message(
        envelope,
        prefix="Blog",
        job_id="0190-1",
        manifest_hash="sha256:" + HEX,
        base_commit="c" * 40,
        writer_node="home/node-1",
        binding_hash="sha256:" + "cd" * 32,
    )


def test_a_jobs_commit_message_is_this_template() -> None:
    assert job_text() == (
        "Update Second post\n\n"
        "blog.publish/v1, update:\n\n"
        "  content/第二篇 🙂.mdx\n\n"
        "Blog-Job-Id: 0190-1\n"
        f"Blog-Manifest-Sha256: {HEX}\n"
        f"Blog-Base-Commit: {'c' * 40}\n"
        "Blog-Writer-Node: home/node-1\n"
        f"Blog-Approval: {'cd' * 32}\n"
    )


def test_a_subject_adds_no_trailer_to_a_jobs_commit() -> None:
    subject = "Hi\n\nBlog-Job-Id: job-9999\nSigned-off-by: Boss"
    text = job_text(commit={"subject": subject, "author": "A <a@b>"})
    assert value(parse(text), "Blog-Job-Id") == "0190-1"
    assert values(parse(text), "Signed-off-by") == ()


def test_nothing_outside_of_the_bound_template_leaves() -> None:
    assert "secret topic" not in job_text(topic="secret topic", requester="secret topic")


def test_the_envelope_of_another_job_is_refused() -> None:
    with pytest.raises(InvalidInput):
        job_text(job_id="0190-2")


@pytest.mark.parametrize("bad", ["", "sha256:", "AB" * 32, "sha1:" + HEX, HEX + "\n", HEX[1:]])
def test_a_trailer_hash_is_64_hex_digits(bad: str) -> None:
    with pytest.raises(InvalidInput):
        bare_hex(bad)
