package com.example.bot.arena;

import broadside.v1.Agent.ConnectRequest;
import broadside.v1.Agent.ConnectResponse;
import broadside.v1.Agent.Hello;
import broadside.v1.Agent.Rejected;
import broadside.v1.Agent.SessionEnd;
import broadside.v1.Agent.Turn;
import broadside.v1.Agent.TurnAnswer;
import broadside.v1.Agent.Welcome;
import broadside.v1.Game.Move;
import broadside.v1.GatewayServiceGrpc;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One stream, from the hello to its end. gRPC calls the methods that hear, one at a time. */
final class Conversation implements ClientResponseObserver<ConnectRequest, ConnectResponse> {
    private static final Logger log = LoggerFactory.getLogger(Conversation.class);
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final long WELCOME_WITHIN_MS = 30_000;
    private static final long LEAVE_WITHIN_MS = 2_000;

    private final Bot bot;
    private final Address arena;
    private final Desk desk;
    private final Alarm silence = new Alarm(() -> cut("the arena is silent"));
    private final CompletableFuture<Ending> ended = new CompletableFuture<>();
    private volatile String resumeToken;
    private volatile boolean welcomed;
    private long patienceMs = WELCOME_WITHIN_MS;
    private ClientCallStreamObserver<ConnectRequest> out;
    private boolean saidAll;

    Conversation(Bot bot, Address arena, Desk desk, String resumeToken) {
        this.bot = bot;
        this.arena = arena;
        this.desk = desk;
        this.resumeToken = resumeToken;
    }

    /** Begins it with the hello. */
    void open(Channel channel) {
        Metadata headers = new Metadata();
        if (!arena.token().isEmpty()) {
            headers.put(AUTHORIZATION, "Bearer " + arena.token());
        }
        silence.in(patienceMs);
        GatewayServiceGrpc.newStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .connect(this);
        Hello.Builder hello = Hello.newBuilder().setProtocolVersion(1).setProfile(bot.profile()).setResumeToken(resumeToken);
        say(ConnectRequest.newBuilder().setHello(hello).build());
    }

    /** How it ended, once it has. */
    CompletableFuture<Ending> ended() {
        return ended;
    }

    boolean welcomed() {
        return welcomed;
    }

    /** What takes this session up again. */
    String resumeToken() {
        return resumeToken;
    }

    /** Ends the stream in order, and soon in any case. */
    void leave() {
        Alarm.after(LEAVE_WITHIN_MS, () -> cut("leaving"));
        synchronized (this) {
            if (!saidAll) {
                saidAll = true;
                out.onCompleted();
            }
        }
    }

    private synchronized void cut(String why) {
        end(new Ending(Ending.Kind.LOST, why));
        saidAll = true;
        out.cancel(why, null);
    }

    private void end(Ending ending) {
        silence.off();
        ended.complete(ending); // the first reason counts
    }

    /** The sending half is not for many threads at once. A stream that is gone takes no more, and is noticed elsewhere. */
    private synchronized void say(ConnectRequest message) {
        if (!saidAll) {
            out.onNext(message);
        }
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<ConnectRequest> stream) {
        out = stream;
    }

    @Override
    public void onNext(ConnectResponse message) {
        if (message.hasWelcome() && message.getWelcome().hasLimits()) {
            patienceMs = 3L * message.getWelcome().getLimits().getHeartbeatIntervalMs();
        }
        silence.in(patienceMs);
        switch (message.getMessageCase()) {
            case WELCOME -> welcome(message.getWelcome());
            case TURN -> turn(message.getTurn());
            case MATCH_START -> bot.matchStarted(message.getMatchStart());
            case MATCH_END -> {
                desk.matchOver(message.getMatchEnd().getMatchId());
                bot.matchEnded(message.getMatchEnd());
            }
            case REJECTED -> rejected(message.getRejected());
            case SESSION_END -> sessionEnd(message.getSessionEnd());
            default -> {} // heartbeats need no answer, and what a later version may say is ignored
        }
    }

    @Override
    public void onError(Throwable error) {
        end(Ending.of(Status.fromThrowable(error)));
    }

    @Override
    public void onCompleted() {
        end(new Ending(Ending.Kind.LOST, "the arena ended the stream"));
    }

    private void welcome(Welcome welcome) {
        resumeToken = welcome.getResumeToken();
        welcomed = true;
        desk.keepOnly(welcome.getRunningMatchesList());
        log.info("connected to {} as {}, resumed: {}", arena.target(), bot.name(), welcome.getResumed());
    }

    private void turn(Turn turn) {
        desk.take(turn, move -> say(answer(turn, move)));
    }

    private static ConnectRequest answer(Turn turn, Move move) {
        TurnAnswer.Builder answer =
                TurnAnswer.newBuilder().setMatchId(turn.getMatchId()).setTurnId(turn.getTurnId()).setMove(move);
        return ConnectRequest.newBuilder().setAnswer(answer).build();
    }

    private static void rejected(Rejected rejected) {
        log.warn("match {}, turn {}: answer rejected: {}", rejected.getMatchId(), rejected.getTurnId(), rejected.getMessage());
    }

    private void sessionEnd(SessionEnd end) {
        String why = "the arena ended the session: " + end.getMessage();
        switch (end.getReason()) {
            case SESSION_END_REASON_TAKEN_OVER -> end(new Ending(Ending.Kind.TAKEN_OVER, why));
            case SESSION_END_REASON_TOKEN_REVOKED -> end(new Ending(Ending.Kind.REFUSED, why));
            default -> log.info(why); // what to do about it, the status of the stream says
        }
    }
}
