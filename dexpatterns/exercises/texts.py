"""Every sentence that judges an answer, in English and Chinese; those of one exercise alone stand in its folder.

Names and values that fill a text come from people: they are made fit to be shown before (`dex.wording.shown`).
"""

from __future__ import annotations

from dexpatterns.dex.wording import check_lang

__all__ = ["TEXTS", "say"]

TEXTS: dict[str, tuple[str, str]] = {
    # The first line of a result.
    "passed": ("proved right", "证明正确"),
    "not yet": ("not yet", "还没有作答"),
    "refused": ("not right yet", "还不对"),
    "head": ("{id}: {how}", "{id}：{how}"),
    # Right.
    "flow passed": (
        "Every order was tried, {states:,} states in all, and your Flow keeps what is asked in each of them.",
        "已尝试每一种顺序，共 {states:,} 个状态，你的 Flow 在每个状态下都满足要求。",
    ),
    "items passed": (
        (
            "Every order of arrivals and job ends was tried, {states:,} states in all, and your workflows keep what is "
            "asked in each of them."
        ),
        "已尝试订单到达与作业结束的每一种顺序，共 {states:,} 个状态，你的工作流在每个状态下都满足要求。",
    ),
    "schedule passed": (
        "Broken in {n} moves, by a run that is possible. No run is shorter than {shortest} moves.",
        "用 {n} 步走法打破了它，而且这次运行是可能发生的。最短的运行是 {shortest} 步。",
    ),
    "verdict passed": (
        "Each verdict is the explorer's: {verdicts}.",
        "每个结论都与穷举一致：{verdicts}。",
    ),
    "choice passed": (
        "For each situation this is the lightest tool that is proved, and every lighter one is broken: {tools}.",
        "对每种情形，它都是能被证明的最轻的工具，更轻的都会被打破：{tools}。",
    ),
    # Not answered.
    "not answered": (
        "This is the puzzle as it is shipped: change it, run its cell, and check again.",
        "这还是题目原样：请修改它，运行那个单元格，然后再检查一次。",
    ),
    "hint": ("Hint {n} of {all}: {hint}", "提示 {n}/{all}：{hint}"),
    "next hint": (
        "More help: exercises.hint({id!r}, {n})",
        '更多帮助：exercises.hint({id!r}, {n}, lang="zh")',
    ),
    "no more hints": (
        "there are {n} hints for {id!r}, numbered from 1; got {got!r}",
        "{id!r} 有 {n} 条提示，从 1 开始编号；得到的是 {got!r}",
    ),
    # Wrong.
    "wrong kind": ("Expected {expected}, got {got}.", "这里应当是{expected}，得到的是{got}。"),
    "want flow": (
        "a Flow: the class, an instance, or a function that makes one",
        "一个 Flow：类、实例，或者一个生成它的函数",
    ),
    "want items": (
        "a list of workflows and locks as dicts, or what js7.load gives",
        "由 dict 写成的工作流和锁的列表，或 js7.load 的结果",
    ),
    "want schedule": (
        "a schedule: its text, a Run, or a Simulation in which the moves were made",
        "一个 schedule：它的文本、一个 Run，或走过这些走法的 Simulation",
    ),
    "want answers": (
        "a dict with one answer for each of {names}",
        "一个 dict，为 {names} 各给出一个答案",
    ),
    "want verdict": (
        "a verdict for {name}: 'PROVED' or 'REFUTED'",
        " {name} 的结论：'PROVED' 或 'REFUTED'",
    ),
    "want turns": (
        "a verdict for {name} with its turns: 'PROVED' or 'REFUTED in N turns'",
        " {name} 的结论和回合数：'PROVED' 或 'REFUTED in N turns'",
    ),
    "want tool": ("one of {tools} for {name}", " {name} 的工具，{tools} 之一"),
    "a value": ("{value}", " {value}"),
    "a thing": ("a {type}", "一个 {type}"),
    "missing step": (
        "The Step {name} is gone. Keep its name: it is what the section is made of.",
        "Step {name} 不见了。请保留它的名字：受保护的段由它组成。",
    ),
    "missing channel": (
        "The Channel {name} is gone from the persistence schema. Keep it there.",
        "persistence schema 中没有 Channel {name} 了。请保留它。",
    ),
    "missing workflow": ("The workflow {name} is gone. Keep it.", "工作流 {name} 不见了。请保留它。"),
    "missing lock": ("The lock {name} is gone. Keep it.", "锁 {name} 不见了。请保留它。"),
    "definition": ("The Flow cannot be built: {what}", "这个 Flow 无法构建：{what}"),
    "unusable": ("The answer cannot be used: {what}", "这个答案无法使用：{what}"),
    "raises making": ("Making the Flow raised {what}.", "生成 Flow 时抛出了 {what}。"),
    "raises": (
        "A handler raises: {what}. That fails its attempt, and was not asked for.",
        "有 handler 抛出异常：{what}。这会使它的 attempt 失败，而题目并没有要求这样。",
    ),
    "endless": (
        (
            "{name} never returns: it was stopped after {seconds:g} seconds, at line {line} of {file}. A handler "
            "reads, decides and returns; what takes time is waited for in wait_for."
        ),
        (
            "{name} 一直不返回：{seconds:g} 秒后在{file}第 {line} 行被停下。handler 只读取、决定、返回；"
            "需要时间的事在 wait_for 中等待。"
        ),
    ),
    "unbounded": (
        "No end to it: a right answer needs far fewer than {states:,} states, and there the search was cut{grows}",
        "没有尽头：正确答案需要的状态远少于 {states:,} 个，搜索在那里被截断{grows}",
    ),
    "grows": (". {what}", "。{what}"),
    "cell": ("your cell", "你的单元格"),
    "file": ("{file}", " {file} "),
    "outside": (
        (
            "A handler touches the world outside: {target}, at line {line} of {file}. It was kept from doing so. "
            "Handlers run many times over here; leave out what opens sockets, starts programs or writes files."
        ),
        (
            "有 handler 触及外部世界：{target}，在{file}第 {line} 行。它已被阻止。handler 在这里会运行许多次；"
            "请去掉打开 socket、启动进程或写文件的代码。"
        ),
    ),
    "random": (
        "A handler does not do the same twice: {what}",
        "有 handler 两次运行的结果不同：{what}",
    ),
    "interrupted": ("The search was interrupted, so nothing is known.", "搜索被中断，因此没有结论。"),
    "goes round": (
        "From there on it goes round, waits or lies idle for ever: no way on leads to the end. {headline}",
        "从那里开始它将永远循环、等待或闲置：没有任何走法能到达结束。{headline}",
    ),
    "nobody inside": (
        (
            "Nothing breaks, but nothing happens: in the run that completes, {n} of {expected} visits of {section} are "
            "made. The work itself has to stay."
        ),
        (
            "没有什么被打破，但也没有发生什么：在完成的那次运行中，{section} 段只进入了 {n} 次，"
            "应为 {expected} 次。工作本身必须保留。"
        ),
    ),
    "no good run": (
        "Nothing breaks, but no run completes as it should.",
        "没有什么被打破，但没有一次运行能正常完成。",
    ),
    "bad schedule": ("This is no run of the puzzle's Flow: {what}", "这不是题目中 Flow 的一次运行：{what}"),
    "breaks nothing": (
        (
            "These {n} moves are possible and break nothing yet: {property} still holds in every state on the way. "
            "Possible next: {moves}."
        ),
        "这 {n} 步走法可行，但还没有打破什么：沿途每个状态都满足“{property}”。接下来可以走：{moves}。",
    ),
    "too many moves": (
        "It breaks, at move {n}, but {most} moves are enough. Which of yours change nothing for those two?",
        "它被打破了，在第 {n} 步；但 {most} 步就够了。你的哪些走法对那两个人没有影响？",
    ),
    "wrong verdict": (
        "{name}: you say {said}, the explorer says {found}.",
        "{name}：你的结论是 {said}，穷举的结论是 {found}。",
    ),
    "wrong verdict among": (
        "{wrong} of {all} verdicts are not the explorer's. The first: {first}",
        "{all} 个结论中有 {wrong} 个与穷举不一致。第一个：{first}",
    ),
    "too light": (
        "{name}: {tool} is not enough. {headline}",
        "{name}：{tool} 不够。{headline}",
    ),
    "too heavy": (
        "{name}: {tool} holds, but {lighter} is proved already, in all {states:,} states. Take the lighter one.",
        "{name}：{tool} 能做到，但 {lighter} 在全部 {states:,} 个状态下已被证明。请用更轻的那个。",
    ),
    "and": (", ", "、"),
    "pair": ("{name}: {what}", "{name}：{what}"),
    # The list.
    "id": ("id", "id"),
    "number": ("no.", "编号"),
    "level": ("level", "难度"),
    "title": ("title", "标题"),
    "answer": ("answer", "答案"),
    "answer flow": ("a Flow", "一个 Flow"),
    "answer items": ("workflows and locks", "工作流和锁"),
    "answer schedule": ("moves", "走法"),
    "answer verdict": ("verdicts", "结论"),
    "answer choice": ("tools", "工具"),
}


def say(lang: str, key: str, /, **fields: object) -> str:
    """One of the texts in a language, its fields filled in."""
    return TEXTS[key][check_lang(lang) == "zh"].format(**fields)
