"""Has a bot decide turns: each once, whatever happens to the connection meanwhile, and always with an answer."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
from collections.abc import Iterator
from typing import TypeAlias, cast

from . import pb
from .bot import Bot, Decision, Dispute, Resign
from .moves import to_message
from .threads import DaemonThreads
from .turn import Turn

log = logging.getLogger("broadside_arena")

Answer: TypeAlias = pb.Move | Resign | Dispute
Thought: TypeAlias = "asyncio.Task[Answer]"

MOST_THREADS = 32


class Thinker:
    """The thoughts of one bot. Lives as long as the bot runs, beyond any connection. Close it at the end."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._pool = None if bot.is_async else DaemonThreads(min(bot.matches, MOST_THREADS), "decision")
        self._thoughts: dict[tuple[int, int], tuple[tuple[int, bytes], Thought]] = {}

    def close(self) -> None:
        """Gives up what is being thought about."""
        for _, thought in self._thoughts.values():
            thought.cancel()
        if self._pool:
            self._pool.shutdown()

    def think(self, message: pb.Turn) -> Thought:
        """The thought about a turn. The same turn sent again has the same thought; a refusal makes it another turn."""
        seat = message.match_id, message.seat
        turn = message.turn_id, message.refusal.SerializeToString() + bytes([message.refusals_left & 0xFF])
        known = self._thoughts.get(seat)
        disputed = False
        if known and known[0] == turn:
            thought = known[1]
            disputed = thought.done() and not thought.cancelled() and isinstance(thought.result(), Dispute)
            if not disputed:
                return thought
        thought = asyncio.ensure_future(self._decide(Turn(message), disputed))
        self._thoughts[seat] = turn, thought
        return thought

    def started(self, start: pb.MatchStart) -> None:
        """A match begins."""
        variant = start.options.WhichOneof("variant")
        log.info("match %d: %s, seat %d, against %s", start.match_id, variant, start.seat, start.opponent)
        with _logged(start.match_id):
            self._bot.match_started(start)

    def ended(self, end: pb.MatchEnd) -> None:
        """A match is over."""
        log.info("match %d: over, seat %d: %s", end.match_id, end.seat, end.outcome.message)
        self._forget({seat for seat in self._thoughts if seat == (end.match_id, end.seat)})
        with _logged(end.match_id):
            self._bot.match_ended(end)

    def forget_all_but(self, running: set[int]) -> None:
        """Only these matches are still being played."""
        self._forget({seat for seat in self._thoughts if seat[0] not in running})

    def _forget(self, seats: set[tuple[int, int]]) -> None:
        for seat in seats:
            self._thoughts.pop(seat)[1].cancel()

    async def _decide(self, turn: Turn, disputed: bool) -> Answer:
        """The bot's decision, or any legal move if it has none."""
        name = "choose"
        try:
            if turn.refusal is not None:
                name = "refused"
                log.warning("match %d, turn %d: refused: %s", turn.match_id, turn.turn_id, turn.refusal)
            if not disputed:
                return _as_answer(await self._ask(turn), turn)
        except Exception:
            log.exception("match %d, turn %d: %s() failed; a random move is played", turn.match_id, turn.turn_id, name)
        try:
            return self._any(turn)
        except (TypeError, ValueError) as error:
            log.error("match %d, turn %d: no move is known: %s", turn.match_id, turn.turn_id, error)
            return pb.Move()

    def _any(self, turn: Turn) -> pb.Move:
        """Any legal move; one that is listed as it stands, also if this version does not understand it."""
        listed = turn.message.legal_moves.moves
        if listed:
            return listed[self._bot.random.randrange(len(listed))]
        return to_message(turn.random_move(self._bot.random), turn.variant)

    async def _ask(self, turn: Turn) -> Decision:
        decide = self._bot.choose if turn.refusal is None else self._bot.refused
        if self._pool:
            decision = await asyncio.get_running_loop().run_in_executor(self._pool, decide, turn)
        else:
            decision = decide(turn)
        if inspect.isawaitable(decision):
            return await decision
        return decision


def _as_answer(decision: object, turn: Turn) -> Answer:
    if isinstance(decision, pb.Move | Resign | Dispute):
        return decision
    try:
        return to_message(cast("Decision", decision), turn.variant)  # type: ignore[arg-type] # whatever it is, it says what is wrong
    except TypeError:
        raise TypeError(f"the decision is {decision!r}, which is no move of {turn.variant}") from None


@contextlib.contextmanager
def _logged(match_id: int) -> Iterator[None]:
    try:
        yield
    except Exception:
        log.exception("match %d: the bot failed at news of the match", match_id)
