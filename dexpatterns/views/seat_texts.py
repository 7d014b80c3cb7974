"""Every text of the scheduler's seat: English, then Simplified Chinese. This module is data, and one way to fill it in.

`MOVES` has a line for each kind of choice that a machine makes, so that none can be met without words. Fields in
braces are filled in with texts that are fit to be shown.
"""

from __future__ import annotations

from typing import NamedTuple

from dexpatterns.engine.texts import LANGUAGES

__all__ = ["BRANCH", "FAULT", "GROUPS", "MOVES", "OUTSIDE", "TEXTS", "Kind", "front_texts", "say"]

BRANCH, FAULT, OUTSIDE = "branch", "fault", "outside"
GROUPS = (BRANCH, FAULT, OUTSIDE)
"""In the order in which moves are numbered."""

Pair = tuple[str, str]


class Kind(NamedTuple):
    """A kind of choice: where it stands, what it says, and what its second line begins with."""

    group: str
    says: Pair
    then: Pair = ("", "")


MOVES: dict[str, dict[str, Kind]] = {
    "dex": {
        "take": Kind(BRANCH, ("takes {what}", "消费 {what}")),
        "begin": Kind(BRANCH, ("{call} begins", "{call} 开始")),
        "commit": Kind(BRANCH, ("{call} saves", "{call} 保存")),
        "give_up": Kind(
            BRANCH,
            ("{call} is given up, its code runs on", "{call} 被放弃，代码仍在运行"),
            ("it outlives its method timeout", "它超过了方法超时"),
        ),
        "retry": Kind(BRANCH, ("{call} begins attempt {n}", "{call} 开始第 {n} 次 attempt")),
        "fire": Kind(
            BRANCH,
            ("the timer of {step} fires", "{step} 的 Timer 触发"),
            ("set for {time}; here it may fire at any moment", "设为 {time}；这里没有时钟，随时可以触发"),
        ),
        "end": Kind(
            BRANCH,
            ("the code of {call} that ran on ends", "{call} 仍在运行的代码结束"),
            ("the Flow ignores it", "Flow 不理会它"),
        ),
        "lose": Kind(FAULT, ("{call} is lost with its worker", "{call} 随 worker 丢失")),
        "late": Kind(FAULT, ("{call} is given up, its code runs on", "{call} 被放弃，代码仍在运行")),
        "call": Kind(OUTSIDE, ("a call of {call} arrives", "对 {call} 的调用到达")),
        "stop": Kind(OUTSIDE, ("a stop request arrives: {call}", "停止请求到达：{call}")),
        "timeout": Kind(OUTSIDE, ("the timeout of the Flow fires", "Flow 的超时触发")),
    },
    "js7": {
        "arrive": Kind(OUTSIDE, ("comes to {workflow}", "到达 {workflow}")),
        "succeed": Kind(BRANCH, ("{job} succeeds", "{job} 成功")),
        "fail": Kind(FAULT, ("{job} fails", "{job} 失败")),
        "wake": Kind(BRANCH, ("its delay is over", "停顿结束")),
        "answer": Kind(OUTSIDE, ("its question is answered", "它的提问得到回答")),
    },
}

TEXTS: dict[str, Pair] = {
    # Joints.
    "clauses": ("; ", "；"),
    "names": (", ", "、"),
    "last_name": (" and ", "、"),
    "between": (" ", ""),
    "stop": (".", "。"),
    "whose": ("{who}: {said}", "{who}：{said}"),
    "more": ("and {n} more", "另有 {n} 个"),
    # What a move leads to, as a second line.
    "fails": ("{call} fails", "{call} 失败"),
    "attempt": ("attempt {n}", "第 {n} 次 attempt"),
    "attempt_of": ("attempt {n} of {limit}", "第 {n} 次 attempt（最多 {limit} 次）"),
    "then_retry": ("it will be tried again", "将重试"),
    "then_route": ("for good", "最终失败"),
    "then_flow_failed": ("for good", "最终失败"),
    "then_proceed": ("its execute is next", "接着 execute"),
    "then_caller": ("its caller gets the error", "调用者得到错误"),
    "reads": ("reads {what}", "读到 {what}"),
    "writes": ("{name} becomes {value}", "{name} 变为 {value}"),
    "enters": ("enters {section}", "进入 {section}"),
    "enters_beside": ("enters {section}, where {who} is", "进入 {section}，而 {who} 还在其中"),
    "enters_beside_many": ("enters {section}, where {who} are", "进入 {section}，而 {who} 还在其中"),
    "goes_to": ("goes to {step}", "进入 {step}"),
    "goes_to_route": ("goes to {step}, its failure route", "进入失败路由 {step}"),
    "starts": ("starts {steps}", "启动 {steps}"),
    "waits": ("then waits for {wait}", "随后等待 {wait}"),
    "takes_at_once": ("takes {what} at once", "随即消费 {what}"),
    "other_takes": ("{who} takes {what} at once", "{who}：随即消费 {what}"),
    "gives_back": ("gives {token} back", "归还 {token}"),
    "publishes": ("publishes to {channel}", "向 {channel} 发布"),
    "cancels": ("cancels {step} of {who}", "取消 {who} 的 {step}"),
    "closes": ("the Flow ends {status}", "Flow 以 {status} 结束"),
    "asks_end": ("asks for the end of the Flow", "请求完成 Flow"),
    "dead_end": ("its path ends", "此路结束"),
    "rivals": ("{who} waits for it too", "也在等待它：{who}"),
    "rivals_many": ("{who} wait for it too", "也在等待它：{who}"),
    "owed": ("comes {n} more times for sure", "一定还会到来 {n} 次"),
    "owed:1": ("comes once for sure", "一定会到来 1 次"),
    "free": ("may come {n} times, is not owed", "还可能到来 {n} 次，也可能不来"),
    "free:1": ("may come once, is not owed", "可能到来 1 次，也可能不来"),
    "the_token": ("the token", "token"),
    "token_of": ("the token of {channel}", "{channel} 的 token"),
    "messages": ("{n} messages of {channel}", "{channel} 的 {n} 条消息"),
    "messages:1": ("a message of {channel}", "{channel} 的 1 条消息"),
    "wait_completes": ("its Wait completes", "它的 Wait 完成"),
    "other_completes": ("the Wait of {who} completes", "{who} 的 Wait 完成"),
    "its_job": ("its job", "它的作业"),
    # Why who cannot move.
    "cannot": ("{who} cannot move: {why}.", "{who}：没有走法，{why}。"),
    "waits_for": ("it waits for {what}", "它在等待 {what}"),
    "waits_for_many": ("they wait for {what}", "它们在等待 {what}"),
    "held_by": ("{what}, which {who} holds", "{what}（由 {who} 持有）"),
    "held_by_many": ("{what}, which {who} hold", "{what}（由 {who} 持有）"),
    "lock_of": ("the lock of {what}", "{what} 的锁"),
    "its_children": ("{who}, forked from it", "由它分叉出的 {who}"),
    "taking_first": ("first it is settled who takes what there is", "先要确定由谁消费现有的消息"),
    "has_stopped": ("a person would have to resume it ({state})", "需要有人恢复它（{state}）"),
    "over": ("{name} has ended {status}: no move is left.", "{name} 已以 {status} 结束：没有走法了。"),
    "stuck": ("Stuck: nobody can move any more.", "卡住了：谁都没有走法了。"),
    "idle": ("No move is left.", "没有走法了。"),
    "left": ("Left for this run: {what}", "本次运行还剩：{what}"),
    "left_lost": ("{n} lost", "{n} 次丢失"),
    "left_late": ("{n} late", "{n} 次放弃而代码仍在运行"),
    # Properties.
    "holds": ("holds so far", "目前成立"),
    "holds_inside": ("holds so far: {n} inside", "目前成立：段内 {n} 个"),
    "holds_tokens": ("holds so far: {queued} queued + {held} held", "目前成立：排队 {queued} 个 + 持有 {held} 个"),
    "not_judged": ("not judged by one run", "一次运行无法判定"),
    "broken_at": ("broken at move {n}: {how}", "在第 {n} 步走法被打破：{how}"),
    "broken_plain": ("broken at move {n}", "在第 {n} 步走法被打破"),
    "broken_start": ("broken from the start", "从一开始就被打破"),
    "how_inside": ("{n} inside, limit {limit}", "段内 {n} 个，上限 {limit}"),
    "how_lost": ("{who} left with the token", "{who} 带着 token 离开"),
    "how_doubled": ("{who} published one too many", "{who} 多发布了一个"),
    "how_stuck": ("{who} waits for ever", "会永远等待：{who}"),
    "how_stuck_many": ("{who} wait for ever", "会永远等待：{who}"),
    "how_goal": ("{status} is out of reach", "再也无法以 {status} 结束"),
    "ahead_no": ("cannot be broken: all {n} states tried", "无法打破：全部 {n} 个状态都已试过"),
    "ahead_no:1": ("cannot be broken: the only state was tried", "无法打破：唯一的状态已试过"),
    "ahead_no_here": (
        "cannot be broken from here: all {n} states tried",
        "从这里起无法打破：全部 {n} 个状态都已试过",
    ),
    "ahead_no_here:1": (
        "cannot be broken from here: the only state was tried",
        "从这里起无法打破：唯一的状态已试过",
    ),
    "ahead_way": ("can break, {n} moves away (move {first})", "可以打破，还差 {n} 步走法（第一步：{first}）"),
    "ahead_way:1": ("can break, 1 move away (move {first})", "可以打破，只差 1 步走法（{first}）"),
    "ahead_cut": ("not decided: {n} states were tried, there are more", "没有定论：试过 {n} 个状态，后面还有"),
    "ahead_broken": ("broken already", "已被打破"),
    "ahead_shortest": ("broken already; the shortest is {n} moves", "已被打破；最短的只需 {n} 步走法"),
    "ahead_unknown": ("press Hint", "请按“提示”"),
    # The hint.
    "hint_ways": ("From here {what}.", "从这里起，{what}。"),
    "hint_first": ("{name} can break in {n} moves", "{n} 步走法就能打破{name}"),
    "hint_first:1": ("{name} can break in 1 move", "1 步走法就能打破{name}"),
    "hint_then": ("{name} in {n}", "打破{name}需 {n} 步"),
    "hint_marked": (
        "The shortest way begins with the move marked hint.",
        "最短的路从标有“提示”的走法开始。",
    ),
    "hint_never": (
        "{name} cannot be broken: all {n} states were tried.",
        "{name}无法打破：全部 {n} 个状态都已试过。",
    ),
    "hint_never:1": (
        "{name} cannot be broken: the only state was tried.",
        "{name}无法打破：唯一的状态已试过。",
    ),
    "hint_never_here": (
        "{name} cannot be broken from here: all {n} states were tried.",
        "从这里起{name}无法打破：全部 {n} 个状态都已试过。",
    ),
    "hint_never_here:1": (
        "{name} cannot be broken from here: the only state was tried.",
        "从这里起{name}无法打破：唯一的状态已试过。",
    ),
    "hint_never_all": (
        "It cannot be broken: all {n} states were tried.",
        "无法打破：全部 {n} 个状态都已试过。",
    ),
    "hint_never_all:1": ("It cannot be broken: the only state was tried.", "无法打破：唯一的状态已试过。"),
    "hint_never_all_here": (
        "It cannot be broken from here: all {n} states were tried.",
        "从这里起无法打破：全部 {n} 个状态都已试过。",
    ),
    "hint_never_all_here:1": (
        "It cannot be broken from here: the only state was tried.",
        "从这里起无法打破：唯一的状态已试过。",
    ),
    "hint_cut": (
        "{name} is not decided: the search stopped after {n} states, and there are more.",
        "{name}没有定论：搜索在试过 {n} 个状态后停止，后面还有。",
    ),
    "hint_broken": (
        "{name} is broken already; no run breaks it in fewer than {n} moves.",
        "{name}已被打破；没有运行能用少于 {n} 步走法打破它。",
    ),
    "hint_broken_cut": (
        "{name} is broken already; a run of {n} moves breaks it, and shorter ones were not all tried.",
        "{name}已被打破；{n} 步走法的运行就能打破它，更短的没有全部试过。",
    ),
    "hint_broken_only": ("{name} is broken already.", "{name}已被打破。"),
    # A break.
    "broke": ("Broken: {name}.", "已打破：{name}。"),
    "broke_by": ("By {who}, in {n} moves", "涉及 {who}，共 {n} 步走法"),
    "broke_in": ("In {n} moves", "共 {n} 步走法"),
    "broke_shortest": ("; the shortest is {n} moves.", "；最短的只需 {n} 步走法。"),
    "broke_is_shortest": ("; no run breaks it in fewer.", "；没有更短的运行能打破它。"),
    "broke_unknown": (".", "。"),
    "cause": ("Cause: {title}.", "原因：{title}。"),
    "mend": ("Mend: {mend}", "修复：{mend}"),
    # Around it.
    "seat": ("Scheduler's seat", "调度者席位"),
    "left_at": ("left the recorded run at turn {n}", "在第 {n} 回合离开了记录的运行"),
    "orders": ("{n} orders", "{n} 个订单"),
    "orders:1": ("1 order", "1 个订单"),
    "branches": ("{n} branches", "{n} 个分支"),
    "branches:1": ("1 branch", "1 个分支"),
    "nothing_yet": ("Nothing has happened yet.", "尚未发生任何事。"),
    "chose": ("You chose 1 of {n}.", "你从 {n} 种走法中选了 1 种。"),
    "only": ("It was the only move.", "这是唯一的走法。"),
}

_FRONT: dict[str, Pair] = {
    "undo": ("Undo move {n}", "撤销第 {n} 步走法"),
    "undo_none": ("Undo", "撤销"),
    "redo": ("Redo", "重做"),
    "restart": ("Start over", "重新开始"),
    "back": ("Back to the recorded run", "回到记录的运行"),
    "made": ("{n} moves made", "已走 {n} 步"),
    "made:1": ("1 move made", "已走 1 步"),
    "copy": ("Copy schedule", "复制 schedule"),
    "copied": ("Copied", "已复制"),
    "copy_failed": ("Select and copy it here", "请在这里选中并复制"),
    "hint_button": ("Hint", "提示"),
    "hint_mark": ("hint", "提示"),
    "searching": ("Trying everything from here …", "正在尝试从这里起的一切……"),
    "moves_branches": ("Moves of the branches", "分支的走法"),
    "moves_orders": ("Moves of the orders", "订单的走法"),
    "moves_other": ("Faults and events from outside", "故障与外部事件"),
    "possible": ("{n} possible; press the number", "{n} 种可走；按数字键"),
    "possible_plain": ("{n} possible", "{n} 种可走"),
    "faults": ("Faults", "故障"),
    "outside": ("From outside", "来自外部"),
    "filter": ("Filter the moves", "筛选走法"),
    "filtered": ("{n} of {all} shown", "显示 {all} 种中的 {n} 种"),
    "properties": ("Properties", "性质"),
    "property": ("Property", "性质"),
    "after": ("After your {n} moves", "你走了 {n} 步之后"),
    "after:1": ("After your move", "你走了 1 步之后"),
    "after:0": ("At the start", "开始时"),
    "ahead": ("Ahead", "往后"),
    "flow_now": ("Flow, now", "Flow 的现状"),
    "lanes": ("Branches over turns", "各分支的经过（按回合）"),
    "lanes_note": ("empty to the right: nothing is decided there", "右边是空的：那里还没有任何决定"),
    "next": ("{n} ?", "{n} ?"),
    "your_move": ("Your move.", "轮到你走。"),
    "your_moves": ("Your moves", "你的走法"),
    "your_moves_note": ("click: undo to there", "点击：撤销到那里"),
    "here_left": ("here you left the recorded run", "你在这里离开了记录的运行"),
    "before": ("and {n} before", "此前还有 {n} 步"),
    "mark_holds": ("holds so far in this run", "在这次运行中目前成立"),
    "mark_proved": ("cannot be broken from here", "从这里起无法打破"),
    "mark_broken": ("broken", "已打破"),
    "mark_open": ("not judged", "未判定"),
    "colon": (": ", "："),
    "hint_word": ("Hint.", "提示。"),
    "gap": (" ", ""),
    "keys": ("Keys", "按键"),
    "controls": ("Controls", "控制"),
    "key_move": ("take that move", "走这一步"),
    "key_undo": ("undo", "撤销"),
    "key_redo": ("redo", "重做"),
    "key_hint": ("hint", "提示"),
    "key_back": ("back to the run", "回到记录的运行"),
    "live": ("{said} {n} moves are possible.", "{said}有 {n} 种走法。"),
    "live_hint": ("The hint is move {n}.", "提示是第 {n} 种走法。"),
}
"""What the browser alone says."""


def say(lang: str, key: str, /, **fields: object) -> str:
    """One of `TEXTS`, its fields filled in; `n` finds the text for that number, if there is one."""
    pair = TEXTS.get(f"{key}:{fields.get('n')}") or TEXTS[key]
    return pair[LANGUAGES.index(lang)].format(**fields)


def front_texts(lang: str) -> dict[str, str]:
    """What the browser says in a language; it fills in the fields itself."""
    at = LANGUAGES.index(lang)
    return {key: pair[at] for key, pair in _FRONT.items()}
