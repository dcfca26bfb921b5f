"""Turns that are being thought about."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hand_made import PATIENCE, turn_of

from contract import pb
from thoughts import Thoughts


def test_a_match_that_is_over_takes_no_thread_from_others() -> None:
    begun, may_answer, answered = threading.Event(), threading.Event(), []

    def slowly(turn: Any) -> Any:
        begun.set()
        may_answer.wait(PATIENCE)
        answered.append(turn.match_id)

    with ThreadPoolExecutor(1) as pool:
        thoughts = Thoughts(lambda turn: pool.submit(slowly, turn))
        turns = [turn_of("classic", [], match_id=number) for number in (1, 2, 3, 4)]
        about = [thoughts.about(turn) for turn in turns]
        assert begun.wait(PATIENCE)
        thoughts.keep([1, 3, 4])
        thoughts.over(pb.MatchEnd(match_id=3, seat=pb.SEAT_ONE))  # the other seat, which thinks about nothing
        thoughts.over(pb.MatchEnd(match_id=4, seat=pb.SEAT_TWO))
        may_answer.set()
    assert [thought.cancelled() for thought in about] == [False, True, False, True]
    assert answered == [1, 3]
