"""Fonts: the subset holds what is asked for and is the same every time."""

import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTCollection, TTFont

from publisher.prepare.fonts import config_hash, glyphs, missing, subset
from tests.support.fonts import covered, tiny_font

TEXT = "Ab中文"


@pytest.fixture(scope="module")
def font() -> bytes:
    return tiny_font(TEXT + "xyz文章")


def test_glyphs_are_the_code_points_that_are_drawn() -> None:
    assert glyphs("Ab\n\t\r\x00\x85\ufeff中 ") == {ord(char) for char in "Ab中 "}


def test_the_subset_is_woff2_with_these_code_points_only(font: bytes) -> None:
    made = subset(font, glyphs(TEXT))
    assert made[:4] == b"wOF2"
    assert covered(made) == glyphs(TEXT)


def test_the_licence_stays_in_the_font(font: bytes) -> None:
    assert str(TTFont(BytesIO(subset(font, [ord("A")])))["name"].getDebugName(13)) == "free"


def test_the_same_input_gives_the_same_bytes(font: bytes) -> None:
    assert subset(font, [65, 98, 0x4E2D]) == subset(font, [0x4E2D, 98, 65, 65])


def test_another_process_with_another_hash_seed_gives_the_same_bytes(
    font: bytes, tmp_path: Path
) -> None:
    (tmp_path / "font").write_bytes(font)
    code = (
        "import sys, pathlib; from publisher.prepare.fonts import subset;"
        "sys.stdout.buffer.write(subset(pathlib.Path(sys.argv[1]).read_bytes(), [65, 98, 0x4E2D]))"
    )
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONPATH": root}
    arguments = [sys.executable, "-c", code, str(tmp_path / "font")]
    other = subprocess.run(arguments, env=environment, capture_output=True, check=True).stdout
    assert other == subset(font, [65, 98, 0x4E2D])


def test_missing_names_what_the_font_lacks(font: bytes) -> None:
    assert missing(font, glyphs("A语b言")) == sorted([ord("语"), ord("言")])


def test_a_font_of_a_collection_is_taken_by_its_number() -> None:
    collection = TTCollection()
    collection.fonts = [TTFont(BytesIO(tiny_font("A"))), TTFont(BytesIO(tiny_font("AB")))]
    data = BytesIO()
    collection.save(data)
    assert missing(data.getvalue(), [ord("B")], number=0) == [ord("B")]
    assert missing(data.getvalue(), [ord("B")], number=1) == []
    assert covered(subset(data.getvalue(), [ord("B")], number=1)) == {ord("B")}


def test_the_configuration_hash_changes_with_the_font_and_nothing_else() -> None:
    assert config_hash("sha256:a") == config_hash("sha256:a")
    assert config_hash("sha256:a") != config_hash("sha256:b")
    assert config_hash("sha256:a").startswith("sha256:")


_INSTALLED = [
    path
    for path in (Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),)
    if path.exists()
]


@pytest.mark.parametrize(
    "data",
    [tiny_font(TEXT + "xyz文章"), *(path.read_bytes() for path in _INSTALLED)],
    ids=["tiny", *(path.name for path in _INSTALLED)],
)
def test_a_real_font_is_cut_to_the_glyphs_in_use(data: bytes) -> None:
    made = subset(data, glyphs(TEXT))
    assert covered(made) == glyphs(TEXT)
    assert made == subset(data, glyphs(TEXT))
    assert len(made) < 30_000
