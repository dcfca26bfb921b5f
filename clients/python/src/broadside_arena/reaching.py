"""How an arena is reached: its address, TLS, the token, and connections whose death is noticed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypeAlias

import grpc
import grpc.aio

Options: TypeAlias = list[tuple[str, int]]

OPTIONS: Options = [  # notices within 20 s that the other end has gone without a word
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.max_receive_message_length", -1),
]

SERVER_OPTIONS: Options = [
    ("grpc.so_reuseport", 0),
    ("grpc.http2.max_ping_strikes", 0),  # else an arena that pings through a long thought is cut off
    *OPTIONS,
]

_ADDRESS = re.compile(r"(?:(https?)://)?([^\s/@]+:\d{1,5})/?")


def split(address: str) -> tuple[bool, str]:
    """Whether the address wants TLS, and its HOST:PORT.

    Raises ValueError if it is none.
    """
    parts = _ADDRESS.fullmatch(address)
    if not parts:
        raise ValueError(f"{address!r} is no address of an arena: HOST:PORT, http://HOST:PORT or https://HOST:PORT")
    return parts[1] == "https", parts[2]


def credentials(ca: str | None) -> grpc.ChannelCredentials:
    """TLS that trusts the authority in a PEM file, or the public ones."""
    return grpc.ssl_channel_credentials(Path(ca).read_bytes() if ca else None)


def channel_to(address: str, ca: str | None = None) -> grpc.Channel:
    """A channel for blocking calls."""
    secure, target = split(address)
    return grpc.secure_channel(target, credentials(ca), OPTIONS) if secure else grpc.insecure_channel(target, OPTIONS)


def async_channel_to(address: str, ca: str | None = None) -> grpc.aio.Channel:
    """A channel for asyncio."""
    secure, target = split(address)
    if secure:
        return grpc.aio.secure_channel(target, credentials(ca), OPTIONS)
    return grpc.aio.insecure_channel(target, OPTIONS)


def metadata(token: str | None) -> tuple[tuple[str, str], ...]:
    """Who one is: a token, by default BROADSIDE_TOKEN of the environment; nothing without one.

    Raises ValueError if it cannot be sent.
    """
    bearer = (os.environ.get("BROADSIDE_TOKEN", "") if token is None else token).strip()
    if not (bearer.isascii() and bearer.isprintable()):
        raise ValueError("the token is none: it is one line of ASCII")
    return (("authorization", f"Bearer {bearer}"),) if bearer else ()
