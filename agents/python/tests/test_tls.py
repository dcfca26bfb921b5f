"""TLS in both directions, the same for both bots."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from fake_arena import FakeArena, ends_with
from hand_made import PATIENCE
from programs import BOTS, address_served, program

from contract import pb, rpc


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Path]:
    """A folder with ca.pem, and cert.pem and key.pem of 127.0.0.1."""
    made = trustme.CA()
    issued = made.issue_cert("127.0.0.1")
    made.cert_pem.write_to_path(tmp_path / "ca.pem")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(tmp_path / "cert.pem", append=True)
    yield tmp_path


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_dials_an_arena_with_tls(bot: str, authority: Path) -> None:
    arena = FakeArena(ends_with(grpc.StatusCode.ABORTED))
    server = grpc.server(ThreadPoolExecutor())
    rpc.add_GatewayServiceServicer_to_server(arena, server)
    pair = ((authority / "key.pem").read_bytes(), (authority / "cert.pem").read_bytes())
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    server.start()
    try:
        options: list[Any] = ["--connect", f"https://127.0.0.1:{port}", "--ca", str(authority / "ca.pem")]
        with program(bot, *options) as process:
            _, log = process.communicate(timeout=PATIENCE)
            assert process.returncode == 3, log
    finally:
        server.stop(grace=None).wait()
    arena.check()


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_serves_tls(bot: str, authority: Path) -> None:
    files = ["--tls-cert", str(authority / "cert.pem"), "--tls-key", str(authority / "key.pem")]
    with program(bot, "--serve", "127.0.0.1:0", *files, "--name", "secure") as process:
        credentials = grpc.ssl_channel_credentials((authority / "ca.pem").read_bytes())
        with grpc.secure_channel(address_served(process), credentials) as channel:
            profile = rpc.AgentServiceStub(channel).GetProfile(pb.GetProfileRequest(), timeout=PATIENCE).profile
            assert profile.name == "secure"
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "Traceback" in log) == (0, False), log
