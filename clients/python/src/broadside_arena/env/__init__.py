"""PettingZoo environments: every variant, played over the wire at an arena.

    from broadside_arena import env

    game = env.env("classic")          # starts an arena of its own; env.env("classic", arena="127.0.0.1:4600") uses a running one
    game.reset(seed=1)
    for agent in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        over = termination or truncation
        game.step(None if over else game.action_space(agent).sample(observation["action_mask"]))
    game.close()

Needs `pip install broadside-arena[env]`. Actions are described in `env.actions`, observations in `env.observations`.
"""

from __future__ import annotations

from typing import Any

try:
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(f"the environments need more: pip install 'broadside-arena[env]' ({error})") from error

from ..words import Variant
from .aec import raw_env

__all__ = ["aec", "env", "raw_env"]


def env(variant: Variant | str = "classic", **options: Any) -> Any:
    """The environment with PettingZoo's usual wrappers: an illegal action loses, one out of bounds or out of order is an error.

    Arguments and errors are those of `raw_env`.
    """
    game: Any = raw_env(variant, **options)
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)


def aec(variant: Variant | str = "classic", **options: Any) -> Any:
    """Another name of `env`."""
    return env(variant, **options)
