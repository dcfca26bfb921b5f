"""The environment."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv

from .. import pb
from ..boards import board_of
from ..fleets import fleet_of
from ..game import Game, game_of
from ..local_arena import LocalArena
from ..moves import to_message
from ..turn import Turn
from ..words import Phase, Seat, Variant
from .actions import moves_of
from .choices import Choice, actions_of, choice_of, mask_of
from .observations import observation_box, observe
from .table import Table

AGENTS = {"seat_1": Seat.ONE, "seat_2": Seat.TWO}
DEFAULT_MAX_PLIES = 400


class raw_env(AECEnv, EzPickle):  # type: ignore[misc] # noqa: N801 - PettingZoo is untyped, and has such names
    """A variant of Broadside as a PettingZoo AEC environment. The arena is the referee; the environment plays both seats at it.

    Agents: `seat_1`, which moves first, and `seat_2`. Observations: {"observation": planes (see `observations`), "action_mask": int8, 1 where the
    action is legal}; the mask is all 0 for an agent that is not to act. Actions: Discrete, see `actions`. Rewards: at the end 1 for who won, -1
    for who lost, 0 for a draw; nothing before. An agent may act several times in a row: after a hit in naumachia, or while it names a salvo.

    `reset(seed)` reproduces a course: the fleets that are dealt follow from the seed, and everything else from the actions.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "broadside_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        variant: Variant | str = "classic",
        *,
        options: dict[str, Any] | None = None,
        placed: bool = False,
        arena: str | None = None,
        program: str | os.PathLike[str] | None = None,
        ca: str | None = None,
        token: str | None = None,
        operator_token: str | None = None,
        name: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        """An environment of the variant; it reaches its arena at the first reset.

        `options` are the variant's options by their names in the contract: `{"max_plies": 100}`. Where `placed`, agents place their fleets ship by
        ship; otherwise each match begins with fleets that the arena deals, drawn uniformly from all legal ones.

        `arena` is the HOST:PORT or https://HOST:PORT of a running one, with `ca`, and where it asks for tokens the agent's `token` and `name`,
        and an `operator_token`, since the matches' seeds are set. Without `arena` one is started, and killed by `close`: `program`, or what
        BROADSIDE_ARENA_PROGRAM names, or `broadside-arena` in the PATH, or as built in the checkout.

        Raises ValueError for a variant, an option or a render mode that there is not.
        """
        EzPickle.__init__(
            self,
            variant,
            options=options,
            placed=placed,
            arena=arena,
            program=program,
            ca=ca,
            token=token,
            operator_token=operator_token,
            name=name,
            render_mode=render_mode,
        )
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(
                f"there is no render mode {render_mode!r}: it is one of {', '.join(self.metadata['render_modes'])}, or None"
            )
        self.variant = Variant.named(str(variant))
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._placed = placed and self.variant.is_naval
        self._options = _options(self.variant, options or {})
        self._reach = {"ca": ca, "token": token, "operator_token": operator_token, "name": name}
        self._address, self._program = arena, program
        self._arena: LocalArena | None = None
        self._table: Table | None = None
        self._actions = actions_of(self.variant, self._placed)
        self._max_plies = self._options.abalone.max_plies or DEFAULT_MAX_PLIES
        self._random: np.random.Generator | None = None
        self._game: Game | None = None
        self._choice: Choice | None = None
        box = observation_box(self.variant)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (self._actions,), np.int8)})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self._actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    @property
    def match_id(self) -> int:
        """The match that is being played: its record can be had from the arena once it is over. 0 before the first reset."""
        return self._table.match_id if self._table else 0

    @property
    def address(self) -> str | None:
        """HOST:PORT of the arena; None before the first reset where it is to be started."""
        return self._arena.address if self._arena else self._address

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match; one that is under way is given up. Without a seed it is another match each time, which follows from the last seed.

        Raises FileNotFoundError if there is no arena's program, ConnectionError, which says why, if the arena cannot be reached.
        """
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        with self._closed_if_lost():
            self._open().start(self._options, int(self._random.integers(2**63)))
        self._game = None
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._look()
        while not self._placed and self._choice is not None and self._turn.phase == Phase.DEPLOYMENT:
            self._send(to_message(self._turn.legal[0], self.variant))
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Takes an action of the agent that is to act.

        Raises ValueError if the action is not legal: the observation's action_mask says which are. Raises ConnectionError, which says why, if the
        arena is lost; a reset begins anew.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        assert self._choice is not None
        if action is None or int(action) not in self._choice.legal():
            raise ValueError(
                f"action {action} of {agent} is not legal{self._meaning(action)}: take one whose action_mask is 1"
            )
        move = self._choice.take(int(action))
        if move is not None:
            self._send(to_message(move, self.variant))
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees now."""
        seat = AGENTS[agent]
        choice = self._choice if self._choice is not None and seat == self._turn.seat else None
        planes = observe(self._known(seat), self._fleet, seat, choice, self._max_plies)
        return {"observation": planes, "action_mask": mask_of(choice, self._actions)}

    def render(self) -> str | None:
        """Both sides as text: returned in mode "ansi", printed in mode "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn('there is no render mode: make the environment with render_mode="ansi" or "human"')
            return None
        seats = [Seat.ONE] if self.variant is Variant.ABALONE else list(Seat)
        boards = [str(board_of(self._known(seat), self._fleet)) for seat in seats]
        lines = [
            f"seat_{seat.value}\n{board}" if len(seats) == 2 else board
            for seat, board in zip(seats, boards, strict=True)
        ]
        over = any(self.terminations.values()) or any(self.truncations.values())
        lines.append("over" if over else f"to act: {self.agent_selection}")
        text = "\n".join(lines)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None

    def close(self) -> None:
        """Leaves the arena, and kills it if it was started by this environment. A reset begins anew."""
        if self._table:
            self._table.close()
            self._table = None
        if self._arena:
            self._arena.close()
            self._arena = None

    def __str__(self) -> str:
        return f"broadside_{self.variant.field}_v0"

    def _open(self) -> Table:
        if self._table is None:
            if self._address is None and self._arena is None:
                self._arena = LocalArena(self._program)
            self._table = Table(str(self.address), **self._reach)
        return self._table

    @contextlib.contextmanager
    def _closed_if_lost(self) -> Iterator[None]:
        """What is left of a lost arena is closed, so that the next reset begins anew."""
        try:
            yield
        except ConnectionError:
            self.close()
            raise

    def _known(self, seat: Seat) -> pb.View:
        assert self._game is not None, "reset the environment first"
        return self._game.view(seat)

    def _look(self) -> None:
        """Takes up the turn that is due."""
        assert self._table is not None
        self._choice = None
        if self._table.ends:
            self._over(self._table.ends[Seat.ONE].outcome)
            return
        seat = min(self._table.turns)
        self._turn = Turn(self._table.turns[seat])
        if self._game is None:
            options = self._turn.message.options
            self._game, self._fleet = game_of(options), fleet_of(options)
            self._max_plies = options.abalone.max_plies or self._max_plies
        self._choice = choice_of(self._turn)
        self.agent_selection = f"seat_{seat.value}"

    def _send(self, move: pb.Move) -> None:
        """Sends a move and waits for what comes of it."""
        assert self._table is not None
        assert self._game is not None
        seat = self._turn.seat
        secret = self._turn.phase != Phase.BATTLE
        with self._closed_if_lost():
            self._table.answer(seat, move)
            self._table.wait()
        if secret:
            self._game.apply(seat, move, pb.Answer())
        else:
            heard = self._table.ends.get(seat) or next(iter(self._table.turns.values()))
            if heard.events and (isinstance(heard, pb.Turn) or heard.outcome.ending):
                self._game.apply(seat, move, heard.events[-1].answer)
        self._look()

    def _over(self, outcome: pb.Outcome) -> None:
        void = outcome.result not in (
            pb.MATCH_RESULT_SEAT_ONE_WINS,
            pb.MATCH_RESULT_SEAT_TWO_WINS,
            pb.MATCH_RESULT_DRAW,
        )
        for agent, seat in AGENTS.items():
            if not void and outcome.result != pb.MATCH_RESULT_DRAW:
                self.rewards[agent] = 1 if outcome.result == seat.value else -1
            self.terminations[agent], self.truncations[agent] = not void, void
            self.infos[agent] = {"outcome": outcome.message}
        self.agent_selection = self.agents[0]

    def _meaning(self, action: Any) -> str:
        moves = moves_of(self.variant)
        return f" ({moves[int(action)]})" if action is not None and 0 <= int(action) < len(moves) else ""


def _options(variant: Variant, named: dict[str, Any]) -> pb.Options:
    try:
        return pb.Options(**{variant.field: named})  # type: ignore[arg-type] # checked by protobuf
    except (TypeError, ValueError) as error:
        raise ValueError(f"{named} are no options of {variant}: {error}") from None
