"""What happened, in words: one short sentence per event, in English or Simplified Chinese.

The sentence leaves out who did it: every view says that beside it. Values are shortened and shown harmlessly. This
module knows the vocabulary of events and no machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dexpatterns.engine.texts import LANGUAGES, visible
from dexpatterns.views.texts import duration, value

__all__ = ["sentence"]

_SAY: dict[str, tuple[str, str]] = {
    "flow_started": ("{flow} starts", "{flow} 启动"),
    "step_started": ("{step} is started by {by}", "{by} 启动 {step}"),
    "step_started:start": ("{step} is started", "启动 {step}"),
    "step_started:route": ("the failure route of {by} starts {step}", "{by} 的失败路由启动 {step}"),
    "step_started:fallback": ("{by} falls back to {step}", "{by} 退回到 {step}"),
    "began": ("{call} begins{nth}{reads}", "{call} 开始{nth}{reads}"),
    "recorded": ("records {name} = {value}", "记录 {name} = {value}"),
    "saved": ("{call} saves", "{call} 已保存"),
    "saved:wait": ("{call} saves its Wait", "{call} 已保存它的 Wait"),
    "saved:go_to": ("{call} saves and goes on", "{call} 已保存，继续下一步"),
    "saved:go_to_many": ("{call} saves and starts several Steps", "{call} 已保存，启动多个 Step"),
    "saved:dead_end": ("{call} saves: dead end", "{call} 已保存：此路结束"),
    "saved:graceful_complete": ("{call} saves and asks to complete the Flow", "{call} 已保存，请求完成 Flow"),
    "saved:force_complete": ("{call} saves and completes the Flow", "{call} 已保存，完成 Flow"),
    "saved:force_fail": ("{call} saves and fails the Flow", "{call} 已保存，使 Flow 失败"),
    "saved:force_complete_if_channels_empty": (
        "{call} saves and completes the Flow if the Channels are empty",
        "{call} 已保存，若 Channel 为空则完成 Flow",
    ),
    "failed:raised": ("{call} fails{of}: {error}; {then}", "{call} 失败{of}：{error}；{then}"),
    "failed:lost": ("{call} is lost with its worker{of}; {then}", "{call} 随 worker 丢失{of}；{then}"),
    "failed:late": ("{call} is given up, its code runs on{of}; {then}", "{call} 已放弃，代码仍在运行{of}；{then}"),
    "late_ended": (
        "the code of {call} that ran on comes to its end; the Flow ignores it",
        "{call} 仍在运行的代码结束；Flow 不理会它",
    ),
    "attribute_changed": ("{name} {old} → {new}", "{name} {old} → {new}"),
    "published": ("publishes {value} to {channel}", "向 {channel} 发布 {value}"),
    "returned": ("{values} go back to the front of {channel}", "{values} 归还到 {channel} 的最前面"),
    "waiting": ("waits for {wait}", "等待 {wait}"),
    "timer_fired": ("a timer of {seconds} fires", "{seconds} 的 Timer 触发"),
    "wait_completed": ("takes {taken}{rivals}", "消费 {taken}{rivals}"),
    "wait_completed:nothing": ("its Wait completes without a message", "它的 Wait 完成，没有消费消息"),
    "cancelled": ("{step} is cancelled by {by_step}, {phase}", "{step} 被 {by_step} 取消（{phase}）"),
    "graceful_asked": ("the Flow completes once no Step is active", "没有活动的 Step 时 Flow 即完成"),
    "stop": ("a stop arrives from outside: {type}{reason}", "外部停止请求到达：{type}{reason}"),
    "flow_timeout": ("the Flow's timeout is reached: {policy}", "达到 Flow 的超时：{policy}"),
    "closed": ("the Flow ends {status}{reason}", "Flow 以 {status} 结束{reason}"),
}

_THEN = {
    "retry": ("tries again after {delay}", "{delay} 后重试"),
    "route": ("goes to its failure route", "进入失败路由"),
    "proceed": ("proceeds to execute", "继续 execute"),
    "flow_failed": ("fails the Flow", "Flow 失败"),
    "caller": ("its caller gets the error", "调用者得到错误"),
}

_PARTS = {
    "nth": (", attempt {n}", "，第 {n} 次 attempt"),
    "of_limit": (", attempt {n} of {limit}", "，第 {n} 次 attempt（最多 {limit} 次）"),
    "reads": (" and reads {reads}", "，读到 {reads}"),
    "rivals": ("; {n} more waited too", "；另有 {n} 个也在等待"),
    "from": ("{values} from {channel}", "{channel} 的 {values}"),
    "reason": (": {reason}", "：{reason}"),
    "list": (", ", "、"),
}

_PHASES = {
    "queued": ("queued", "排队"),
    "running": ("running; its code runs on", "运行中；代码仍在运行"),
    "retrying": ("between attempts", "等待重试"),
    "waiting": ("waiting", "等待"),
}


def sentence(event: Any, lang: str = "en") -> str:
    """What the event says; one of a kind that is not known tells its fields."""
    at = LANGUAGES.index(lang)
    variant = _VARIANT.get(event.kind, _no_variant)(event)
    said = _SAY.get(f"{event.kind}:{variant}") or _SAY.get(event.kind)
    if said is None:
        fields = ", ".join(f"{name} {value(part)}" for name, part in event._asdict().items())
        return f"{event.kind.replace('_', ' ')}: {fields}" if fields else str(event.kind)
    plain = {name: visible(part) for name, part in event._asdict().items() if isinstance(part, str)}
    return said[at].format(**{**plain, **_FIELDS.get(event.kind, _no_fields)(event, at)})


def _no_variant(_: Any) -> str:
    return ""


def _no_fields(_: Any, __: int) -> dict[str, str]:
    return {}


_VARIANT: dict[str, Callable[[Any], str]] = {
    "step_started": lambda e: e.why,
    "saved": lambda e: e.decision,
    "failed": lambda e: e.how,
    "wait_completed": lambda e: "" if e.taken else "nothing",
}


def _part(name: str, at: int, **fields: object) -> str:
    return _PARTS[name][at].format(**fields)


def _call(event: Any) -> str:
    return visible(event.step if event.method in ("execute", "rpc") else f"{event.step}.{event.method}")


def _values(parts: Iterable[Any], at: int) -> str:
    parts = tuple(parts)
    shown = _PARTS["list"][at].join(value(part, LANGUAGES[at]) for part in parts[:2])
    return shown if len(parts) <= 2 else f"{shown} +{len(parts) - 2}"


def _began(e: Any, at: int) -> dict[str, str]:
    reads = _PARTS["list"][at].join(f"{visible(name)} = {value(part, LANGUAGES[at])}" for name, part in e.reads[:3])
    more = f" +{len(e.reads) - 3}" if len(e.reads) > 3 else ""
    return {
        "call": _call(e),
        "nth": _part("nth", at, n=e.attempt) if e.attempt > 1 else "",
        "reads": _part("reads", at, reads=reads + more) if reads else "",
    }


def _failed(e: Any, at: int) -> dict[str, str]:
    detail = f' "{visible(e.detail)[:80]}"' if e.detail else ""
    return {
        "call": _call(e),
        "of": _part("of_limit" if e.limit else "nth", at, n=e.attempt, limit=e.limit),
        "error": f"{visible(e.error_type)}{detail}",
        "then": _THEN.get(e.then, (e.then, e.then))[at].format(delay=duration(e.delay)),
    }


def _taken(e: Any, at: int) -> dict[str, str]:
    taken = (_part("from", at, values=_values(parts, at), channel=visible(channel)) for channel, parts in e.taken)
    return {
        "taken": _PARTS["list"][at].join(taken),
        "rivals": _part("rivals", at, n=len(e.rivals)) if e.rivals else "",
    }


def _reason(e: Any, at: int) -> dict[str, str]:
    return {"reason": _part("reason", at, reason=visible(e.reason)[:200]) if e.reason else ""}


_FIELDS: dict[str, Callable[[Any, int], dict[str, str]]] = {
    "began": _began,
    "saved": lambda e, at: {"call": _call(e)},
    "failed": _failed,
    "late_ended": lambda e, at: {"call": _call(e)},
    "recorded": lambda e, at: {"value": value(e.value, LANGUAGES[at])},
    "attribute_changed": lambda e, at: {"old": value(e.old, LANGUAGES[at]), "new": value(e.new, LANGUAGES[at])},
    "published": lambda e, at: {"value": value(e.value, LANGUAGES[at])},
    "returned": lambda e, at: {"values": _values(e.values, at)},
    "timer_fired": lambda e, at: {"seconds": duration(e.seconds)},
    "wait_completed": _taken,
    "cancelled": lambda e, at: {"phase": _PHASES.get(e.phase, (e.phase, e.phase))[at]},
    "stop": _reason,
    "closed": _reason,
}
