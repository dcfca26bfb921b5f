package com.example.bot.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import broadside.v1.Agent.AgentProfile;
import broadside.v1.Agent.ChooseMoveRequest;
import broadside.v1.Agent.ChooseMoveResponse;
import broadside.v1.Agent.EndMatchRequest;
import broadside.v1.Agent.GetProfileRequest;
import broadside.v1.Agent.MatchEnd;
import broadside.v1.Agent.MatchStart;
import broadside.v1.Agent.StartMatchRequest;
import broadside.v1.Agent.Turn;
import broadside.v1.AgentServiceGrpc;
import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(FakeArena.PATIENCE_S)
class HostTest {
    private final ThinkingTest.Thinker thinker = new ThinkingTest.Thinker();
    private final Host host =
            new Host(BotTest.botThat(thinker), new InetSocketAddress("127.0.0.1", 0), InsecureServerCredentials.create());
    private ManagedChannel channel;
    private AgentServiceGrpc.AgentServiceBlockingStub bot;

    @BeforeEach
    void dial() throws Exception {
        channel = Grpc.newChannelBuilder("127.0.0.1:" + host.start(), InsecureChannelCredentials.create()).build();
        bot = AgentServiceGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void leave() throws Exception {
        thinker.release.countDown();
        channel.shutdownNow();
        host.leave();
        host.join();
    }

    @Test
    void aDialledBotAnswersEveryCall() {
        AgentProfile profile = bot.getProfile(GetProfileRequest.getDefaultInstance()).getProfile();
        assertEquals("tester", profile.getName());
        assertEquals(7, profile.getVariantsCount());
        assertTrue(profile.getWantsLegalMoves());
        bot.startMatch(StartMatchRequest.newBuilder().setMatchStart(MatchStart.newBuilder().setMatchId(1)).build());
        Turns.everyKind().forEach((kind, turn) -> assertTrue(Turns.isLegal(turn, bot.chooseMove(asked(turn)).getMove()), kind));
        bot.endMatch(EndMatchRequest.newBuilder().setMatchEnd(MatchEnd.newBuilder().setMatchId(1)).build());
    }

    @Test
    void aDialledBotSaysThatATurnIsMissing() {
        StatusRuntimeException refusal =
                assertThrows(StatusRuntimeException.class, () -> bot.chooseMove(ChooseMoveRequest.getDefaultInstance()));
        assertEquals(Status.Code.INVALID_ARGUMENT, refusal.getStatus().getCode());
    }

    @Test
    void aDialledBotThatLeavesFirstAnswersWhatItIsThinkingAbout() throws Exception {
        Turn turn = ThinkingTest.turnOfMatch(1);
        ListenableFuture<ChooseMoveResponse> answer = AgentServiceGrpc.newFutureStub(channel).chooseMove(asked(turn));
        thinker.begun.acquire();
        host.leave();
        thinker.release.countDown();
        assertTrue(Turns.isLegal(turn, answer.get().getMove()));
        host.join();
    }

    @Test
    void aDialledBotLeavesAlsoInAThoughtThatDoesNotEnd() throws Exception {
        ListenableFuture<ChooseMoveResponse> answer =
                AgentServiceGrpc.newFutureStub(channel).chooseMove(asked(ThinkingTest.turnOfMatch(1)));
        thinker.begun.acquire();
        host.leave();
        host.join();
        assertThrows(ExecutionException.class, answer::get);
    }

    @Test
    void aCallThatIsCutInterruptsTheThinking() throws Exception {
        ListenableFuture<ChooseMoveResponse> answer =
                AgentServiceGrpc.newFutureStub(channel).chooseMove(asked(ThinkingTest.turnOfMatch(1)));
        thinker.begun.acquire();
        answer.cancel(true);
        thinker.interrupted.acquire();
    }

    private static ChooseMoveRequest asked(Turn turn) {
        return ChooseMoveRequest.newBuilder().setTurn(turn).build();
    }
}
