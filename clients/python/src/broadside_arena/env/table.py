"""Both seats of matches at an arena, played by one agent: what the environment says to the arena and hears from it."""

from __future__ import annotations

import queue
import threading
import time
import uuid
import weakref
from collections.abc import Iterator
from types import TracebackType

import grpc

from .. import pb, rpc
from ..reaching import channel_to, metadata
from ..words import Seat

DAY_MS = 86_400_000
PATIENCE = 30


class Table:
    """An agent that sits on both sides. One match at a time."""

    def __init__(
        self,
        address: str,
        *,
        ca: str | None = None,
        token: str | None = None,
        operator_token: str | None = None,
        name: str | None = None,
    ) -> None:
        """Connects. Raises ConnectionError, which says why, if that fails."""
        self.turns: dict[Seat, pb.Turn] = {}
        self.ends: dict[Seat, pb.MatchEnd] = {}
        self.match_id = 0
        self._name = name or f"env-{uuid.uuid4().hex[:16]}"
        self._address = address
        self._creator = metadata(operator_token if operator_token is not None else token)
        self._channel = channel_to(address, ca)
        self._outbox: queue.SimpleQueue[pb.ConnectRequest | None] = queue.SimpleQueue()
        variants = pb.Variant.values()[1:]
        profile = pb.AgentProfile(name=self._name, variants=variants, max_matches=2, wants_legal_moves=True)
        self._outbox.put(pb.ConnectRequest(hello=pb.Hello(protocol_version=1, profile=profile)))
        requests: Iterator[pb.ConnectRequest] = iter(self._outbox.get, None)
        self._stream = rpc.GatewayServiceStub(self._channel).Connect(requests, metadata=metadata(token))
        self._matches = rpc.MatchServiceStub(self._channel)
        self._waits_since: float | None = None
        self._fell_silent = False
        self._closed = threading.Event()
        threading.Thread(target=_watch, args=(weakref.ref(self), self._closed), name="silence", daemon=True).start()
        try:
            while not self._next().HasField("welcome"):
                pass
        except BaseException:
            self.close()
            raise

    def start(self, options: pb.Options, seed: int) -> None:
        """Makes a match and waits until its first move is due; a match that is not over is given up."""
        if self.turns or (self.match_id and len(self.ends) < 2):
            resignation = pb.Resignation(match_id=self.match_id, seat=pb.SEAT_ONE)
            self._outbox.put(pb.ConnectRequest(resignation=resignation))
        self.turns, self.ends = {}, {}
        patient = pb.TimeControl(turn_cap_ms=DAY_MS, deployment_ms=DAY_MS)
        me = pb.Player(name=self._name)
        request = pb.CreateMatchRequest(options=options, players=[me, me], time_control=patient, seed=seed)
        try:
            response = self._matches.CreateMatch(request, metadata=self._creator, timeout=PATIENCE)
        except grpc.RpcError as error:
            raise ConnectionError(f"the arena at {self._address} makes no match: {_why(error)}") from None
        self.match_id = response.match.match_id
        self.wait(both=True)

    def answer(self, seat: Seat, move: pb.Move) -> None:
        """Sends a seat's move."""
        turn = self.turns.pop(seat)
        self._outbox.put(
            pb.ConnectRequest(answer=pb.TurnAnswer(match_id=turn.match_id, turn_id=turn.turn_id, move=move))
        )

    def wait(self, both: bool = False) -> None:
        """Waits until a move is due, in the deployment of both seats if that is said, or the match is over."""
        while not self._is_settled(both):
            message = self._next()
            if message.HasField("turn") and message.turn.match_id == self.match_id:
                if message.turn.HasField("refusal"):
                    raise RuntimeError(f"the arena refused a move of its own list: {message.turn.refusal.message}")
                self.turns[Seat(message.turn.seat)] = message.turn
            elif message.HasField("match_end") and message.match_end.match_id == self.match_id:
                self.ends[Seat(message.match_end.seat)] = message.match_end
            elif message.HasField("rejected") and message.rejected.match_id == self.match_id:
                raise RuntimeError(f"the arena rejected an answer: {message.rejected.message}")
            elif message.HasField("session_end"):
                raise ConnectionError(f"the arena at {self._address} ends the session: {message.session_end.message}")

    def leave_if_silent(self) -> bool:
        """Breaks the stream off if nothing comes that is waited for: the arena owes a message after each answer."""
        since = self._waits_since
        self._fell_silent = since is not None and time.monotonic() - since > PATIENCE
        if self._fell_silent:
            self._stream.cancel()
        return self._fell_silent

    def close(self) -> None:
        """Leaves the arena."""
        self._closed.set()
        self._outbox.put(None)
        self._stream.cancel()
        self._channel.close()

    def _is_settled(self, both: bool) -> bool:
        if self.ends:
            return len(self.ends) == 2
        deploying = [turn.phase == pb.PHASE_DEPLOYMENT for turn in self.turns.values()]
        return len(deploying) == 2 if both and all(deploying) else bool(deploying)

    def _next(self) -> pb.ConnectResponse:
        self._waits_since = time.monotonic()
        try:
            return next(self._stream)
        except StopIteration:
            raise ConnectionError(f"the arena at {self._address} has ended the stream") from None
        except grpc.RpcError as error:
            if self._fell_silent:
                raise ConnectionError(f"the arena at {self._address} has been silent for {PATIENCE} s") from None
            raise ConnectionError(f"the arena at {self._address}: {_why(error)}") from None
        finally:
            self._waits_since = None

    def __enter__(self) -> Table:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def _why(error: grpc.RpcError) -> str:
    return f"{error.code().name}: {error.details()}"


def _watch(watched: weakref.ref[Table], closed: threading.Event) -> None:
    # Holds the table only for a moment, so that one that is dropped without being closed is collected.
    while not closed.wait(PATIENCE / 30):
        table = watched()
        if table is None or table.leave_if_silent():
            return
        del table
