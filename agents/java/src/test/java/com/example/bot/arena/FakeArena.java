package com.example.bot.arena;

import broadside.v1.Agent.ConnectRequest;
import broadside.v1.Agent.ConnectResponse;
import broadside.v1.Agent.Hello;
import broadside.v1.Agent.Turn;
import broadside.v1.Agent.TurnAnswer;
import broadside.v1.GatewayServiceGrpc;
import com.google.protobuf.TextFormat;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Plays one script for each connection, in order. What a bot should say is asserted in the scripts. */
public final class FakeArena extends GatewayServiceGrpc.GatewayServiceImplBase implements AutoCloseable, ServerInterceptor {
    /** How long a test waits for what must happen at once. */
    public static final int PATIENCE_S = 20;

    private static final Context.Key<String> AUTHORIZATION = Context.key("authorization");

    /** The arena's part on one stream, after the hello. The stream ends with the status that is thrown, or in order. */
    @FunctionalInterface
    public interface Script {
        void play(Stream stream) throws Exception;
    }

    private final Queue<Script> scripts = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Server server;

    public FakeArena(Script... scripts) throws IOException {
        this(InsecureServerCredentials.create(), scripts);
    }

    public FakeArena(ServerCredentials credentials, Script... scripts) throws IOException {
        this.scripts.addAll(List.of(scripts));
        this.server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0), credentials)
                .intercept(this)
                .addService(this)
                .build()
                .start();
    }

    public String address() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Stops it, and fails the test if a script failed or there were too few connections. */
    @Override
    public void close() throws InterruptedException {
        server.shutdownNow().awaitTermination();
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.peek());
        }
        if (!scripts.isEmpty()) {
            throw new AssertionError(scripts.size() + " more connections were expected");
        }
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> out) {
        Stream stream = new Stream((ServerCallStreamObserver<ConnectResponse>) out, AUTHORIZATION.get());
        Script script = scripts.poll();
        new Thread(() -> play(script, stream), "script").start();
        return stream;
    }

    private void play(Script script, Stream stream) {
        try {
            if (script == null) {
                throw new AssertionError("one connection too many");
            }
            stream.hello = stream.next().getHello();
            script.play(stream);
            stream.out.onCompleted();
        } catch (StatusRuntimeException status) {
            stream.out.onError(status);
        } catch (Exception | AssertionError failure) {
            failures.add(failure);
            stream.out.onError(Status.FAILED_PRECONDITION.withDescription("the test failed").asException());
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String sent = headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
        return Contexts.interceptCall(Context.current().withValue(AUTHORIZATION, sent), call, headers, next);
    }

    /** One bot's stream. */
    public static final class Stream implements StreamObserver<ConnectRequest> {
        private final ServerCallStreamObserver<ConnectResponse> out;
        /** What the bot says; none where it said that this was all, or is gone. */
        private final BlockingQueue<Optional<ConnectRequest>> heard = new LinkedBlockingQueue<>();
        private final String authorization;
        private Hello hello;

        private Stream(ServerCallStreamObserver<ConnectResponse> out, String authorization) {
            this.out = out;
            this.authorization = authorization;
            out.setOnCancelHandler(() -> {}); // else onNext() throws then
        }

        public Hello hello() {
            return hello;
        }

        public String authorization() {
            return authorization;
        }

        /** Sends a message that is given in protobuf's text format. */
        public void say(String message) throws TextFormat.ParseException {
            out.onNext(TextFormat.parse(message, ConnectResponse.class));
        }

        public void welcome(String token) throws TextFormat.ParseException {
            say("welcome { protocol_version: 1 resume_token: '" + token + "' }");
        }

        public void takeOver() throws TextFormat.ParseException {
            say("session_end { reason: SESSION_END_REASON_TAKEN_OVER message: 'the test is over' }");
        }

        public void ask(Turn... turns) {
            for (Turn turn : turns) {
                out.onNext(ConnectResponse.newBuilder().setTurn(turn).build());
            }
        }

        /** Reads one answer for each of the turns, in any order, each a legal one. */
        public void answered(Turn... turns) throws InterruptedException {
            List<Turn> waiting = new ArrayList<>(List.of(turns));
            while (!waiting.isEmpty()) {
                TurnAnswer answer = next().getAnswer();
                Turn turn = waiting.stream()
                        .filter(asked -> asked.getMatchId() == answer.getMatchId() && asked.getTurnId() == answer.getTurnId())
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("an answer to no turn that waits: " + answer));
                if (!Turns.isLegal(turn, answer.getMove())) {
                    throw new AssertionError("no legal move: " + answer);
                }
                waiting.remove(turn);
            }
        }

        /** Waits until the bot has said all, in order. */
        public void ended() throws InterruptedException {
            Optional<ConnectRequest> message = heard.poll(PATIENCE_S, TimeUnit.SECONDS);
            if (message == null || message.isPresent() || out.isCancelled()) {
                throw new AssertionError("no orderly end, but " + message);
            }
        }

        /** Waits until the bot has cut the stream. */
        public void cut() throws InterruptedException {
            Optional<ConnectRequest> message = heard.poll(PATIENCE_S, TimeUnit.SECONDS);
            if (message == null || message.isPresent() || !out.isCancelled()) {
                throw new AssertionError("not cut, but " + message);
            }
        }

        private ConnectRequest next() throws InterruptedException {
            Optional<ConnectRequest> message = heard.poll(PATIENCE_S, TimeUnit.SECONDS);
            if (message == null) {
                throw new AssertionError("the bot says nothing");
            }
            return message.orElseThrow(() -> new AssertionError("the bot has gone"));
        }

        @Override
        public void onNext(ConnectRequest message) {
            heard.add(Optional.of(message));
        }

        @Override
        public void onError(Throwable gone) {
            heard.add(Optional.empty());
        }

        @Override
        public void onCompleted() {
            heard.add(Optional.empty());
        }
    }
}
