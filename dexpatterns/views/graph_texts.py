"""The words of the graph in both languages, and who does what in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.views.graph_parts import Band, Link
from dexpatterns.views.texts import short

__all__ = ["band_words", "limit_of", "said", "share", "told"]

_WORDS: dict[str, tuple[str, str]] = {
    "turn_of": ("turn {n} of {all}", "第 {n} 回合，共 {all} 回合"),
    "at_start": ("before the first turn", "第一个回合之前"),
    "limit_one": ("one at a time", "一次一个分支"),
    "limit_some": ("at most {n} at once", "最多同时 {n} 个分支"),
    "inside": ("{n} inside", "段内 {n} 个"),
    "too_many": ("{n} inside, limit {limit}", "段内 {n} 个，上限 {limit}"),
    "section": ("section {name}: {steps}; {limit}", "段 {name}：{steps}；{limit}"),
    "ended": ("ended", "已结束"),
    "running": ("running", "运行中"),
    "queued": ("queued", "排队"),
    "retrying": ("between attempts", "等待重试"),
    "waiting": ("waiting", "等待"),
    "waits_for": ("waits for {wait}", "等待 {wait}"),
    "holds": ("holds the token of {channel}", "持有 {channel} 的 token"),
    "holder": ("holds the token", "持有 token"),
    "late": ("given up, its code runs on", "已放弃，代码仍在运行"),
    "more": ("and {n} more", "另有 {n} 个"),
    "go": ("go to", "转到"),
    "fail": ("on failure", "失败时"),
    "cancels": ("cancels", "取消"),
    "data": ("publish, consume, read, write", "发布、消费、读、写"),
    "used": ("used in this turn", "本回合用到"),
    "call": ("RPC, from outside", "RPC（来自外部）"),
    "timeout": ("timeout handler", "超时处理"),
    "token": ("token", "token"),
    "channel": ("Channel, front at the left", "Channel，最前面在左"),
    "attribute": ("Attribute", "Attribute"),
    "locks": ("takes its lock", "需要它的锁"),
    "locked": ("locked", "已锁定"),
    "locked_by": ("locked by {who}", "由 {who} 锁定"),
    "found": ("found in this run alone", "只在这次运行中出现"),
    "unread": ("not read from source", "未能从源码读出"),
    "unread_tip": (
        "not read from source: there may be more than is drawn; what a run shows is added",
        "未能从源码读出：可能还有没画出的部分；运行中出现的会补上",
    ),
    "unknown": ("drawn from this run alone, without the definition", "只根据这次运行画出，没有用到定义"),
    "fallback": ("else", "否则"),
    "start": ("start", "启动"),
    "dead_end": ("dead end", "此路结束"),
    "graceful_complete": ("completes once no Step is active", "没有活动的 Step 时完成"),
    "force_complete": ("completes at once", "立即完成"),
    "force_complete_if_channels_empty": ("completes if Channels are empty", "Channel 为空时完成"),
    "force_fail": ("fails the Flow", "使 Flow 失败"),
    "end_tip": ("{who}: {end}", "{who}：{end}"),
    "empty": ("empty", "空"),
    "messages_one": ("1 message: {values}", "1 条消息：{values}"),
    "messages": ("{n} messages: {values}", "{n} 条消息：{values}"),
    "no_value": ("no value", "没有值"),
    "values": ("{n} values", "{n} 个值"),
    "count": ("×{n}", "×{n}"),
    "between": ("×{low}–{high}", "×{low}–{high}"),
    "list": (", ", "、"),
    "comma": (", ", "，"),
    "note": (" ({note})", "（{note}）"),
    "ends_as": ("may end: {ends}", "可能这样结束：{ends}"),
    "parts": ("; ", "；"),
    "colon": (": ", "："),
    "steps": ("Steps", "Step"),
    "calls": ("From outside", "来自外部"),
    "channels": ("Channels", "Channel"),
    "attributes": ("Attributes", "Attribute"),
    "sections": ("Sections", "段"),
    "this_turn": ("In this turn", "本回合"),
    "picture": ("{name}: {steps} Steps, {channels} Channels", "{name}：{steps} 个 Step，{channels} 个 Channel"),
    "no_dot": ("The picture could not be drawn", "无法画出图"),
    "does_go_to": ("goes to {what}", "转到 {what}"),
    "does_fallback": ("else goes to {what}", "否则转到 {what}"),
    "does_route": ("on failure goes to {what}", "失败时转到 {what}"),
    "does_cancel": ("cancels {what}", "取消 {what}"),
    "does_publish": ("publishes to {what}", "向 {what} 发布"),
    "does_consume": ("consumes from {what}", "消费 {what} 的消息"),
    "does_size": ("reads the size of {what}", "读取 {what} 的消息数"),
    "does_write": ("writes {what}", "写 {what}"),
    "does_read": ("reads {what}", "读 {what}"),
    "does_lock": ("locks {what}", "锁定 {what}"),
    "does": ("{who} {does}", "{who} {does}"),
    "order_fails": ("fails the order", "使订单失败"),
    "coming": ("to come", "待到达"),
    "failed": ("failed or stopped", "失败或停止"),
    "resources": ("Locks", "锁"),
    "resource": ("lock: who holds it, who waits", "锁：占有者与等待者"),
    "shares": ("lock, take and give back", "取得与归还锁"),
    "gate": ("Lock instruction", "Lock 指令"),
    "inside_lock": ("under a lock", "在锁之内"),
    "holder_lock": ("holds a lock", "占有锁"),
    "share_all": ("{lock} (all)", "{lock}（全部）"),
    "share_some": ("{lock} (×{n})", "{lock}（×{n}）"),
    "share_limit": ("{lock} ({n} of {limit})", "{lock}（{n}/{limit}）"),
    "weight_all": ("all", "全部"),
    "holds_shares": ("holds {shares}", "占有 {shares}"),
    "free": ("free", "空闲"),
    "capacity": ("capacity {limit}", "上限 {limit}"),
    "held_by": ("held by {who}", "由 {who} 占有"),
    "waited_for": ("{who} waits", "{who} 等待"),
    "waited_for_many": ("{who} wait", "{who} 等待"),
    "weighed": ("{who} ({weight})", "{who}（{weight}）"),
    "runs": ("runs {job}", "运行 {job}"),
    "runs_again": ("runs {job}, attempt {n}", "运行 {job}，第 {n} 次"),
    "is_state": ("{state}", "{state}"),
    "waits_state": ("{state}: waits for {wait}", "{state}：等待 {wait}"),
    "suspended": ("suspended", "已挂起"),
    "workflow": ("workflow {name}", "工作流 {name}"),
    "picture_js7": ("{name}: {n} instructions, {locks} locks", "{name}：{n} 条指令，{locks} 把锁"),
    "does_next": ("goes on to {what}", "前进到 {what}"),
    "does_branch": ("goes into {what}", "进入 {what}"),
    "does_retry": ("tries again from {what}", "从 {what} 重试"),
    "does_catch": ("on failure goes to {what}", "失败时转到 {what}"),
    "does_acquire": ("takes {what}", "取得 {what}"),
    "does_queue": ("waits for {what}", "等待 {what}"),
    "does_release": ("gives {what} back", "归还 {what}"),
}
"""Every word of the graph: English, then Simplified Chinese."""


def said(lang: str, key: str, **fields: object) -> str:
    """One of the texts above, its fields filled in."""
    text = _WORDS[key][LANGUAGES.index(lang)]
    return text.format(**fields) if fields else text


def limit_of(lang: str, limit: int) -> str:
    """How many branches may be inside a section."""
    return said(lang, "limit_one" if limit == 1 else "limit_some", n=limit)


def share(lang: str, lock: str, weight: int | None, limit: int = 0) -> str:
    """A part of a lock, or all of it."""
    key = "share_all" if weight is None else "share_limit" if limit else "share_some"
    return said(lang, key, lock=short(lock), n=weight, limit=limit)


def band_words(band: Band, lang: str) -> str:
    """What a block of a workflow says at its head."""
    if band.shares:
        return said(lang, "list").join(share(lang, *one) for one in band.shares)
    return short(band.name)


def told(lang: str, link: Link, names: Mapping[str, str] | None = None) -> str:
    """A link in words: `SaveContractEdit publishes to contractEditToken`; `names` says what is said instead of one."""
    who, what = (short((names or {}).get(name, name)) for name in (link.who, link.what))
    return said(lang, "does", who=who, does=said(lang, f"does_{link.verb}", what=what))
