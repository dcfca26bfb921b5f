"""A whole bot that the arena dials: plays random legal moves in every variant. Start it with

.venv/bin/python fifteen_lines_dialled.py 4701

and name it http://127.0.0.1:4701 when you make a match. Port 0 takes a free one and says which.
"""

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc

from contract import pb, rpc


class Bot(rpc.AgentServiceServicer):
    def ChooseMove(self, request, context):
        variant, legal = request.turn.view.WhichOneof("variant"), request.turn.legal_moves
        if legal.HasField("salvo"):  # so many cells of a list, in the salvo variants
            cells = random.sample(legal.salvo.cells, legal.salvo.size)
            return pb.ChooseMoveResponse(move={variant: {"salvo": {"cells": cells}}})
        return pb.ChooseMoveResponse(move=random.choice(legal.moves))


server = grpc.server(ThreadPoolExecutor(), options=[("grpc.http2.max_ping_strikes", 0)])  # the arena pings
rpc.add_AgentServiceServicer_to_server(Bot(), server)
print(f"serving on 127.0.0.1:{server.add_insecure_port(f'127.0.0.1:{sys.argv[1]}')}", flush=True)
server.start()
server.wait_for_termination()
