"""The client that knows the contract by reflection alone."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import grpc
from fake_arena import serving
from grpc_reflection.v1alpha import reflection
from hand_made import PATIENCE
from programs import HERE

from contract import pb, rpc


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
