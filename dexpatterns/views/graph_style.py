"""How the graph looks: the rules of its SVG, on the colours of `palette`. What changes in a turn is a class."""

from __future__ import annotations

from dexpatterns.views import marks

__all__ = ["STYLE"]

_ROOT = f"{marks.ROOT}.dxg"
STYLE = marks.STYLE + "".join(
    f"{_ROOT} {rule}"
    for rule in (
        ".box{fill:var(--page);stroke:var(--frame);stroke-width:1.3}",
        ".ed path{fill:none;stroke:var(--frame);stroke-width:1.3}",
        ".ed polygon{fill:var(--frame);stroke:var(--frame);stroke-width:1}",
        ".fail path{stroke-dasharray:7 4}",
        ".data path{stroke-dasharray:1.6 3}",
        ".found polygon{fill:var(--page)}",
        ".halo{font-size:11px;fill:var(--quiet)}",
        ".on{stroke:var(--page);stroke-width:4;stroke-linejoin:round;paint-order:stroke}",
        ".band>rect{fill:var(--band);stroke:var(--edge)}",
        ".band.of-workflow>rect{fill:none;stroke:var(--hair)}",
        ".band.of-try>rect,.dxp.dxg .band.of-options>rect{fill:none;stroke:var(--edge);stroke-dasharray:5 3}",
        ".bars{stroke:var(--frame);stroke-width:2.4}",
        ".dot{fill:var(--frame)}",
        ".taken{fill:var(--text)}",
        ".bad{fill:var(--t);stroke:var(--fail);stroke-width:2.6}",
        ".now>.bars{stroke:var(--text);stroke-width:3.4}",
        ".words text{font-size:10px;fill:var(--quiet);stroke:var(--band);stroke-width:3;paint-order:stroke}",
        ".words.of-workflow text{font-size:12px;font-weight:600;fill:var(--text);stroke:var(--page)}",
        ".words.of-lock text{fill:var(--text)}",
        ".end{fill:none;stroke:var(--frame);stroke-width:1.3}",
        ".end .solid{fill:var(--frame)}",
        ".end .bar{stroke-width:3}",
        ".queue{fill:var(--band);stroke:none}",
        ".rail{fill:none;stroke:var(--frame);stroke-width:1.3}",
        ".cell{fill:var(--page);stroke:var(--text);stroke-width:1}",
        ".doubt{fill:var(--page);stroke:var(--frame)}",
        ".none{fill:none;stroke:var(--frame);stroke-dasharray:2 2}",
        ".name{font-size:11px}",
        ".mono{font-family:var(--jp-code-font-family,ui-monospace,Consolas,'DejaVu Sans Mono',monospace)}",
        ".tiny{font-size:10px}",
        ".ink{font-size:11px;font-weight:700;fill:var(--text)}",
        ".lock path{fill:none;stroke:var(--text);stroke-width:1.6;stroke-dasharray:none}",
        ".lock rect{fill:var(--page);stroke:var(--text);stroke-width:1.4}",
        ".lock.held rect{fill:var(--text)}",
        ".wait{fill:var(--t);stroke:var(--k);stroke-width:1.6}",
        ".line{fill:var(--page);stroke:var(--k);stroke-width:1.6;stroke-dasharray:2.6 2}",
        ".ring{fill:var(--t);stroke:var(--k);stroke-width:3}",
        ".hatch{fill:none;stroke:var(--fail);stroke-width:3;stroke-dasharray:2.4 2.4}",
        ".now>.box{stroke:var(--text);stroke-width:2.2}",
        ".now>.rail{stroke:var(--text);stroke-width:2.2}",
        ".now>text{font-weight:700}",
        ".ed.now path{stroke:var(--text);stroke-width:2.2}",
        ".ed.now polygon{fill:var(--text);stroke:var(--text)}",
        ".ed.now.found polygon{fill:var(--page)}",
        ".ed.fail.now path{stroke:var(--fail)}",
        ".ed.fail.now polygon{fill:var(--fail);stroke:var(--fail)}",
        ".end.now{stroke:var(--text);stroke-width:2.2}",
        ".end.now .solid{fill:var(--text)}",
        ".node.over>.box{stroke:var(--fail);stroke-width:2.4}",
        ".band.over>rect{stroke:var(--fail);stroke-width:2}",
        ".words.over text{font-size:11px;font-weight:700;fill:var(--fail)}",
    )
)
"""Every rule stands under the two classes of the picture."""
