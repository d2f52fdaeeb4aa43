"""Sanitize: the one place where outside text becomes HTML. Bleach first, nh3 has the last word.

Raw HTML never becomes markup: the parser has it off, tags and MDX are shown as code, images are
named and never loaded. ``mark_safe`` is used here and nowhere else.
"""

import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import bleach
import nh3
from django.core.cache import cache
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.common.html_re import HTML_TAG_RE
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from reviews import cutting, unseen
from reviews.presenters import hidden

VERSION = "5"
LONGEST = 512 * 1024
NESTING = 60
DEEPEST = NESTING - 6
KEPT_SECONDS = 24 * 3600

_TAG_NAMES = (
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s del a hr br table thead tbody tr "
    "th td span sup section ins"
)
TAGS = frozenset(_TAG_NAMES.split())
ATTRIBUTES: dict[str, list[str]] = {
    "a": ["href", "title"],
    "pre": ["class"],
    "code": ["class"],
    "span": ["class"],
    "ol": ["start"],
}
SCHEMES = unseen.SHOWN_SCHEMES
CLASSES = frozenset({"user-markup", "user-image"})

_TAG = re.compile(HTML_TAG_RE.pattern.removeprefix("^"))
_BLOCK = re.compile(r"\s{0,3}(?:</?[A-Za-z][A-Za-z0-9.:-]*(?=[\s/>]|$)|<!--|<>|</>)")
_ESM = re.compile(r"(?:import|export)\s.*(?:from\s|['\"{=])")
_ENDS = re.compile(r">\s*$")

_bleach = bleach.Cleaner(
    tags=TAGS, attributes=ATTRIBUTES, protocols=SCHEMES, strip=False, strip_comments=True
)


def _filtered(tag: str, attribute: str, value: str) -> str | None:
    """Only the classes that are given here; a draft cannot borrow the page's own, nor jump in it."""
    if attribute == "href" and value.startswith("#"):
        return None
    if attribute != "class":
        return value
    return value if value in CLASSES else None


_nh3 = nh3.Cleaner(
    tags=set(TAGS),
    attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
    attribute_filter=_filtered,
    url_schemes=set(SCHEMES),
    link_rel="noopener noreferrer nofollow",
)


def _markup_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines that are tags, or imports and exports of MDX: shown as code, never used."""
    first = _text_of(state, start)
    if state.sCount[start] - state.blkIndent >= 4:
        return False
    is_module = state.level == 0 and _ESM.match(first) is not None
    if not is_module and not _BLOCK.match(first):
        return False
    if silent:
        return True
    line = start
    while line + 1 < end and not is_module and not _ENDS.search(_text_of(state, line)):
        if state.isEmpty(line + 1):
            break
        line += 1
    token = state.push("markup_block", "pre", 0)
    token.content = state.getLines(start, line + 1, state.blkIndent, False)
    token.map = [start, line + 1]
    state.line = line + 1
    return True


def _text_of(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _markup_inline(state: StateInline, silent: bool) -> bool:
    """A tag within a line: shown as code."""
    if state.src[state.pos] != "<":
        return False
    match = _TAG.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("markup_inline", "code", 0)
        token.content = match[0]
    state.pos = match.end()
    return True


def _escaped(text: str) -> str:
    """Text between tags, where quotes mean nothing; as entities they would only cost the cleaners time."""
    return html.escape(text, quote=False)


def _render_block(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    return f'<pre class="user-markup"><code>{_escaped(tokens[index].content)}</code></pre>\n'


def _render_inline(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    return f'<code class="user-markup">{_escaped(tokens[index].content)}</code>'


def _render_image(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    """An image is named by its text, address and title; nothing is loaded."""
    token = tokens[index]
    text = renderer.renderInlineAsText(token.children, options, env) if token.children else ""
    source = " ".join(str(token.attrs[name]) for name in ("src", "title") if token.attrs.get(name))
    return f'<span class="user-image">▣ {_escaped(text)} ({_escaped(source)})</span>'


def _render_fence(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    """Code, below what stands behind its fence where that is more than a language."""
    info, above = tokens[index].info, ""
    if not unseen.is_language(info):
        above = f'<p><code class="user-markup">{_escaped(info)}</code></p>\n'
    return f"{above}<pre><code>{_escaped(tokens[index].content)}</code></pre>\n"


def _spell(state: StateCore) -> None:
    """Name what character references stand for: what the source itself holds is spelled before."""
    if "&" in state.src:
        for token in state.tokens:
            _spell_inline(token.children or ())


def _spell_inline(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type == "text" and not token.content.isascii():
            token.content = hidden.spelled(token.content)
        if "title" in token.attrs:
            token.attrSet("title", hidden.spelled(str(token.attrs["title"])))
        _spell_inline(token.children or ())


def _parser() -> MarkdownIt:
    options = {"html": False, "linkify": False, "maxNesting": NESTING}
    parser = MarkdownIt("gfm-like", options).use(footnote_plugin)
    parser.block.ruler.before(
        "paragraph", "markup_block", _markup_block, {"alt": ["paragraph", "blockquote"]}
    )
    parser.inline.ruler.after("autolink", "markup_inline", _markup_inline)
    parser.core.ruler.push("spell", _spell)
    parser.add_render_rule("markup_block", _render_block)
    parser.add_render_rule("markup_inline", _render_inline)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("fence", _render_fence)
    return parser


def parts(body: str) -> cutting.Cut:
    """A text in parts that render fast; where it is cut is kept by content."""
    key = f"cut:{VERSION}:{_digest(body)}"
    kept = cache.get(key)
    if not isinstance(kept, cutting.Cut):
        kept = cutting.cut(body, _parser())
        kept = replace(kept, leaves_out=unseen.in_body(kept, _parser(), DEEPEST))
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def part(cut: cutting.Cut, number: int) -> SafeString:
    """One part of a text, counted from 1, as HTML."""
    chosen = cut.parts[number - 1]
    if chosen.is_plain:
        return mark_safe(clean(_as_code(hidden.spelled(chosen.text))))  # noqa: S308 (cleaned)
    return markdown(chosen.source, cut.references)


def _digest(*texts: str) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


def _as_code(text: str) -> str:
    return f'<pre class="user-markup"><code>{_escaped(text)}</code></pre>'


def markdown(text: str, references: Mapping[str, Any] | None = None) -> SafeString:
    """Markdown or MDX as HTML that can hold nothing but the tags above; kept by content.

    ``references`` are link targets that stand elsewhere.
    """
    if len(text.encode("utf-8", "replace")) > LONGEST:
        text = text.encode("utf-8", "replace")[:LONGEST].decode("utf-8", "ignore")
    known = dict(references or {})
    key = f"rendered:{VERSION}:{_digest(text, json.dumps(known, sort_keys=True) if known else '')}"
    kept = cache.get(key)
    if not isinstance(kept, str):
        kept = clean(_rendered(hidden.spelled(text), known))
        cache.set(key, kept, KEPT_SECONDS)
    return mark_safe(kept)  # noqa: S308 (cleaned)


def _rendered(text: str, references: dict[str, Any]) -> str:
    """Rendered, or as code where it nests so deep that the parser would drop what lies below."""
    parser = _parser()
    env: dict[str, Any] = {"references": references}
    tokens = parser.parse(text, env)
    if any(token.level >= DEEPEST for token in tokens):
        return _as_code(text)
    return str(parser.renderer.render(tokens, parser.options, env))


def marked(markup: str) -> SafeString:
    """HTML that was rendered here and got marks of what changed, cleaned again."""
    return mark_safe(clean(markup))  # noqa: S308 (cleaned)


def clean(markup: str) -> str:
    """HTML through both cleaners."""
    return _nh3.clean(_bleach.clean(markup))
