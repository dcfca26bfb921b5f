"""Both bots as services, dialled as an arena would."""

from __future__ import annotations

import signal
import socket

import grpc
import pytest
from hand_made import PATIENCE, VARIANTS, a_turn_of_every_variant, check_move
from programs import BOTS, address_served, program

from contract import pb, rpc


def play_every_variant(address: str) -> None:
    with grpc.insecure_channel(address) as channel:
        grpc.channel_ready_future(channel).result(timeout=PATIENCE)
        stub = rpc.AgentServiceStub(channel)
        turns = a_turn_of_every_variant()
        calls = [stub.ChooseMove.future(pb.ChooseMoveRequest(turn=turn), timeout=PATIENCE) for turn in turns]
        for turn, call in zip(turns, calls):
            check_move(call.result().move, turn)


@pytest.mark.parametrize("bot", BOTS)
def test_a_dialled_bot_answers_all_four_calls_and_leaves_on_a_signal(bot: str) -> None:
    with program(bot, "--serve", "127.0.0.1:0", "--name", "served", "--matches", "2") as process:
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
        assert process.returncode == 0, log
        assert output == ""
        assert "match 5: abalone, seat 1, against fake" in log and "match 5: over, seat 1: a draw" in log
        assert "Traceback" not in log


@pytest.mark.parametrize("bot", BOTS)
def test_a_dialled_bot_says_that_its_port_is_taken(bot: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with program(bot, "--serve", f"127.0.0.1:{taken.getsockname()[1]}") as process:
            output, log = process.communicate(timeout=PATIENCE)
            assert process.returncode == 1
            assert "cannot serve on" in log and "Traceback" not in log and output == ""


@pytest.mark.parametrize("bot", BOTS)
def test_two_dialled_bots_do_not_share_a_port(bot: str) -> None:
    first = program(bot, "--serve", "127.0.0.1:0")
    with first as one, program(bot, "--serve", address_served(one)) as other:
        other.communicate(timeout=PATIENCE)
        assert other.returncode == 1
