from __future__ import annotations

import pytest

from programs.router import question_type

GREETINGS = (
    *("你好", "您好！", "你好，在吗？", "嗨～", "谢谢", "辛苦了", "早上好", "你是谁？", "你能做什么？", "现在几点了？"),
    *("hi", "Hello!", "hi there", "Thanks.", "good morning", "Who are you?", "What can you do?", "Ｈｅｌｌｏ"),
)
LOOKUPS = (
    *("什么是连接池？", "什么是 OOMKilled", "消费积压是什么意思？", "Kafka 的 ISR 是什么", "连接池怎么配置？"),
    *("怎么扩容 Kafka broker", "磁盘清理的处置手册", "有没有 Redis 的预案", "给我 disk full 的 runbook"),
    *("How do I configure HikariCP?", "What is a connection pool?", "What does ISR mean?", "runbook for disk cleanup"),
)


@pytest.mark.parametrize("question", GREETINGS)
def test_greeting(question: str) -> None:
    assert question_type(question) == "greeting"


@pytest.mark.parametrize("question", LOOKUPS)
def test_plain_lookup(question: str) -> None:
    assert question_type(question) == "knowledge"


@pytest.mark.parametrize(
    "question",
    [
        "支付网关从 10:05 开始大量 5xx，为什么？",
        "你好，支付网关挂了",
        "谢谢，不过 order-service 还在超时",
        "kafka 消费积压怎么处理",
        "怎么排查连接池耗尽？",
        "什么是导致支付失败的原因？",
        "什么原因让 order-service 重启？",
        "按手册看看支付网关现在是不是有问题",
        "当前告警是什么",
        "数据库连接超时怎么配置",
        "What is the error rate of checkout?",
        "What is wrong with the payment gateway?",
        "Why does the broker run out of disk?",
        "Is it the runbook's usual cause?",
        "how do I configure the timeout that fails",
        "order-service",
        "帮我看一下",
        "",
        "   ",
        "？？？",
        "🔥🔥🔥",
        "gibberish qwerty",
    ],
)
def test_everything_else_is_an_incident(question: str) -> None:
    assert question_type(question) == "incident"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("question", ["现在几点了" * 4000 + "x", "你好" * 10_000, "a " * 10_000 + "meant"])
def test_very_long_question_does_not_stall_the_router(question: str) -> None:
    assert question_type(question) == "incident"
