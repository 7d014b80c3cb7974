"""Every text of stories, causes and explanations: English, then Simplified Chinese.

`key:n` is the text for that number. Fields in braces are filled in by `dex.wording`; what stands in them was made fit
to be shown before. This module is data alone.
"""

from __future__ import annotations

__all__ = ["TEXTS"]

TEXTS: dict[str, tuple[str, str]] = {
    # Joints.
    "stop": (".", "。"),
    "clauses": ("; ", "；"),
    "between_names": (", ", "、"),
    "between_changes": (", ", "，"),
    "between_sentences": (" ", ""),
    "sentences": ("{first} {second}", "{first}{second}"),
    "nothing": ("", ""),
    "and_more": ("{who} and {n} more", "{who} 等，另有 {n} 个"),
    "at_least_more": ("{who} and at least {n} more", "{who} 等，另有至少 {n} 个"),
    "whose": ("{who}: {said}", "{who}：{said}"),
    "step_does": ("{step} {does}", "{step} {does}"),
    "step_of": ("{step} of {who}", "{who} 的 {step}"),
    "reason": (": {reason}", "：{reason}"),
    "start": ("start", "启动"),
    "join": ("join", "汇合"),
    # A call begins.
    "begins": ("begins", "开始"),
    "begins_attempt": ("begins attempt {n}", "开始第 {n} 次 attempt"),
    "with_locks": (" (holding the lock of {locks})", "（持有 {locks} 的锁）"),
    "and_reads": (" and reads {reads}; nothing is changed yet", "，读到 {reads}；此时还没有任何改动"),
    "reads_one": ("reads {what}", "读到 {what}"),
    "size_of": ("size of {channel}", "{channel} 的消息数"),
    "still_inside": (". {who} is still inside", "，而 {who} 还在段内"),
    "still_inside_many": (". {who} are still inside", "，而 {who} 还在段内"),
    "code_inside": (". The code of {who} still runs", "；{who} 的代码仍在运行"),
    "inside": ("inside", "段内分支"),
    "inside_of": ("inside {section}", "{section} 段内分支"),
    "limit": (", limit {limit}", "，上限 {limit}"),
    "arrives": ("arrives", "到达"),
    "call_arrives": ("A call of {rpc} arrives", "对 {rpc} 的调用到达"),
    # A result is saved.
    "saves": ("saves", "已保存"),
    "saves_and": ("saves and {first}", "已保存，{first}"),
    "waits_for": ("waits for {wait}", "等待 {wait}"),
    "gives_back": ("gives back {n} tokens", "归还 {n} 个 token"),
    "gives_back:1": ("gives {token} back", "归还 {token}"),
    "publishes_first": ("publishes {n} tokens", "发布 {n} 个 token"),
    "publishes_first:1": ("publishes {token}", "发布 {token}"),
    "publishes_more": ("publishes {n} more tokens to {channel}", "又向 {channel} 发布 {n} 个 token"),
    "publishes_more:1": ("publishes another token to {channel}", "又向 {channel} 发布一个 token"),
    "keeps": ("does not give {token} back", "没有归还 {token}"),
    "go_to": ("goes to {step}", "进入 {step}"),
    "fallback": ("falls back to {step}", "退回到 {step}"),
    "starts": ("starts {steps}", "启动 {steps}"),
    "times": ("{step} {n} times", "{step} × {n}"),
    "times:1": ("{step}", "{step}"),
    "times:2": ("{step} twice", "{step} × 2"),
    "dead_end": ("its path ends", "此路结束"),
    "asks_end": ("asks for the end of the Flow", "请求完成 Flow"),
    "flow_ends": ("the Flow ends {status}{reason}", "Flow 以 {status} 结束{reason}"),
    "is_cancelled": ("{step} is cancelled", "{step} 被取消"),
    "code_runs_on": (", its code runs on", "，代码仍在运行"),
    "with_token": (", its token is lost", "，它的 token 丢失"),
    "more_cancelled": ("{n} more are cancelled", "另有 {n} 个被取消"),
    "token_returns": ("{token} goes back to the front of its Channel", "{token} 归还到 Channel 的最前面"),
    "messages_return": ("{n} messages go back to the front of {channel}", "{n} 条消息归还到 {channel} 的最前面"),
    "messages_return:1": ("1 message goes back to the front of {channel}", "1 条消息归还到 {channel} 的最前面"),
    "n_messages": ("{n} messages", "{n} 条"),
    "n_messages:1": ("1 message", "1 条"),
    # A Wait completes.
    "the_token": ("the token", "token"),
    "token_of": ("the token of {channel}", "{channel} 的 token"),
    "takes": ("takes", "消费"),
    "takes_what": ("takes {what}", "消费 {what}"),
    "takes_at_once": ("{takes} at once", "随即{takes}"),
    "takes_it": ("{who} takes it at once", "{token} 随即由 {who} 消费"),
    "other_takes": ("{who} {takes} at once", "{who}：随即{takes}"),
    "other_wait": ("the Wait of {who} completes at once", "{who} 的 Wait 随即完成"),
    "token_goes": ("The token goes to {who}", "token 由 {who} 消费"),
    "token_goes_of": ("The token of {channel} goes to {who}", "{channel} 的 token 由 {who} 消费"),
    "token_n": ("{n} tokens", "{n} 个 token"),
    "token_n:1": ("{token}", "{token}"),
    "message": ("{value} of {channel}", "{channel} 的 {value}"),
    "messages": ("{n} messages of {channel}", "{channel} 的 {n} 条消息"),
    "wait_completes": ("its Wait completes", "它的 Wait 完成"),
    "waited_too": ("; {who} waited too", "；{who} 也在等待"),
    # An attempt fails.
    "raised": ("fails", "失败"),
    "raised_for_good": ("fails for good", "最终失败"),
    "lost": ("is lost with its worker", "随 worker 丢失"),
    "late": ("is given up, its code runs on", "已放弃，代码仍在运行"),
    "attempt": (" (attempt {n})", "（第 {n} 次 attempt）"),
    "attempt_of": (" (attempt {n} of {limit})", "（第 {n} 次 attempt，最多 {limit} 次）"),
    "fails_raised": ("{verb}{attempt}: {error}", "{verb}{attempt}：{error}"),
    "fails_gone": ("{verb}{attempt}", "{verb}{attempt}"),
    "error": ('{type}, "{detail}"', '{type}，"{detail}"'),
    "for_good": ("it fails for good", "最终失败"),
    "then_retry": ("tries again", "将重试"),
    "retries_after": ("tries again after {delay}", "{delay} 后重试"),
    "then_proceed": ("its execute is next", "接着 execute"),
    "then_caller": ("its caller gets the error", "调用者得到错误"),
    "no_route": ("there is no failure route", "没有失败路由"),
    # Time, closings, late code.
    "fires": ("fires", "触发"),
    "timer_fires": ("the timer of {step} ({time}) fires", "{step} 的 Timer（{time}）触发"),
    "stop_arrives": ("A stop arrives ({type}){reason}", "停止请求到达（{type}）{reason}"),
    "timeout_fires": ("The timeout of the Flow fires", "Flow 的超时触发"),
    "handler_begins": ("handle_timeout begins", "handle_timeout 开始"),
    "ends": ("ends", "结束"),
    "late_ends": (
        "the code of {step} that ran on ends; the Flow ignores it",
        "{step} 仍在运行的代码结束；Flow 不理会它",
    ),
    # Why it matters.
    "note_reads": (
        "A begin reads and a save writes: in between others may change it.",
        "开始时读，保存时写：其间别的分支可能改动它。",
    ),
    "note_next": (
        "{who} wait for it. Which of them gets it is not promised: that is the next move.",
        "等待它的有：{who}。由谁得到它没有承诺：下一步走法才会决定。",
    ),
    "note_choice": ("Which of those who wait gets it is not promised.", "由哪个等待中的分支得到它，没有承诺。"),
    "note_at_once": (
        "Nobody else waited for it, so giving back and taking are one turn: nothing fits in between.",
        "没有别的分支在等待它，所以归还与消费是同一回合，中间不会发生别的事。",
    ),
    "note_late": (
        "The Flow cannot stop the code; what it returns is ignored, what it does outside is done.",
        "Flow 无法停止这段代码；它的返回值不被理会，它对外部做的事已经做了。",
    ),
    # The verdict.
    "told": ("{name}: {n} turns; {end}.", "{name}：{n} 个回合；{end}。"),
    "told:1": ("{name}: 1 turn; {end}.", "{name}：1 个回合；{end}。"),
    "broken_by": (
        "REFUTED: {name}. Broken at turn {n} by {who}; {shortest}.",
        "REFUTED：{name}。在第 {n} 回合被打破，涉及 {who}；{shortest}。",
    ),
    "broken_plain": (
        "REFUTED: {name}. Broken at turn {n}; {shortest}.",
        "REFUTED：{name}。在第 {n} 回合被打破；{shortest}。",
    ),
    "broken_plain:0": ("REFUTED: {name}. Broken from the start.", "REFUTED：{name}。从一开始就被打破。"),
    "stuck_after": (
        "REFUTED: {name}. Stuck after turn {n} while {who} waits; {shortest}.",
        "REFUTED：{name}。第 {n} 回合之后卡住，{who} 在等待；{shortest}。",
    ),
    "stuck_after_many": (
        "REFUTED: {name}. Stuck after turn {n} while {who} wait; {shortest}.",
        "REFUTED：{name}。第 {n} 回合之后卡住，{who} 在等待；{shortest}。",
    ),
    "no_shorter": ("no shorter run breaks it", "没有更短的运行能打破它"),
    "maybe_shorter": ("the search for a shorter run was cut by {cut}", "对更短运行的搜索被截断（{cut}）"),
    "grows": (
        (
            "What grows in what was seen: {what}. If that never ends, neither does the search; if it does, try more "
            "states."
        ),
        "在已经看到的部分里，不断增长的有：{what}。如果它没有尽头，搜索也就没有尽头；如果有，就多试一些状态。",
    ),
    "part_attribute": ("Attribute {name}", "Attribute {name}"),
    "part_channel": ("Channel {name}", "Channel {name}"),
    "part_other": ("the {name}, in number or content", "{name}（数目或内容）"),
    "proved": (
        "PROVED: all {states:,} states were tried, by {moves:,} moves; the deepest is {depth:,} turns away.",
        "PROVED：全部 {states:,} 个状态都已试过，共 {moves:,} 步走法；最深的在 {depth:,} 回合之后。",
    ),
    "bounded": (
        "BOUNDED: not decided, the search was cut by {cut}: {states:,} states, {moves:,} moves, {depth:,} turns deep.",
        "BOUNDED：没有定论，搜索被截断（{cut}）：{states:,} 个状态，{moves:,} 步走法，深 {depth:,} 回合。",
    ),
    "interrupted": ("an interruption", "人为中断"),
    "unknown_cause": ("The cause is none of the known ones. What is wrong: {fault}.", "原因不在已知的几种之中。"),
    "own_never": (
        "It is asked never to happen, and it has happened; of a property in one's own words no cause is looked for.",
        "这是要求绝不发生的事，而它发生了。自己写的性质不查找原因。",
    ),
    "own_always": (
        "It is asked to hold always, and it does not; of a property in one's own words no cause is looked for.",
        "这是要求始终成立的事，而它不成立。自己写的性质不查找原因。",
    ),
    "inside_since": ("{who} is inside since turn {turn}.", "{who} 自第 {turn} 回合起在段内。"),
    "last_turn": ("It is so after turn {n}: {sentence}", "在第 {n} 回合之后如此：{sentence}"),
    "outcomes": ("How runs end: {what}.", "运行的结局：{what}。"),
    "witness": ("A good run has {n} turns at least; {end}.", "一次成功的运行至少有 {n} 个回合；{end}。"),
    "no_witness": ("No run ends COMPLETED.", "没有任何运行以 COMPLETED 结束。"),
    "ends_as": ("it ends {status}", "以 {status} 结束"),
    "ends_open": ("it is still open", "尚未结束"),
    "visits": ("Inside in it: {what}.", "其中在段内的有：{what}。"),
    "visit": ("{who} from turn {first} to {last}", "{who} 从第 {first} 回合到第 {last} 回合"),
    "skipped": ("… {n} turns …", "…… {n} 个回合 ……"),
    "world": ("Within: this input, {what}.", "范围：这一输入，{what}。"),
    "world_nothing": ("no faults, nothing from outside", "没有故障和外部事件"),
    "world_lost": ("{n} lost attempts at most", "至多 {n} 次 attempt 丢失"),
    "world_lost:1": ("1 lost attempt at most", "至多 1 次 attempt 丢失"),
    "world_late": ("{n} late attempts at most", "至多 {n} 次 attempt 被放弃而代码仍在运行"),
    "world_late:1": ("1 late attempt at most", "至多 1 次 attempt 被放弃而代码仍在运行"),
    "world_call": ("calls of {name} at any moment ({owed})", "任何时刻对 {name} 的调用（{owed}）"),
    "world_stop": ("a stop at any moment ({name}, {owed})", "任何时刻的停止请求（{name}，{owed}）"),
    "world_owed": ("{n} times", "共 {n} 次"),
    "world_owed:1": ("once", "共 1 次"),
    "world_free": ("{n} times at most", "至多 {n} 次"),
    "world_free:1": ("once at most", "至多 1 次"),
    "world_timeout": ("the Flow's timeout of {time}", "Flow 的超时（{time}）"),
    "property_mutual_exclusion": ("at most {n} inside {name}{late}", "{name} 段内至多 {n} 个分支{late}"),
    "property_mutual_exclusion:1": ("at most one inside {name}{late}", "{name} 段内至多 1 个分支{late}"),
    "property_token_conserved": ("{n} tokens in {channel}", "{channel} 恰好 {n} 个 token"),
    "property_token_conserved:1": ("one token in {channel}", "{channel} 恰好 1 个 token"),
    "fault_inside": ("{there} are inside, limit {limit}", "段内 {there} 个，上限 {limit}"),
    "fault_in": (" in {entry}", "（{entry}）"),
    "fault_lost": (
        "lost{where} by {by}: {there} of {count} left",
        "被 {by} 弄丢{where}：应有 {count} 个，剩 {there} 个",
    ),
    "fault_doubled": (
        "doubled{where} by {by}: {there} instead of {count}",
        "被 {by} 多发布{where}：有 {there} 个，应为 {count} 个",
    ),
    "nobody": ("nobody", "（无人）"),
    "late_counted": (", late code counted", "（仍在运行的代码也算）"),
    "head_turn": ("Turn", "回合"),
    "head_branch": ("Branch", "分支"),
    "head_happens": ("What happens", "发生了什么"),
    "head_changed": ("Read or changed", "读到或改变"),
    # Causes: what happened, what is behind it, how to mend it.
    "cause": ("Cause: {title}. {sentence} {general}", "原因：{title}。{sentence}{general}"),
    "cause_title": ("Cause: {title}.", "原因：{title}。"),
    "mend": ("Mend: {mend}", "修复：{mend}"),
    "lost-token_title": ("a lost token", "token 丢失"),
    "lost-token_said": (
        (
            "{who} took {token} at turn {taken} and left with it at turn {turn}: {step} saved {decision} without "
            "giving it back."
        ),
        "{who} 在第 {taken} 回合消费了 {token}，在第 {turn} 回合带着它离开：{step} 保存了 {decision}，没有归还。",
    ),
    "lost-token_route": (
        (
            "{who} took {token} at turn {taken} and left with it at turn {turn}: {step}, the failure route of "
            "{failed}, saved without giving it back."
        ),
        (
            "{who} 在第 {taken} 回合消费了 {token}，在第 {turn} 回合带着它离开：{failed} 的失败路由 {step} 已保存，"
            "没有归还。"
        ),
    ),
    "lost_waiting": ("{who} wait for it for ever.", "{who} 会永远等待它。"),
    "lost_waiting:1": ("{who} waits for it for ever.", "{who} 会永远等待它。"),
    "lost-token_general": (
        "Nobody else can give it back: every way out has to, in the same result that leaves.",
        "没有别的分支能替它归还：每个出口都必须在离开的那个结果中归还。",
    ),
    "lost-token_mend": (
        "let {step} publish to {channel} on this way out too (critical-section).",
        "让 {step} 在这个出口也向 {channel} 发布（critical-section）。",
    ),
    "cancelled-inside_title": ("cancelled inside the section", "在段内被取消"),
    "cancelled-inside_said": (
        "{who} took {token} at turn {taken}; {by} cancelled its {step} at turn {turn}, and the token went with it.",
        "{who} 在第 {taken} 回合消费了 {token}；{by} 在第 {turn} 回合取消了它的 {step}，token 随之丢失。",
    ),
    "cancelled-inside_general": (
        "What is cancelled publishes nothing, and its failure route does not run.",
        "被取消的 Step 不会发布任何消息，它的失败路由也不会运行。",
    ),
    "cancelled-inside_mend": (
        (
            "never cancel {step}: send a stop request that it looks for, and let it leave by an early exit "
            "(critical-section)."
        ),
        "绝不要取消 {step}：发送一个它会检查的停止请求，让它提前退出（critical-section）。",
    ),
    "second-token_title": ("a second token", "第二个 token"),
    "second-token_held": (
        "{who} published a token at turn {turn} while {holder} still held the one taken at turn {taken}.",
        "{who} 在第 {turn} 回合发布了一个 token，而 {holder} 还持有第 {taken} 回合消费的那个。",
    ),
    "second-token_queued": (
        "{who} published a token to {channel} at turn {turn}, where one already lay.",
        "{who} 在第 {turn} 回合向 {channel} 发布了一个 token，而那里已有一个。",
    ),
    "read_size": (
        "It had read size of {channel} = {n} at turn {turn}.",
        "它在第 {turn} 回合读到 {channel} 的消息数 = {n}。",
    ),
    "second-token_size": (
        "An empty Channel is what a held token looks like: it does not say that the token is lost.",
        "token 被持有时，Channel 看起来也是空的：这并不说明 token 已丢失。",
    ),
    "second-token_canceller": (
        "Whom a result cancels is settled only when it is saved; by then the target may have given its token back.",
        "一个结果取消哪些 Step，到保存时才确定；那时目标可能已经归还了 token。",
    ),
    "second-token_general": (
        "Each token lets one branch in: with one more, one more can be inside.",
        "每个 token 放一个分支进入：多一个 token，就能多一个分支在段内。",
    ),
    "second-token_mend": (
        (
            "publish the token once, before any branch enters, and give it back on every way out; then none has to be "
            "replaced (critical-section)."
        ),
        "只在任何分支进入之前发布一次 token，并在每个出口归还；这样就不需要补发（critical-section）。",
    ),
    "given-back-twice_title": ("a token given back twice", "token 归还了两次"),
    "given-back-twice_said": (
        "{who} took one token at turn {taken} and published to {channel} at turn {before} and again at turn {turn}.",
        "{who} 在第 {taken} 回合消费了一个 token，在第 {before} 回合和第 {turn} 回合都向 {channel} 发布。",
    ),
    "given-back-twice_at_once": (
        "{who} took one token at turn {taken} and published {n} to {channel} at turn {turn}.",
        "{who} 在第 {taken} 回合消费了一个 token，在第 {turn} 回合向 {channel} 发布了 {n} 个。",
    ),
    "given-back-twice_general": (
        "Each token lets one branch in: with one more, one more can be inside.",
        "每个 token 放一个分支进入：多一个 token，就能多一个分支在段内。",
    ),
    "given-back-twice_mend": (
        "let each way out publish exactly once, in the result that leaves (critical-section).",
        "让每个出口恰好发布一次，就在离开的那个结果中（critical-section）。",
    ),
    "too-many-tokens_title": ("too many tokens from the start", "一开始 token 就太多"),
    "too-many-tokens_said": (
        "{who} published {n} messages to {channel} at turn {turn}, and nobody had taken one yet: {count} expected.",
        "{who} 在第 {turn} 回合向 {channel} 发布了 {n} 条消息，此前无人消费：应为 {count} 条。",
    ),
    "too-many-tokens_general": (
        "Each token lets one branch in: as many can be inside as there are tokens.",
        "每个 token 放一个分支进入：有多少 token，就能有多少分支在段内。",
    ),
    "too-many-tokens_mend": (
        "publish as many tokens as may be inside, once (semaphore, if that is more than one).",
        "允许几个分支在段内就发布几个 token，只发布一次（多于一个时见 semaphore）。",
    ),
    "early-return_title": ("a token given back too early", "token 归还得太早"),
    "early-return_said": (
        "{who} took {token} at turn {taken}, put one back at turn {turn} ({step}), and was inside all the same.",
        "{who} 在第 {taken} 回合消费了 {token}，在第 {turn} 回合放回一个（{step}），却仍在段内。",
    ),
    "early-return_general": (
        "Whatever lies in the token's Channel lets the next one in, also when it was meant as something else.",
        "token 的 Channel 里无论是什么消息，都会放下一个分支进入，哪怕它本意是别的。",
    ),
    "early-return_mend": (
        (
            "publish to the token's Channel in the result that leaves the section, and nothing else ever "
            "(critical-section)."
        ),
        "只在离开这段流程的结果中向 token 的 Channel 发布，且绝不发布别的（critical-section）。",
    ),
    "no-token_title": ("a way in without the token", "没有 token 就进入"),
    "no-token_said": (
        "{who} entered {step} at turn {turn} without having taken {token}, which {holder} took at turn {taken}.",
        "{who} 在第 {turn} 回合进入 {step}，没有消费过 {token}；它在第 {taken} 回合由 {holder} 消费。",
    ),
    "no-token_general": ("A token keeps out only those who wait for it.", "token 只能挡住等待它的分支。"),
    "no-token_mend": (
        "let every way into {step} lead through the Step that waits for the token (critical-section).",
        "让每条进入 {step} 的路都经过等待 token 的 Step（critical-section）。",
    ),
    "different-tokens_title": ("different tokens", "不同的 token"),
    "different-tokens_said": (
        "{holder} took {token} at turn {taken}, {who} took {other} at turn {other_taken}.",
        "{holder} 在第 {taken} 回合消费了 {token}，{who} 在第 {other_taken} 回合消费了 {other}。",
    ),
    "different-tokens_general": (
        "A token keeps out only those who wait for the same one.",
        "token 只能挡住等待同一个 token 的分支。",
    ),
    "different-tokens_mend": (
        (
            "let all that must not overlap wait for one Channel, or count each key as a section of its own "
            "(token-per-contract)."
        ),
        "让不能重叠的分支都等待同一个 Channel，或把每个键各算作一段（token-per-contract）。",
    ),
    "late-code_title": ("code that runs on", "仍在运行的代码"),
    "late-code_given_up": (
        (
            "{step} was given up at turn {turn} (attempt {n}) and its code runs on; {other} is inside since turn "
            "{entered}."
        ),
        "{step} 在第 {turn} 回合被放弃（第 {n} 次 attempt），代码仍在运行；{other} 自第 {entered} 回合起在段内。",
    ),
    "late-code_cancelled": (
        (
            "{step} was cancelled by {by} at turn {turn} while it ran, and its code runs on; {other} is inside since "
            "turn {entered}."
        ),
        "{step} 在运行中于第 {turn} 回合被 {by} 取消，代码仍在运行；{other} 自第 {entered} 回合起在段内。",
    ),
    "late-code_general": (
        (
            "The Flow cannot stop code that it has given up. In what is saved nobody overlaps; in what is done "
            "outside two may."
        ),
        "Flow 无法停止它已放弃的代码。已保存的结果没有重叠；对外部所做的事则可能重叠。",
    ),
    "late-code_given_up_mend": (
        "give what is done outside a key that makes a late write harmless; no token can.",
        "给对外部的写入带上一个键，使迟到的写入无害；token 做不到这一点。",
    ),
    "late-code_cancelled_mend": (
        "do no protected work in a Step that may be cancelled: keep the handoff empty (critical-section).",
        "在可能被取消的 Step 中不做受保护的工作：交接 Step 什么也不做（critical-section）。",
    ),
    "lock-across-steps_title": ("a lock that does not span Steps", "锁没有跨越 Step"),
    "lock-across-steps_said": (
        (
            "{who} held the lock of {lock} until {step} was saved at turn {ended}; {other} took it for {taker} at "
            "turn {turn}, while {who} was still inside."
        ),
        (
            "{who} 持有 {lock} 的锁，直到 {step} 在第 {ended} 回合保存；{other} 在第 {turn} 回合为 {taker} 取得了它，"
            "而 {who} 还在段内。"
        ),
    ),
    "lock-across-steps_general": (
        "An Attribute lock covers one call and is released when that call ends.",
        "Attribute lock 只覆盖一次调用，调用结束就释放。",
    ),
    "lock-across-steps_mend": (
        "do all the work in one execute under the lock (attribute-lock), or hand over a token (critical-section).",
        "把全部工作放进一次持锁的 execute（attribute-lock），或改为交接 token（critical-section）。",
    ),
    "old-snapshot_title": ("an old snapshot", "旧快照"),
    "old-snapshot_said": (
        "{reader} read {name} = {seen} at turn {read}; {writer} saved {new} at turn {written}.",
        "{reader} 在第 {read} 回合读到 {name} = {seen}；{writer} 在第 {written} 回合保存了 {new}。",
    ),
    "old-snapshot_general": (
        "A begin reads and a save writes: in between nothing holds {name}.",
        "开始时读，保存时写：其间没有任何东西守住 {name}。",
    ),
    "old-snapshot_mend": (
        "critical-section hands over one token instead; attribute-lock, if all the work fits one execute.",
        "改用 critical-section 交接一个 token；如果全部工作放得进一次 execute，用 attribute-lock。",
    ),
    "check-then-act_title": ("check, then act", "先检查，后行动"),
    "check-then-act_said": (
        (
            "{reader} read {name} = {seen} at turn {read} ({checks}); {writer} saved {new} at turn {written} "
            "({sets}), and {reader} went on with what it had read."
        ),
        (
            "{reader} 在第 {read} 回合读到 {name} = {seen}（{checks}）；{writer} 在第 {written} 回合保存了 "
            "{new}（{sets}），而 {reader} 仍按先前读到的值继续。"
        ),
    ),
    "check-then-act_general": (
        "Between the Step that checks and the Step that sets anything may happen: nothing holds {name}.",
        "在检查的 Step 与设置的 Step 之间什么都可能发生：没有任何东西守住 {name}。",
    ),
    "check-then-act_mend": (
        "critical-section hands over one token instead; attribute-lock, if all the work fits one execute.",
        "改用 critical-section 交接一个 token；如果全部工作放得进一次 execute，用 attribute-lock。",
    ),
    "overwritten_said": (
        (
            "{reader} read {name} = {seen} at turn {read}; {writer} saved {new} at turn {written}, and {reader} saved "
            "{over} over it at turn {turn}."
        ),
        (
            "{reader} 在第 {read} 回合读到 {name} = {seen}；{writer} 在第 {written} 回合保存了 {new}，而 {reader} "
            "在第 {turn} 回合用 {over} 覆盖了它。"
        ),
    ),
    "no-route_title": ("a failure that nothing follows", "失败之后无路可走"),
    "no-route_execute": (
        "{step} failed for good at turn {turn} (attempt {n}, {error}), and has no failure route: the Flow failed.",
        "{step} 在第 {turn} 回合最终失败（第 {n} 次 attempt，{error}），没有失败路由：Flow 失败。",
    ),
    "no-route_execute_general": (
        "Without a route a Step that fails for good fails the whole Flow.",
        "没有失败路由时，一个 Step 最终失败会使整个 Flow 失败。",
    ),
    "no-route_execute_mend": (
        "give {name} on_execute_failure_proceed_to(...).",
        "给 {name} 配置 on_execute_failure_proceed_to(...)。",
    ),
    "no-route_wait": (
        "wait_for of {step} failed for good at turn {turn} (attempt {n}, {error}): the Flow failed.",
        "{step} 的 wait_for 在第 {turn} 回合最终失败（第 {n} 次 attempt，{error}）：Flow 失败。",
    ),
    "no-route_wait_general": (
        "Without the policy PROCEED a wait_for that fails for good fails the whole Flow.",
        "没有 PROCEED 策略时，wait_for 最终失败会使整个 Flow 失败。",
    ),
    "no-route_wait_mend": (
        "give {name} wait_for_failure=WaitForFailurePolicy.PROCEED, and let its execute see the failure.",
        "给 {name} 配置 wait_for_failure=WaitForFailurePolicy.PROCEED，让它的 execute 处理这次失败。",
    ),
    "circle_title": ("a circle of waits", "循环等待"),
    "circle_holds": (
        "{who} holds what it took from {channel} at turn {taken} and waits for {wants}",
        "{who} 持有第 {taken} 回合从 {channel} 消费的消息，等待 {wants}",
    ),
    "circle_would": (
        "{who} would publish to {channel}, but waits for {wants} first",
        "{who} 要先等到 {wants}，才会向 {channel} 发布",
    ),
    "circle_held_general": (
        "Those who take several tokens in different orders can each hold what the other waits for.",
        "以不同的顺序消费多个 token 的分支，可能各自持有对方等待的那个。",
    ),
    "circle_held_mend": (
        "take them in the same order everywhere, or all of them in one Wait.all_of(...).",
        "处处以同样的顺序消费，或用一个 Wait.all_of(...) 一次消费全部。",
    ),
    "circle_published_general": (
        "Each would send what another waits for only after its own wait.",
        "每一个都要等自己的等待结束，才会发送别的分支等待的消息。",
    ),
    "circle_published_mend": ("let one of them publish before it waits.", "让其中一个先发布，再等待。"),
    "stuck_title": ("a wait that cannot end", "不会结束的等待"),
    "stuck_waits": ("{who} wait for {wait}.", "{who} 等待 {wait}。"),
    "stuck_waits:1": ("{who} waits for {wait}.", "{who} 等待 {wait}。"),
    "stuck_never": ("Nobody has published to {channel}.", "从来没有向 {channel} 发布过消息。"),
    "stuck_there": (
        "{published} came to {channel}, of which {n} still lie there.",
        "{channel} 收到过 {published}消息，现有 {n} 条。",
    ),
    "stuck_there:1": (
        "{published} came to {channel}, of which 1 still lies there.",
        "{channel} 收到过 {published}消息，现有 1 条。",
    ),
    "stuck_taken": (
        "Of {n} messages that came to {channel} the last went to {who} at turn {turn}.",
        "{channel} 收到过 {n} 条消息，最后一条在第 {turn} 回合由 {who} 消费。",
    ),
    "stuck_taken:1": (
        "The only message that came to {channel} went to {who} at turn {turn}.",
        "{channel} 只收到过 1 条消息，在第 {turn} 回合由 {who} 消费。",
    ),
    "stuck_left": (
        "{who} ended at turn {turn} ({step}) without publishing to it.",
        "{who} 在第 {turn} 回合结束（{step}），没有向它发布。",
    ),
    "stuck_others": ("{n} more wait for other things.", "另有 {n} 个在等待别的。"),
    "stuck_others:1": ("1 more waits for something else.", "另有 1 个在等待别的。"),
    "stuck_nobody": ("Nobody is left who would publish.", "已没有谁会发布。"),
    "stuck_help": (
        "Nobody is left who would publish; {what} would help, but need not come.",
        "已没有谁会发布；{what}能帮上忙，但不一定会来。",
    ),
    "stuck_no_help": (
        "Nobody is left who would publish, and no event that is still allowed would help.",
        "已没有谁会发布，仍被允许的外部事件也都无济于事。",
    ),
    "help_call": ("a call of {name}", "对 {name} 的调用"),
    "help_stop": ("a stop ({name})", "停止请求（{name}）"),
    "stuck_general": (
        "Such a wait ends only by messages, and a message ends one wait.",
        "这样的等待只因消息而结束，一条消息只结束一个等待。",
    ),
    "stuck_mend": (
        "let every way that a branch can end publish to {channels}, failures and early exits too.",
        "让分支的每一种结束方式都向 {channels} 发布，失败和提前退出也不例外。",
    ),
}
