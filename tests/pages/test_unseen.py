"""Unseen: what is rendered counts as all of a file only where nothing of the file is left out."""

import pytest

from reviews import cutting, sanitize, unseen
from reviews.presenters import content

SENTENCE = "a label that is as long as a whole sentence would be"
HIDING = {
    "comment": "---\n# Not yet to be told\ntitle: Hi\n---\n\nBody.\n",
    "spelt": '---\ntitle: "\\x23"  # Not yet to be told\n---\n\nBody.\n',
    "toml comment": '+++\ntitle = "Hi" # Not yet\n+++\n\nBody.\n',
    "anchor": "---\ntitle: &not-yet-to-be-told Hi\n---\n\nBody.\n",
    "directive": "---\n%BUY these words now\n--- {title: Hi}\n---\n\nBody.\n",
    "spelt directive": '---\n%BUY now\n--- {title: "\\x25"}\n---\n\nBody.\n',
    "merge": "---\n<<: {title: Buy now}\ntitle: Hi\n---\n\nBody.\n",
    "comment by a definition": "Body.\n\n[//]: # (buy now)\n",
    "unused target": "Body.\n\n[evil]: https://h.org/evil\n",
    "target in code alone": "Body `[evil]`.\n\n[evil]: https://h.org/evil\n",
    "second target": "[a]\n\n[a]: https://h.org/a\n[a]: https://h.org/b\n",
    "title of a target": "[a]\n\n[a]: https://h.org/a 'buy now'\n",
    "title of a link": "[a](https://h.org/a 'buy now')\n",
    "link without a text": "Body.[](https://h.org/a)\n",
    "link of nothing seen": "Body.[\u00ad\u2800](https://h.org/a)\n",
    "address that is not kept": "[a](ftp://h.org/a)\n",
    "label": f"[a][{SENTENCE}]\n\n[{SENTENCE}]: https://h.org/a\n",
    "code in a picture": "![`told`](a.png)\n",
    "unnamed note": "Body.\n\n[^x]: Not named.\n",
    "second note": "Body.[^x]\n\n[^x]: One.\n\n[^x]: Two.\n",
    "note in a note": "Body.[^x]\n\n[^x]: One.\n\n    [^y]: Two.\n",
    "cells": "| a | b |\n|---|---|\n| 1 | 2 | buy now |\n",
}
PLAIN = {
    "prose": "# A\n\nWords, *more* `words` and <b>tags</b>.\n\n1. one\n2. two\n",
    "front matter": "---\ntitle: 'C# & co << 100 %'\ntags: [a, b]\n---\n\nBody.\n",
    "targets": "[One][a], [a] and ![two][b].\n\n[a]: https://h.org/a\n[b]: b.png\n",
    "links": "[a](../b.md), [c](#c), <https://h.org> and [d](mailto:a@h.org).\n",
    "references": "[&#8203;](https://h.org/a) and ![Tom &amp; Jerry](a.png)\n",
    "symbol as a link": "[→](https://h.org/a)\n",
    "long label": f"[{SENTENCE}]\n\n[{SENTENCE}]: https://h.org/a\n",
    "note": "Body.[^x]\n\n[^x]: Named.\n",
    "cells": "| a | b |\n|:--|--:|\n| 1 \\| `d` | **2** |\n| 3 |\n",
    "fence": "```rust,ignore\nfn main() {}\n```\n",
    "comment": "Body.\n\n<!-- shown as code -->\n",
}


@pytest.mark.parametrize("text", HIDING.values(), ids=HIDING)
def test_what_is_not_rendered_is_left_to_the_raw_text(text: str) -> None:
    found = content.rendered(text.encode(), 1)
    assert (found["is_full"], found["leaves_out"]) == (False, True)
    assert content.ways(text.encode(), is_prose=True) == ("raw", 1)


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_an_ordinary_article_is_read_by_what_is_rendered(text: str) -> None:
    assert content.rendered(text.encode(), 1)["is_full"]
    assert content.ways(text.encode(), is_prose=True) == ("rendered", 1)


def test_a_target_may_be_used_in_another_part_than_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cutting, "PART_WEIGHT", 480)
    body = "See [the rules][r].\n\n" + "words of it\n\n" * 60 + "[r]: https://h.org/r\n"
    cut = sanitize.parts(body)
    assert len(cut.parts) > 1
    assert not cut.leaves_out
    assert sanitize.parts(body.replace("[r].", "[q].")).leaves_out


def test_a_text_too_long_to_tell_is_read_raw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "PART_WEIGHT", 480)
    cut = sanitize.parts("other words of it\n\n" * 300)
    assert len(cut.parts) > unseen.MOST_LOOKED
    assert cut.leaves_out


def test_what_stands_behind_a_fence_beside_its_language_is_shown() -> None:
    shown = str(sanitize.markdown("```js src/App.js <active>\nx\n```\n"))
    assert "js src/App.js &lt;active&gt;" in shown
    assert "js" not in str(sanitize.markdown("```js\nx\n```\n"))


def test_the_title_of_a_picture_is_shown() -> None:
    assert "(a.png Buy)" in str(sanitize.markdown("![alt](a.png 'Buy')"))
