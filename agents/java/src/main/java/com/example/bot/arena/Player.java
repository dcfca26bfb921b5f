package com.example.bot.arena;

import broadside.v1.Agent.Turn;
import broadside.v1.Game.Move;
import java.util.random.RandomGenerator;

/** Decides turns, of many matches at the same time. */
@FunctionalInterface
public interface Player {
    /**
     * Decides one turn.
     *
     * @param random made of the bot's seed and the turn: choices drawn from it can be repeated
     * @throws Exception to have a random legal move played instead
     */
    Move choose(Turn turn, RandomGenerator random) throws Exception;
}
