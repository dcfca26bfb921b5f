"""What a bot author writes: a class with the decisions."""

from __future__ import annotations

import inspect
import random
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from . import pb
from .moves import Move
from .turn import Turn
from .words import Phase, Variant


@dataclass(frozen=True)
class Resign:
    """Instead of a move: gives the match up."""


@dataclass(frozen=True)
class Dispute:
    """Instead of a move, from `refused`: has the arena judge the refusal again. If the arena was wrong the match is void, else the turn comes again."""


Decision: TypeAlias = Move | pb.Move | Resign | Dispute
"""What a decision returns: a move (made by `turn.shot(...)` and its like, taken from `turn.legal`, or a message of the contract), or one of these."""


class Bot:
    """A bot. Override `choose`, or `move` and what else you want to decide yourself; what is not overridden plays at random.

        class MyBot(Bot):
            def choose(self, turn):
                return random.choice(turn.legal)

        MyBot("my-bot").run("127.0.0.1:4600")

    A decision may be `async def`: then all of them run on the event loop, and must not block. Otherwise each runs in a thread, several
    matches at a time: what a bot keeps of its own between turns it must guard, or keep for each match (`turn.match_id`).
    If a decision raises, or returns what is no move of the variant, the log says why and a random legal move is played.
    """

    def __init__(
        self,
        name: str = "python-bot",
        *,
        matches: int = 8,
        variants: Iterable[Variant | str] = tuple(Variant),
        seed: int | None = None,
        legal_moves: bool = True,
    ) -> None:
        """A bot of this name (one bot a name), that plays so many matches at once, of these variants.

        `seed` makes `random` the same every time, with one match at a time. Without `legal_moves` turns come without them and are smaller, and nothing can be
        played at random: every decision is then yours.
        Raises ValueError if a variant is none, or `matches` is less than 1.
        """
        if not 1 <= matches < 2**32:
            raise ValueError(f"{matches} matches at once are too few or too many: at least 1")
        self.name = name
        self.matches = matches
        self.variants = tuple(Variant.named(str(variant)) for variant in variants)
        self.legal_moves = legal_moves
        self.random = random.Random(seed)

    # ---- Decisions: yours ----

    def choose(self, turn: Turn) -> Decision | Awaitable[Decision]:
        """Decides any turn: `deploy`, `relocate` or `move`, by the phase."""
        if turn.phase == Phase.DEPLOYMENT:
            return self.deploy(turn)
        if turn.phase == Phase.RELOCATION:
            return self.relocate(turn)
        return self.move(turn)

    def deploy(self, turn: Turn) -> Decision | Awaitable[Decision]:
        """Places the fleet; by default as the arena has dealt it."""
        return turn.random_move(self.random)

    def relocate(self, turn: Turn) -> Decision | Awaitable[Decision]:
        """Says where the submarine goes (amiral-advanced)."""
        return turn.random_move(self.random)

    def move(self, turn: Turn) -> Decision | Awaitable[Decision]:
        """Decides a turn in battle, or in abalone."""
        return turn.random_move(self.random)

    def refused(self, turn: Turn) -> Decision | Awaitable[Decision]:
        """Decides a turn again whose answer was refused: `turn.refusal` says why."""
        return turn.random_move(self.random)

    # ---- News ----

    def match_started(self, start: pb.MatchStart) -> None:
        """A match begins. For information: every turn is complete. Must not block."""

    def match_ended(self, end: pb.MatchEnd) -> None:
        """A match is over: `end.outcome`, and `end.reveal` with what was hidden. Must not block."""

    # ---- Running ----

    @property
    def profile(self) -> pb.AgentProfile:
        """What the bot says of itself to the arena."""
        return pb.AgentProfile(
            name=self.name,
            variants=[pb.Variant.ValueType(variant.number) for variant in self.variants],
            max_matches=self.matches,
            wants_legal_moves=self.legal_moves,
        )

    @property
    def is_async(self) -> bool:
        """Whether any of the decisions is `async def`."""
        decisions = (self.choose, self.deploy, self.relocate, self.move, self.refused)
        return any(inspect.iscoroutinefunction(decision) for decision in decisions)

    def run(self, address: str = "127.0.0.1:4600", *, ca: str | None = None, token: str | None = None) -> int:
        """Dials an arena, HOST:PORT or https://HOST:PORT, and plays until it is told to leave; dials again when the connection breaks.

        `ca` is a PEM file of an authority to trust; `token` is by default BROADSIDE_TOKEN of the environment.
        Returns 0 after SIGINT or SIGTERM, 1 if the arena refuses the bot for good, 3 if another bot took its name over.
        Raises OSError if `ca` cannot be read, ValueError if it or the address is none. Where an event loop runs already: `await dial(bot, ...)`.
        """
        from .dialling import dial
        from .running import run_until_told

        return run_until_told(lambda leave: dial(self, address, ca=ca, token=token, leave=leave))

    def serve(self, address: str = "127.0.0.1:0", *, cert: str | None = None, key: str | None = None) -> int:
        """Serves at HOST:PORT, so that the arena dials the bot; port 0 takes a free one, and standard output says which.

        `cert` and `key` are PEM files: with them it serves TLS. Returns 0 after SIGINT or SIGTERM, 1 if the address is taken.
        Raises OSError if a file cannot be read, ValueError if it or the address is none. Where an event loop runs already: `await serve(bot, ...)`.
        """
        from .running import run_until_told
        from .serving import serve

        return run_until_told(lambda leave: serve(self, address, cert=cert, key=key, leave=leave))

    @classmethod
    def main(cls, arguments: Sequence[str] | None = None) -> int:
        """A program of this bot: reads the command line (`--help` shows it) and returns its exit status: `sys.exit(MyBot.main())`."""
        from .command_line import main

        return main(cls, arguments)
