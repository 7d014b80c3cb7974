"""Every sentence that judges an answer, in English and Chinese; those of one exercise alone stand in its folder.

`key:n` is the text for that number. Names and values that fill a text come from people: they are made fit to be shown
before (`dex.wording.shown`).
"""

from __future__ import annotations

from dexpatterns.engine.texts import check_lang

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
        "Broken in {broken} moves, by a run that is possible. No run is shorter than {shortest} moves.",
        "用 {broken} 步走法打破了它，而且这次运行是可能发生的。最短的运行是 {shortest} 步。",
    ),
    "verdict passed": (
        "Each verdict is the explorer's: {verdicts}.",
        "每个结论都与穷举搜索一致：{verdicts}。",
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
    "no move": (
        "No move was made yet: make some, then check again.",
        "还没有走过任何一步：请先走几步，然后再检查。",
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
        "moves: the seat in which they were made, a Simulation, a Run, a list of moves, or the text of a schedule",
        "走法：走过它们的席位、一个 Simulation、一个 Run、走法的列表，或 schedule 的文本",
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
    "a thing": ("an object of type {type}", "类型为 {type} 的对象"),
    "a class": ("the class {type}", "类 {type}"),
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
    "raises making": ("Making the Flow raised {what}{where}.", "生成 Flow 时抛出了 {what}{where}。"),
    "raises": (
        "A handler raises: {what}{where}. That fails its attempt, and was not asked for.",
        "有 handler 抛出异常：{what}{where}。这会使它的 attempt 失败，而题目并没有要求这样。",
    ),
    "slips": (
        (
            "A slip in the code: {what}{where}. It has nothing to do with the order of moves: mend that line first, "
            "then check again."
        ),
        "代码中有笔误：{what}{where}。这与走法的顺序无关：请先改正这一行，然后再检查。",
    ),
    "where": (", at line {line} of {file}{code}", "，在{file}第 {line} 行{code}"),
    "code": (" (`{text}`)", "（`{text}`）"),
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
        "No end in sight: a right answer needs far fewer than {states:,} states, and there the search was cut{grows}",
        "看不到尽头：正确答案需要的状态远少于 {states:,} 个，搜索在那里被截断{grows}",
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
            "Nothing breaks, but too little happens: the run that completes has {n} visits of {section} and should "
            "have {expected}. The work itself has to stay."
        ),
        (
            "没有什么被打破，但发生得太少：在完成的那次运行中，{section} 段只进入了 {n} 次，"
            "应为 {expected} 次。工作本身必须保留。"
        ),
    ),
    "nobody inside:1": (
        (
            "Nothing breaks, but too little happens: the run that completes has 1 visit of {section} and should "
            "have {expected}. The work itself has to stay."
        ),
        (
            "没有什么被打破，但发生得太少：在完成的那次运行中，{section} 段只进入了 1 次，"
            "应为 {expected} 次。工作本身必须保留。"
        ),
    ),
    "what is wrong": ("{fault}.", "{fault}。"),
    # Said of a property that breaks in a way that has no known cause, where an exercise says nothing better.
    "usual everybody_out": (
        "Every reviewer's branch has to end with its own result: look at what each way out returns.",
        "每位审核人的分支都要以自己的结果结束：请看每个出口返回什么。",
    ),
    "usual never_fails": (
        (
            "A Step failed for good, and no failure route says where to go on. What a failed attempt publishes is not "
            "saved either: look at the options of that Step."
        ),
        (
            "有一个 Step 最终失败，又没有失败路由说明接下来去哪里。失败的 attempt 所发布的内容也不会被保存："
            "请看那个 Step 的选项。"
        ),
    ),
    "usual mutual_exclusion": (
        (
            "Count the tokens: how many lie in the Channel at the start, who takes one before entering, and how often "
            "does each branch publish one?"
        ),
        "数一数 token：开始时 Channel 里有几个，进入之前谁取走一个，每个分支又发布几次？",
    ),
    "usual locked_while": (
        "That job stands outside the Lock instruction that it needs: put it back inside.",
        "那个作业在它需要的 Lock 指令之外：请把它放回其中。",
    ),
    "no good run": (
        "Nothing breaks, but no run completes as it should.",
        "没有什么被打破，但没有一次运行能正常完成。",
    ),
    "bad schedule": ("This is no run of the puzzle's Flow: {what}", "这不是题目中 Flow 的一次运行：{what}"),
    "another flow": (
        "These are moves of another Flow, {name}: make them in the puzzle's own, {expected}.",
        "这些是另一个 Flow（{name}）的走法：请在题目自己的 {expected} 中走。",
    ),
    "bad move": (
        "Move {n} of yours, {move}, is not possible there. {next}",
        "你的第 {n} 步（{move}）在那里不可行。{next}",
    ),
    "breaks nothing": (
        "These {n} moves are possible and break nothing yet: {property} still holds in every state on the way.",
        "这 {n} 步走法可行，但还没有打破什么：沿途每个状态都满足“{property}”。",
    ),
    "breaks nothing:0": (
        "There are no moves in it, so nothing is broken.",
        "其中没有走法，所以什么都没有被打破。",
    ),
    "breaks nothing:1": (
        "This move is possible and breaks nothing yet: {property} still holds.",
        "这一步走法可行，但还没有打破什么：“{property}”仍然成立。",
    ),
    "beyond": (
        "They are more than the {most} moves in which it has to break: take some back.",
        "它们超过了 {most} 步，而题目要求在 {most} 步之内打破：请撤销几步。",
    ),
    "next": ("Possible next: {moves}.", "接下来可以走：{moves}。"),
    "then": ("; ", "；"),
    "no next": (
        "Nothing is possible any more: take moves back, or begin again.",
        "已经没有任何走法了：请撤销几步，或重新开始。",
    ),
    "too many moves": (
        (
            "It breaks, but only at move {broken}, and at most {most} moves are allowed. Which of yours change nothing "
            "for those two?"
        ),
        "它被打破了，但在第 {broken} 步才打破，而题目至多允许 {most} 步。你的哪些走法对那两个人没有影响？",
    ),
    "breaks": (
        "{name}: it does break. The run below shows it in {n} turns, and no shorter one does.",
        "{name}：它会被打破。下面的运行用 {n} 个回合展示了这一点，没有更短的。",
    ),
    "holds": (
        "{name}: nothing breaks it. Every order was tried, {states:,} states in all.",
        "{name}：没有什么能打破它。已尝试每一种顺序，共 {states:,} 个状态。",
    ),
    "fewer turns": (
        "{name}: it does break, but {n} turns are not the fewest. Which of yours could wait until it has happened?",
        "{name}：它会被打破，但 {n} 个回合不是最少的。你的哪些回合可以等到事情发生之后？",
    ),
    "more turns": (
        "{name}: it does break, but {n} turns are too few: of all runs with so many turns, none breaks it.",
        "{name}：它会被打破，但 {n} 个回合太少：在这么多回合的所有运行中，没有一个打破它。",
    ),
    "more turns:1": (
        "{name}: it does break, but one turn is too few: no run of one turn breaks it.",
        "{name}：它会被打破，但 1 个回合太少：没有哪个只有 1 个回合的运行打破它。",
    ),
    "wrong among": (
        "{n} of {all} verdicts are wrong. The first: {first}",
        "{all} 个结论中有 {n} 个不对。第一个：{first}",
    ),
    "wrong among:1": (
        "1 of {all} verdicts is wrong. {first}",
        "{all} 个结论中有 1 个不对。{first}",
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
    "topic": ("about", "主题"),
    "answer": ("answer", "答案"),
    "answer flow": ("a Flow", "一个 Flow"),
    "answer items": ("workflows and locks", "工作流和锁"),
    "answer schedule": ("moves", "走法"),
    "answer verdict": ("verdicts", "结论"),
    "answer choice": ("tools", "工具"),
}


def say(lang: str, key: str, /, **fields: object) -> str:
    """One of the texts in a language, its fields filled in. `n` finds the text for that number, if there is one."""
    pair = TEXTS.get(f"{key}:{fields.get('n')}") or TEXTS[key]
    return pair[check_lang(lang) == "zh"].format(**fields)
