"""A Flow's input from JSON, as a text or a file: converted to the type that its starting Step takes, or refused.

A refusal says where in the JSON (`$.edits[0].id`), what was expected, what was found, and the mend. This module knows
no machine; what it makes is still checked there as every input is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dexpatterns.dex.channel import check_value
from dexpatterns.dex.definition import compile_flow
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.json_types import RefusedError, convert, example, quoted, words
from dexpatterns.errors import InputError

__all__ = ["MAX_BYTES", "read_input"]

MAX_BYTES = 20_000_000
"""A larger file is refused before it is read."""


def read_input(flow: Flow[Any] | type[Flow[Any]], given: str | Path | None = None) -> Any:
    """The input for this Flow: `given` is JSON, or the path of a file that holds it; None where nothing is given.

    A text that is the name of a file is one, unless it begins as only JSON can. Raises `InputError` for what cannot be
    used, and `FlowDefinitionError` for a Flow that is broken.
    """
    spec = compile_flow(flow)
    who = f"the input of Flow {spec.name!r}"
    value, where = (None, who) if given is None else _parsed(given, who)
    if spec.start is None:
        if value is None:
            return None
        raise InputError(f"{where}: the Flow has no starting Step, so it takes no input; leave it out")
    declared = spec.start.input_type
    if value is None and check_value(declared, None) is None:
        return None
    if given is None:
        expected, like = words(declared), example(declared)
        raise InputError(f"{who}: expected {expected}, got nothing; pass it as JSON, or a file of it: {like}")
    try:
        return convert(value, declared)
    except RefusedError as refused:
        at = "$" + "".join(reversed(refused.path))
        raise InputError(f"{where}, {at}: {refused}; {refused.mend}") from None
    except RecursionError:
        raise _too_deep(where) from None


# From bytes to JSON.


def _parsed(given: str | Path, who: str) -> tuple[Any, str]:
    """The JSON value, and how to name its source."""
    if isinstance(given, str) and given.lstrip()[:1] in ("", "{", "[", '"'):
        return _json(given, who), who
    path = Path(given)
    if not _is_there(path) and isinstance(given, str) and path.suffix.lower() != ".json":
        # 3, null or true; a text that is none of these was meant to be the name of a file.
        try:
            return _json(given, who), who
        except InputError:
            raise InputError(
                f"{who}: expected JSON or the path of a file, got {quoted(given)}, which is neither; "
                "check the path, or quote the JSON"
            ) from None
    file = repr(str(given))
    return _json(_read(path, file), file), file


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _read(path: Path, file: str) -> str:
    limit = f"{MAX_BYTES // 1_000_000} MB"
    too_large = InputError(f"{file}: expected at most {limit} of JSON, got more; pass a smaller file")
    try:
        if path.is_dir():
            raise InputError(f"{file}: expected a file of JSON, got a folder; name the file inside it")
        if path.stat().st_size > MAX_BYTES:
            raise too_large
        with path.open("rb") as source:
            data = source.read(MAX_BYTES + 1)  # a pipe has no size that could be asked for
    except FileNotFoundError:
        raise InputError(f"{file}: expected a file of JSON, got no such file; check the path") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{file}: expected a file that can be read, got {reason.lower()}; check the path") from None
    if len(data) > MAX_BYTES:
        raise too_large
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{file}: expected UTF-8 text, got UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        byte = f"0x{data[error.start]:02x}"
        raise InputError(f"{file}, line {line}: expected UTF-8 text, got the byte {byte}; save it as UTF-8") from None


def _json(text: str, where: str) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise _too_deep(where) from None
    except UnicodeEncodeError:
        raise InputError(f"{where}: expected UTF-8 text, got bytes that are none; save it as UTF-8") from None
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        place, reason = where, str(error)
    # The fast reader knows no line, so the slow one is asked, now that time does not matter.
    if not text.strip():
        raise InputError(f"{where}: expected JSON, got nothing; write null for no input")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        place, reason = f"{where}, line {error.lineno}, column {error.colno}", error.msg
    except (RecursionError, ValueError):
        pass  # over a number of thousands of digits the slow reader stumbles too: the first reason stands
    else:
        if "truncated" in reason:
            reason = "a text holds half of a character, such as \\ud83d without its other half"
    raise InputError(f"{place}: expected JSON, got something else: {reason[:1].lower()}{reason[1:]}; mend it there")


def _too_deep(where: str) -> InputError:
    return InputError(f"{where}: expected values nested a few levels deep, got hundreds; pass a flat value")
