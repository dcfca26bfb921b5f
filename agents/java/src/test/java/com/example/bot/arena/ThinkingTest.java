package com.example.bot.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import broadside.v1.Agent.Turn;
import broadside.v1.Game.IllegalMove;
import broadside.v1.Game.Move;
import io.grpc.Status;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(2 * FakeArena.PATIENCE_S)
class ThinkingTest {
    /** Is slow in match 1: says when it begins, and waits until it is released or interrupted. */
    static final class Thinker implements Player {
        final AtomicInteger thoughts = new AtomicInteger();
        final Semaphore begun = new Semaphore(0);
        final Semaphore interrupted = new Semaphore(0);
        final CountDownLatch release = new CountDownLatch(1);

        @Override
        public Move choose(Turn turn, RandomGenerator random) throws InterruptedException {
            if (turn.getMatchId() == 1) {
                thoughts.incrementAndGet();
                begun.release();
                try {
                    release.await();
                } catch (InterruptedException stopped) {
                    interrupted.release();
                    throw stopped;
                }
            }
            return RandomMoves.choose(turn, random);
        }
    }

    private static final IllegalMove REFUSAL = IllegalMove.newBuilder().setMessage("A1 was fired at before").build();

    private final Thinker thinker = new Thinker();
    private final Bot bot = BotTest.botThat(thinker);
    private final Turn slow = turnOfMatch(1);
    private final Turn other = turnOfMatch(2);

    static Turn turnOfMatch(int match) {
        return Turns.turn("match_id: %d view { amiral {} } legal_moves { %s }", match, Turns.shots("amiral", 1, 2, 3));
    }

    @Test
    void aTurnThatIsSentAgainIsThoughtAboutOnceAndHoldsUpNoOtherMatch() throws Exception {
        Turn last = turnOfMatch(3);
        assertEquals(Ending.Kind.TAKEN_OVER, VisitTest.dialled(bot, arena -> {
            arena.welcome("token");
            arena.ask(slow, slow, other);
            arena.answered(other);
            thinker.release.countDown();
            arena.answered(slow);
            arena.ask(last);
            arena.answered(last); // and not the slow one once more
            arena.takeOver();
        }));
        assertEquals(1, thinker.thoughts.get());
    }

    @Test
    void whatIsThoughtAboutWhenAStreamBreaksIsAnsweredOnTheNext() throws Exception {
        assertEquals(Ending.Kind.TAKEN_OVER, VisitTest.dialled(bot,
                arena -> {
                    arena.welcome("token");
                    arena.ask(slow, other);
                    arena.answered(other);
                    throw Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException();
                },
                arena -> {
                    arena.say("welcome { running_matches: 2 running_matches: 1 }");
                    arena.ask(slow, other);
                    arena.answered(other);
                    thinker.release.countDown();
                    arena.answered(slow);
                    arena.takeOver();
                }));
        assertEquals(1, thinker.thoughts.get());
    }

    @Test
    void whatWasDecidedIsSaidAgainAndNotThoughtAboutAgain() throws Exception {
        thinker.release.countDown();
        assertEquals(Ending.Kind.TAKEN_OVER, VisitTest.dialled(bot,
                arena -> {
                    arena.welcome("token");
                    arena.ask(slow);
                    arena.answered(slow);
                    throw Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException();
                },
                arena -> {
                    arena.say("welcome { running_matches: 1 }");
                    arena.ask(slow);
                    arena.answered(slow);
                    arena.takeOver();
                }));
        assertEquals(1, thinker.thoughts.get());
    }

    @Test
    void aMatchThatIsNoLongerRunningAfterABreakIsForgotten() throws Exception {
        assertEquals(Ending.Kind.TAKEN_OVER, VisitTest.dialled(bot,
                arena -> {
                    arena.welcome("token");
                    arena.ask(slow);
                    thinker.begun.acquire();
                    throw Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException();
                },
                arena -> {
                    arena.say("welcome { running_matches: 2 }");
                    thinker.interrupted.acquire();
                    arena.ask(other);
                    arena.answered(other);
                    arena.takeOver();
                }));
    }

    @Test
    void aRefusedTurnIsAnotherTurnAlsoWhileItIsThoughtAbout() throws Exception {
        Turn first = slow.toBuilder().setRefusalsLeft(3).build();
        Turn refused = slow.toBuilder().setRefusalsLeft(2).setRefusal(REFUSAL).build();
        assertEquals(Ending.Kind.TAKEN_OVER, VisitTest.dialled(bot, arena -> {
            arena.welcome("token");
            arena.ask(first);
            thinker.begun.acquire();
            arena.ask(refused);
            thinker.interrupted.acquire();
            arena.answered(refused);
            arena.takeOver();
        }));
    }

    @Test
    void whenAMatchIsOverItsTurnIsForgotten() throws Exception {
        assertEquals(Ending.Kind.TAKEN_OVER, VisitTest.dialled(bot, arena -> {
            arena.welcome("token");
            arena.ask(slow);
            thinker.begun.acquire();
            arena.say("match_end { match_id: 1 outcome { message: 'cancelled' } }");
            thinker.interrupted.acquire();
            arena.ask(other);
            arena.answered(other);
            arena.takeOver();
        }));
    }

    @Test
    void aRefusedMoveIsAnsweredAgain() throws Exception {
        Turn first = other.toBuilder().setRefusalsLeft(3).build();
        Turn refused = other.toBuilder().setRefusalsLeft(2).setRefusal(REFUSAL).build();
        assertEquals(Ending.Kind.TAKEN_OVER, VisitTest.dialled(bot, arena -> {
            arena.welcome("token");
            for (int time = 0; time < 20; time++) {
                arena.ask(first);
                arena.answered(first);
                arena.ask(refused);
                arena.answered(refused);
            }
            arena.takeOver();
        }));
    }
}
