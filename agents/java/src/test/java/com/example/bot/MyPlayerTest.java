package com.example.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import broadside.v1.Agent.Turn;
import broadside.v1.AmiralAdvanced.AmiralAdvancedMove.MoveCase;
import broadside.v1.Game.Move;
import broadside.v1.Naval.Cell;
import com.example.bot.arena.Turns;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class MyPlayerTest {
    private static final String EVERYWHERE = Turns.shots("classic", IntStream.rangeClosed(1, 100).toArray());

    @TestFactory
    Stream<DynamicTest> everyChoiceIsALegalMove() {
        return Turns.everyKind().entrySet().stream().map(kind -> DynamicTest.dynamicTest(kind.getKey(), () ->
                assertTrue(chosen(kind.getValue()).stream().allMatch(move -> Turns.isLegal(kind.getValue(), move)))));
    }

    @Test
    void everyLegalMoveIsChosenSometimes() {
        Set<MoveCase> kinds = chosen(Turns.everyKind().get("amiral_advanced move")).stream()
                .map(move -> move.getAmiralAdvanced().getMoveCase())
                .collect(Collectors.toSet());
        assertEquals(Set.of(MoveCase.SHOT, MoveCase.TORPEDO, MoveCase.HUNT, MoveCase.AIR_STRIKE), kinds);
    }

    @Test
    void classicShootsBesideAnOpenHit() {
        // A corner, where the next number is no neighbour.
        assertEquals(Set.of(9, 20), shotAt("grid { hits: 10 } hit_classes: SHIP_CLASS_CARRIER", EVERYWHERE));
        // A match that names no classes.
        assertEquals(Set.of(1, 12, 21), shotAt("grid { hits: 11 }", EVERYWHERE));
    }

    @Test
    void classicLeavesShipsThatAreSunkAlone() {
        String patrolBoatSunk = """
                grid { hits: [55, 56, 1] } sunk { ship_class: SHIP_CLASS_PATROL_BOAT hits: 2 }
                hit_classes: [SHIP_CLASS_PATROL_BOAT, SHIP_CLASS_PATROL_BOAT, SHIP_CLASS_CARRIER]""";
        assertEquals(Set.of(2, 11), shotAt(patrolBoatSunk, EVERYWHERE));
        String cruiserSunk =
                "grid { hits: 55 } hit_classes: SHIP_CLASS_CRUISER sunk { ship_class: SHIP_CLASS_CRUISER hits: 1 }";
        assertEquals(Set.of(3, 54), shotAt(cruiserSunk, Turns.shots("classic", 3, 54)));
    }

    @Test
    void classicFallsBackToTheListWhereNoNeighbourIsLeft() {
        assertEquals(Set.of(12, 89), shotAt("grid { hits: 1 }", Turns.shots("classic", 12, 89)));
    }

    private static Set<Integer> shotAt(String targets, String legal) {
        return chosen(Turns.turn("view { classic { targets { %s } } } legal_moves { %s }", targets, legal)).stream()
                .map(move -> number(move.getClassic().getShot().getCell()))
                .collect(Collectors.toSet());
    }

    private static int number(Cell cell) {
        return 10 * (cell.getRow() - 1) + cell.getColumn();
    }

    private static List<Move> chosen(Turn turn) {
        Random random = new Random(1);
        return Stream.generate(() -> new MyPlayer().choose(turn, random)).limit(200).toList();
    }
}
