package com.example.bot.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import broadside.v1.Agent.Turn;
import broadside.v1.Game.Move;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BotTest {
    private static final Turn TURN = Turns.turn("view { amiral {} } legal_moves { %s }", Turns.shots("amiral", 23));

    @Test
    void aRefusedChoiceIsFollowedByARandomLegalMove() {
        Bot bot = botThat((turn, random) -> fail("it was asked again for what was refused"));
        Turn refused = Turns.turn("refusal { message: 'A1 was fired at before' } view { amiral {} } legal_moves { %s }",
                Turns.shots("amiral", 23, 42));
        assertTrue(Turns.isLegal(refused, bot.decide(refused)));
    }

    @ParameterizedTest
    @MethodSource
    void aFailingChoiceIsReplacedByARandomLegalMove(Player failing) {
        assertTrue(Turns.isLegal(TURN, botThat(failing).decide(TURN)));
    }

    static Stream<Player> aFailingChoiceIsReplacedByARandomLegalMove() {
        return Stream.of(
                (turn, random) -> null,
                (turn, random) -> { throw new IllegalStateException("no idea"); },
                (turn, random) -> { throw new java.io.IOException("no idea"); },
                (turn, random) -> { throw new StackOverflowError(); },
                (turn, random) -> { throw new NoClassDefFoundError("no idea"); });
    }

    @Test
    void withoutLegalMovesTheMoveIsEmpty() {
        assertEquals(Move.getDefaultInstance(), botThat(RandomMoves::choose).decide(Turns.turn("")));
    }

    @Test
    void aSeedDecidesTheSameTurnTheSameWay() {
        assertEquals(game(1, 100), game(1, 200)); // match ids are drawn by the arena
        assertNotEquals(game(1, 100), game(2, 100));
    }

    private static List<Move> game(long seed, long match) {
        Bot bot = new Bot("tester", 3, seed, RandomMoves::choose);
        Turn turn = Turns.everyKind().get("classic shot");
        return IntStream.range(1, 20)
                .mapToObj(id -> bot.decide(turn.toBuilder().setMatchId(match).setTurnId(id).build()))
                .toList();
    }

    static Bot botThat(Player player) {
        return new Bot("tester", 3, 1, player);
    }
}
