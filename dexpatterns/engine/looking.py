"""The only way from the engine to the views: one lazy hook, so that nothing that can be looked at imports a view."""

from __future__ import annotations

from typing import Any

__all__ = ["Shown", "views"]


def views() -> Any:
    """The room `dexpatterns.views`, loaded when it is first asked for."""
    from dexpatterns import views

    return views


class Shown:
    """A notebook shows it as HTML beside its text; what that is stands in `views.reprs`, by the name of the class."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(views().html_of(self))
