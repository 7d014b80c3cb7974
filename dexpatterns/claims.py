"""What a pattern claims, bound to what proves it: a check and its expected answer, or a measured figure and its bound.

A claim that is met holds; an anti-pattern's claims hold when it fails in the stated way. Sentences stand elsewhere, in
two languages, with placeholders: every number in them is taken from the report, or is what the check was given. This
module knows no catalog and no table; whoever wants an answer twice keeps what `ask` gave.
"""

from __future__ import annotations

import string
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dexpatterns.engine.report import Report, Verdict
from dexpatterns.errors import InputError, in_one_line

__all__ = [
    "ABOUT", "COLUMNS", "Asked", "Claim", "Judged", "Measure", "Progress", "Verified", "ask", "faults", "judge",
    "placeholders", "subjects", "verify",
]  # fmt: skip

ABOUT = (
    "overlap", "lost token", "second token", "stuck", "survives failure", "survives cancel", "spans Steps", "holds n",
    "fair", "late code", "order", "state", "waiting", "other",
)  # fmt: skip
"""What a claim can be about; the first nine are the columns of the comparison."""

Progress = Callable[[str, int, int], None]
"""Called before each claim: "pattern: claim", how many are done, how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An answer that a check must give.

    `ask(**given)` makes a Report or an Audit; of an Audit the ways out are judged: PROVED when none loses the token or
    makes a second one. The rest is judged if it is given: `turns` of the shortest counterexample, the beginning of
    "property: fault" that it breaks, how many final `outcomes` there are, how many `ways` out gave the token back, and
    the kind of cause that the explanation names.
    """

    ask: Callable[..., Any]
    verdict: Verdict
    about: str | tuple[str, ...]
    given: Mapping[str, Any] = field(default_factory=dict)
    """What `ask` is called with; a sentence may name each."""
    broken: str = ""
    turns: int | None = None
    outcomes: int | None = None
    ways: int | None = None
    cause: str = ""
    aside: bool = False
    """Whether it is about another Flow of the folder, there for contrast, and stays out of the comparison."""

    def __post_init__(self) -> None:
        _check("claim", self)
        if not isinstance(self.verdict, Verdict):
            raise InputError(f"claim: expected a Verdict, got {self.verdict!r}; write Verdict.PROVED")
        if self.verdict is not Verdict.REFUTED and (self.turns is not None or self.broken or self.cause):
            raise InputError(f"claim: turns, broken and cause tell of a counterexample; {self.verdict.name} has none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure, in `unit`, that must lie within its bounds; `ask(**given)` measures it."""

    ask: Callable[..., float]
    about: str | tuple[str, ...]
    unit: str
    given: Mapping[str, Any] = field(default_factory=dict)
    at_least: float | None = None
    at_most: float | None = None
    aside: bool = False

    def __post_init__(self) -> None:
        _check("measure", self)
        if self.at_least is None and self.at_most is None:
            raise InputError("measure: expected a bound, got none; give at_least or at_most")


class Asked(NamedTuple):
    """What a claim's `ask` gave: a Report, an Audit or a figure, and the seconds that it took."""

    result: Any
    seconds: float

    @property
    def interrupted(self) -> bool:
        """Whether somebody stopped the search: what it found meanwhile is no answer."""
        details = [str(one.detail) for one in getattr(self.result, "results", ())]
        details.append(str(getattr(self.result, "attrs", {}).get("cut", "")))
        return any("cut by interrupted" in detail for detail in details)


class Judged(NamedTuple):
    """A claim that was run. What was not asked, or is not there, is None."""

    holds: bool
    expected: str
    found: str
    verdict: Verdict | None
    turns: int | None
    states: int | None
    seconds: float
    values: Mapping[str, str]
    """What the placeholders of a sentence stand for."""
    run: Any
    """The counterexample; the witness when nothing is broken."""
    interrupted: bool = False


class Verified(NamedTuple):
    """A claim and its sentence, run; the fields up to `seconds` are the `COLUMNS` of `Pattern.verify`."""

    claim: str
    sentence: str
    about: tuple[str, ...]
    expected: str
    verdict: str
    """The name of the verdict, or the figure; of a claim that does not hold, what was found instead, in words."""
    holds: bool
    states: int | None
    turns: int | None
    seconds: float
    aside: bool
    judged: Judged | None
    """None when the code of the claim raised, or there is none."""


COLUMNS = Verified._fields[: Verified._fields.index("aside")]


class _Answer(NamedTuple):
    """What Report and Audit have in common."""

    verdict: Verdict
    broken: str
    turns: int | None
    states: int
    outcomes: int | None
    ways: int | None
    cause: str
    run: Any
    vain: bool = False
    """Every run of the Flow fails."""


_WORDS = {
    "vain": (", but every run fails", "，但每次运行都失败"),
    "in turns": (" in {n} turns", "，{n} 回合"),
    "broken": (": {what}", "：{what}"),
    "outcomes": (", {n} final outcomes", "，{n} 种最终结果"),
    "ways": (", {n} ways out give the token back", "，{n} 种出口归还 token"),
    "cause": (", cause {what}", "，原因 {what}"),
    "least": ("at least {n}", "至少 {n}"),
    "most": ("at most {n}", "至多 {n}"),
    "and": (" and ", "，"),
    "error": ("error: {what}", "出错：{what}"),
    "no claim": (
        "no claim {what!r} in CLAIMS; write it in world.py, or take the sentence out of pattern.toml",
        "CLAIMS 中没有 {what!r}；请在 world.py 中写上它，或从 pattern.toml 中删去这句话",
    ),
    "no sentence": (
        "no sentence for {what!r}; write [claims.{what}] in pattern.toml, or take it out of CLAIMS",
        "{what!r} 没有对应的句子；请在 pattern.toml 中写上 [claims.{what}]，或从 CLAIMS 中删去它",
    ),
    "no kind": (
        "expected Claim(...) or Measure(...) in CLAIMS, got {what}",
        "CLAIMS 中应为 Claim(...) 或 Measure(...)，得到 {what}",
    ),
    "placeholder": (
        "unknown placeholder {what}; expected {known}",
        "未知的占位符 {what}；可用的是 {known}",
    ),
    "braces": ("a brace that is not closed: {what}", "花括号没有配对：{what}"),
}


def _say(lang: str, key: str, **words: Any) -> str:
    return _WORDS[key][lang == "zh"].format(**words)


# Running one.


def ask(claim: Claim | Measure) -> Asked:
    """Run what a claim asks; what its code raises is not caught here."""
    started = time.perf_counter()
    result = claim.ask(**claim.given)
    return Asked(result, time.perf_counter() - started)


def judge(claim: Claim | Measure, lang: str = "en", asked: Asked | None = None) -> Judged:
    """Hold what was asked against what is expected; without `asked`, ask first."""
    asked = asked or ask(claim)
    return _measured(claim, asked, lang) if isinstance(claim, Measure) else _searched(claim, asked, lang)


def _measured(claim: Measure, asked: Asked, lang: str) -> Judged:
    figure = float(asked.result)
    holds = (claim.at_least is None or figure >= claim.at_least) and (claim.at_most is None or figure <= claim.at_most)
    bounds = [
        _say(lang, key, n=f"{bound:g}") for key, bound in (("least", claim.at_least), ("most", claim.at_most))
        if bound is not None
    ]  # fmt: skip
    values = _values(claim, figure=f"{figure:g}", at_least=claim.at_least, at_most=claim.at_most)
    expected = f"{_say(lang, 'and').join(bounds)} {claim.unit}"
    return Judged(holds, expected, f"{figure:g} {claim.unit}", None, None, None, asked.seconds, values, None)


def _searched(claim: Claim, asked: Asked, lang: str) -> Judged:
    answer = _answer(asked.result, bool(claim.cause))
    holds = (
        answer.verdict is claim.verdict
        and not answer.vain
        and answer.broken.startswith(claim.broken)
        and claim.turns in (None, answer.turns)
        and claim.outcomes in (None, answer.outcomes)
        and claim.ways in (None, answer.ways)
        and claim.cause in ("", answer.cause)
    )
    values = _values(
        claim,
        verdict=answer.verdict.name,
        states=f"{answer.states:,}",
        turns=answer.turns,
        outcomes=answer.outcomes,
        ways=answer.ways,
    )
    found = answer._replace(
        outcomes=None if claim.outcomes is None else answer.outcomes,
        ways=None if claim.ways is None else answer.ways,
    )
    return Judged(
        holds, _told(claim, lang), _told(found, lang), answer.verdict, answer.turns, answer.states, asked.seconds,
        values, answer.run, asked.interrupted,
    )  # fmt: skip


def _told(one: Claim | _Answer, lang: str) -> str:
    """What is expected and what is found, in the same words."""
    parts = {
        "in turns": one.turns,
        "broken": one.broken,
        "outcomes": one.outcomes,
        "ways": one.ways,
        "cause": one.cause,
    }
    told = [_say(lang, key, n=what, what=what) for key, what in parts.items() if what not in (None, "")]
    if isinstance(one, _Answer) and one.vain:
        told.append(_say(lang, "vain"))
    return one.verdict.name + "".join(told)


def _answer(asked: Any, with_cause: bool) -> _Answer:
    if isinstance(asked, Report):
        run = asked.counterexample
        return _Answer(
            asked.verdict,
            next((f"{r.name}: {r.detail}" for r in asked.results if r.verdict is Verdict.REFUTED), ""),
            len(run.trace.turns) if run is not None else None,
            asked.states,
            len(asked.outcomes),
            None,
            str(getattr(getattr(asked.explanation, "cause", None), "kind", "")) if with_cause else "",
            run or asked.witness,
            asked.vain,
        )
    if {"states", "cut"} <= set(getattr(asked, "attrs", ())):
        return _audited(asked)
    raise InputError(f"a claim's ask gave {asked!r}; expected a Report or an Audit: write ask=lambda: check(...)")


def _audited(audit: Any) -> _Answer:
    """The ways out as one question: does every one that was taken give the token back, and only it."""
    rows = [str(verdict) for verdict in audit["verdict"]]
    bad = next((i for i, verdict in enumerate(rows) if verdict in ("lost", "doubled")), None)
    cut = audit.attrs["cut"]
    run = None if bad is None else audit.run(bad)
    return _Answer(
        Verdict.REFUTED if bad is not None else Verdict.BOUNDED if cut else Verdict.PROVED,
        "" if bad is None else f"{rows[bad]}: {audit['way_out'].iloc[bad]}, {audit['step'].iloc[bad]}",
        None if run is None else len(run.trace.turns),
        audit.attrs["states"],
        None,
        rows.count("returned"),
        "",
        run,
        bool(audit.attrs.get("failing")),
    )


# Sentences.

_FOUND = {"verdict", "states", "turns", "outcomes", "ways", "figure", "at_least", "at_most"}


def placeholders(claim: Claim | Measure) -> tuple[str, ...]:
    """What a sentence about this claim may name in braces."""
    if isinstance(claim, Measure):
        bounds = [name for name in ("at_least", "at_most") if getattr(claim, name) is not None]
        return ("figure", *bounds, *claim.given)
    counted = [name for name in ("outcomes", "ways") if getattr(claim, name) is not None]
    turns = ["turns"] if claim.verdict is Verdict.REFUTED else []
    return ("verdict", "states", *turns, *counted, *claim.given)


def _values(claim: Claim | Measure, **found: Any) -> dict[str, str]:
    """The placeholders that a sentence may name, each with its text; '?' for what was not found."""
    values = {**claim.given, **found}
    return {
        name: "?" if values.get(name) is None else f"{values[name]:g}" if isinstance(values[name], float)
        else str(values[name])
        for name in placeholders(claim)
    }  # fmt: skip


def _filled(sentence: str, values: Mapping[str, str]) -> str:
    """The sentence with its placeholders filled in; it has passed `faults`, so that none is more than a name."""
    parts = string.Formatter().parse(sentence)
    return "".join(text + ("" if name is None else values.get(name, "?")) for text, name, _, _ in parts)


def faults(sentences: Mapping[str, Mapping[str, str]], claims: Mapping[str, Any], lang: str = "en") -> dict[str, str]:
    """By claim name: what is wrong with it before it is run. A claim without a sentence, or the other way round."""
    found = {}
    for name in dict.fromkeys((*sentences, *claims)):
        claim = claims.get(name)
        if name not in claims:
            found[name] = _say(lang, "no claim", what=name)
        elif not isinstance(claim, (Claim, Measure)):
            found[name] = _say(lang, "no kind", what=repr(claim)[:80])
        elif name not in sentences:
            found[name] = _say(lang, "no sentence", what=name)
        elif trouble := next(_misnamed(sentences[name], claim, lang), ""):
            found[name] = trouble
    return found


def _misnamed(words: Mapping[str, str], claim: Claim | Measure, lang: str) -> Iterator[str]:
    known = placeholders(claim)
    for sentence in words.values():
        try:
            for _, name, spec, conversion in string.Formatter().parse(sentence):
                if name is not None and (name not in known or spec or conversion):
                    # With `:>9` or `.__class__` it would be a little program, and a sentence is none.
                    shown = "{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
                    yield _say(lang, "placeholder", what=shown, known=", ".join(f"{{{one}}}" for one in known))
        except ValueError:
            yield _say(lang, "braces", what=repr(sentence))


# Running all.


def verify(
    sentences: Mapping[str, Mapping[str, str]],
    claims: Mapping[str, Any],
    lang: str = "en",
    progress: Callable[[str], None] | None = None,
    asking: Callable[[str], Asked] | None = None,
) -> Iterator[Verified]:
    """Run every claim, in the order of the sentences; one that raises does not hold, and the others go on.

    `progress` is told the name of each before it is run; `asking` may give an answer that is known. Raises
    `KeyboardInterrupt` when a search was interrupted.
    """
    wrong = faults(sentences, claims, lang)
    for name in dict.fromkeys((*sentences, *claims)):
        sentence = sentences.get(name, {}).get(lang, "")
        claim = claims.get(name)
        if progress is not None:
            progress(name)
        if name in wrong:
            about, aside = (subjects(claim), claim.aside) if isinstance(claim, (Claim, Measure)) else ((), False)
            yield Verified(name, sentence, about, "", wrong[name], False, None, None, 0.0, aside, None)
        elif claim is not None:
            yield _verified(name, sentence, claim, lang, asking)


def _verified(
    name: str, sentence: str, claim: Claim | Measure, lang: str, asking: Callable[[str], Asked] | None
) -> Verified:
    started = time.perf_counter()
    try:
        judged = judge(claim, lang, asking(name) if asking is not None else None)
    except (Exception, SystemExit) as raised:  # noqa: BLE001  # the code is the folder's: whatever it raises is its fault
        told = _say(lang, "error", what=in_one_line(raised))
        expected = _told(claim, lang) if isinstance(claim, Claim) else ""
        seconds = time.perf_counter() - started
        return Verified(
            name, _filled(sentence, _values(claim)), subjects(claim), expected, told, False, None, None, seconds,
            claim.aside, None,
        )  # fmt: skip
    if judged.interrupted:
        raise KeyboardInterrupt
    short = judged.verdict.name if judged.verdict is not None else judged.found
    return Verified(
        name, _filled(sentence, judged.values), subjects(claim), judged.expected,
        short if judged.holds else judged.found, judged.holds, judged.states, judged.turns, judged.seconds,
        claim.aside, judged,
    )  # fmt: skip


def subjects(claim: Claim | Measure) -> tuple[str, ...]:
    """What it is about: the first is the main one."""
    return (claim.about,) if isinstance(claim.about, str) else tuple(claim.about)


def _check(kind: str, claim: Any) -> None:
    about = subjects(claim)
    if not about or any(one not in ABOUT for one in about):
        raise InputError(f"{kind} about {claim.about!r}: expected one or more of {', '.join(ABOUT)}")
    if not callable(claim.ask):
        raise InputError(f"{kind}: expected a function that asks, got {claim.ask!r}; write ask=lambda: check(...)")
    if not isinstance(claim.given, Mapping) or not all(isinstance(name, str) for name in claim.given):
        raise InputError(f"{kind}: given: expected arguments of ask by name, got {claim.given!r}")
    if taken := sorted(_FOUND & set(claim.given)):
        raise InputError(f"{kind}: given {taken[0]!r}: that name stands for what is found; call the argument otherwise")
