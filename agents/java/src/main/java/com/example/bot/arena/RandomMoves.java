package com.example.bot.arena;

import broadside.v1.Agent.Turn;
import broadside.v1.Game.LegalMoves;
import broadside.v1.Game.Move;
import broadside.v1.Game.SalvoChoice;
import broadside.v1.Naval.Cell;
import broadside.v1.Naval.Salvo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Random legal moves. */
public final class RandomMoves {
    private RandomMoves() {}

    /** Any legal move: one of a list, or in the salvo variants so many cells of a list. */
    public static Move choose(Turn turn, RandomGenerator random) {
        LegalMoves legal = turn.getLegalMoves();
        if (legal.hasSalvo()) {
            return salvo(turn, cells(legal.getSalvo(), random));
        }
        int moves = legal.getMovesCount();
        return moves == 0 ? Move.getDefaultInstance() : legal.getMoves(random.nextInt(moves));
    }

    private static Salvo cells(SalvoChoice choice, RandomGenerator random) {
        List<Cell> left = new ArrayList<>(choice.getCellsList());
        Salvo.Builder salvo = Salvo.newBuilder();
        while (salvo.getCellsCount() < choice.getSize() && !left.isEmpty()) {
            salvo.addCells(left.remove(random.nextInt(left.size())));
        }
        return salvo.build();
    }

    /** The move of the variant whose view is set. */
    private static Move salvo(Turn turn, Salvo salvo) {
        Move.Builder move = Move.newBuilder();
        switch (turn.getView().getVariantCase()) {
            case SALVO -> move.getSalvoBuilder().setSalvo(salvo);
            case ADVANCED_SALVO -> move.getAdvancedSalvoBuilder().setSalvo(salvo);
            default -> {} // no other variant has salvos
        }
        return move.build();
    }

    /**
     * Randomness of a turn's own, made of the seed and of what the turn shows: the same turn is decided in the same way,
     * whatever other matches go on beside it.
     */
    static RandomGenerator of(Turn turn, long seed) {
        int shown = Objects.hash(
                turn.getTurnId(),
                turn.getSeatValue(),
                turn.getRefusalsLeft(),
                Arrays.hashCode(turn.getView().toByteArray()));
        return new SplittableRandom(new SplittableRandom(seed).nextLong() + shown);
    }
}
