"""How an arena is reached: its address, TLS, the token, and connections whose death is noticed."""

from __future__ import annotations

import os
import re
import ssl
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

_ADDRESS = re.compile(r"(?:(https?)://)?([^\s/@]+:(\d{1,5}))/?")


def split(address: str) -> tuple[bool, str]:
    """Whether the address wants TLS, and its HOST:PORT.

    Raises ValueError if it is none.
    """
    parts = _ADDRESS.fullmatch(address)
    if not parts or int(parts[3]) >= 2**16:
        raise ValueError(f"{address!r} is no address of an arena: HOST:PORT, http://HOST:PORT or https://HOST:PORT")
    return parts[1] == "https", parts[2]


def is_served_at(address: str) -> bool:
    """Whether it is an address to serve at: HOST:PORT."""
    parts = _ADDRESS.fullmatch(address)
    return parts is not None and parts[2] == address and int(parts[3]) < 2**16


def credentials(ca: str | None) -> grpc.ChannelCredentials:
    """TLS that trusts the authority in a PEM file, or the public ones.

    Raises OSError if the file cannot be read, ValueError if it holds no certificate.
    """
    if not ca:
        return grpc.ssl_channel_credentials()
    pem = Path(ca).read_bytes()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca)
    except ssl.SSLError:
        raise ValueError(f"{ca} holds no certificate in PEM") from None
    return grpc.ssl_channel_credentials(pem)


def server_credentials(cert: str, key: str) -> grpc.ServerCredentials:
    """TLS to serve with, from PEM files.

    Raises OSError if one cannot be read, ValueError if they are no certificate and its key.
    """
    pair = Path(key).read_bytes(), Path(cert).read_bytes()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password="")  # asks nobody
    except ssl.SSLError:
        raise ValueError(f"{cert} and {key} are no certificate and its private key in PEM") from None
    return grpc.ssl_server_credentials([pair])


def _reach(address: str, ca: str | None) -> tuple[str, grpc.ChannelCredentials | None]:
    secure, target = split(address)
    if ca and not secure:
        raise ValueError(f"{ca} is an authority for TLS, and {address} is no https:// address")
    return target, credentials(ca) if secure else None


def channel_to(address: str, ca: str | None = None) -> grpc.Channel:
    """A channel for blocking calls."""
    target, tls = _reach(address, ca)
    return grpc.secure_channel(target, tls, OPTIONS) if tls else grpc.insecure_channel(target, OPTIONS)


def async_channel_to(address: str, ca: str | None = None) -> grpc.aio.Channel:
    """A channel for asyncio."""
    target, tls = _reach(address, ca)
    return grpc.aio.secure_channel(target, tls, OPTIONS) if tls else grpc.aio.insecure_channel(target, OPTIONS)


def metadata(token: str | None) -> tuple[tuple[str, str], ...]:
    """Who one is: a token, by default BROADSIDE_TOKEN of the environment; nothing without one.

    Raises ValueError if it cannot be sent.
    """
    bearer = (os.environ.get("BROADSIDE_TOKEN", "") if token is None else token).strip()
    if not (bearer.isascii() and bearer.isprintable()):
        raise ValueError("the token is none: it is one line of ASCII")
    return (("authorization", f"Bearer {bearer}"),) if bearer else ()
