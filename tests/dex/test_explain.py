"""An explanation is the verdict, the cause, then every turn, in both languages; and nobody's text can harm it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest

from dexpatterns import catalog
from dexpatterns.dex import (
    Anytime,
    Attribute,
    Channel,
    Context,
    Faults,
    Flow,
    Invoke,
    PersistenceSchema,
    RPCResult,
    Scenario,
    Section,
    Simulation,
    StartFlowOptions,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    Stop,
    StopFlowOptions,
    StopType,
    Wait,
    check,
    dead_end,
    go_to,
    go_to_many,
    graceful_complete,
    rpc,
    simulate,
)
from dexpatterns.dex.explain import Explanation, explain, told
from dexpatterns.dex.properties import mutual_exclusion, token_conserved
from dexpatterns.dex.story import sentences
from dexpatterns.dex.wording import shown, value
from dexpatterns.engine.explore import explore
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import always, always_ends, never, never_stuck
from dexpatterns.engine.report import Bounds
from dexpatterns.engine.run import Run
from dexpatterns.engine.values import freeze
from dexpatterns.errors import InputError
from tests.handmade import TOKEN, critical, edits


def explained(pattern: str, flow: int, property: str, lang: str = "en", **given: Any) -> Explanation:
    """The explanation of a catalog Flow, two reviewers, one property: 'stuck', 'alone' or 'token'."""
    found = catalog.load(pattern)
    one = {
        "stuck": never_stuck,
        "alone": lambda: mutual_exclusion(found.section),
        "token": lambda: token_conserved(found.token),
    }[property]()
    tokens = (found.token,) if found.token is not None else ()
    report = check(
        found.flows[flow],
        found.make_input(reviewers=2, **given),
        sections=(found.section,),
        tokens=tokens,
        properties=[one],
    )
    return report.explained(lang)  # type: ignore[no-any-return]


GOLDS = {
    "lost-token 0 en": """\
REFUTED: never stuck. Stuck after turn 10 while reviewer-2 waits; no shorter run breaks it.

Cause: a lost token. reviewer-1 took the token at turn 4 and left with it at turn 8: EditContract saved graceful_complete without giving it back. reviewer-2 waits for it for ever. Nobody else can give it back: every way out has to, in the same result that leaves.
Mend: let EditContract publish to contractEditToken on this way out too (critical-section).

   1  start: StartContractEdits begins.
   2  start: StartContractEdits saves and publishes the token; starts EnterContractEdit twice. contractEditToken [] → ["contract"]
   3  reviewer-1: EnterContractEdit.wait_for begins.
>  4  reviewer-1: EnterContractEdit.wait_for saves and takes the token at once. contractEditToken ["contract"] → []
   5  reviewer-1: EnterContractEdit begins.
   6  reviewer-1: EnterContractEdit saves; goes to EditContract.
   7  reviewer-1: EditContract begins. inside 0 → 1
>  8  reviewer-1: EditContract saves and does not give the token back; asks for the end of the Flow.
   9  reviewer-2: EnterContractEdit.wait_for begins.
  10  reviewer-2: EnterContractEdit.wait_for saves and waits for contractEditToken.for_one().
""",  # noqa: E501
    "lost-token 0 zh": """\
REFUTED：不会卡住。第 10 回合之后卡住，reviewer-2 在等待；没有更短的运行能打破它。

原因：token 丢失。reviewer-1 在第 4 回合消费了 token，在第 8 回合带着它离开：EditContract 保存了 graceful_complete，没有归还。reviewer-2 会永远等待它。没有别的分支能替它归还：每个出口都必须在离开的那个结果中归还。
修复：让 EditContract 在这个出口也向 contractEditToken 发布（critical-section）。

   1  启动：StartContractEdits 开始。
   2  启动：StartContractEdits 已保存，发布 token；启动 EnterContractEdit × 2。contractEditToken [] → ["contract"]
   3  reviewer-1：EnterContractEdit.wait_for 开始。
>  4  reviewer-1：EnterContractEdit.wait_for 已保存，随即消费 token。contractEditToken ["contract"] → []
   5  reviewer-1：EnterContractEdit 开始。
   6  reviewer-1：EnterContractEdit 已保存；进入 EditContract。
   7  reviewer-1：EditContract 开始。段内分支 0 → 1
>  8  reviewer-1：EditContract 已保存，没有归还 token；请求完成 Flow。
   9  reviewer-2：EnterContractEdit.wait_for 开始。
  10  reviewer-2：EnterContractEdit.wait_for 已保存，等待 contractEditToken.for_one()。
""",  # noqa: E501
    "second-token 0 en": """\
REFUTED: at most one inside contract edit. Broken at turn 17 by reviewer-1 and reviewer-2; no shorter run breaks it.

Cause: a second token. RecoverToken published a token at turn 12 while reviewer-1 still held the one taken at turn 7. It had read size of contractEditToken = 0 at turn 11. An empty Channel is what a held token looks like: it does not say that the token is lost.
Mend: publish the token once, before any branch enters, and give it back on every way out; then none has to be replaced (critical-section).

   1  start: StartContractEdits begins.
   2  start: StartContractEdits saves and publishes the token; starts EnterContractEdit twice and RecoverToken. contractEditToken [] → ["contract"]
   3  RecoverToken.wait_for begins.
   4  RecoverToken.wait_for saves and waits for timer 0:10:00.
   5  The timer of RecoverToken (0:10:00) fires; its Wait completes.
   6  reviewer-1: EnterContractEdit.wait_for begins.
>  7  reviewer-1: EnterContractEdit.wait_for saves and takes the token at once. contractEditToken ["contract"] → []
   8  reviewer-1: EnterContractEdit begins.
   9  reviewer-1: EnterContractEdit saves; goes to EditContract.
  10  reviewer-1: EditContract begins. inside 0 → 1, limit 1
> 11  RecoverToken begins and reads size of contractEditToken = 0; nothing is changed yet.
> 12  RecoverToken saves and publishes another token to contractEditToken. contractEditToken [] → ["recovered"]
  13  reviewer-2: EnterContractEdit.wait_for begins.
  14  reviewer-2: EnterContractEdit.wait_for saves and takes the token at once. contractEditToken ["recovered"] → []
  15  reviewer-2: EnterContractEdit begins.
  16  reviewer-2: EnterContractEdit saves; goes to EditContract.
  17  reviewer-2: EditContract begins. reviewer-1 is still inside. inside 1 → 2, limit 1
""",  # noqa: E501
    "second-token 0 zh": """\
REFUTED：contract edit 段内至多 1 个分支。在第 17 回合被打破，涉及 reviewer-1、reviewer-2；没有更短的运行能打破它。

原因：第二个 token。RecoverToken 在第 12 回合发布了一个 token，而 reviewer-1 还持有第 7 回合消费的那个。它在第 11 回合读到 contractEditToken 的消息数 = 0。token 被持有时，Channel 看起来也是空的：这并不说明 token 已丢失。
修复：只在任何分支进入之前发布一次 token，并在每个出口归还；这样就不需要补发（critical-section）。

   1  启动：StartContractEdits 开始。
   2  启动：StartContractEdits 已保存，发布 token；启动 EnterContractEdit × 2、RecoverToken。contractEditToken [] → ["contract"]
   3  RecoverToken.wait_for 开始。
   4  RecoverToken.wait_for 已保存，等待 timer 0:10:00。
   5  RecoverToken 的 Timer（0:10:00）触发；它的 Wait 完成。
   6  reviewer-1：EnterContractEdit.wait_for 开始。
>  7  reviewer-1：EnterContractEdit.wait_for 已保存，随即消费 token。contractEditToken ["contract"] → []
   8  reviewer-1：EnterContractEdit 开始。
   9  reviewer-1：EnterContractEdit 已保存；进入 EditContract。
  10  reviewer-1：EditContract 开始。段内分支 0 → 1，上限 1
> 11  RecoverToken 开始，读到 contractEditToken 的消息数 = 0；此时还没有任何改动。
> 12  RecoverToken 已保存，又向 contractEditToken 发布一个 token。contractEditToken [] → ["recovered"]
  13  reviewer-2：EnterContractEdit.wait_for 开始。
  14  reviewer-2：EnterContractEdit.wait_for 已保存，随即消费 token。contractEditToken ["recovered"] → []
  15  reviewer-2：EnterContractEdit 开始。
  16  reviewer-2：EnterContractEdit 已保存；进入 EditContract。
  17  reviewer-2：EditContract 开始，而 reviewer-1 还在段内。段内分支 1 → 2，上限 1
""",  # noqa: E501
    "is-editing-flag 0 en": """\
REFUTED: at most one inside contract edit. Broken at turn 12 by reviewer-1 and reviewer-2; no shorter run breaks it.

Cause: check, then act. reviewer-2 read isEditing = False at turn 6 (CheckFlag); reviewer-1 saved True at turn 9 (SetFlag), and reviewer-2 went on with what it had read. Between the Step that checks and the Step that sets anything may happen: nothing holds isEditing.
Mend: critical-section hands over one token instead; attribute-lock, if all the work fits one execute.

   1  start: StartContractEdits begins.
   2  start: StartContractEdits saves; starts CheckFlag twice.
   3  reviewer-1: CheckFlag begins and reads isEditing = False; nothing is changed yet.
   4  reviewer-1: CheckFlag saves; goes to SetFlag.
   5  reviewer-1: SetFlag begins.
>  6  reviewer-2: CheckFlag begins and reads isEditing = False; nothing is changed yet.
   7  reviewer-2: CheckFlag saves; goes to SetFlag.
   8  reviewer-2: SetFlag begins.
>  9  reviewer-1: SetFlag saves; goes to EditContract. isEditing False → True
  10  reviewer-1: EditContract begins. inside 0 → 1, limit 1
  11  reviewer-2: SetFlag saves; goes to EditContract. isEditing True → True
  12  reviewer-2: EditContract begins. reviewer-1 is still inside. inside 1 → 2, limit 1
""",  # noqa: E501
    "is-editing-flag 0 zh": """\
REFUTED：contract edit 段内至多 1 个分支。在第 12 回合被打破，涉及 reviewer-1、reviewer-2；没有更短的运行能打破它。

原因：先检查，后行动。reviewer-2 在第 6 回合读到 isEditing = False（CheckFlag）；reviewer-1 在第 9 回合保存了 True（SetFlag），而 reviewer-2 仍按先前读到的值继续。在检查的 Step 与设置的 Step 之间什么都可能发生：没有任何东西守住 isEditing。
修复：改用 critical-section 交接一个 token；如果全部工作放得进一次 execute，用 attribute-lock。

   1  启动：StartContractEdits 开始。
   2  启动：StartContractEdits 已保存；启动 CheckFlag × 2。
   3  reviewer-1：CheckFlag 开始，读到 isEditing = False；此时还没有任何改动。
   4  reviewer-1：CheckFlag 已保存；进入 SetFlag。
   5  reviewer-1：SetFlag 开始。
>  6  reviewer-2：CheckFlag 开始，读到 isEditing = False；此时还没有任何改动。
   7  reviewer-2：CheckFlag 已保存；进入 SetFlag。
   8  reviewer-2：SetFlag 开始。
>  9  reviewer-1：SetFlag 已保存；进入 EditContract。isEditing False → True
  10  reviewer-1：EditContract 开始。段内分支 0 → 1，上限 1
  11  reviewer-2：SetFlag 已保存；进入 EditContract。isEditing True → True
  12  reviewer-2：EditContract 开始，而 reviewer-1 还在段内。段内分支 1 → 2，上限 1
""",  # noqa: E501
    "is-editing-flag 1 en": """\
REFUTED: at most one inside contract edit. Broken at turn 8 by reviewer-1 and reviewer-2; no shorter run breaks it.

Cause: an old snapshot. reviewer-2 read isEditing = False at turn 4; reviewer-1 saved True at turn 5. A begin reads and a save writes: in between nothing holds isEditing.
Mend: critical-section hands over one token instead; attribute-lock, if all the work fits one execute.

  1  start: StartFlagTakers begins.
  2  start: StartFlagTakers saves; starts TakeFlag twice.
  3  reviewer-1: TakeFlag begins and reads isEditing = False; nothing is changed yet.
> 4  reviewer-2: TakeFlag begins and reads isEditing = False; nothing is changed yet.
> 5  reviewer-1: TakeFlag saves; goes to EditContract. isEditing False → True
  6  reviewer-1: EditContract begins. inside 0 → 1, limit 1
  7  reviewer-2: TakeFlag saves; goes to EditContract. isEditing True → True
  8  reviewer-2: EditContract begins. reviewer-1 is still inside. inside 1 → 2, limit 1
""",  # noqa: E501
    "is-editing-flag 1 zh": """\
REFUTED：contract edit 段内至多 1 个分支。在第 8 回合被打破，涉及 reviewer-1、reviewer-2；没有更短的运行能打破它。

原因：旧快照。reviewer-2 在第 4 回合读到 isEditing = False；reviewer-1 在第 5 回合保存了 True。开始时读，保存时写：其间没有任何东西守住 isEditing。
修复：改用 critical-section 交接一个 token；如果全部工作放得进一次 execute，用 attribute-lock。

  1  启动：StartFlagTakers 开始。
  2  启动：StartFlagTakers 已保存；启动 TakeFlag × 2。
  3  reviewer-1：TakeFlag 开始，读到 isEditing = False；此时还没有任何改动。
> 4  reviewer-2：TakeFlag 开始，读到 isEditing = False；此时还没有任何改动。
> 5  reviewer-1：TakeFlag 已保存；进入 EditContract。isEditing False → True
  6  reviewer-1：EditContract 开始。段内分支 0 → 1，上限 1
  7  reviewer-2：TakeFlag 已保存；进入 EditContract。isEditing True → True
  8  reviewer-2：EditContract 开始，而 reviewer-1 还在段内。段内分支 1 → 2，上限 1
""",  # noqa: E501
    "cancel-inside 0 en": """\
REFUTED: one token in contractEditToken. Broken at turn 11 by reviewer-1; no shorter run breaks it.

Cause: cancelled inside the section. reviewer-1 took the token at turn 7; CancelEditing cancelled its EditContract at turn 11, and the token went with it. What is cancelled publishes nothing, and its failure route does not run.
Mend: never cancel EditContract: send a stop request that it looks for, and let it leave by an early exit (critical-section).

   1  start: StartContractEdits begins.
   2  start: StartContractEdits saves and publishes the token; starts EnterContractEdit twice and CancelEditing. contractEditToken [] → ["contract"]
   3  CancelEditing.wait_for begins.
   4  CancelEditing.wait_for saves and waits for timer 0:10:00.
   5  The timer of CancelEditing (0:10:00) fires; its Wait completes.
   6  reviewer-1: EnterContractEdit.wait_for begins.
>  7  reviewer-1: EnterContractEdit.wait_for saves and takes the token at once. contractEditToken ["contract"] → []
   8  reviewer-1: EnterContractEdit begins.
   9  reviewer-1: EnterContractEdit saves; goes to EditContract.
  10  CancelEditing begins.
> 11  CancelEditing saves; EditContract of reviewer-1 is cancelled, its token is lost.
""",  # noqa: E501
    "cancel-inside 0 zh": """\
REFUTED：contractEditToken 恰好 1 个 token。在第 11 回合被打破，涉及 reviewer-1；没有更短的运行能打破它。

原因：在段内被取消。reviewer-1 在第 7 回合消费了 token；CancelEditing 在第 11 回合取消了它的 EditContract，token 随之丢失。被取消的 Step 不会发布任何消息，它的失败路由也不会运行。
修复：绝不要取消 EditContract：发送一个它会检查的停止请求，让它提前退出（critical-section）。

   1  启动：StartContractEdits 开始。
   2  启动：StartContractEdits 已保存，发布 token；启动 EnterContractEdit × 2、CancelEditing。contractEditToken [] → ["contract"]
   3  CancelEditing.wait_for 开始。
   4  CancelEditing.wait_for 已保存，等待 timer 0:10:00。
   5  CancelEditing 的 Timer（0:10:00）触发；它的 Wait 完成。
   6  reviewer-1：EnterContractEdit.wait_for 开始。
>  7  reviewer-1：EnterContractEdit.wait_for 已保存，随即消费 token。contractEditToken ["contract"] → []
   8  reviewer-1：EnterContractEdit 开始。
   9  reviewer-1：EnterContractEdit 已保存；进入 EditContract。
  10  CancelEditing 开始。
> 11  CancelEditing 已保存；reviewer-1 的 EditContract 被取消，它的 token 丢失。
""",  # noqa: E501
    "cancel-inside 1 en": """\
REFUTED: at most one inside contract edit. Broken at turn 17 by reviewer-1 and reviewer-2; no shorter run breaks it.

Cause: a second token. CancelAndReplaceToken published a token at turn 9 while reviewer-1 still held the one taken at turn 7. It had read size of contractEditToken = 0 at turn 8. Whom a result cancels is settled only when it is saved; by then the target may have given its token back.
Mend: publish the token once, before any branch enters, and give it back on every way out; then none has to be replaced (critical-section).

   1  start: StartEditsWithReplacement begins.
   2  start: StartEditsWithReplacement saves and publishes the token; starts EnterContractEdit twice and CancelAndReplaceToken. contractEditToken [] → ["contract"]
   3  CancelAndReplaceToken.wait_for begins.
   4  CancelAndReplaceToken.wait_for saves and waits for timer 0:10:00.
   5  The timer of CancelAndReplaceToken (0:10:00) fires; its Wait completes.
   6  reviewer-1: EnterContractEdit.wait_for begins.
>  7  reviewer-1: EnterContractEdit.wait_for saves and takes the token at once. contractEditToken ["contract"] → []
>  8  CancelAndReplaceToken begins and reads size of contractEditToken = 0; nothing is changed yet.
>  9  CancelAndReplaceToken saves and publishes another token to contractEditToken. contractEditToken [] → ["replaced"]
  10  reviewer-1: EnterContractEdit begins.
  11  reviewer-1: EnterContractEdit saves; goes to EditContract.
  12  reviewer-1: EditContract begins. inside 0 → 1, limit 1
  13  reviewer-2: EnterContractEdit.wait_for begins.
  14  reviewer-2: EnterContractEdit.wait_for saves and takes the token at once. contractEditToken ["replaced"] → []
  15  reviewer-2: EnterContractEdit begins.
  16  reviewer-2: EnterContractEdit saves; goes to EditContract.
  17  reviewer-2: EditContract begins. reviewer-1 is still inside. inside 1 → 2, limit 1
""",  # noqa: E501
    "cancel-inside 1 zh": """\
REFUTED：contract edit 段内至多 1 个分支。在第 17 回合被打破，涉及 reviewer-1、reviewer-2；没有更短的运行能打破它。

原因：第二个 token。CancelAndReplaceToken 在第 9 回合发布了一个 token，而 reviewer-1 还持有第 7 回合消费的那个。它在第 8 回合读到 contractEditToken 的消息数 = 0。一个结果取消哪些 Step，到保存时才确定；那时目标可能已经归还了 token。
修复：只在任何分支进入之前发布一次 token，并在每个出口归还；这样就不需要补发（critical-section）。

   1  启动：StartEditsWithReplacement 开始。
   2  启动：StartEditsWithReplacement 已保存，发布 token；启动 EnterContractEdit × 2、CancelAndReplaceToken。contractEditToken [] → ["contract"]
   3  CancelAndReplaceToken.wait_for 开始。
   4  CancelAndReplaceToken.wait_for 已保存，等待 timer 0:10:00。
   5  CancelAndReplaceToken 的 Timer（0:10:00）触发；它的 Wait 完成。
   6  reviewer-1：EnterContractEdit.wait_for 开始。
>  7  reviewer-1：EnterContractEdit.wait_for 已保存，随即消费 token。contractEditToken ["contract"] → []
>  8  CancelAndReplaceToken 开始，读到 contractEditToken 的消息数 = 0；此时还没有任何改动。
>  9  CancelAndReplaceToken 已保存，又向 contractEditToken 发布一个 token。contractEditToken [] → ["replaced"]
  10  reviewer-1：EnterContractEdit 开始。
  11  reviewer-1：EnterContractEdit 已保存；进入 EditContract。
  12  reviewer-1：EditContract 开始。段内分支 0 → 1，上限 1
  13  reviewer-2：EnterContractEdit.wait_for 开始。
  14  reviewer-2：EnterContractEdit.wait_for 已保存，随即消费 token。contractEditToken ["replaced"] → []
  15  reviewer-2：EnterContractEdit 开始。
  16  reviewer-2：EnterContractEdit 已保存；进入 EditContract。
  17  reviewer-2：EditContract 开始，而 reviewer-1 还在段内。段内分支 1 → 2，上限 1
""",  # noqa: E501
    "stuck join en": """\
REFUTED: never stuck. Stuck after turn 8 while Join waits; no shorter run breaks it.

Cause: a wait that cannot end. Join waits for done.for_n(2). 1 message came to done, of which 1 still lies there. ben ended at turn 6 (Visit) without publishing to it. Nobody is left who would publish. Such a wait ends only by messages, and a message ends one wait.
Mend: let every way that a branch can end publish to done, failures and early exits too.

  1  start: Invite begins.
  2  start: Invite saves; starts Visit twice and Join.
  3  ann: Visit begins. inside 0 → 1
  4  ann: Visit saves; its path ends. done [] → ["ann"]
  5  ben: Visit begins. inside 0 → 1
> 6  ben: Visit saves; its path ends.
  7  join: Join.wait_for begins.
  8  join: Join.wait_for saves and waits for done.for_n(2).
""",  # noqa: E501
    "bounded en": """\
BOUNDED: not decided, the search was cut by states=100: 100 states, 100 moves, 198 turns deep.
Within: this input, no faults, nothing from outside.
  BOUNDED  never stuck
What grows in what was seen: Attribute counted, Channel said and the steps, in number or content. If that never ends, neither does the search; if it does, try more states.
""",  # noqa: E501
    "proved en": """\
PROVED: all {states:,} states were tried, by {moves:,} moves; the deepest is 22 turns away.
Within: this input, 1 lost attempt at most.
  PROVED  never stuck
  PROVED  at most one inside contract edit
  PROVED  one token in contractEditToken
A good run has 22 turns at least; it ends COMPLETED.
Inside in it: reviewer-1 from turn 7 to 10; reviewer-2 from turn 15 to 18.
""",
    "stuck join zh": """\
REFUTED：不会卡住。第 8 回合之后卡住，Join 在等待；没有更短的运行能打破它。

原因：不会结束的等待。Join 等待 done.for_n(2)。done 收到过 1 条消息，现有 1 条。ben 在第 6 回合结束（Visit），没有向它发布。已没有谁会发布。这样的等待只因消息而结束，一条消息只结束一个等待。
修复：让分支的每一种结束方式都向 done 发布，失败和提前退出也不例外。

  1  启动：Invite 开始。
  2  启动：Invite 已保存；启动 Visit × 2、Join。
  3  ann：Visit 开始。段内分支 0 → 1
  4  ann：Visit 已保存；此路结束。done [] → ["ann"]
  5  ben：Visit 开始。段内分支 0 → 1
> 6  ben：Visit 已保存；此路结束。
  7  汇合：Join.wait_for 开始。
  8  汇合：Join.wait_for 已保存，等待 done.for_n(2)。
""",  # noqa: E501
    "bounded zh": """\
BOUNDED：没有定论，搜索被截断（states=100）：100 个状态，100 步走法，深 198 回合。
范围：这一输入，没有故障和外部事件。
  BOUNDED  不会卡住
在已经看到的部分里，不断增长的有：Attribute counted、Channel said、steps（数目或内容）。如果它没有尽头，搜索也就没有尽头；如果有，就多试一些状态。
""",  # noqa: E501
    "proved zh": """\
PROVED：全部 {states:,} 个状态都已试过，共 {moves:,} 步走法；最深的在 22 回合之后。
范围：这一输入，至多 1 次 attempt 丢失。
  PROVED  不会卡住
  PROVED  contract edit 段内至多 1 个分支
  PROVED  contractEditToken 恰好 1 个 token
一次成功的运行至少有 22 个回合；以 COMPLETED 结束。
其中在段内的有：reviewer-1 从第 7 回合到第 10 回合；reviewer-2 从第 15 回合到第 18 回合。
""",
}
"""By pattern (or what else it is), which of its Flows, and language."""


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("pattern", "flow", "property", "given"),
    [
        ("lost-token", 0, "stuck", {"withdrawn": (1,)}),
        ("second-token", 0, "alone", {}),
        ("is-editing-flag", 0, "alone", {}),
        ("is-editing-flag", 1, "alone", {}),
        ("cancel-inside", 0, "token", {}),
        ("cancel-inside", 1, "alone", {}),
    ],
)
def test_a_counterexample_is_told_whole(
    pattern: str, flow: int, property: str, given: dict[str, Any], lang: str
) -> None:
    assert f"{explained(pattern, flow, property, lang, **given)}\n" == GOLDS[f"{pattern} {flow} {lang}"]


# A join that hears of one too few; and whatever people may be called.


DONE = Channel("done", str)


@dataclass(frozen=True, slots=True)
class Guest:
    name: str
    says_so: bool = True


class Invite(Step[list[Guest]]):
    def execute(self, context: Context, guests: list[Guest]) -> StepDecision:
        return go_to_many(*[StepMovement.of(Visit, g) for g in guests], StepMovement.of(Join, len(guests)))


class Visit(Step[Guest]):
    def execute(self, context: Context, guest: Guest) -> StepDecision:
        if guest.says_so:
            DONE.publish(context, guest.name)
        return dead_end()


class Join(Step[int]):
    def wait_for(self, context: Context, count: int) -> Wait:
        return Wait.until(DONE.for_n(count))

    def execute(self, context: Context, count: int) -> StepDecision:
        return graceful_complete(count)


class Party(Flow[list[Guest]]):
    def get_steps(self) -> StepList[list[Guest]]:
        return StepList.start_step(Invite()).other_steps(Visit(), Join())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(DONE)

    @rpc
    def apologise(self, context: Context) -> RPCResult[None]:
        """Says what a guest forgot to say."""
        DONE.publish(context, "sorry")
        return RPCResult(None)


VISIT = Section(Visit, name="visit", label=lambda guest: guest.name)


def party(*guests: Guest, lang: str = "en", **more: Any) -> Explanation:
    report = check(Party, list(guests), sections=(VISIT,), properties=[never_stuck()], **more)
    return report.explained(lang)  # type: ignore[no-any-return]


def test_a_join_that_is_stuck_is_told_whole() -> None:
    guests = (Guest("ann"), Guest("ben", says_so=False))
    for lang in ("en", "zh"):
        assert f"{party(*guests, lang=lang)}\n" == GOLDS[f"stuck join {lang}"]


HOSTILE = [
    "<script>alert(1)</script>",
    "../../x",
    "\x1b[2J\x07\r\n",
    "a\u202etxt.exe",
    "\ud800",
    "{0} {name} %s",
    "שלום",
    "👩‍💻",
    'quote " and \\ back',
    "x" * 10_000,
]


class _Reader(HTMLParser):
    """Collects the tags and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


WRONG: list[tuple[str, str, str, str]] = [
    ("is-editing-flag", "at most one inside", "2 are inside, limit 1", "段内 2 个，上限 1"),
    (
        "second-token", "one token", "doubled by RecoverToken: 2 instead of 1",
        "被 RecoverToken 多发布：有 2 个，应为 1 个",
    ),
    ("lost-token", "one token", "lost by EditContract: 0 of 1 left", "被 EditContract 弄丢：应有 1 个，剩 0 个"),
    ("lost-token", "never stuck", "", "还有人在等待，却再也不会发生任何事"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "asked", "en", "zh"), WRONG)
def test_what_is_wrong_is_told_in_both_languages(name: str, asked: str, en: str, zh: str) -> None:
    pattern = catalog.load(name)
    properties = [never_stuck(), mutual_exclusion(pattern.section)]
    properties += [token_conserved(pattern.token)] if pattern.token is not None else []
    report = check(
        pattern.flow, pattern.make_input(2), sections=[pattern.section],
        properties=[one for one in properties if one.name.startswith(asked)],
    )  # fmt: skip
    if not en:
        assert report.wrong() == report.results[0].detail
    else:
        assert report.wrong() == en
    assert report.wrong("zh") == zh


def test_what_is_wrong_with_a_lost_goal_and_of_ones_own_is_told_in_both_languages() -> None:
    pattern = catalog.load("lost-token")
    for asked, en, zh in (
        (always_ends("COMPLETED"), "from here no end with status COMPLETED can be reached any more",
         "从这里起再也无法以 COMPLETED 结束"),
        (never("a Step", lambda state: bool(state["steps"])), "it happened", "它发生了"),
        (always("no Step", lambda state: not state["steps"]), "does not hold", "不成立"),
    ):  # fmt: skip
        report = check(pattern.flow, pattern.make_input(2), properties=[asked])
        assert (report.wrong(), report.wrong("zh")) == (en, zh)
    assert check(pattern.flow, pattern.make_input(2), properties=[never("it", lambda _: False)]).wrong("zh") == ""


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_name_is_only_a_name(name: str, lang: str) -> None:
    explanation = party(Guest(name), Guest("ben", says_so=False), lang=lang)
    text, page = str(explanation), explanation._repr_html_()
    assert shown(name) in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", text)
    assert len(text) < 3_000
    read = _Reader(page)
    assert read.tags == {"div", "b", "bdi", "br", "p", "table", "thead", "tr", "th", "tbody", "td"}
    assert shown(name) in " ".join(read.texts)
    text.encode(), page.encode()


def test_what_is_read_from_right_to_left_stays_by_itself() -> None:
    assert shown("שלום") == "\u2068שלום\u2069"
    assert shown("reviewer-1") == "reviewer-1"


def test_a_long_value_is_cut_with_its_length() -> None:
    assert value(freeze("x" * 9_998)) == f'"{"x" * 39}… (10,000 characters)'
    assert value(freeze(True)), value(None) == ("True", "None")


# The words of a turn.


LABEL = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit["reviewer"])


def told_turns(lang: str = "en") -> list[str]:
    return [str(turn) for turn in sentences(critical(), (LABEL,), (TOKEN,), lang)]


@pytest.mark.parametrize(
    ("en", "zh"),
    [
        (
            'reviewer-3: ReleaseContractEditToken saves and gives the token back. contractEditToken [] → ["contract"]',
            'reviewer-3：ReleaseContractEditToken 已保存，归还 token。contractEditToken [] → ["contract"]',
        ),
        (
            'The token goes to reviewer-2; reviewer-3 and reviewer-4 waited too. contractEditToken ["contract"] → []',
            'token 由 reviewer-2 消费；reviewer-3、reviewer-4 也在等待。contractEditToken ["contract"] → []',
        ),
        (
            (
                'reviewer-3: SaveContractEdit fails for good (attempt 2 of 2): ContractEditError, "save failed". '
                "reviewer-3 SaveContractEdit → ReleaseContractEditToken"
            ),
            (
                "reviewer-3：SaveContractEdit 最终失败（第 2 次 attempt，最多 2 次）："
                'ContractEditError，"save failed"。'
                "reviewer-3 SaveContractEdit → ReleaseContractEditToken"
            ),
        ),
        (
            (
                'reviewer-3: SaveContractEdit fails (attempt 1 of 2): ContractEditError, "save failed"; tries again '
                "after 1 s."
            ),
            (
                'reviewer-3：SaveContractEdit 失败（第 1 次 attempt，最多 2 次）：ContractEditError，"save failed"；'
                "1 s 后重试。"
            ),
        ),
        ("reviewer-3: SaveContractEdit begins attempt 2.", "reviewer-3：SaveContractEdit 开始第 2 次 attempt。"),
    ],
)
def test_a_turn_reads_as_people_say_it(en: str, zh: str) -> None:
    assert en in told_turns()
    assert zh in told_turns("zh")


def test_a_token_that_is_given_back_and_taken_in_one_turn_is_told_in_one() -> None:
    """D-15a: only one waits for it, so nothing fits in between."""
    story, (first, second, _) = edits("ann", "ben")
    story.begin(first, "wait_for").wait(first, takes=True).begin(second, "wait_for").wait(second)
    story.begin(first).save(first, publish=TOKEN, takes=(second,))
    en, zh = (sentences(story.trace(), (LABEL,), (TOKEN,), lang)[-1] for lang in ("en", "zh"))
    assert str(en) == "ann: EnterContractEdit saves and gives the token back; ben takes it at once."
    assert str(zh) == "ann：EnterContractEdit 已保存，归还 token；token 随即由 ben 消费。"
    assert en.note == "Nobody else waited for it, so giving back and taking are one turn: nothing fits in between."


def test_a_turn_has_parts_for_whoever_draws_it() -> None:
    turn = next(t for t in sentences(critical(), (LABEL,), (TOKEN,)) if t.verb == "fails for good")
    assert (turn.lane, turn.branch, turn.step) == (3, "reviewer-3", "SaveContractEdit")
    assert [(c.name, c.old, c.new) for c in turn.changes] == [
        ("reviewer-3", "SaveContractEdit", "ReleaseContractEditToken")
    ]
    assert turn.happens.startswith("SaveContractEdit fails for good")


def test_a_branch_has_its_label_before_it_enters() -> None:
    assert told_turns()[2] == "reviewer-1: EnterContractEdit.wait_for begins."


def test_more_rivals_than_are_named_are_not_counted_as_known() -> None:
    """D-16: an event names eight of them at most."""
    story, enters = edits(*"abcdefghij")
    story.take(enters[0], *enters[1:9])
    said = sentences(story.trace(), (LABEL,), (TOKEN,))[-1].sentence
    assert said == "The token goes to a; b, c and at least 6 more waited too."


@pytest.mark.parametrize("lang", ["fr", "EN", ""])
def test_another_language_is_refused(lang: str) -> None:
    with pytest.raises(InputError, match="expected 'en' or 'zh'"):
        sentences(critical(), lang=lang)
    with pytest.raises(InputError, match="expected 'en' or 'zh'"):
        told(Run(critical()), lang)


# Everything that can happen is told, in both languages.


NOTE = Attribute("note", str)


class Fuss(Step[str]):
    """Is called off, timed out, asked and told by everyone."""

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end() if NOTE.get(context) else go_to(Fuss, input)


class Fussy(Flow[str]):
    def get_steps(self) -> StepList[str]:
        return StepList.start_step(Fuss()).other_steps()

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(NOTE)

    @rpc
    def tell(self, context: Context) -> RPCResult[None]:
        NOTE.set(context, "told")
        return RPCResult(None, next_steps=(StepMovement.of(Fuss, "again"),)).with_canceling_steps(Fuss)

    @rpc
    def break_off(self, context: Context) -> RPCResult[None]:
        raise RuntimeError("no")

    def handle_timeout(self, context: Context) -> StepDecision:
        return dead_end()


WORLD = Scenario(
    events=[
        Anytime(Invoke("tell")),
        Anytime(Invoke("break_off")),
        Anytime(Stop(StopFlowOptions(type=StopType.FAIL, reason="enough"))),
    ],
    options=StartFlowOptions(timeout=timedelta(hours=1)),
)
BEGUN = ["begin Fuss.execute 0.0"]


@pytest.mark.parametrize(
    ("moves", "en", "zh"),
    [
        (
            [*BEGUN],
            "start: Fuss begins and reads note = None; nothing is changed yet.",
            "启动：Fuss 开始，读到 note = None；此时还没有任何改动。",
        ),
        ([*BEGUN, "commit Fuss.execute 0.0"], "start: Fuss saves; goes to Fuss.", "启动：Fuss 已保存；进入 Fuss。"),
        (
            [*BEGUN, "lose Fuss.execute 0.0"],
            "start: Fuss is lost with its worker (attempt 1); tries again.",
            "启动：Fuss 随 worker 丢失（第 1 次 attempt）；将重试。",
        ),
        (
            [*BEGUN, "late Fuss.execute 0.0"],
            "start: Fuss is given up, its code runs on (attempt 1); tries again.",
            "启动：Fuss 已放弃，代码仍在运行（第 1 次 attempt）；将重试。",
        ),
        (
            [*BEGUN, "late Fuss.execute 0.0", "end Fuss.execute 0.0.1"],
            "start: the code of Fuss that ran on ends; the Flow ignores it.",
            "启动：Fuss 仍在运行的代码结束；Flow 不理会它。",
        ),
        (["call tell 2.0.0.0"], "A call of tell arrives.", "对 tell 的调用到达。"),
        (
            [*BEGUN, "call tell 2.0.0.0", "commit tell 2.0.0.0"],
            'tell saves; Fuss is cancelled, its code runs on; starts Fuss. note None → "told"',
            'tell 已保存；Fuss 被取消，代码仍在运行；启动 Fuss。note None → "told"',
        ),
        (
            ["call break_off 2.1.0.0", "commit break_off 2.1.0.0"],
            'break_off fails: RuntimeError, "no"; its caller gets the error.',
            'break_off 失败：RuntimeError，"no"；调用者得到错误。',
        ),
        (
            ["stop FAIL 2.2.0.0"],
            "A stop arrives (FAIL): enough; the Flow ends FAILED.",
            "停止请求到达（FAIL）：enough；Flow 以 FAILED 结束。",
        ),
        (
            ["timeout Fussy 1.0"],
            "The timeout of the Flow fires; handle_timeout begins.",
            "Flow 的超时触发；handle_timeout 开始。",
        ),
        (
            ["timeout Fussy 1.0", "commit handle_timeout 1.0"],
            "handle_timeout saves; its path ends.",
            "handle_timeout 已保存；此路结束。",
        ),
    ],
)
def test_every_kind_of_move_has_its_words(moves: list[str], en: str, zh: str) -> None:
    simulation = Simulation(Fussy, "", scenario=WORLD, faults=Faults(lost_attempts=1, late_attempts=1))
    for move in moves:
        simulation.take(move)
    said = [str(sentences(simulation.run.trace, lang=lang)[-1]) for lang in ("en", "zh")]
    assert said == [en, zh]


# Verdicts without a counterexample.


def test_a_proof_says_what_was_tried_and_shows_a_good_run_shortly() -> None:
    found = catalog.load("critical-section")
    report = check(
        found.flow, found.make_input(reviewers=2), sections=(found.section,), tokens=(found.token,),
        faults=Faults(lost_attempts=1),
    )  # fmt: skip
    figures = {"states": report.states, "moves": report.transitions}
    for lang in ("en", "zh"):
        assert f"{report.explained(lang)}\n" == GOLDS[f"proved {lang}"].format(**figures)
    assert len(report.explanation.turns) == len(report.witness.trace.turns)


class Count(Step[int]):
    """Counts up for ever, and says so."""

    def execute(self, context: Context, n: int) -> StepDecision:
        COUNTED.set(context, n)
        SAID.publish(context, n)
        return go_to(Count, n + 1)


COUNTED = Attribute("counted", int)
SAID = Channel("said", int)


class Counting(Flow[int]):
    def get_steps(self) -> StepList[int]:
        return StepList.start_step(Count()).other_steps()

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(COUNTED, SAID)


def test_a_cut_search_names_the_bound_and_what_grew() -> None:
    report = check(Counting, 1, bounds=Bounds(states=100))
    for lang in ("en", "zh"):
        assert f"{report.explained(lang)}\n" == GOLDS[f"bounded {lang}"]


def test_a_run_that_nobody_judged_is_told_as_it_was() -> None:
    found = catalog.load("critical-section")
    run = simulate(found.flow, found.make_input(reviewers=2), sections=(found.section,), tokens=(found.token,), seed=3)
    for lang in ("en", "zh"):
        explanation = told(run, lang)
        assert (explanation.verdict, explanation.cause) == ("", None)
        assert [t.turn for t in explanation.turns] == list(range(1, len(run.trace.turns) + 1))
        assert "COMPLETED" in explanation.headline


# Machines that are no Flows.


class _Counter:
    """Two moves that do not concern each other, and one that must not happen."""

    kind = "bare"
    patient: frozenset[str] = frozenset()
    name = "Counter"

    def __init__(self, most: int = 2) -> None:
        self.most = most

    def start(self) -> tuple[int, tuple[Any, ...]]:
        return 0, ()

    def choices(self, state: int) -> Any:
        return _Moves([Choice("add", "<b>one</b>", (1,))] if state < self.most else [])

    def apply(self, state: int, choice: Choice, now: float = 0.0) -> tuple[int, tuple[Any, ...]]:
        return state + 1, ()

    def describe(self, state: int) -> dict[str, Any]:
        return {"n": state}

    def key(self, state: int) -> int:
        return state

    def rank(self, state: int) -> Callable[[Any], Any]:
        return lambda path: path

    def outcome(self, state: int) -> str | None:
        return None

    def succeeded(self, state: int) -> bool:
        return False

    def stuck(self, state: int) -> str | None:
        return None

    def merges(self, state: int, choice: Choice) -> tuple[Choice, ...]:
        return ()


class _Moves(list[Choice]):
    owed = True


def test_a_machine_that_is_no_flow_is_told_by_its_moves() -> None:
    machine: Any = _Counter()
    report = explore(machine, properties=[never("<i>two</i>", lambda state: state["n"] == 2)], explain=explain)
    assert str(report.explanation) == (
        "REFUTED: <i>two</i>. Broken at turn 2; no shorter run breaks it.\n\n"
        "It is asked never to happen, and it has happened; of a property in one's own words no cause is looked for.\n\n"
        "  1  add <b>one</b> 1\n  2  add <b>one</b> 1"
    )
    page = report.explanation._repr_html_()
    assert "<b>one" not in page
    assert "<i>" not in page
    report = explore(machine, properties=[always("small", lambda state: state["n"] < 3)], explain=explain)
    assert str(report.explained("zh")).startswith("PROVED：全部 3 个状态都已试过")


def test_a_property_that_is_broken_from_the_start_has_no_turns() -> None:
    machine: Any = _Counter()
    report = explore(machine, properties=[never("none", lambda state: state["n"] == 0)], explain=explain)
    assert report.explanation.headline == "REFUTED: none. Broken from the start."
    assert report.explanation.turns == ()


def test_a_long_story_is_shown_from_both_ends() -> None:
    machine: Any = _Counter(500)
    report = explore(machine, properties=[never("much", lambda state: state["n"] == 500)], explain=explain)
    explanation = report.explanation
    assert len(explanation.turns) == 500
    lines = str(explanation).splitlines()[4:]
    assert len(lines) == 401
    assert lines[19:22] == ["   20  add <b>one</b> 1", "  … 100 turns …", "  121  add <b>one</b> 1"]
    assert explanation._repr_html_().count("<tr") == 1 + 401


def test_a_search_that_was_cut_does_not_claim_the_shortest() -> None:
    machine: Any = _Counter()
    report = explore(machine, properties=[never("two", lambda state: state["n"] == 2)], explain=explain)
    cut = replace(report, cut="states=9")
    assert cut.explanation.headline == (
        "REFUTED: two. Broken at turn 2; the search for a shorter run was cut by states=9."
    )
    cut = replace(report, cut="interrupted")
    assert cut.explained("zh").headline == "REFUTED：two。在第 2 回合被打破；对更短运行的搜索被截断（人为中断）。"


# What it looks like.


def test_an_explanation_has_a_stable_short_form() -> None:
    explanation = party(Guest("ann", says_so=False))
    assert repr(explanation) == "<Explanation of Party: REFUTED, 6 turns, cause stuck>"


def test_the_page_puts_the_cause_first_and_needs_no_colour() -> None:
    page = party(Guest("ann", says_so=False))._repr_html_()
    read = _Reader(page)
    assert read.texts[0] == "Cause: a wait that cannot end."
    assert page.index("border-left:4px") < page.index("REFUTED") < page.index("<table")
    # The turns that the cause names are marked by a sign and weight.
    assert [text for text in read.texts if text.startswith("> ")] == ["> 4"]
    assert '<b dir="auto">&gt; 4</b>' in page


def test_the_same_report_gives_the_same_page() -> None:
    one, other = (party(Guest("ann", says_so=False)) for _ in range(2))
    assert (str(one), one._repr_html_()) == (str(other), other._repr_html_())


def test_a_save_for_which_several_wait_says_that_who_gets_it_is_the_next_move() -> None:
    pattern = catalog.load("critical-section")
    flow, edits = pattern.flow, pattern.make_input(reviewers=4)
    run = simulate(flow, edits, sections=[pattern.section], tokens=[pattern.token], seed=3)
    told = sentences(run.trace, run.sections, run.tokens)
    drawn = [turn.number for turn in run.trace.turns if getattr(turn.events[0], "rivals", ())]
    assert drawn
    assert [text.turn + 1 for text in told if "that is the next move" in text.note] == drawn
    assert told[drawn[-1] - 2].note.startswith("reviewer-1 and reviewer-4 wait for it.")
