"""Threads that hold nobody up: Python does not wait for them at its end, as it does for those of a ThreadPoolExecutor."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class DaemonThreads(Executor):
    """At most so many threads, made as they are needed."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._made = 0
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._closed = False
        self._work: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._waiting: set[Future[Any]] = set()

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Has a thread do this work. Raises RuntimeError after `shutdown`."""
        future: Future[T] = Future()

        def run() -> None:
            self._waiting.discard(future)
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = work(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._lock:
            if self._closed:
                raise RuntimeError("these threads take no more work")
            self._waiting.add(future)
            self._work.put(run)
            if not self._idle.acquire(blocking=False) and self._made < self._most:
                self._made += 1
                threading.Thread(target=self._serve, name=f"{self._name}-{self._made}", daemon=True).start()
        return future

    def _serve(self) -> None:
        while work := self._work.get():
            work()
            self._idle.release()

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Takes no more work, and drops what no thread has begun. Never waits."""
        with self._lock:
            self._closed = True
            for future in tuple(self._waiting):
                future.cancel()
            for _ in range(self._made):
                self._work.put(None)
