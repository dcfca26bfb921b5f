"""Bots, replays and environments for Broadside, a gRPC arena of seven board games.

    class MyBot(Bot):
        def choose(self, turn):
            return random.choice(turn.legal)

    MyBot("my-bot").run("127.0.0.1:4600")

Here are bots and what they see; `broadside_arena.replay` reads records, `broadside_arena.env` has PettingZoo environments, `pb` and `rpc`
hold every message and service of the contract.
"""

from . import pb, rpc
from .boards import AbaloneBoard, Board, Fired, Marble, NavalBoard, Received, board_of
from .bot import Bot, Decision, Dispute, Resign
from .checks import IllegalMove
from .dialling import dial
from .fleets import Fleet, fleet_of
from .legal import LegalMoves
from .moves import AirStrike, Berth, Cell, Deployment, Hunt, Move, Push, Relocation, Salvo, Ship, Shot, Torpedo
from .running import Exit
from .serving import serve
from .turn import Turn
from .words import Direction, Orientation, Phase, Seat, ShipClass, Variant

__all__ = [
    "AbaloneBoard",
    "AirStrike",
    "Berth",
    "Board",
    "Bot",
    "Cell",
    "Decision",
    "Deployment",
    "Direction",
    "Dispute",
    "Exit",
    "Fired",
    "Fleet",
    "Hunt",
    "IllegalMove",
    "LegalMoves",
    "Marble",
    "Move",
    "NavalBoard",
    "Orientation",
    "Phase",
    "Push",
    "Received",
    "Relocation",
    "Resign",
    "Salvo",
    "Seat",
    "Ship",
    "ShipClass",
    "Shot",
    "Torpedo",
    "Turn",
    "Variant",
    "board_of",
    "dial",
    "fleet_of",
    "pb",
    "rpc",
    "serve",
]
