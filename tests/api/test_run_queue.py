"""The run queue: how many work, how many wait, and what happens when the service stops."""

import threading
from collections.abc import Callable

import pytest

from api.errors import Busy
from api.run_queue import RunQueue


def test_no_more_than_the_limit_work_at_once(until: Callable[..., None]) -> None:
    queue, go, lock = RunQueue(2, 10), threading.Event(), threading.Lock()
    working = most = 0

    def work(_: Callable[[], bool]) -> None:
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        go.wait(10)
        with lock:
            working -= 1

    tickets = [queue.submit(work) for _ in range(8)]
    until(lambda: working == 2)
    go.set()
    for ticket in tickets:
        ticket.future.result(10)
    assert most == 2
    until(lambda: len(queue) == 0)


def test_stopping_cancels_what_works_and_what_waits_and_takes_nothing_new(until: Callable[..., None]) -> None:
    queue, begun = RunQueue(1, 5), threading.Event()
    ended: list[str] = []

    def work(name: str) -> Callable[[Callable[[], bool]], None]:
        def body(cancelled: Callable[[], bool]) -> None:
            begun.set()
            until(cancelled)
            ended.append(name)

        return body

    queue.submit(work("first"))
    queue.submit(work("second"))
    begun.wait(10)
    assert queue.close(10)
    assert ended == ["first", "second"]
    with pytest.raises(Busy):
        queue.submit(work("late"))


def test_work_that_does_not_stop_is_reported() -> None:
    queue, go = RunQueue(1, 0), threading.Event()
    queue.submit(lambda _: go.wait(10))
    assert not queue.close(0.05)
    go.set()
