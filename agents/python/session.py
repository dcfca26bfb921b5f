"""What both bots know of the conversation: how an arena is reached, what is logged, and when not to dial again."""

from __future__ import annotations

import logging
import os
import pathlib
import random
import ssl
import sys
from dataclasses import dataclass
from typing import NoReturn

import grpc

from contract import pb

log = logging.getLogger("bot")

LEFT, REFUSED, USAGE, TAKEN_OVER = range(4)  # exit status

OPTIONS = [  # notices within 20 s that the other end has gone without a word
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_reconnect_backoff_ms", 1_000),
]
SERVER_OPTIONS = [
    ("grpc.so_reuseport", 0),
    ("grpc.http2.max_ping_strikes", 0),  # else an arena that pings through a long thought is cut off
    *OPTIONS,
]
THREADS = 16  # most turns that are decided at the same time
WELCOME_WITHIN = 30.0  # seconds in which the arena must answer the hello
FAREWELL = 2.0  # seconds in which the arena may answer that the bot leaves
GIVEN_UP = "given up: the match is over, or the bot leaves"
REFUSALS = ("INVALID_ARGUMENT", "FAILED_PRECONDITION", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED")


@dataclass(frozen=True)
class Access:
    """Where an arena is, and what it takes to reach it."""

    target: str
    credentials: grpc.ChannelCredentials | None = None
    metadata: tuple[tuple[str, str], ...] = ()

    @classmethod
    def to(cls, address: str, ca: str | None = None) -> Access:
        """In the clear, or with TLS to an https:// address; with the token that is in the environment.

        Raises OSError if the file of the authority cannot be read, ValueError if it is none or the token cannot be sent.
        """
        credentials = None
        if address.startswith("https://"):
            credentials = grpc.ssl_channel_credentials(authority(ca) if ca else None)
        token = os.environ.get("BROADSIDE_TOKEN", "").strip()
        if not (token.isascii() and token.isprintable()):
            raise ValueError("BROADSIDE_TOKEN is no token: it is one line of ASCII")
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        return cls(address.partition("://")[2] or address, credentials, metadata)


def authority(ca: str) -> bytes:
    """The certificate in a PEM file. Raises OSError if it cannot be read, ValueError if it is none."""
    pem = pathlib.Path(ca).read_bytes()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca)
    except ssl.SSLError:
        raise ValueError(f"{ca} holds no certificate in PEM") from None
    return pem


def server_credentials(cert: str, key: str) -> grpc.ServerCredentials:
    """TLS to serve with, from PEM files. Raises OSError if one cannot be read, ValueError if they do not do."""
    pair = pathlib.Path(key).read_bytes(), pathlib.Path(cert).read_bytes()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password="")  # asks nobody
    except ssl.SSLError:
        raise ValueError(f"{cert} and {key} are no certificate and its private key in PEM") from None
    return grpc.ssl_server_credentials([pair])


def exit_now(status: int) -> NoReturn:
    """Ends the program without waiting for turns that are still being decided: Python would join their threads."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(status)


class Waiting:
    """How long to wait before dialling again: longer each time, until a Welcome, and at random."""

    def __init__(self) -> None:
        self._longest = 0.25

    def again(self) -> float:
        """Seconds."""
        longest, self._longest = self._longest, min(2 * self._longest, 8.0)
        return longest * random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """The arena is there."""
        self._longest = 0.25


def last_words(end: pb.SessionEnd) -> int | None:
    """Logs why the arena ends a session: the exit status, or None if it may be dialled again."""
    log.warning("the arena ends the session: %s", end.message)
    statuses = {pb.SESSION_END_REASON_TAKEN_OVER: TAKEN_OVER, pb.SESSION_END_REASON_TOKEN_REVOKED: REFUSED}
    return statuses.get(end.reason)


def verdict(error: grpc.RpcError) -> tuple[int | None, str]:
    """What a stream's error means: the exit status, or None if the arena may be dialled again; and why."""
    code, reason = error.code().name, f"{error.code().name}: {error.details()}"
    if code in REFUSALS:
        log.error("refused by the arena: %s", reason)
        return REFUSED, reason
    if code == "ABORTED":
        log.error("another bot took this session over: %s", reason)
        return TAKEN_OVER, reason
    return None, reason


def log_start(start: pb.MatchStart) -> None:
    """A match begins."""
    variant = start.options.WhichOneof("variant")
    log.info("match %d: %s, seat %d, against %s", start.match_id, variant, start.seat, start.opponent)


def log_end(end: pb.MatchEnd) -> None:
    """A match is over."""
    log.info("match %d: over, seat %d: %s", end.match_id, end.seat, end.outcome.message)


def log_rejected(rejected: pb.Rejected) -> None:
    """An answer could not be used."""
    log.warning("match %d: answer rejected: %s", rejected.match_id, rejected.message)
