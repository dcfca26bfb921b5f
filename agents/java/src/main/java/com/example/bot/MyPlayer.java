package com.example.bot;

import broadside.v1.Agent.Turn;
import broadside.v1.Classic.ClassicTargets;
import broadside.v1.Game.Move;
import broadside.v1.Game.Phase;
import broadside.v1.Naval.Cell;
import broadside.v1.Naval.ShipClass;
import broadside.v1.Naval.Sinking;
import com.example.bot.arena.Player;
import com.example.bot.arena.RandomMoves;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** How this bot plays. */
final class MyPlayer implements Player {
    /**
     * Decides one turn. REPLACE THIS, one variant at a time; everything else can stay.
     *
     * <p>{@code turn.getView()} has one field set, the variant's own view: all that this seat may know. Turns of different
     * matches are decided at the same time, each in a thread of its own, which is interrupted if its match ends.
     */
    @Override
    public Move choose(Turn turn, RandomGenerator random) {
        if (turn.getView().hasClassic() && turn.getPhase() == Phase.PHASE_BATTLE) {
            return hunt(turn, random);
        }
        return RandomMoves.choose(turn, random);
    }

    /** The example, for classic: shoots next to a hit on a ship that is still afloat. */
    private static Move hunt(Turn turn, RandomGenerator random) {
        List<Integer> wounds = openHits(turn.getView().getClassic().getTargets());
        List<Move> near = turn.getLegalMoves().getMovesList().stream()
                .filter(move -> wounds.stream().anyMatch(wound -> isBeside(move.getClassic().getShot().getCell(), wound)))
                .toList();
        return near.isEmpty() ? RandomMoves.choose(turn, random) : near.get(random.nextInt(near.size()));
    }

    private static List<Integer> openHits(ClassicTargets targets) {
        Set<ShipClass> sunk = targets.getSunkList().stream().map(Sinking::getShipClass).collect(Collectors.toSet());
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < targets.getGrid().getHitsCount(); i++) {
            // One class a hit; none at all if this match does not name the ship that is hit.
            if (i >= targets.getHitClassesCount() || !sunk.contains(targets.getHitClasses(i))) {
                open.add(targets.getGrid().getHits(i));
            }
        }
        return open;
    }

    /** A view numbers the cells 1-100; a move has row and column, 1-10. */
    private static boolean isBeside(Cell cell, int number) {
        int row = (number - 1) / 10 + 1;
        int column = (number - 1) % 10 + 1;
        return Math.abs(cell.getRow() - row) + Math.abs(cell.getColumn() - column) == 1;
    }
}
