"""Tests of the Python bots: choose() on hand-made turns, and whole conversations with a fake arena.

.venv/bin/python -m pip install -r requirements-dev.txt && .venv/bin/python -m pytest
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection

import bot
from contract import pb, rpc

HERE = Path(__file__).resolve().parent
PATIENCE = 20
VARIANTS = [number for number in pb.Variant.values() if number != pb.VARIANT_UNSPECIFIED]
ONE_SHOT = ["classic", "amiral", "amiral_advanced", "naumachia"]
SALVO = ["salvo", "advanced_salvo"]


# ---- Hand-made turns ---------------------------------------------------------------------------


def shot(variant: str, row: int, column: int) -> Any:
    return pb.Move(**{variant: {"shot": {"cell": {"row": row, "column": column}}}})


def fleet() -> dict[str, Any]:
    ship = {"ship_class": pb.SHIP_CLASS_CARRIER, "cell": {"row": 1, "column": 1}}
    return {"ships": [{**ship, "orientation": pb.ORIENTATION_VERTICAL}]}


def turn_of(variant: str, moves: list[Any], phase: int = pb.PHASE_BATTLE, **fields: Any) -> Any:
    """A turn of the variant that lists these moves; its view is empty unless one is given."""
    fields = {"view": {variant: {}}, "match_id": 2**53 - 1, "turn_id": 7, "seat": pb.SEAT_TWO} | fields
    return pb.Turn(phase=phase, legal_moves={"moves": moves}, **fields)


def every_shot(variant: str) -> list[Any]:
    return [shot(variant, row, column) for row in range(1, 11) for column in range(1, 11)]


def salvo_turn(variant: str, cells: list[Any], size: int) -> Any:
    return pb.Turn(
        match_id=5,
        turn_id=9,
        phase=pb.PHASE_BATTLE,
        view={variant: {"salvo_size": size}},
        legal_moves={"salvo": {"cells": cells, "size": size}},
    )


def abalone_moves() -> list[Any]:
    group = [{"row": 3, "number": 3}, {"row": 3, "number": 4}]
    return [pb.Move(abalone={"group": group, "direction": way}) for way in pb.AbaloneDirection.values()[1:]]


def advanced_moves() -> list[Any]:
    """One move of each kind that amiral-advanced has in battle."""
    kinds: list[dict[str, Any]] = [
        {"shot": {"cell": {"row": 10, "column": 1}}},
        {"torpedo": {"route": {"letter": 5, "number": 5}}},
        {"hunt": {"end": {"letter": 9}}},
        {"air_strike": {"cell": {"row": 9, "column": 9}}},
    ]
    return [pb.Move(amiral_advanced=kind) for kind in kinds]


def played(turn: Any, times: int = 200) -> list[Any]:
    return [bot.choose(turn) for _ in range(times)]


@pytest.mark.parametrize("variant", ONE_SHOT)
def test_a_shot_is_one_of_the_list(variant: str) -> None:
    moves = [shot(variant, 1, 10), shot(variant, 10, 1), shot(variant, 4, 7)]
    chosen = played(turn_of(variant, moves))
    assert all(move in moves for move in chosen)
    assert all(move in chosen for move in moves)


def test_amiral_advanced_plays_every_kind_of_move() -> None:
    chosen = played(turn_of("amiral_advanced", advanced_moves()))
    kinds = {move.amiral_advanced.WhichOneof("move") for move in chosen}
    assert kinds == {"shot", "torpedo", "hunt", "air_strike"}


def test_a_relocation_is_one_of_the_list() -> None:
    moves = [pb.Move(amiral_advanced={"relocation": {"berth": {"number": 3}}})]
    assert bot.choose(turn_of("amiral_advanced", moves, pb.PHASE_RELOCATION)) == moves[0]


def test_an_abalone_move_is_one_of_the_list() -> None:
    moves = abalone_moves()
    chosen = played(turn_of("abalone", moves))
    assert all(move in moves for move in chosen)
    assert all(move in chosen for move in moves)


@pytest.mark.parametrize("variant", ["classic", "salvo", "advanced_salvo", "amiral", "naumachia"])
def test_a_fleet_is_the_one_dealt(variant: str) -> None:
    dealt = pb.Move(**{variant: {"deployment": fleet()}})
    assert bot.choose(turn_of(variant, [dealt], pb.PHASE_DEPLOYMENT)) == dealt


def test_a_fleet_of_amiral_advanced_has_its_berth() -> None:
    dealt = pb.Move(amiral_advanced={"deployment": {"fleet": fleet(), "berth": {"letter": 2}}})
    assert bot.choose(turn_of("amiral_advanced", [dealt], pb.PHASE_DEPLOYMENT)) == dealt


@pytest.mark.parametrize("variant", SALVO)
@pytest.mark.parametrize(("size", "left"), [(5, 100), (1, 3), (2, 2)])
def test_a_salvo_names_distinct_cells_of_the_list(variant: str, size: int, left: int) -> None:
    cells = [pb.Cell(row=(n - 1) // 10 + 1, column=(n - 1) % 10 + 1) for n in range(1, left + 1)]
    for move in played(salvo_turn(variant, cells, size)):
        assert move.WhichOneof("variant") == variant
        named = getattr(move, variant).salvo.cells
        assert len(named) == size
        assert all(cell in cells for cell in named)
        assert len({(cell.row, cell.column) for cell in named}) == size


def classic_turn(hits: list[int], moves: list[Any] | None = None, **targets: Any) -> Any:
    moves = every_shot("classic") if moves is None else moves
    return turn_of("classic", moves, view={"classic": {"targets": {"grid": {"hits": hits}, **targets}}})


def targets_of(moves: list[Any]) -> set[tuple[int, int]]:
    return {(move.classic.shot.cell.row, move.classic.shot.cell.column) for move in moves}


def test_classic_shoots_beside_an_open_hit() -> None:
    beside = targets_of(played(classic_turn([10], hit_classes=[pb.SHIP_CLASS_CARRIER])))
    assert beside == {(1, 9), (2, 10)}  # cell 10 is row 1, column 10, and the next number is no neighbour
    assert targets_of(played(classic_turn([11]))) == {(1, 1), (3, 1), (2, 2)}  # no classes: the same


def test_classic_leaves_ships_that_are_sunk_alone() -> None:
    patrol, carrier = pb.SHIP_CLASS_PATROL_BOAT, pb.SHIP_CLASS_CARRIER
    sunk = [{"ship_class": patrol, "hits": 2}]
    hits, classes = [55, 56, 1], [patrol, patrol, carrier]
    assert targets_of(played(classic_turn(hits, hit_classes=classes, sunk=sunk))) == {(1, 2), (2, 1)}
    everywhere = targets_of(played(classic_turn(hits[:2], hit_classes=classes[:2], sunk=sunk), 2000))
    assert len(everywhere) > 90


def test_classic_falls_back_to_the_list() -> None:
    far = [shot("classic", 9, 9), shot("classic", 2, 2)]
    assert targets_of(played(classic_turn([1], far))) == {(9, 9), (2, 2)}


def test_a_refused_choice_is_followed_by_any_legal_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "choose", lambda turn: pytest.fail("asked again"))
    moves = [shot("amiral", 3, 3)]
    refusal = {"reason": pb.ILLEGAL_MOVE_REASON_ALREADY_FIRED, "message": "A1 was fired at before"}
    assert bot.decide(turn_of("amiral", moves, refusal=refusal)) == moves[0]


def test_a_failing_choice_is_replaced_by_any_legal_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "choose", lambda turn: 1 // 0)
    moves = [shot("amiral", 3, 3)]
    assert bot.decide(turn_of("amiral", moves)) == moves[0]


def test_no_legal_moves_make_an_empty_move() -> None:
    assert bot.choose(turn_of("classic", [])) == pb.Move()


def test_a_seed_makes_the_same_moves() -> None:
    games = []
    for _ in range(2):
        bot.rng.seed(7)
        games.append(played(turn_of("amiral", every_shot("amiral")), 20))
    assert games[0] == games[1]


# ---- A fake arena that bots dial ---------------------------------------------------------------

Script = Callable[[Iterator[Any], grpc.ServicerContext], Iterator[Any]]


class FakeArena(rpc.GatewayServiceServicer):
    """Plays one script a connection, in order; what a bot says is asserted in the scripts."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.errors: Queue[BaseException] = Queue()

    def Connect(self, request_iterator: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        if not self.scripts:
            self.errors.put(AssertionError("one connection too many"))
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "one connection too many")
        script = self.scripts.pop(0)
        try:
            yield from script(request_iterator, context)
        except (AssertionError, StopIteration) as error:
            self.errors.put(error)
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"the test failed: {error!r}")

    def check(self) -> None:
        assert self.errors.empty(), self.errors.get()
        assert not self.scripts, "too few connections"


@contextmanager
def serving(arena: Any, add: Callable[[Any, Any], None], port: int = 0) -> Iterator[str]:
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    add(arena, server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        server.stop(grace=None).wait()


def dialled_by_bot(*scripts: Script, name: str = "tester", matches: int = 3) -> int:
    """Runs the bot against these connections; its exit status."""
    arena = FakeArena(*scripts)
    profile = pb.AgentProfile(name=name, variants=VARIANTS, max_matches=matches, wants_legal_moves=True)
    with serving(arena, rpc.add_GatewayServiceServicer_to_server) as address, ThreadPoolExecutor() as threads:
        status: int = threads.submit(bot.dial, address, profile).result(timeout=PATIENCE)
    arena.check()
    return status


def welcome(token: str, resumed: bool = False) -> Any:
    return pb.ConnectResponse(welcome={"protocol_version": 1, "resume_token": token, "resumed": resumed})


def end_of_session(reason: int) -> Any:
    return pb.ConnectResponse(session_end={"reason": reason, "message": "the test is over"})


def check_answer(request: Any, turn: Any) -> None:
    answer = request.answer
    assert (answer.match_id, answer.turn_id) == (turn.match_id, turn.turn_id)
    if turn.legal_moves.HasField("salvo"):
        variant = turn.view.WhichOneof("variant")
        assert answer.move.WhichOneof("variant") == variant
        assert len(getattr(answer.move, variant).salvo.cells) == turn.legal_moves.salvo.size
    else:
        assert answer.move in turn.legal_moves.moves


def a_turn_of_every_variant() -> list[Any]:
    cells = [pb.Cell(row=row, column=1) for row in range(1, 11)]
    turns = [turn_of(variant, every_shot(variant)) for variant in ONE_SHOT]
    turns += [salvo_turn(variant, cells, 4) for variant in SALVO]
    turns.append(turn_of("abalone", abalone_moves()))
    for number, turn in enumerate(turns, 1):
        turn.match_id = 1000 + number
    return turns


def whole_session(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
    """Seven matches at once on one stream, with everything that an arena may send in between."""
    hello = next(requests).hello
    assert hello.protocol_version == 1
    assert hello.resume_token == ""
    assert list(hello.profile.variants) == VARIANTS
    assert hello.profile.wants_legal_moves
    yield welcome("token-1")
    turns = a_turn_of_every_variant()
    for turn in turns:
        start = {"match_id": turn.match_id, "seat": pb.SEAT_ONE, "opponent": "fake"}
        yield pb.ConnectResponse(match_start=start | {"options": {turn.view.WhichOneof("variant"): {}}})
    yield pb.ConnectResponse(heartbeat={"beat": 0})
    yield pb.ConnectResponse()  # a message of a later version
    for turn in turns:
        yield pb.ConnectResponse(turn=turn)
    for turn in turns:
        check_answer(next(requests), turn)
    yield pb.ConnectResponse(rejected={"match_id": 1001, "turn_id": 7, "message": "too late"})
    for turn in turns:
        outcome = {"result": pb.MATCH_RESULT_DRAW, "message": "a draw"}
        yield pb.ConnectResponse(match_end={"match_id": turn.match_id, "outcome": outcome})
    yield end_of_session(pb.SESSION_END_REASON_TAKEN_OVER)


def test_a_whole_session_of_every_variant() -> None:
    assert dialled_by_bot(whole_session) == 3


def test_a_bot_comes_back_with_the_resume_token_and_answers_the_pending_turn() -> None:
    turn = turn_of("naumachia", every_shot("naumachia"))

    def first(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        assert next(requests).hello.resume_token == ""
        yield welcome("token-1")
        yield pb.ConnectResponse(turn=turn)
        context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")

    def second(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        hello = next(requests).hello
        assert hello.resume_token == "token-1"
        assert (hello.profile.name, hello.profile.max_matches) == ("tester", 3)
        yield welcome("token-2", resumed=True)
        yield pb.ConnectResponse(turn=turn)
        check_answer(next(requests), turn)
        yield end_of_session(pb.SESSION_END_REASON_ARENA_STOPS)

    def third(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        assert next(requests).hello.resume_token == "token-2"
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many sessions")
        yield

    def fourth(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        assert next(requests).hello.resume_token == "token-2"
        yield welcome("token-2", resumed=True)
        yield end_of_session(pb.SESSION_END_REASON_TAKEN_OVER)

    assert dialled_by_bot(first, second, third, fourth) == 3


def ends_with(code: grpc.StatusCode) -> Script:
    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        context.abort(code, "because")
        yield

    return script


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, 1),
        (grpc.StatusCode.FAILED_PRECONDITION, 1),
        (grpc.StatusCode.UNIMPLEMENTED, 1),
        (grpc.StatusCode.ABORTED, 3),
    ],
)
def test_a_bot_that_is_refused_stays_away(code: grpc.StatusCode, status: int, caplog: pytest.LogCaptureFixture) -> None:
    assert dialled_by_bot(ends_with(code)) == status
    assert f"{code.name}: because" in caplog.text


def test_aborted_after_the_welcome_is_a_takeover() -> None:
    def script(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        next(requests)
        yield welcome("token-1")
        context.abort(grpc.StatusCode.ABORTED, "connected again")

    assert dialled_by_bot(script) == 3


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_bot_waits_for_an_arena_that_starts_later() -> None:
    port = free_port()
    arena = FakeArena(ends_with(grpc.StatusCode.ABORTED))
    with ThreadPoolExecutor() as threads:
        status = threads.submit(bot.dial, f"127.0.0.1:{port}", pb.AgentProfile(name="early"))
        with pytest.raises(TimeoutError):
            status.result(timeout=1)
        with serving(arena, rpc.add_GatewayServiceServicer_to_server, port):
            assert status.result(timeout=PATIENCE) == 3
    arena.check()


# ---- The programs, as they are started -----------------------------------------------------------


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def address_served(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline()
    assert line.startswith("serving on 127.0.0.1:"), line
    return line.split()[-1]


def test_the_options_reach_the_hello_and_a_signal_ends_the_bot() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        hellos: Queue[Any] = Queue()

        def script(requests: Iterator[Any], context: grpc.ServicerContext, hellos: Queue[Any] = hellos) -> Iterator[Any]:
            hellos.put(next(requests).hello)
            yield welcome("token-1")
            for _ in requests:
                pass

        arena = FakeArena(script)
        with serving(arena, rpc.add_GatewayServiceServicer_to_server) as address:
            options = ["--connect", f"http://{address}", "--name", "mine", "--matches", "2", "--seed", "1"]
            with program("bot.py", *options) as process:
                hello = hellos.get(timeout=PATIENCE)
                assert (hello.profile.name, hello.profile.max_matches) == ("mine", 2)
                process.send_signal(number)
                _, log = process.communicate(timeout=PATIENCE)
                assert process.returncode == 0, log
                assert log.endswith("leaving\n") and "Traceback" not in log
        arena.check()


def test_a_refused_bot_says_so_in_one_line() -> None:
    arena = FakeArena(ends_with(grpc.StatusCode.INVALID_ARGUMENT))
    dialling = serving(arena, rpc.add_GatewayServiceServicer_to_server)
    with dialling as address, program("bot.py", "--connect", address) as process:
        _, log = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert "refused by the arena" in log and "INVALID_ARGUMENT: because" in log and log.count("\n") == 1


@pytest.mark.parametrize("options", [["--matches", "0"], ["--connect", "a:1", "--serve", "b:2"]])
def test_wrong_usage(options: list[str]) -> None:
    with program("bot.py", *options) as process:
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 2


def play_every_variant(address: str) -> None:
    """Dials a bot, as the arena would, and asks it for a move of every variant at the same time."""
    with grpc.insecure_channel(address) as channel:
        grpc.channel_ready_future(channel).result(timeout=PATIENCE)
        stub = rpc.AgentServiceStub(channel)
        turns = a_turn_of_every_variant()
        calls = [stub.ChooseMove.future(pb.ChooseMoveRequest(turn=turn), timeout=PATIENCE) for turn in turns]
        for turn, call in zip(turns, calls):
            answer = pb.TurnAnswer(match_id=turn.match_id, turn_id=turn.turn_id, move=call.result().move)
            check_answer(pb.ConnectRequest(answer=answer), turn)


def test_a_dialled_bot_plays_every_variant_and_leaves_on_a_signal() -> None:
    with program("bot.py", "--serve", "127.0.0.1:0", "--name", "served", "--matches", "2") as process:
        address = address_served(process)
        play_every_variant(address)
        with grpc.insecure_channel(address) as channel:
            stub = rpc.AgentServiceStub(channel)
            profile = stub.GetProfile(pb.GetProfileRequest(), timeout=PATIENCE).profile
            assert (profile.name, profile.max_matches) == ("served", 2)
            assert list(profile.variants) == VARIANTS
            assert profile.wants_legal_moves
            start = {"match_id": 5, "seat": pb.SEAT_ONE, "opponent": "fake", "options": {"abalone": {}}}
            stub.StartMatch(pb.StartMatchRequest(match_start=start), timeout=PATIENCE)
            end = {"match_id": 5, "seat": pb.SEAT_ONE, "outcome": {"message": "a draw"}}
            stub.EndMatch(pb.EndMatchRequest(match_end=end), timeout=PATIENCE)
        process.send_signal(signal.SIGTERM)
        output, log = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert output == ""
        assert "match 5: abalone, seat 1, against fake" in log and "match 5: over, seat 1: a draw" in log


def test_a_dialled_bot_says_that_its_port_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with program("bot.py", "--serve", f"127.0.0.1:{taken.getsockname()[1]}") as process:
            output, log = process.communicate(timeout=PATIENCE)
            assert process.returncode == 1
            assert "cannot serve on" in log and "Traceback" not in log and output == ""


def test_two_dialled_bots_do_not_share_a_port() -> None:
    first = program("bot.py", "--serve", "127.0.0.1:0")
    with first as one, program("bot.py", "--serve", address_served(one)) as other:
        other.communicate(timeout=PATIENCE)
        assert other.returncode == 1


def test_fifteen_lines() -> None:
    arena = FakeArena(whole_session)
    dialling = serving(arena, rpc.add_GatewayServiceServicer_to_server)
    with dialling as address, program("fifteen_lines.py", address, "short") as process:
        _, log = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, log
    arena.check()


def test_fifteen_lines_dialled() -> None:
    with program("fifteen_lines_dialled.py", "0") as process:
        play_every_variant(address_served(process))


@pytest.mark.parametrize(
    ("file", "begins"), [("fifteen_lines.py", "_, address"), ("fifteen_lines_dialled.py", "class Bot")]
)
def test_fifteen_lines_are_no_more(file: str, begins: str) -> None:
    own = (HERE / file).read_text().partition(f"\n{begins}")[2]
    assert len([line for line in own.splitlines() if line.strip()]) <= 15


# ---- A client by reflection ------------------------------------------------------------------------


class FakeMatches(rpc.MatchServiceServicer):
    """A match that is over when it is read for the third time."""

    def __init__(self) -> None:
        self.reads = 0
        self.created: Any = None

    def CreateMatch(self, request: Any, context: grpc.ServicerContext) -> Any:
        if request.players[0].name == "nobody":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "players[0]: no such agent")
        self.created = request
        return pb.CreateMatchResponse(match={"match_id": 2**53 - 1, "state": pb.MATCH_STATE_WAITING})

    def GetMatch(self, request: Any, context: grpc.ServicerContext) -> Any:
        assert request.match_id == 2**53 - 1
        self.reads += 1
        state = pb.MATCH_STATE_OVER if self.reads >= 3 else pb.MATCH_STATE_RUNNING
        return pb.GetMatchResponse(match={"match_id": request.match_id, "state": state, "moves": 40})


def add_with_reflection(matches: FakeMatches, server: grpc.Server) -> None:
    rpc.add_MatchServiceServicer_to_server(matches, server)
    reflection.enable_server_reflection(["broadside.v1.MatchService", reflection.SERVICE_NAME], server)


def reflected(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, str(HERE / "reflection_client.py"), *arguments]
    # Run from elsewhere: it has no need of the proto files.
    done = subprocess.run(command, check=False, cwd="/", capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


def test_a_client_by_reflection_makes_and_reads_a_match() -> None:
    matches = FakeMatches()
    with serving(matches, add_with_reflection) as address:
        status, output, errors = reflected(address, "alice", "http://127.0.0.1:4701")
    assert status == 0, errors
    told = json.loads(output)
    assert "broadside.v1.MatchService" in told["services"]
    assert told["match"] == {"matchId": str(2**53 - 1), "state": "MATCH_STATE_OVER", "moves": 40}
    assert matches.created.options.WhichOneof("variant") == "classic"
    assert [player.WhichOneof("agent") for player in matches.created.players] == ["name", "address"]


def test_a_client_by_reflection_says_what_went_wrong() -> None:
    with serving(FakeMatches(), add_with_reflection) as address:
        status, output, errors = reflected(address, "nobody", "bob")
        assert (status, output) == (1, "")
        assert "INVALID_ARGUMENT: players[0]: no such agent" in errors
    with serving(FakeMatches(), rpc.add_MatchServiceServicer_to_server) as address:
        status, output, errors = reflected(address, "alice", "bob")
        assert (status, output) == (1, "")
        assert "UNIMPLEMENTED" in errors and "Traceback" not in errors
    assert reflected("only-one")[0] == 2
