package com.example.bot.arena;

import broadside.v1.Agent.Turn;
import broadside.v1.Game.Move;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Where turns lie until they are decided, each by a thread of its own. It outlives the streams: what was being thought about
 * when one broke is answered on the next.
 */
final class Desk implements AutoCloseable {
    /** A turn as its answer names it. */
    private record Key(long match, int turn) {}

    /** A turn that is being decided. */
    private static final class Thought {
        Consumer<Move> deliver;
        Future<?> thinking;
    }

    private final Function<Turn, Move> decide;
    private final ExecutorService threads;
    private final Map<Key, Thought> thoughts = new HashMap<>();

    Desk(Function<Turn, Move> decide) {
        this.decide = decide;
        this.threads = Executors.newCachedThreadPool(Threads.named("thinking"));
    }

    /**
     * Decides a turn and delivers the move. If the turn is being thought about already, it is not thought about again: the move
     * goes to whoever brought the turn last.
     */
    synchronized void take(Turn turn, Consumer<Move> deliver) {
        Key key = new Key(turn.getMatchId(), turn.getTurnId());
        Thought pending = thoughts.get(key);
        if (pending != null) {
            pending.deliver = deliver;
            return;
        }
        Thought thought = new Thought();
        thought.deliver = deliver;
        thoughts.put(key, thought);
        thought.thinking = threads.submit(() -> {
            Move move = decide.apply(turn);
            Consumer<Move> receiver = done(key, thought);
            if (receiver != null) {
                receiver.accept(move);
            }
        });
    }

    /**
     * Takes a thought off the desk before its move is sent, so that the turn is new if the arena refuses the move. Null if the
     * match has ended meanwhile.
     */
    private synchronized Consumer<Move> done(Key key, Thought thought) {
        return thoughts.remove(key, thought) ? thought.deliver : null;
    }

    /** Forgets the turns of a match. */
    synchronized void matchOver(long match) {
        thoughts.entrySet().removeIf(pending -> {
            boolean over = pending.getKey().match() == match;
            if (over) {
                pending.getValue().thinking.cancel(true);
            }
            return over;
        });
    }

    /** Stops all thinking. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
