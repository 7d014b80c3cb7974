"""Files put into a folder of somebody's, whole or not at all, and never over one that is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from dexpatterns.errors import InputError

__all__ = ["copy_new", "write_new"]


def copy_new(
    source: Path, folder: Path, kinds: Iterable[str], wanted: Callable[[Path], bool]
) -> tuple[list[str], list[str]]:
    """Copy the files of these kinds that are wanted, in the source and the folders in it that hold notebooks.

    Returns the names of those that were copied, and of those that were kept, since they were there.

    Raises `InputError` when the folder cannot be made or written to; what was copied until then is whole, and stays.
    """
    folders = [source, *sorted({path.parent for path in source.glob("*/*.ipynb")})]
    names = [
        path.relative_to(source) for one in folders for kind in kinds for path in sorted(one.glob(kind)) if wanted(path)
    ]  # fmt: skip
    copied: list[str] = []
    kept: list[str] = []
    for name in names:
        made = write_new(folder, folder / name, (source / name).read_bytes())
        (copied if made else kept).append(name.as_posix())
    return copied, kept


def write_new(folder: Path, path: Path, content: bytes) -> bool:
    """Write a file under `folder`, unless something of that name is there: whether it was written.

    Raises `InputError` that names the folder.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() or path.is_symlink():
            return False
        try:
            part.write_bytes(content)
            # A link fails where something has come up meanwhile; a move would replace it.
            try:
                os.link(part, path)
            except FileExistsError:
                return False
            except OSError:
                _without_links(part, path)
        finally:
            with suppress(OSError):
                part.unlink()
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{str(folder)!r}: cannot be written to: {said}; name another folder") from None
    return True


def _without_links(part: Path, path: Path) -> None:
    """For file systems that have no links."""
    with path.open("xb"):
        pass
    part.replace(path)
