from __future__ import annotations

import threading

import pytest

from broadside_arena.threads import DaemonThreads

from .hand_made import PATIENCE


def test_work_is_done_at_the_same_time_by_threads_that_hold_nobody_up() -> None:
    threads = DaemonThreads(2, "test")
    both = threading.Barrier(2)

    def work(number: int) -> tuple[int, bool]:
        both.wait(PATIENCE)
        return number, threading.current_thread().daemon

    first, second = threads.submit(work, 1), threads.submit(work, number=2)
    assert (first.result(PATIENCE), second.result(PATIENCE)) == ((1, True), (2, True))
    threads.shutdown()


def test_what_fails_fails_for_who_waits() -> None:
    threads = DaemonThreads(1, "test")
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(PATIENCE)
    assert threads.submit(lambda: "the thread goes on").result(PATIENCE) == "the thread goes on"
    threads.shutdown()


def test_work_that_is_not_begun_is_dropped_at_the_end() -> None:
    threads = DaemonThreads(1, "test")
    begun, end = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        end.wait(PATIENCE)
        return "done"

    running, waiting = threads.submit(work), threads.submit(work)
    assert begun.wait(PATIENCE)
    threads.shutdown()
    assert waiting.cancelled()
    end.set()
    assert running.result(PATIENCE) == "done"
    with pytest.raises(RuntimeError, match="these threads take no more work"):
        threads.submit(work)
