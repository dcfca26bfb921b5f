package com.example.bot.arena;

import broadside.v1.Agent.AgentProfile;
import broadside.v1.Agent.MatchEnd;
import broadside.v1.Agent.MatchStart;
import broadside.v1.Agent.Turn;
import broadside.v1.Game.Move;
import broadside.v1.Game.Variant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One bot: who it is and how it plays.
 *
 * @param matches how many matches it takes at once
 * @param seed of its random choices
 */
public record Bot(String name, int matches, long seed, Player player) {
    private static final Logger log = LoggerFactory.getLogger(Bot.class);

    /** Introduces the bot: it plays every variant that the contract knows. */
    AgentProfile profile() {
        List<Variant> variants = Arrays.stream(Variant.values())
                .filter(variant -> variant != Variant.VARIANT_UNSPECIFIED && variant != Variant.UNRECOGNIZED)
                .toList();
        return AgentProfile.newBuilder()
                .setName(name)
                .addAllVariants(variants)
                .setMaxMatches(matches)
                .setWantsLegalMoves(true)
                .build();
    }

    /** What the player chooses, but any legal move if that fails or if the arena refused what it chose. */
    Move decide(Turn turn) {
        RandomGenerator random = RandomMoves.of(turn, seed);
        if (turn.hasRefusal()) {
            log.warn("match {}: move refused, a random one is played: {}", turn.getMatchId(), turn.getRefusal().getMessage());
            return RandomMoves.choose(turn, random);
        }
        try {
            Move move = player.choose(turn, random);
            if (move != null) {
                return move;
            }
            log.error("match {}, turn {}: choose() returned null, a random move is played", turn.getMatchId(), turn.getTurnId());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt(); // the match is over: nobody waits for this move
        } catch (Throwable failure) { // an Error too would else cost the match
            log.error("match {}, turn {}: choose() failed, a random move is played", turn.getMatchId(), turn.getTurnId(), failure);
        }
        return RandomMoves.choose(turn, random);
    }

    void matchStarted(MatchStart start) {
        String variant = start.getOptions().getVariantCase().name().toLowerCase(Locale.ROOT);
        log.info("match {}: {}, seat {}, against {}", start.getMatchId(), variant, start.getSeatValue(), start.getOpponent());
    }

    void matchEnded(MatchEnd end) {
        log.info("match {}: over, seat {}: {}", end.getMatchId(), end.getSeatValue(), end.getOutcome().getMessage());
    }
}
