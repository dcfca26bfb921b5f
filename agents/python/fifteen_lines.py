"""A whole bot: dials in and plays random legal moves in every variant. Start it with

.venv/bin/python fifteen_lines.py 127.0.0.1:4600 my-first-bot
"""

import queue
import random
import sys

import grpc

from contract import pb, rpc

_, address, name = sys.argv
profile = pb.AgentProfile(name=name, variants=pb.Variant.values()[1:], max_matches=4, wants_legal_moves=True)
outbox = queue.SimpleQueue()
outbox.put(pb.ConnectRequest(hello=pb.Hello(protocol_version=1, profile=profile)))

for message in rpc.GatewayServiceStub(grpc.insecure_channel(address)).Connect(iter(outbox.get, None)):
    if message.HasField("turn"):
        turn, legal = message.turn, message.turn.legal_moves
        if legal.HasField("salvo"):  # so many cells of a list, in the salvo variants
            cells = random.sample(legal.salvo.cells, legal.salvo.size)
            move = pb.Move(**{turn.view.WhichOneof("variant"): {"salvo": {"cells": cells}}})
        else:  # one move of a list, everywhere else
            move = random.choice(legal.moves)
        outbox.put(pb.ConnectRequest(answer=pb.TurnAnswer(match_id=turn.match_id, turn_id=turn.turn_id, move=move)))
