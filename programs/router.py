"""Which way a question takes: the diagnosis graph, a plain knowledge look-up, or a greeting (G2).

Rules first, and every doubt goes to the graph: a missed incident costs more than a needless diagnosis.
"""

from __future__ import annotations

import re
import unicodedata

from signatures.contracts import QuestionType

# Compared without blanks and punctuation: "你好，在吗？" is two of them.
_GREETING = re.compile(
    r"(?:你好|您好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好|早|在吗|在么|在不在|谢谢|多谢|感谢|辛苦了|再见|拜拜|好的|收到|"
    r"你是谁|你叫什么(?:名字)?|你能(?:做|干)些?什么|你会做?什么|怎么用你?|帮助|现在几点[了钟]?|今天是?(?:几号|星期几|周几)|"
    r"hi|hello|hey|thanks|thankyou|bye|ok|help|good(?:morning|afternoon|evening)|areyouthere|whoareyou|"
    r"whatcanyoudo|howdoiuse(?:you|this)|whattimeisit|there|呀|啊|哦|呢|吗|了)+"
)
_GREETING_LIMIT = 40
_BLANKS = re.compile(r"[\s,.!?;:~，。！？；：、～…]+")

# Something happens, or is asked to be looked into: never a plain look-up.
_HAPPENING = re.compile(
    r"为什么|为啥|怎么回事|怎么了|什么原因|原因|导致|造成|根因|排查|诊断|定位|分析|看看|看一下|看下|查一下|查下|帮我(?:看|查)|"
    r"现在|当前|目前|刚才|刚刚|今天|昨天|昨晚|凌晨|早上|上午|中午|下午|晚上|最近|突然|一直|开始|大量|频繁|持续|"
    r"是不是|有没有(?:问题|异常|报错|告警)|正常吗|恢复|坏|挂了|崩了|宕|不可用|打不开|连不上|登不上|卡|"
    r"报警了|告警了|报错了|满了|高了|慢了|涨|飙|升高|上升|下降|下跌|抖动|"
    r"\d{1,2}[:：]\d{2}|\d+\s*点|\d+\s*(?:分钟|小时)前|"
    r"\b(?:why|cause[ds]?|causing|root cause|investigate|diagnose|troubleshoot|debug|happen(?:s|ed|ing)?|wrong|now|"
    r"current(?:ly)?|today|yesterday|tonight|recent(?:ly)?|since|started|spik(?:e|ed|ing)|went|broken|down|slow|"
    r"unavailable|unhealthy|status of|going on|ago|is it|are we)\b",
    re.IGNORECASE,
)
# Words of faults: they do not hinder a definition or a runbook look-up, but a "how to" with one may be an incident.
_FAULT = re.compile(
    r"告警|报警|报错|错误|异常|故障|超时|失败|延迟|堆积|积压|重启|泄漏|打满|耗尽|满|日志|指标|5xx|4xx|\b[45]\d\d\b|oom|"
    r"\b(?:alerts?|errors?|exceptions?|fail(?:s|ed|ing|ures?)?|timeouts?|latency|lag|logs?|metrics?|restarts?|leaks?|"
    r"outages?|incidents?|crash\w*|full)\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^(?:请问|请)?(?:解释(?:一下)?|介绍(?:一下)?)?什么(?:是|叫)|(?:是什么(?:意思|东西|概念)?|什么意思|的(?:定义|含义|区别)(?:是什么)?)$|"
    r"^(?:please )?(?:what (?:is|are) an? |what does .+ mean$|define |explain what )",
    re.IGNORECASE,
)
_RUNBOOK = re.compile(
    r"手册|预案|知识库|操作文档|处置文档|规范|\bsop\b|runbook|playbook|knowledge base|documentation|\bdocs\b",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"(?:怎么|如何|怎样)(?:去)?(?:配置|设置|调整|开启|关闭|安装|部署|使用|扩容|申请|接入|升级|查询|修改)|"
    r"(?:配置|设置|安装|部署|接入)(?:步骤|方法|方式)|"
    r"\bhow (?:to|do i|do we|can i|should i) "
    r"(?:configure|set|set up|enable|disable|install|deploy|use|upgrade|change|scale)\b",
    re.IGNORECASE,
)


def question_type(question: str) -> QuestionType:
    """``greeting``, ``knowledge`` or ``incident``; a question of mixed or unknown kind is an incident."""
    text = " ".join(unicodedata.normalize("NFKC", question).split())
    bare = _BLANKS.sub("", text.lower())
    if 0 < len(bare) <= _GREETING_LIMIT and _GREETING.fullmatch(bare):
        return "greeting"
    asked = text.rstrip("?!. 。")
    if _HAPPENING.search(asked):
        return "incident"
    if _DEFINITION.search(asked) or _RUNBOOK.search(asked):
        return "knowledge"
    if _HOW_TO.search(asked) and not _FAULT.search(asked):
        return "knowledge"
    return "incident"
