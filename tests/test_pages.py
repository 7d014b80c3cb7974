"""Pages: where generated parts stand, what is put there, what is wrong with a page, and their HTML."""

from __future__ import annotations

import base64
import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import catalog
from dexpatterns.catalog import Pattern
from dexpatterns.errors import InputError
from dexpatterns.pages import blocks, fill, problems_of
from dexpatterns.pages.html import render
from dexpatterns.pages.markdown import fenced, plain, table
from dexpatterns.pages.markers import markers
from dexpatterns.pages.notebooks import Drawing, body, notebooks
from dexpatterns.pages.starting import start

FLAG = catalog.load("is-editing-flag")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose pages are as they should be."""
    return start("two-editors", tmp_path_factory.mktemp("own")).path


@pytest.fixture
def own(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / made.name))


def block(said: str) -> str:
    return f"<!-- made: {said} -->\n<!-- /made -->"


def number(said: str) -> str:
    return f"x <!-- made: n {said} --><!-- /made --> y"


# Filling.


def test_only_what_stands_between_the_markers_is_made_anew() -> None:
    text = f"# A\n\nbefore <!-- a comment -->\n{block('graph')}\nafter\n\n{number('two-steps-let-two-in.turns')}\n"
    made = fill(FLAG, text, "en")
    assert made.startswith("# A\n\nbefore <!-- a comment -->\n<!-- made: graph -->\n```text\nEditingFlagFlow\n")
    assert "\n```\n<!-- /made -->\nafter\n" in made
    assert made.endswith("x <!-- made: n two-steps-let-two-in.turns -->12<!-- /made --> y\n")
    assert fill(FLAG, made, "en") == made
    assert fill(FLAG, text.replace("graph", "graph EditingFlagInOneStepFlow"), "en") != made


def test_a_claim_is_searched_once_for_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    from dexpatterns import claims

    asked = []
    monkeypatch.setattr(claims, "ask", lambda claim, ask=claims.ask: (asked.append(claim), ask(claim))[1])
    pattern = Pattern(FLAG.path, FLAG._card, "dexpatterns_catalog.counted", "dex")
    text = f"{block('claims')}\n{block('story one-step-lets-two-in')}"
    texts = {lang: fill(pattern, text, lang) for lang in ("en", "zh")}
    assert len(asked) == len(pattern.sentences)
    assert "REFUTED" in texts["en"] and "REFUTED" in texts["zh"]
    assert texts["en"] != texts["zh"]


@pytest.mark.parametrize(
    ("id", "said", "words"),
    [
        ("critical-section", "run", ["```text\nContractEditFlow, seed 0: COMPLETED"]),
        ("is-editing-flag", "story one-step-lets-two-in", ["REFUTED: at most one inside", "```text\n  1  ", "\n> 4  "]),
        ("is-editing-flag", "claims", ["| claim | verdict | states | turns |", "| REFUTED |", "| PROVED |"]),
        ("lost-token", "ways-out", ["| early exit | EditContract |", "| **lost** |", "closing: stop CANCEL"]),
        ("lost-token", "ways-out early-exit-forgets", ["| early exit | EditContract |", "| **lost** |"]),
        ("lost-token", "story early-exit-forgets", ["```text\n", "EditContract"]),
        ("long-section", "claims", ["| 90 |  |  |"]),
        ("exclusive-lock", "holds", ["| order | lock | what |", "| load-3 | WAREHOUSE | held | all | 0 s | 0:03:00 |"]),
        ("nested-locks-opposite-order", "graph", ["Lock SALES\n    sell\n    Lock STOCK\n      deliver"]),
        ("nested-locks-opposite-order", "story in-a-circle", ["invoice-1 holds SALES and waits for STOCK"]),
        ("heavy-waiter-starves", "run", ["maintenance"]),
    ],
)  # fmt: skip
def test_each_kind_of_part_says_what_was_found(id: str, said: str, words: list[str]) -> None:
    made = fill(catalog.load(id), block(said), "en")
    assert [word for word in words if word not in made] == [], made


def test_what_is_declared_is_told_in_the_language_of_the_page() -> None:
    made = fill(catalog.load("lost-token"), block("ways-out early-exit-forgets"), "zh")
    assert "| 提前退出 | EditContract | EditContract 中没有发布 token 的地方 | **丢失** |" in made
    assert "nothing" not in made


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("one-step-lets-two-in.turns", "8"),
        ("one-step-lets-two-in.reviewers", "2"),
        ("two-steps-never-stuck.outcomes", "1"),
    ],
)
def test_a_number_is_that_of_the_report(said: str, value: str) -> None:
    assert fill(FLAG, number(said), "zh") == f"x <!-- made: n {said} -->{value}<!-- /made --> y"


def test_numbers_of_measures_and_of_big_reports() -> None:
    long, section = catalog.load("long-section"), catalog.load("critical-section")
    assert ">90<" in fill(long, number("tenth-waits.value"), "en")
    found = section.asked("one-at-a-time").result
    assert f">{found.transitions:,}<" in fill(section, number("one-at-a-time.transitions"), "en")
    assert ">5<" in fill(section, number("every-way-out.ways"), "en")


@pytest.mark.parametrize(
    ("id", "text", "said"),
    [
        ("is-editing-flag", block("grpah"), "page.md, line 1: unknown marker 'grpah'; expected one of graph, run,"),
        ("is-editing-flag", "\n" + block("story nothing"), "line 2: no claim 'nothing'; expected one of two-steps-let"),
        ("is-editing-flag", block("story"), "marker 'story': expected 1 words after it, got 0"),
        ("is-editing-flag", block("story one-step-never-stuck"), "has no counterexample to tell, it is PROVED"),
        ("is-editing-flag", block("ways-out"), "this folder has no section with a token"),
        ("is-editing-flag", block("holds"), "marker 'holds' is not for a folder of this form; expected graph"),
        ("is-editing-flag", block("graph NoFlow"), "no Flow 'NoFlow' in flow.py; expected one of EditingFlagFlow,"),
        ("is-editing-flag", number("one-step-lets-two-in"), "has no ''; expected one of states, transitions"),
        ("is-editing-flag", number("one-step-lets-two-in.ways"), "has no ways to tell"),
        ("is-editing-flag", number("one-step-never-stuck.turns"), "has no turns to tell"),
        ("lost-token", block("ways-out others-stuck"), "claim 'others-stuck' asks for no audit"),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_made_is_named_with_its_line(id: str, text: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        fill(catalog.load(id), text, "en")
    assert said in str(raised.value)


def test_data_cannot_end_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = blocks.KINDS["run"]._replace(text=lambda *_: "a <!-- /made --> b <!-- made: run --> c")
    monkeypatch.setitem(blocks.KINDS, "run", kind)
    made = fill(FLAG, block("run"), "en")
    assert fill(FLAG, made, "en") == made
    assert len(list(markers(made))) == 1


def test_a_part_that_is_not_closed_takes_nothing_with_it() -> None:
    text = f"<!-- made: run -->\n\nwritten by hand\n\n{block('graph')}\n"
    made = fill(FLAG, text, "en")
    assert made.startswith("<!-- made: run -->\n\nwritten by hand\n\n<!-- made: graph -->\n```text\n")


# Markdown and HTML.


@pytest.mark.parametrize("text", ["a|b", "<b>1</b>", "*x* _y_ `z`", "[a](b)", "# a", "1. a", "&lt;", "\\"])
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    html = render(table("head", [[plain(text)]]) if "|" in text else plain(text))
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f">{shown}</" in html


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert render(fenced("a\n```\n<b>")).count("<pre>") == 1


@pytest.mark.parametrize(
    ("text", "there", "gone"),
    [
        ("<script>alert(1)</script>", ["&lt;script&gt;"], ["<script"]),
        ("a <img src=x onerror=alert(1)>", ["&lt;img"], ["<img"]),
        ("[a](javascript:alert(1))", [], ["href"]),
        ("![words](https://example.org/a.png)", ["words"], ["<img", "example.org"]),
        ("![words](a.svg)", ['<img src="a.svg" alt="words">'], []),
        ("[a](https://example.org)", ['rel="noopener noreferrer"'], []),
        ("<!-- a comment -->b", ["<p>b</p>"], ["comment"]),
        ("`<!-- code -->`", ["&lt;!-- code --&gt;"], []),
        ("```python\nx = 1 < 2\n```", ['class="hl-', "&lt;"], []),
        ("```nonsense\n<b>\n```", ["&lt;b&gt;"], ["<b>"]),
        ("<details><summary>A <b></summary>\n\n*x*\n\n</details>", ["&lt;details&gt;"], []),
        (
            "<details>\n<summary>Answer</summary>\n\n*x* `</details>`\n\n</details>",
            ["<details><summary>Answer</summary>", "<em>x</em>", "&lt;/details&gt;</code>"], [],
        ),
        ("\ue0000\ue001", ["\ufffd"], ["\ue000"]),
        ("| a |\n| --- |\n| b |", ["<table>"], []),
    ],
)  # fmt: skip
def test_html_has_nothing_in_it_that_could_act(text: str, there: list[str], gone: list[str]) -> None:
    html = render(text)
    assert [word for word in there if word not in html] == [], html
    assert [word for word in gone if word in html] == [], html


def test_a_page_is_text_and_in_a_notebook_a_picture() -> None:
    page = FLAG.page("zh")
    assert str(page) == page.text == page._repr_markdown_() == (FLAG.path / "page.zh.md").read_text(encoding="utf-8")
    html = page._repr_html_()
    assert html.startswith('<div lang="zh-Hans"><h1>')
    assert html.count("<svg") > 2 and "made:" not in html
    assert repr(page) == "<Page of 'is-editing-flag' in 'zh'>"
    with pytest.raises(InputError, match="lang: expected 'en' or 'zh', got 'fr'"):
        FLAG.page("fr")


# What is wrong with a page.


def test_a_new_folder_has_no_problem(made: Path) -> None:
    assert problems_of(catalog.open(made)) == ()


def change(old: str, new: str) -> Any:
    return lambda text: text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (change("# Two editors", "# Else"), ", line 1: expected '# Two editors', got '# Else'"),
        (change("everyone else waits", "nobody waits"), ", line 3: expected the one-liner of pattern.toml"),
        (change("## Forces", "## Force"), "expected the heading '## Forces', got 'Force'; the headings are: Problem"),
        (change("## Forces", "## Problem"), "expected the heading '## Forces', got 'Problem'"),
        (change("## Check your understanding", "### Check"), "expected the heading '## Check your understanding'"),
        (lambda text: text + "\n## More\n", "expected no heading after 'Check your understanding', got 'More'"),
        (lambda text: text + "\n### More\n", "expected as many headings of each level in both languages, got"),
        (change("<summary>Answer</summary>", "<summary>x</summary>"), "expected a folded answer at the end"),
        (change("<!-- made: graph -->", "<!-- made: grpah -->"), "unknown marker 'grpah'"),
        (change("<!-- made: claims -->", "<!-- made: claims -->\n<!-- made: claims -->"), "opens or closes nothing"),
        (change("<!-- made: claims -->", ""), "opens or closes nothing; write"),
        (change("<!-- made: claims -->", "<!-- made: run -->"), "expected the part 'claims', got none"),
        (change("Who wants", f"{block('story none')}\n\nWho wants"), "no claim 'none'; expected one of one-at-a-time"),
        (change("Who wants", "<!-- made: n never-stuck.states -->1<!-- /made -->"), "at the start of a line"),
        (change("Who wants", number("never-stuck.size")), "has no 'size'; expected one of states"),
        (change("Who wants", "[x](../nowhere/page.md)"), "link to '../nowhere/page.md': there is no such file"),
        (change("Who wants", "[x](nowhere.py)"), "link to 'nowhere.py': there is no such file"),
        (change("Who wants", "[x](http://example.org)"), "expected https://"),
        (change("Who wants", "apache/airflow #123"), "issue 'apache/airflow #123' is no link; write [apache/airflow"),
        (
            change("Who wants", "[a/b #1](https://github.com/a/b/issues/2)"),
            "issue 'a/b #1' links to 'https://github.com/a/b/issues/2'; expected [OWNER/REPO #N]",
        ),
        (change("Who wants", "[this one](https://github.com/a/b/issues/2)"), "issue 'this one' links to"),
        (change("Who wants", "[a/b #2](https://example.org)"), "issue 'a/b #2' links to"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(own: Path, how: Any, said: str) -> None:
    file = own / "page.md"
    file.write_text(how(file.read_text(encoding="utf-8")), encoding="utf-8")
    found = problems_of(catalog.open(own))
    assert any(said in one for one in found), found
    assert all(str(own) in one for one in found)


@pytest.mark.parametrize(
    "good",
    [
        "[a/b #1](https://github.com/a/b/issues/1) and [a/b #2](https://github.com/a/b/pull/2)",
        "[world](world.py), [beside](../two-editors/page.md), [here](#forces), [中文](page.zh.md)",
        "C# 1, issue #12 of it",
        "```\n## no heading\n[x](nowhere)\n```",
    ],
)  # fmt: skip
def test_what_is_right_is_not_named(own: Path, good: str) -> None:
    file = own / "page.md"
    text = file.read_text(encoding="utf-8").replace("Who wants what", f"{good}\n\nWho wants")
    file.write_text(text, encoding="utf-8")
    assert problems_of(catalog.open(own)) == ()


def test_a_page_links_to_pages_of_its_own_language(own: Path) -> None:
    shutil.copytree(own, own.parent / "other")
    for file, to in (("page.md", "page.zh.md"), ("page.zh.md", "page.md")):
        path = own / file
        path.write_text(path.read_text(encoding="utf-8") + f"\n[x](../other/{to})\n", encoding="utf-8")
    assert ["expected the page in this language" in one for one in problems_of(catalog.open(own))] == [True, True]


def test_a_missing_and_an_unreadable_page_are_named(own: Path) -> None:
    (own / "page.md").unlink()
    (own / "page.zh.md").write_bytes(b"\xff\xfe")
    missing, broken = problems_of(catalog.open(own))
    assert missing == f"{own / 'page.md'}: expected the page in this language, got none; write it"
    assert "page.zh.md: expected a page in UTF-8, got" in broken
    with pytest.raises(InputError, match="expected the page in this language"):
        catalog.open(own).page()
    with pytest.raises(InputError, match="expected a page in UTF-8"):
        catalog.open(own).page("zh")


# Notebooks.


def notebook(folder: Path, *cells: dict[str, Any]) -> Any:
    (folder / "one.ipynb").write_text(json.dumps({"nbformat": 4, "cells": list(cells)}), encoding="utf-8")
    (found,) = notebooks(folder)
    return found


def shown(folder: Path, **output: Any) -> str:
    cell = {"cell_type": "code", "source": ["x"], "outputs": [output]}
    found = notebook(folder, cell)
    return body(found, Drawing(lambda show: f"<stepper {show['name']}>", lambda href: href))


def packed(data: Any, format: int = 1) -> dict[str, Any]:
    return {"format": format, "zlib": base64.b64encode(zlib.compress(json.dumps(data).encode())).decode()}


MIME = "application/vnd.dexpatterns.show+json"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"output_type": "stream", "text": ["a <b>\n", "\x1b[31mred\x1b[0m"]}, ">a &lt;b&gt;\nred</pre>"),
        ({"output_type": "error", "traceback": ["no <b>"]}, '<pre class="error">no &lt;b&gt;'),
        ({"data": {MIME: packed({"name": "ours"}), "text/html": "<p>"}}, "<stepper ours>"),
        ({"data": {MIME: packed({"name": "ours"}, 2), "text/plain": "as text"}}, "as text"),
        ({"data": {MIME: {"format": 1, "zlib": "!"}, "text/plain": "as text"}}, "as text"),
        ({"data": {MIME: packed([1]), "text/plain": "as text"}}, "as text"),
        ({"data": {MIME: packed({}), "text/plain": "as text"}}, "as text"),
        ({"data": {"text/html": "<p onclick=x>a</p>"}}, '<iframe sandbox="" loading="lazy"'),
        ({"data": {"text/markdown": "*a* <b>"}}, "<em>a</em> &lt;b&gt;"),
        ({"data": {"image/png": "aGk=\n"}}, '<img src="data:image/png;base64,aGk=" alt="">'),
        ({"data": {"image/png": '"><script>'}}, '<div class="output"></div>'),
        ({"data": {"text/plain": "<x>"}}, '<pre class="text">&lt;x&gt;</pre>'),
        ({"data": "nonsense"}, '<div class="output"></div>'),
    ],
)  # fmt: skip
def test_a_stored_output_is_shown_and_does_nothing(tmp_path: Path, output: dict[str, Any], said: str) -> None:
    html = shown(tmp_path, **{"output_type": "display_data", **output})
    assert said in html
    assert "<script" not in html


def test_html_of_somebody_stays_in_its_frame(tmp_path: Path) -> None:
    html = shown(tmp_path, output_type="display_data", data={"text/html": ["<script>a</script>\"'<td>", "b"]})
    assert html.count("<iframe") == 1
    assert "<td>" not in html and "&lt;td&gt;b" in html
    assert "script" not in html.partition("srcdoc")[2]


def test_notebooks_are_read_with_title_and_language(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("# A plan\n", encoding="utf-8")
    for name in ("02-b.ipynb", "02-b.zh.ipynb", "exercises/01-a.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        cell = {"cell_type": "markdown", "source": [f"# Title of {name}\n", "text"]}
        (tmp_path / name).write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    assert [(one.folder, one.stem, one.lang, one.title) for one in notebooks(tmp_path)] == [
        ("", "02-b", "en", "Title of 02-b.ipynb"),
        ("", "02-b", "zh", "Title of 02-b.zh.ipynb"),
        ("", "plan", "en", "A plan"),
        ("exercises", "01-a", "en", "Title of exercises/01-a.ipynb"),
    ]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"cells": 1}', "[" * 100_000])
def test_a_broken_notebook_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.ipynb").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"one\.ipynb: expected a notebook of format 4"):
        notebooks(tmp_path)


def test_a_cell_of_another_kind_is_left_out(tmp_path: Path) -> None:
    assert body(notebook(tmp_path, {"cell_type": "raw", "source": "<b>"}), Drawing(str, str)) == ""


# Making them anew.


def rewrite(*args: object) -> tuple[int, str]:
    from click.testing import CliRunner

    from dexpatterns.pages.__main__ import main

    result = CliRunner().invoke(main, [str(arg) for arg in args])
    return result.exit_code, result.output


def test_generated_parts_are_made_anew_in_place(own: Path) -> None:
    good = (own / "page.md").read_text(encoding="utf-8")
    assert rewrite(own)[0] == 0
    (own / "page.md").write_text(good.replace("| PROVED |", "| REFUTED |", 1), encoding="utf-8")
    status, said = rewrite(own, "--check")
    assert (status, "page.md: a generated part is not what it should be" in said) == (1, True)
    status, said = rewrite(own)
    assert (status, "two-editors: page.md written, page.zh.md as it was; 0 to mend" in said) == (0, True)
    assert (own / "page.md").read_text(encoding="utf-8") == good


def test_a_page_that_cannot_be_made_is_told_once_and_the_others_go_on(own: Path) -> None:
    page = own / "page.md"
    page.write_text(page.read_text(encoding="utf-8").replace("made: graph", "made: grpah"), encoding="utf-8")
    chinese = own / "page.zh.md"
    whole = chinese.read_text(encoding="utf-8")
    chinese.write_text(whole.replace("| PROVED |", "| REFUTED |"), encoding="utf-8")
    status, said = rewrite(own)
    assert status == 1
    assert said.count("unknown marker 'grpah'") == 1
    assert "page.zh.md written" in said
    assert chinese.read_text(encoding="utf-8") == whole
    assert rewrite(own / "nowhere")[0] == 1
