package com.example.bot.arena;

import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A bot dials an arena: it plays any number of matches on one stream, and dials again when that breaks. */
public final class Visit {
    private static final Logger log = LoggerFactory.getLogger(Visit.class);
    private static final long SHORTEST_WAIT_MS = 250;
    private static final long LONGEST_WAIT_MS = 8_000;
    private static final Ending LEFT = new Ending(Ending.Kind.LEFT, "asked to leave");

    private final Bot bot;
    private final Address arena;
    private final CountDownLatch leaving = new CountDownLatch(1);
    private Conversation current;

    public Visit(Bot bot, Address arena) {
        this.bot = bot;
        this.arena = arena;
    }

    /** Asks the visit to end, from another thread: its stream is ended in order. */
    public void leave() {
        leaving.countDown();
        synchronized (this) {
            if (current != null) {
                current.leave();
            }
        }
    }

    /** Runs until the bot is asked to leave, or must not dial again. */
    public Ending run() throws InterruptedException {
        long wait = SHORTEST_WAIT_MS;
        String resumeToken = "";
        try (Desk desk = new Desk(bot::decide)) {
            while (true) {
                Conversation conversation = new Conversation(bot, arena, desk, resumeToken);
                Ending ending = hold(conversation);
                if (isLeaving()) {
                    log.info("left the arena");
                    return LEFT;
                }
                if (ending.kind() != Ending.Kind.LOST) {
                    return ending;
                }
                resumeToken = conversation.resumeToken();
                wait = conversation.welcomed() ? SHORTEST_WAIT_MS : wait;
                long pause = ThreadLocalRandom.current().nextLong(wait / 2, wait);
                log.warn("not connected, dialling again in {} ms: {}", pause, ending.why());
                if (leaving.await(pause, TimeUnit.MILLISECONDS)) {
                    return LEFT;
                }
                wait = Math.min(2 * wait, LONGEST_WAIT_MS);
            }
        }
    }

    private boolean isLeaving() {
        return leaving.getCount() == 0;
    }

    /** Holds a conversation on a connection of its own. */
    private Ending hold(Conversation conversation) throws InterruptedException {
        ManagedChannel channel = Grpc.newChannelBuilder("dns:///" + arena.target(), arena.credentials())
                // Notices within 20 s that the arena has gone without a word.
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .keepAliveWithoutCalls(true)
                .build();
        try {
            conversation.open(channel);
            synchronized (this) {
                current = conversation;
                if (isLeaving()) {
                    conversation.leave();
                }
            }
            return conversation.ended().get(); // which, unlike join(), can be interrupted
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible); // it is only ever completed with an ending
        } finally {
            channel.shutdownNow();
        }
    }
}
