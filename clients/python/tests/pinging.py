"""An arena's pings, frame by frame: a client of grpc sends no more than one in a second."""

from __future__ import annotations

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, GOAWAY, ACK = 4, 6, 7, 1


def frame(kind: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, 0]) + bytes(4) + payload


def answers_to_pings(address: str, pings: int, patience: float) -> int:
    """How many of these pings are answered, one after the other, before the bot says goodbye."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=patience) as connection, connection.makefile("rb") as read:
        connection.sendall(PREFACE + frame(SETTINGS))
        for number in range(pings):
            connection.sendall(frame(PING, struct.pack(">Q", number)))
            while True:
                head = read.read(9)
                payload = read.read(int.from_bytes(head[:3], "big"))
                if not head or head[3] == GOAWAY:
                    return number
                if head[3] == PING and head[4] & ACK and payload == struct.pack(">Q", number):
                    break
    return pings
