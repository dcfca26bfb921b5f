package com.example.bot.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import broadside.v1.Agent.Turn;
import com.example.bot.arena.FakeArena.Script;
import com.example.bot.arena.FakeArena.Stream;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Status;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(2 * FakeArena.PATIENCE_S)
class VisitTest {
    private final Bot bot = BotTest.botThat(RandomMoves::choose);

    @Test
    void everyVariantIsPlayedOnOneStream() throws Exception {
        Turn[] turns = Turns.everyKind().values().toArray(Turn[]::new);
        assertEquals(Ending.Kind.TAKEN_OVER, dialled(bot, arena -> {
            assertEquals(1, arena.hello().getProtocolVersion());
            assertEquals("", arena.hello().getResumeToken());
            assertEquals("tester", arena.hello().getProfile().getName());
            assertEquals(7, arena.hello().getProfile().getVariantsCount());
            assertEquals(3, arena.hello().getProfile().getMaxMatches());
            assertEquals(true, arena.hello().getProfile().getWantsLegalMoves());
            arena.welcome("token-1");
            arena.say("match_start { match_id: 1000 seat: SEAT_ONE opponent: 'fake' options { classic {} } }");
            arena.say("heartbeat {}");
            arena.say(""); // what a later version might say
            arena.ask(turns);
            arena.answered(turns);
            arena.say("rejected { match_id: 1000 turn_id: 7 message: 'too late' }");
            arena.say("match_end { match_id: 1000 outcome { message: 'a draw' } }");
            arena.takeOver();
        }));
    }

    @Test
    void theBotComesBackWithItsResumeTokenHoweverTheStreamBreaks() throws Exception {
        Turn turn = Turns.everyKind().get("naumachia shot");
        assertEquals(Ending.Kind.TAKEN_OVER, dialled(bot,
                arena -> {
                    welcomed(arena, "", "token-1");
                    arena.ask(turn);
                    throw Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException();
                },
                arena -> {
                    welcomed(arena, "token-1", "token-2");
                    arena.ask(turn);
                    arena.answered(turn);
                    arena.say("session_end { reason: SESSION_END_REASON_ARENA_STOPS }");
                },
                arena -> {
                    assertEquals("token-2", arena.hello().getResumeToken());
                    throw Status.RESOURCE_EXHAUSTED.withDescription("too many sessions").asRuntimeException();
                },
                arena -> welcomed(arena, "token-2", "token-2"),
                arena -> {
                    welcomed(arena, "token-2", "token-2");
                    arena.say("session_end { reason: 99 }");
                    throw Status.UNAVAILABLE.withDescription("maintenance").asRuntimeException();
                },
                arena -> {
                    welcomed(arena, "token-2", "token-2");
                    arena.takeOver();
                }));
    }

    private static void welcomed(Stream arena, String expected, String next) throws Exception {
        assertEquals(expected, arena.hello().getResumeToken());
        arena.welcome(next);
    }

    @ParameterizedTest
    @EnumSource(names = {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED"})
    void aBotThatIsRefusedDoesNotDialAgain(Status.Code code) throws Exception {
        assertEquals(Ending.Kind.REFUSED, dialled(bot, arena -> {
            throw code.toStatus().withDescription("go away").asRuntimeException();
        }));
    }

    @Test
    void aBotWhoseTokenIsRevokedDoesNotDialAgain() throws Exception {
        assertEquals(Ending.Kind.REFUSED, dialled(bot, arena -> {
            arena.welcome("token");
            arena.say("session_end { reason: SESSION_END_REASON_TOKEN_REVOKED }");
        }));
    }

    @ParameterizedTest
    @CsvSource({"PERMISSION_DENIED, REFUSED", "ABORTED, TAKEN_OVER"})
    void ofAReasonThatALaterVersionHasTheStatusSaysWhatToDo(Status.Code code, Ending.Kind expected) throws Exception {
        assertEquals(expected, dialled(bot, arena -> {
            arena.welcome("token");
            arena.say("session_end { reason: 99 }");
            throw code.toStatus().withDescription("go away").asRuntimeException();
        }));
    }

    @Test
    void aBotThatIsTakenOverDoesNotDialAgain() throws Exception {
        assertEquals(Ending.Kind.TAKEN_OVER, dialled(bot, arena -> {
            arena.welcome("token");
            throw Status.ABORTED.withDescription("taken over").asRuntimeException();
        }));
    }

    @Test
    void theTokenIsSentAsMetadata() throws Exception {
        try (FakeArena fake = new FakeArena(
                arena -> {
                    assertEquals("Bearer secret", arena.authorization());
                    arena.takeOver();
                },
                arena -> {
                    assertNull(arena.authorization());
                    arena.takeOver();
                })) {
            for (String token : new String[] {"secret", ""}) {
                Address address = new Address(fake.address(), InsecureChannelCredentials.create(), token);
                assertEquals(Ending.Kind.TAKEN_OVER, new Visit(bot, address).run().kind());
            }
        }
    }

    @Test
    void anArenaThatFallsSilentIsDialledAgain() throws Exception {
        assertEquals(Ending.Kind.TAKEN_OVER, dialled(bot,
                arena -> {
                    arena.say("welcome { resume_token: 'token' limits { heartbeat_interval_ms: 20 } }");
                    arena.cut();
                },
                arena -> {
                    assertEquals("token", arena.hello().getResumeToken());
                    arena.takeOver();
                }));
    }

    @Test
    void aVisitCanBeInterrupted() throws Exception {
        Thread visitor = Thread.currentThread();
        try (FakeArena fake = new FakeArena(arena -> {
            arena.welcome("token");
            visitor.interrupt();
            arena.cut();
        })) {
            Visit visit = new Visit(bot, plain(fake.address()));
            assertThrows(InterruptedException.class, visit::run);
        }
    }

    @Test
    void leavingEndsTheStreamInOrder() throws Exception {
        CompletableFuture<Visit> visit = new CompletableFuture<>();
        try (FakeArena fake = new FakeArena(arena -> {
            arena.welcome("token");
            visit.get().leave();
            arena.ended();
        })) {
            visit.complete(new Visit(bot, plain(fake.address())));
            assertEquals(Ending.Kind.LEFT, visit.get().run().kind());
        }
    }

    @Test
    void leavingWorksWhileThereIsNoArena() throws Exception {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0)) {
            nobody = socket.getLocalPort();
        }
        Visit visit = new Visit(bot, plain("127.0.0.1:" + nobody));
        visit.leave();
        assertEquals(Ending.Kind.LEFT, visit.run().kind());
    }

    /** Lets the bot dial an arena with these scripts; why it gave up. */
    static Ending.Kind dialled(Bot bot, Script... scripts) throws Exception {
        try (FakeArena arena = new FakeArena(scripts)) {
            return new Visit(bot, plain(arena.address())).run().kind();
        }
    }

    private static Address plain(String target) {
        return new Address(target, InsecureChannelCredentials.create(), "");
    }
}
