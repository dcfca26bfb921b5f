"""The arena's contract, made from the repository's proto files whenever a bot starts.

    from contract import pb, rpc

`pb` holds every message and enum value (`pb.Turn`, `pb.PHASE_BATTLE`), `rpc` the client
stubs and the bases of services (`rpc.GatewayServiceStub`, `rpc.AgentServiceServicer`).
Nothing generated is kept, so that it always fits the protobuf that is installed.

The proto files are those of this checkout; set BROADSIDE_PROTO to the folder that has
`broadside/v1` in it if you copied the bot somewhere else.
"""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc

PROTO = Path(os.environ.get("BROADSIDE_PROTO") or Path(__file__).resolve().parents[2] / "proto")
FILES = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.glob("broadside/v1/*.proto"))

if not FILES:
    raise SystemExit(f"no proto files in {PROTO}: set BROADSIDE_PROTO to the folder that has them")

sys.path.append(str(PROTO))  # where grpcio-tools looks for proto files

pb: Any = SimpleNamespace()
rpc: Any = SimpleNamespace()
for file in FILES:
    messages, services = grpc.protos_and_services(file)  # type: ignore[attr-defined]
    vars(pb).update(vars(messages))
    vars(rpc).update(vars(services))
