"""The words of a page's headings and generated parts: English, then Simplified Chinese. Nothing is drawn here."""

from __future__ import annotations

from typing import Any

__all__ = ["ANSWER", "FILES", "HEADINGS", "say"]

FILES = {"en": "page.md", "zh": "page.zh.md"}

HEADINGS = (
    ("Problem", "问题"),
    ("Forces", "约束与取舍"),
    ("Shape", "结构"),
    ("Run it", "运行"),
    ("Ways out", "出口"),
    ("What can go wrong", "会出什么错"),
    ("What is checked", "检验了什么"),
    ("When not to use it", "什么时候不用"),
    ("In the wild", "真实案例"),
    ("Other systems", "其他系统"),
    ("Check your understanding", "检查你的理解"),
)
"""Of every page, in this order."""

ANSWER = ("Answer", "答案")
"""The summary of a folded answer."""

_WORDS: dict[str, tuple[str, str]] = {
    "claims": ("claim|verdict|states|turns", "主张|结论|状态数|回合数"),
    "open": ("does not hold: {what}", "不成立：{what}"),
    "ways": ("way out|Step|what returns the token|verdict|turns", "出口|Step|由什么归还 token|结论|回合数"),
    "holds": ("order|lock|what|weight|from|until|outcome", "订单|锁|动作|权重|从|到|结果"),
    "held": ("held", "占有"),
    "waited": ("waited", "等待"),
    "all": ("all", "全部"),
    "released": ("released", "已释放"),
    "granted": ("granted", "已获得"),
    "open at the end": ("still so at the end", "到最后仍是如此"),
    "gave up": ("gave up", "放弃"),
    "turn": ("turn {n}", "第 {n} 回合"),
    "more rows": ("... and {n:,} rows more", "……另有 {n:,} 行"),
    "index": (
        "Concurrency patterns of durable workflows, and the anti-patterns that look like them. Each claim was checked.",
        "持久化工作流的并发模式，以及看起来与之相似的反模式。每一条主张都经过检验。",
    ),
    "index title": ("The catalog", "目录"),
    "other language": ("[简体中文](README.zh.md)", "[English](README.md)"),
    "patterns": ("Patterns", "模式"),
    "anti-patterns": ("Anti-patterns", "反模式"),
    "pattern columns": ("name|in one line|repairs", "名称|一句话|修复"),
    "anti-pattern columns": ("name|what goes wrong|repaired by", "名称|哪里出错|修复方法"),
    "by property": ("By property", "按性质比较"),
    "by property told": (
        "An empty cell: nothing is claimed. “Broken in n turns”: the shortest run that breaks it has n turns.",
        "空格表示没有相关主张。“n 回合打破”指打破它的最短运行有 n 个回合。",
    ),
    "site": ("Concurrency patterns", "并发模式"),
    "this language": ("English", "简体中文"),
    "lessons": ("Lessons", "课程"),
    "exercises": ("Exercises", "练习"),
    "property": ("property", "性质"),
    "three": ("Token, Attribute lock or resource lock", "token、Attribute lock 与资源锁"),
    "summary": ("in one line", "一句话"),
    "side by side": ("Anti-pattern and repair side by side", "反模式与修复对照"),
    "side columns": (
        "anti-pattern|what breaks|repair|what holds there",
        "反模式|什么被打破|修复|修复后成立的",
    ),
}


def say(lang: str, key: str, **fields: Any) -> str:
    """A text in a language."""
    return _WORDS[key][lang == "zh"].format(**fields)


def known(lang: str, key: str) -> str:
    """The word for it, or the thing itself where there is none."""
    return say(lang, key) if key in _WORDS else key
