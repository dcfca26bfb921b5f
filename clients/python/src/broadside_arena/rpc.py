"""Stubs and servicers of every service of the contract: `rpc.MatchServiceStub`, `rpc.AgentServiceServicer`."""

from broadside_arena.v1.agent_pb2_grpc import *
from broadside_arena.v1.catalog_pb2_grpc import *
from broadside_arena.v1.match_pb2_grpc import *
