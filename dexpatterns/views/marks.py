"""The marks of the swim lanes as SVG: badges, attempts by outcome, the token, and how they look in the legend.

Every shape says its meaning without colour: saved is solid, failed hatched and framed, lost torn with a cross, given
up has a thick stop and waves, cancelled a double slash, running an open end. Marks know pixels and no run.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from dexpatterns.engine.texts import visible
from dexpatterns.views import palette

__all__ = [
    "ID", "STYLE", "attempt", "badge", "cross", "defs", "now", "number", "read", "sample", "tag", "text", "tip",
    "token", "waves", "write",
]  # fmt: skip

ROOT = ".dxp"
ID = "\0"
"""Stands for the id of the picture's patterns until all is drawn; no text that was made visible holds it."""

STYLE = (
    palette.css(ROOT)
    + "".join(f"{ROOT} .f{f}{{--k:var(--{f});--t:var(--{f}t)}}" for f in (*palette.SHAPES, "s"))
    + "".join(
        f"{ROOT} {rule}"
        for rule in (
            (
                "text{font:12px var(--jp-ui-font-family,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',"
                "Arial,'Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif);fill:var(--text);"
                "unicode-bidi:isolate;font-variant-numeric:tabular-nums;white-space:pre}"
            ),
            ".h{font-size:15px;font-weight:600}",
            ".hh{font-size:13px;font-weight:600}",
            ".p{font-size:11px;font-weight:700}",
            ".q{fill:var(--quiet)}",
            ".x{font-size:10px;fill:var(--quiet)}",
            ".xa{font-size:10px;fill:var(--quiet);stroke:var(--page);stroke-width:3;paint-order:stroke}",
            ".w{font-size:12px;fill:var(--page)}",
            ".g{font-size:11px;font-weight:700;fill:var(--page)}",
            ".v{font-size:11px;font-weight:700;fill:var(--fail)}",
            ".bg{fill:var(--page)}",
            ".r{stroke:var(--hair);stroke-width:1}",
            ".k{fill:var(--k)}",
            ".t{fill:var(--t);stroke:var(--k);stroke-width:1.2}",
            ".wt{stroke-dasharray:4 3}",
            ".m{fill:none;stroke:var(--k);stroke-width:2;stroke-dasharray:2 3}",
            ".l{fill:none;stroke:var(--k);stroke-width:1.4}",
            ".o{fill:none;stroke:var(--frame);stroke-dasharray:2 2}",
            ".n{fill:var(--band);stroke:var(--edge)}",
            ".e{fill:none;stroke:var(--fail);stroke-width:1.6}",
            ".s{fill:none;stroke:var(--fail);stroke-width:3}",
            ".z{fill:none;stroke:var(--fail);stroke-width:2.4}",
            ".d{fill:none;stroke:var(--text);stroke-width:1.8}",
            ".y{fill:none;stroke:var(--text);stroke-width:1.4}",
            ".c{fill:var(--token);stroke:var(--ring);stroke-width:1.6}",
            ".u{fill:var(--text)}",
            ".b{fill:var(--band);stroke:var(--hair)}",
            ".i{fill:var(--st);stroke:var(--frame)}",
            ".a{fill:var(--page);stroke:var(--text);stroke-width:1.4}",
            ".j{fill:none;stroke:var(--text);stroke-width:1.2;stroke-dasharray:4 3}",
            # What is not yet: every shape an outline in dashes, whatever it will be.
            (
                ".ny :not(text){fill:none!important;stroke:var(--frame)!important;"
                "stroke-width:1!important;stroke-dasharray:2 2!important}"
            ),
            ".ny circle{stroke-dasharray:none!important}",
            ".ny text{fill:var(--quiet);stroke:none!important}",
        )
    )
)
"""Every rule stands under one class, since a style inside a page is seen by the whole page."""


def number(value: float) -> str:
    """A coordinate, short and the same on every machine."""
    said = f"{value:.1f}".removesuffix(".0")
    return "0" if said == "-0" else said


def tag(name: str, inside: str = "", **attributes: float | str) -> str:
    """An element; `class_` is the class, `_` in a name a hyphen. Attribute values are never a user's text."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, (int, float)) else value}"'
        for key, value in attributes.items()
    )
    return f"<{name}{said}>{inside}</{name}>" if inside else f"<{name}{said}/>"


def text(x: float, y: float, said: str, class_: str = "", anchor: str = "") -> str:
    """A line of text; what people wrote is escaped here."""
    more = {"class_": class_} if class_ else {}
    if anchor:
        more["text_anchor"] = anchor
    return tag("text", escape(visible(said)), x=x, y=y, **more)


def tip(said: str, inside: str, class_: str = "") -> str:
    """A group whose tooltip says this."""
    title = f"<title>{escape(visible(said))}</title>"
    return f'<g class="{class_}">{title}{inside}</g>' if class_ else f"<g>{title}{inside}</g>"


def _rect(x: float, y: float, w: float, h: float, class_: str, **more: Any) -> str:
    return tag("rect", x=x, y=y, width=max(w, 1.0), height=h, class_=class_, **more)


def _path(d: str, class_: str) -> str:
    return tag("path", d=d, class_=class_)


def _points(*points: tuple[float, float]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def defs(name: str) -> str:
    """The two patterns: hatched is failed, cross-hatched is two inside; `name` makes their ids the picture's own."""
    return (
        f'<defs><pattern id="{name}h" width="5" height="5" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="5" height="5" class="bg"/><path d="M1 0V5" class="z"/></pattern>'
        f'<pattern id="{name}x" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="7" height="7" class="bg"/><path d="M0 3.5H7M3.5 0V7" class="e" style="stroke-width:1.1"/>'
        "</pattern></defs>"
    )


def badge(
    x: float, y: float, label: str, family: str, most: float = 20.0, *,
    kind: str = "k", ink: str = "g", letters: bool = True,
) -> str:  # fmt: skip
    """The badge of a lane around a middle point: circle, square, diamond or hexagon by family, else a pill.

    Its half height is `most` at most. `kind` and `ink` are the classes of shape and letters; without `letters` there is
    the shape alone.
    """
    r = min(10.0 if len(label) < 3 else 12.5, most)
    size = "font-size:10px" if len(label) > 2 or most < 10 else ""
    if family == "s" or len(label) > 3:
        half = max(11.0, 3.6 * len(label) + 4)
        shape = _rect(x - half, y - min(8.0, most), 2 * half, 2 * min(8.0, most), kind, rx=8)
    else:
        d = min(r + 2, most)
        shape = {
            "a": tag("circle", cx=x, cy=y, r=r, class_=kind),
            "b": _rect(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2, kind, rx=2.5),
            "c": tag("polygon", points=_points((x - r - 2, y), (x, y - d), (x + r + 2, y), (x, y + d)), class_=kind),
            "d": tag(
                "polygon",
                points=_points(*((x + dx * r, y + dy * r) for dx, dy in _HEXAGON)),
                class_=kind,
            ),
        }[family]
    if not letters:
        return shape
    more = {"style": size} if size else {}
    return shape + tag("text", escape(label), x=x, y=y + 4, class_=ink, text_anchor="middle", **more)


_HEXAGON = ((-1.1, 0), (-0.55, -0.95), (0.55, -0.95), (1.1, 0), (0.55, 0.95), (-0.55, 0.95))


def _saved(x: float, y: float, w: float, h: float, light: bool, _: str) -> str:
    return _rect(x, y, w, h, "t" if light else "k")


def _failed(x: float, y: float, w: float, h: float, _: bool, name: str) -> str:
    return _rect(x, y, w, h, "e", style=f"fill:url(#{name}h)")


def _lost(x: float, y: float, w: float, h: float, light: bool, _: str) -> str:
    """A torn right end, and a cross where the rest would have been."""
    end = x + max(w - 11, w / 2)
    jags = [(end - (3 if n % 2 else 0), y + h * n / 4) for n in range(5)]
    middle, r = (end + x + w) / 2 + 1, min(4.0, h / 2, w / 4)
    torn = tag("polygon", points=_points((x, y), *jags, (x, y + h)), class_="t" if light else "k")
    return torn + cross(middle, y + h / 2, r)


def cross(x: float, y: float, r: float = 4.0) -> str:
    """A cross: lost."""
    there, back = number(2 * r), number(-2 * r)
    return _path(f"M{number(x - r)} {number(y - r)}l{there} {there}m0 {back}l{back} {there}", "z")


def _late(x: float, y: float, w: float, h: float, light: bool, _: str) -> str:
    end = x + w - 2
    return _rect(x, y, w - 3, h, "t" if light else "k") + _path(f"M{number(end)} {number(y - 2)}v{number(h + 4)}", "s")


def _cancelled(x: float, y: float, w: float, h: float, _: bool, __: str) -> str:
    end = x + w
    slash = f"M{number(end - 6)} {number(y + h + 2)}l5 {number(-h - 4)}m3 0l-5 {number(h + 4)}"
    return _rect(x, y, w - 3, h, "t") + _path(slash, "d")


def _open(x: float, y: float, w: float, h: float, light: bool, _: str) -> str:
    end = x + w
    dashed = f"M{number(end + 1)} {number(y + 0.5)}h11m-11 {number(h - 1)}h11"
    return _rect(x, y, w, h, "t" if light else "k") + _path(dashed, "o")


def _closed(x: float, y: float, w: float, h: float, _: bool, __: str) -> str:
    return _rect(x, y, w - 1, h, "t") + _path(f"M{number(x + w - 0.5)} {number(y - 2)}v{number(h + 4)}", "d")


_ATTEMPTS: dict[str, Callable[[float, float, float, float, bool, str], str]] = {
    "saved": _saved, "failed": _failed, "lost": _lost, "late": _late, "cancelled": _cancelled, "open": _open,
    "closed": _closed,
}  # fmt: skip


def attempt(outcome: str, x: float, y: float, w: float, h: float, *, light: bool, name: str) -> str:
    """The bar of an attempt; `light` is that of a `wait_for`, `name` the id of the picture's patterns."""
    return _ATTEMPTS[outcome](x, y, w, h, light, name)


def waves(x: float, y: float, w: float) -> str:
    """Two waves: code that runs on."""
    n = max(1, int(w / 8))
    one = f"q2 -3 4 0t4 0{'t4 0t4 0' * (n - 1)}"
    return _path(f"M{number(x)} {number(y)}{one}M{number(x)} {number(y + 4)}{one}", "e")


def token(x: float, y: float) -> str:
    return tag("circle", cx=x, cy=y, r=4, class_="c")


def read(x: float, y: float) -> str:
    """A hollow dot: an Attribute was read here."""
    return tag("circle", cx=x, cy=y, r=3.6, class_="a")


def _written(x: float, y: float) -> str:
    return _rect(x - 3, y - 3, 6, 6, "u")


def write(x: float, y: float, up: float) -> str:
    """A square from which an arrow leads up: a save wrote an Attribute."""
    line = _path(f"M{number(x)} {number(y)}V{number(up + 6)}", "y")
    return line + _written(x, y) + _path(f"M{number(x)} {number(up)}l-3.5 6.5h7z", "u")


def now(x: float, y: float, w: float, h: float) -> str:
    """The frame of the current turn's column, with a triangle under it."""
    middle = x + w / 2
    return _rect(x, y, w, h, "i") + _path(f"M{number(middle)} {number(y + h + 2)}l-6 8h12z", "u")


def sample(kind: str, x: float, y: float, name: str) -> str:
    """The mark of the legend, 26 wide, around the middle height `y`."""
    if kind in _ATTEMPTS and kind != "saved":
        body = attempt(kind, x, y - 7, 20, 14, light=False, name=name)
        return body + (waves(x + 20, y - 1, 8) if kind == "late" else "")
    return _SAMPLES[kind](x, y, name)


_SAMPLES: dict[str, Callable[[float, float, str], str]] = {
    "wait_for": lambda x, y, _: _rect(x, y - 4, 20, 8, "t"),
    "waiting": lambda x, y, _: _path(f"M{number(x)} {number(y)}h20", "m"),
    "execute": lambda x, y, _: _rect(x, y - 7, 20, 14, "k"),
    "retry": lambda x, y, _: _path(f"M{number(x)} {number(y)}h20m-10 -4v8", "l"),
    "inside": lambda x, y, _: _rect(x, y - 8, 20, 16, "n"),
    "not_yet": lambda x, y, _: f'<g class="ny">{_rect(x, y - 7, 20, 14, "k")}</g>',
    "read": lambda x, y, _: _path(f"M{number(x + 4)} {number(y)}h16", "j") + read(x + 4, y),
    "written": lambda x, y, _: (
        _path(f"M{number(x + 3)} {number(y)}h15", "y")
        + _written(x + 3, y)
        + _path(f"M{number(x + 20)} {number(y)}l-6 -3.5v7z", "u")
    ),
    "overlap": lambda x, y, name: _rect(x, y - 8, 20, 16, "z", style=f"fill:url(#{name}x)"),
    "token": lambda x, y, _: _path(f"M{number(x)} {number(y)}h20", "y") + token(x + 10, y),
    "token_lost": lambda x, y, _: _path(f"M{number(x)} {number(y)}h10m-4 -4l8 8m0 -8l-8 8", "e"),
}
