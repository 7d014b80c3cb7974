"""Markdown of pages and notebooks as HTML, with nothing in it that could act: what a page says is data.

HTML in the text is shown as text, but for folded answers (`<details>`) and comments, which are left out. Parts that
are drawn come in between as they are made; links are as the caller wants them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from itertools import count
from typing import Any

from dexpatterns.pages.markers import Marker, replaced

__all__ = ["highlighted", "render"]

_DETAILS = re.compile(r"<details>\s*<summary>(?P<summary>[^<]*)</summary>(?P<body>.*?)</details>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PLACES = re.compile("<p>\ue000(\\d+)\ue001</p>|\ue000(\\d+)\ue001")
"""Where a part comes in: two characters that no text may have, and its number."""
_CODE = re.compile(r"(`{3,}|~{3,})[^\n]*\n.*?\n\1|(`+)(?!`).*?(?<!`)\2(?!`)", re.DOTALL)


def render(
    text: str,
    *,
    drawn: Callable[[Marker], str | None] = lambda _marker: None,
    link: Callable[[str], str] = lambda href: href,
) -> str:
    """The text as HTML. `drawn` gives the HTML of a generated part, or None to show what stands there; `link` gives the
    address of a link or picture, '#' for what is not there.
    """
    parts: dict[int, str] = {}
    numbers = count()

    def place(html: str) -> str:
        number = next(numbers)
        parts[number] = html
        return f"\ue000{number}\ue001"

    def part(marker: Marker) -> str:
        html = None if marker.inline else drawn(marker)
        return marker.body if html is None else f"\n{place(html)}\n"

    def folded(found: re.Match[str]) -> str:
        opened = place(f"<details><summary>{escape(found['summary'].strip())}</summary>")
        return f"\n\n{opened}\n\n{found['body']}\n\n{place('</details>')}\n\n"

    text = re.sub("[\ue000\ue001]", "\ufffd", text)
    text = _outside_code(replaced(text, part), lambda prose: _DETAILS.sub(folded, _COMMENT.sub("", prose)))
    html = str(_markdown(link).render(text))
    return _PLACES.sub(lambda found: parts[int(found[1] or found[2])], html)


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """A fold may hold code, so the code is laid aside for the change and then put back."""
    kept: list[str] = []

    def aside(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\ue000c{len(kept) - 1}\ue001"

    return re.sub("\ue000c(\\d+)\ue001", lambda found: kept[int(found[1])], change(_CODE.sub(aside, text)))


def _markdown(link: Callable[[str], str]) -> Any:
    from markdown_it import MarkdownIt

    made: Any = MarkdownIt("commonmark", {"html": False, "highlight": _highlight}).enable(["table", "strikethrough"])

    def link_open(tokens: Any, at: int, options: Any, env: Any) -> str:
        token = tokens[at]
        token.attrSet("href", link(str(token.attrGet("href") or "")))
        if str(token.attrGet("href")).startswith("https:"):
            token.attrSet("rel", "noopener noreferrer")
        return str(made.renderer.renderToken(tokens, at, options, env))

    def image(tokens: Any, at: int, _options: Any, _env: Any) -> str:
        # A picture of elsewhere would be asked for: its words stand in its place.
        source, words = link(str(tokens[at].attrGet("src") or "")), escape(tokens[at].content)
        away = source == "#" or re.match(r"[a-z]+:|//", source, re.IGNORECASE)
        return words if away else f'<img src="{escape(source)}" alt="{words}">'

    made.renderer.rules["link_open"] = link_open
    made.renderer.rules["image"] = image
    return made


def _highlight(code: str, name: str, _attrs: str) -> str:
    return "" if name in ("", "text") else highlighted(code, name)


def highlighted(code: str, name: str) -> str:
    """The code with its words in classes of `site.css`, escaped; as it is where the language is not known."""
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(name, stripnl=False)
    except ClassNotFound:
        return escape(code)
    made = highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix="hl-"))
    return f'<pre><code class="language-{escape(name)}">{made}</code></pre>\n'
