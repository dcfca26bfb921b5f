"""A Broadside bot in Python: plays every variant, and waits for your ideas in choose().

    sh setup.sh                                        # once
    .venv/bin/python bot.py --name my-bot              # dials the arena at 127.0.0.1:4600
    .venv/bin/python bot.py --serve 127.0.0.1:4701     # or lets the arena dial it

An arena with TLS is at --connect https://HOST:PORT; a token for it goes into the environment, as BROADSIDE_TOKEN.

Every turn is complete (position, clocks, legal moves), so that a bot needs no memory between turns.
Exit status: 0 asked to leave; 1 refused, or the address to serve is taken; 2 wrong usage;
3 another bot took this name over.
"""

from __future__ import annotations

import argparse
import logging
import os
import pathlib
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from queue import SimpleQueue

import grpc

from contract import pb, rpc

log = logging.getLogger("bot")
rng = random.Random()


# ---- What to play: yours ---------------------------------------------------------------------


def choose(turn: pb.Turn) -> pb.Move:
    """Decides one turn. REPLACE THIS, one variant at a time; everything below can stay.

    turn.view has one field set, the variant's own view: all that this seat may know.
    """
    if turn.view.HasField("classic") and turn.phase == pb.PHASE_BATTLE:
        return hunt(turn)
    return random_move(turn)


def hunt(turn: pb.Turn) -> pb.Move:
    """The example, for classic: shoot next to a hit on a ship that is still afloat."""
    targets = turn.view.classic.targets
    sunk = {sinking.ship_class for sinking in targets.sunk}
    # One class a hit; none at all if this match does not name the ship that is hit.
    hits = zip_longest(targets.grid.hits, targets.hit_classes)
    # A view numbers the cells 1-100; a move has row and column, 1-10.
    wounds = [divmod(number - 1, 10) for number, ship_class in hits if ship_class not in sunk]

    def near(cell: pb.Cell) -> bool:
        return any(abs(cell.row - 1 - r) + abs(cell.column - 1 - c) == 1 for r, c in wounds)

    moves = [move for move in turn.legal_moves.moves if near(move.classic.shot.cell)]
    return rng.choice(moves) if moves else random_move(turn)


def random_move(turn: pb.Turn) -> pb.Move:
    """Any legal move: one of a list, or in the salvo variants so many cells of a list."""
    legal = turn.legal_moves
    if legal.HasField("salvo"):
        cells = rng.sample(legal.salvo.cells, legal.salvo.size)
        return pb.Move(**{turn.view.WhichOneof("variant"): {"salvo": {"cells": cells}}})
    return rng.choice(legal.moves) if legal.moves else pb.Move()


# ---- Talking to the arena: the same for both directions -----------------------------------------


def decide(turn: pb.Turn) -> pb.Move:
    """choose(), but any legal move if that fails or if the arena refused what it chose."""
    if turn.HasField("refusal"):
        log.warning("match %d: move refused: %s", turn.match_id, turn.refusal.message)
        return random_move(turn)
    try:
        return choose(turn)
    except Exception:
        log.exception("match %d, turn %d: choose() failed", turn.match_id, turn.turn_id)
        return random_move(turn)


def log_start(start: pb.MatchStart) -> None:
    variant = start.options.WhichOneof("variant")
    log.info("match %d: %s, seat %d, against %s", start.match_id, variant, start.seat, start.opponent)


def log_end(end: pb.MatchEnd) -> None:
    log.info("match %d: over, seat %d: %s", end.match_id, end.seat, end.outcome.message)


# ---- The bot dials the arena ----------------------------------------------------------------------

CHANNEL_OPTIONS = [  # notices within 20 s that the arena has gone without a word
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_reconnect_backoff_ms", 1_000),
]
REFUSALS = ("INVALID_ARGUMENT", "FAILED_PRECONDITION", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED")


def channel_to(address: str, ca: str | None) -> grpc.Channel:
    """A channel in the clear, or with TLS to an https:// address."""
    if not address.startswith("https://"):
        return grpc.insecure_channel(address.removeprefix("http://"), CHANNEL_OPTIONS)
    trusted = pathlib.Path(ca).read_bytes() if ca else None
    return grpc.secure_channel(
        address.removeprefix("https://"), grpc.ssl_channel_credentials(trusted), CHANNEL_OPTIONS
    )


def dial(address: str, profile: pb.AgentProfile, ca: str | None = None) -> int:
    """Plays any number of matches on one stream, and dials again when it breaks."""
    bearer = os.environ.get("BROADSIDE_TOKEN", "").strip()
    who = [("authorization", f"Bearer {bearer}")] if bearer else []
    token, wait = "", 0.25
    while True:
        outbox: SimpleQueue[pb.ConnectRequest | None] = SimpleQueue()
        hello = pb.Hello(protocol_version=1, profile=profile, resume_token=token)
        outbox.put(pb.ConnectRequest(hello=hello))
        try:
            with channel_to(address, ca) as channel:
                for message in rpc.GatewayServiceStub(channel).Connect(iter(outbox.get, None), metadata=who):
                    if message.HasField("welcome"):
                        token, wait = message.welcome.resume_token, 0.25
                        log.info("connected to %s as %s, resumed: %s", address, profile.name, message.welcome.resumed)
                    elif message.HasField("turn"):
                        turn = message.turn
                        answer = pb.TurnAnswer(match_id=turn.match_id, turn_id=turn.turn_id, move=decide(turn))
                        outbox.put(pb.ConnectRequest(answer=answer))
                    elif message.HasField("match_start"):
                        log_start(message.match_start)
                    elif message.HasField("match_end"):
                        log_end(message.match_end)
                    elif message.HasField("rejected"):
                        log.warning("match %d: answer rejected: %s", message.rejected.match_id, message.rejected.message)
                    elif message.HasField("session_end"):
                        log.warning("the arena ends the session: %s", message.session_end.message)
                        if message.session_end.reason == pb.SESSION_END_REASON_TAKEN_OVER:
                            return 3  # dialling again would only take it back, and so on for ever
            reason = "the stream ended"
        except grpc.RpcError as error:
            code, reason = error.code().name, f"{error.code().name}: {error.details()}"
            if code in REFUSALS:
                log.error("refused by the arena at %s: %s", address, reason)
                return 1
            if code == "ABORTED":
                log.error("another bot took this session over: %s", reason)
                return 3
        finally:
            outbox.put(None)  # ends the thread that sends
        pause = wait * random.uniform(0.5, 1.0)
        log.warning("%s; dialling again in %.1f s", reason, pause)
        time.sleep(pause)
        wait = min(2 * wait, 8.0)


# ---- The arena dials the bot ----------------------------------------------------------------------


class Agent(rpc.AgentServiceServicer):
    """What the arena asks of a bot that it dials. ChooseMove alone would do."""

    def __init__(self, profile: pb.AgentProfile) -> None:
        self.profile = profile

    def GetProfile(self, request: pb.GetProfileRequest, context: grpc.ServicerContext) -> pb.GetProfileResponse:
        return pb.GetProfileResponse(profile=self.profile)

    def StartMatch(self, request: pb.StartMatchRequest, context: grpc.ServicerContext) -> pb.StartMatchResponse:
        log_start(request.match_start)
        return pb.StartMatchResponse()

    def ChooseMove(self, request: pb.ChooseMoveRequest, context: grpc.ServicerContext) -> pb.ChooseMoveResponse:
        return pb.ChooseMoveResponse(move=decide(request.turn))

    def EndMatch(self, request: pb.EndMatchRequest, context: grpc.ServicerContext) -> pb.EndMatchResponse:
        log_end(request.match_end)
        return pb.EndMatchResponse()


def serve(address: str, profile: pb.AgentProfile) -> int:
    """Serves AgentService until it is told to leave."""
    server = grpc.server(ThreadPoolExecutor(max_workers=16), options=[("grpc.so_reuseport", 0)])
    rpc.add_AgentServiceServicer_to_server(Agent(profile), server)
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        log.error("cannot serve on %s: %s", address, error)
        return 1
    server.start()
    print(f"serving on {address.rpartition(':')[0]}:{port}", flush=True)
    try:
        server.wait_for_termination()
    finally:
        server.stop(grace=1).wait()
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="A Broadside bot that plays every variant.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--connect", metavar="HOST:PORT", default="127.0.0.1:4600", help="dial the arena there (default)")
    parser.add_argument("--ca", metavar="FILE", help="trust this authority at an https:// address; in PEM")
    where.add_argument("--serve", metavar="HOST:PORT", help="let the arena dial this address; port 0 takes a free one")
    parser.add_argument("--name", default="python-bot", help="its name, one bot a name (default: %(default)s)")
    parser.add_argument("--matches", type=int, default=8, metavar="N", help="matches at once (default: %(default)s)")
    parser.add_argument("--seed", type=int, metavar="N", help="makes its random moves the same every time")
    args = parser.parse_args(arguments)
    if not 1 <= args.matches < 2**32:
        parser.error("--matches must be at least 1")

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    rng.seed(args.seed)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)  # both raise KeyboardInterrupt
    variants = [number for number in pb.Variant.values() if number != pb.VARIANT_UNSPECIFIED]
    profile = pb.AgentProfile(name=args.name, variants=variants, max_matches=args.matches, wants_legal_moves=True)
    try:
        return serve(args.serve, profile) if args.serve else dial(args.connect, profile, args.ca)
    except KeyboardInterrupt:
        log.info("leaving")
        return 0


if __name__ == "__main__":
    sys.exit(main())
