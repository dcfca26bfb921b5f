"""TLS in both directions."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
import trustme

from broadside_arena import Bot, Exit, pb, rpc

from .fake_arena import FakeArena, listening
from .hand_made import PATIENCE
from .running_bots import run, serving
from .test_dialling import ends_with


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """A folder with ca.pem, and cert.pem and key.pem of 127.0.0.1."""
    made = trustme.CA()
    issued = made.issue_cert("127.0.0.1")
    made.cert_pem.write_to_path(tmp_path / "ca.pem")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(tmp_path / "cert.pem", append=True)
    return tmp_path


def test_a_bot_dials_an_arena_with_tls(authority: Path) -> None:
    arena = FakeArena(ends_with(grpc.StatusCode.ABORTED))
    pair = ((authority / "key.pem").read_bytes(), (authority / "cert.pem").read_bytes())
    with listening(arena, grpc.ssl_server_credentials([pair])) as address:
        assert run(Bot(), f"https://{address}", ca=str(authority / "ca.pem")) == Exit.TAKEN_OVER
    arena.check()


def test_a_bot_serves_tls(authority: Path) -> None:
    credentials = grpc.ssl_channel_credentials((authority / "ca.pem").read_bytes())
    files = {"cert": str(authority / "cert.pem"), "key": str(authority / "key.pem")}
    with serving(Bot("secure"), **files) as address, grpc.secure_channel(address, credentials) as channel:
        profile = rpc.AgentServiceStub(channel).GetProfile(pb.GetProfileRequest(), timeout=PATIENCE).profile
    assert profile.name == "secure"
