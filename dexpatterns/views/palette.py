"""The colours of every view, light and dark, as CSS variables; a page's or JupyterLab's own win where they exist.

Colours from the palette of Okabe and Ito, moved in lightness until each passes 4.5 against its page and every pair
of branch, failure and token differs for protan, deutan and tritan eyes. No meaning hangs on colour alone: branches
differ by shape too, failure by hatching, and yellow means the token and nothing else.
"""

from __future__ import annotations

__all__ = ["DARK", "LIGHT", "SHAPES", "css", "family"]

LIGHT: dict[str, str] = {
    "page": "#FFFFFF",
    "text": "#1F2328",
    "quiet": "#57606A",
    "frame": "#6B7580",
    "hair": "#D0D4D9",
    "band": "#EDF2F7",
    "edge": "#6F8499",
    "a": "#0072B2",
    "b": "#00694F",
    "c": "#7B2D72",
    "d": "#4F3F08",
    "s": "#69737B",
    "fail": "#C23B00",
    "token": "#F0E442",
    "ring": "#1F2328",
    "at": "#D6E8F4",
    "bt": "#D3EBE4",
    "ct": "#F0DEEB",
    "dt": "#ECE5CF",
    "st": "#E5E7EA",
}
"""`a` to `d` are branches 1 to 4 and again, `s` start, join and the rest; with `t` their tints."""

DARK: dict[str, str] = {
    "page": "#111111",
    "text": "#E6E8EA",
    "quiet": "#A9B1B8",
    "frame": "#8D979F",
    "hair": "#3A3F44",
    "band": "#1B242D",
    "edge": "#7D93A8",
    "a": "#56B4E9",
    "b": "#2FD1A5",
    "c": "#E86BB0",
    "d": "#D9A400",
    "s": "#C7CDD1",
    "fail": "#FF7A45",
    "token": "#F0E442",
    "ring": "#F7F3B5",
    "at": "#17364A",
    "bt": "#123D32",
    "ct": "#45293C",
    "dt": "#40340A",
    "st": "#303438",
}

SHAPES = ("a", "b", "c", "d")
"""The families of branches 1, 2, 3, 4, 5, ...: circle, square, diamond, hexagon and again."""

_OWN = {
    "page": "--jp-layout-color0",
    "text": "--jp-content-font-color1",
}


def family(number: int) -> str:
    """The colour family of a branch; of what is no branch, `s`."""
    return SHAPES[(number - 1) % 4] if number > 0 else "s"


def _values(colours: dict[str, str], own: bool) -> str:
    return ";".join(
        f"--{name}:var({_OWN[name]},{value})" if own and name in _OWN else f"--{name}:{value}"
        for name, value in colours.items()
    )


def css(root: str) -> str:
    """The variables for everything under the selector `root`.

    JupyterLab's theme decides between light and dark where there is one, else the reader's own setting.
    """
    return (
        f"{root}{{{_values(LIGHT, own=False)}}}"
        f"@media (prefers-color-scheme:dark){{{root}{{{_values(DARK, own=False)}}}}}"
        f'[data-jp-theme-light="true"] {root}{{{_values(LIGHT, own=True)}}}'
        f'[data-jp-theme-light="false"] {root}{{{_values(DARK, own=True)}}}'
        f"@media print{{{root}{{{_values(LIGHT, own=False)}}}}}"
    )
