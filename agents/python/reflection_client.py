"""Makes a classic match between two agents knowing nothing but what the arena tells by reflection.

    .venv/bin/python reflection_client.py HOST:PORT AGENT1 AGENT2

An agent is the name of one that dials in, or the address (http://HOST:PORT) of one that is dialled.
Follows the match until it is over and prints the services and the match as JSON, exit status 0;
1 with a line on standard error if the arena refuses something or the match takes over 60 seconds.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

MATCH_SERVICE = "broadside.v1.MatchService"
PATIENCE = 60.0


class ReflectionClient:
    """Calls unary methods by name, JSON in and JSON out."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        self.database = ProtoReflectionDescriptorDatabase(channel)
        self.pool = DescriptorPool(self.database)

    def services(self) -> list[str]:
        return sorted(self.database.get_services())

    def call(self, service: str, method: str, request: dict[str, Any]) -> dict[str, Any]:
        described = self.pool.FindServiceByName(service).FindMethodByName(method)
        invoke = self.channel.unary_unary(
            f"/{service}/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=GetMessageClass(described.output_type).FromString,
        )
        message = ParseDict(request, GetMessageClass(described.input_type)(), descriptor_pool=self.pool)
        return MessageToDict(invoke(message, timeout=10), descriptor_pool=self.pool)


def player(agent: str) -> dict[str, str]:
    return {"address" if "://" in agent else "name": agent}


def main() -> int:
    if len(sys.argv) != 4:
        print("usage: reflection_client.py HOST:PORT AGENT1 AGENT2", file=sys.stderr)
        return 2
    arena, *agents = sys.argv[1:]
    with grpc.insecure_channel(arena) as channel:
        client = ReflectionClient(channel)
        try:
            services = client.services()
            request = {"options": {"classic": {}}, "players": [player(agent) for agent in agents]}
            match = client.call(MATCH_SERVICE, "CreateMatch", request)["match"]
            deadline = time.monotonic() + PATIENCE
            while True:
                state = client.call(MATCH_SERVICE, "GetMatch", {"matchId": match["matchId"]})
                if state["match"]["state"] == "MATCH_STATE_OVER":
                    break
                if time.monotonic() > deadline:
                    print(f"the match is not over after {PATIENCE:.0f} s: {state['match']}", file=sys.stderr)
                    return 1
                time.sleep(0.1)
        except grpc.RpcError as error:
            print(f"{arena}: {error.code().name}: {error.details()}", file=sys.stderr)
            return 1
        except KeyError as error:
            print(f"{arena}: not told by reflection, or missing in an answer: {error}", file=sys.stderr)
            return 1
    print(json.dumps({"services": services, **state}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
