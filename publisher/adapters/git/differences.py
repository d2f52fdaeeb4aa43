"""Differences: the unified diff of two contents, by git's histogram algorithm."""

from pathlib import Path

from publisher.adapters.git.runner import Runner

DIFF_CAP = 64 << 20


def diff(runner: Runner, old: bytes, new: bytes, *, context: int = 3) -> str:
    """Hunks only, "" when the contents are equal. No attribute, driver or filter has a say."""
    if old == new:
        return ""
    with runner.scratch() as scratch:
        before, after = Path(scratch, "old"), Path(scratch, "new")
        before.write_bytes(old)
        after.write_bytes(new)
        answer = runner.run(
            "diff", "--no-index", "--histogram", "--no-ext-diff", "--no-textconv", "--no-color",
            "--text", f"--unified={max(0, context)}", paths=[str(before), str(after)],
            ok=(0, 1), cap=DIFF_CAP,
        )  # fmt: skip
    text = answer.out.decode("utf-8", "replace")
    start = text.find("\n@@ ")
    return text[start + 1 :] if start >= 0 else ""
