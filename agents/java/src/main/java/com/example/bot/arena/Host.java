package com.example.bot.arena;

import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves a bot, so that the arena can dial it. */
public final class Host {
    private static final Logger log = LoggerFactory.getLogger(Host.class);
    /** Leaves time to spare: a bot is expected to be gone 5 s after it was asked to. */
    private static final long FINISH_WITHIN_S = 2;

    private final ExecutorService threads = Executors.newCachedThreadPool(Threads.named("call"));
    private final Server server;

    public Host(Bot bot, SocketAddress address, ServerCredentials credentials) {
        server = NettyServerBuilder.forAddress(address, credentials)
                .addService(new Service(bot))
                .executor(threads)
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                // The arena pings too; by default that would be too often.
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .build();
    }

    /** Begins to serve; the port. */
    public int start() throws IOException {
        return server.start().getPort();
    }

    /** Asks it to end, from another thread: what is being thought about is answered first, if it is soon. */
    public void leave() {
        log.info("leaving");
        server.shutdown();
        Alarm.after(TimeUnit.SECONDS.toMillis(FINISH_WITHIN_S), server::shutdownNow);
    }

    /** Waits until it has ended. */
    public void join() throws InterruptedException {
        server.awaitTermination();
        threads.shutdownNow();
    }
}
