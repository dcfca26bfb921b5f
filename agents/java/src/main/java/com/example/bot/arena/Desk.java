package com.example.bot.arena;

import broadside.v1.Agent.Turn;
import broadside.v1.Game.Move;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongPredicate;

/**
 * Where turns lie, each decided by a thread of its own, until the next one of the seat comes or the match is over. It outlives
 * the streams: what was thought about when one broke is answered on the next.
 */
final class Desk implements AutoCloseable {
    /** Where the turns of one seat lie: there is one at a time. */
    private record Place(long match, int seat) {}

    /** A turn that is being decided, or was. */
    private static final class Thought {
        final int turn;
        final int refusalsLeft;
        Consumer<Move> deliver;
        Future<?> thinking;
        Move move; // null until it is decided

        Thought(Turn turn, Consumer<Move> deliver) {
            this.turn = turn.getTurnId();
            this.refusalsLeft = turn.getRefusalsLeft();
            this.deliver = deliver;
        }

        /** After a refusal a turn has the same id, but fewer refusals left: it is another one. */
        boolean isOf(Turn asked) {
            return turn == asked.getTurnId() && refusalsLeft == asked.getRefusalsLeft();
        }
    }

    private final Function<Turn, Move> decide;
    private final ExecutorService threads;
    private final Map<Place, Thought> thoughts = new HashMap<>();

    Desk(Function<Turn, Move> decide) {
        this.decide = decide;
        this.threads = Executors.newCachedThreadPool(Threads.named("thinking"));
    }

    /**
     * Decides a turn and delivers the move. If the same turn was brought before, it is not thought about again: the move goes to
     * whoever brought the turn last, at once if it is decided, since the answer may have been lost.
     */
    synchronized void take(Turn turn, Consumer<Move> deliver) {
        Place place = new Place(turn.getMatchId(), turn.getSeatValue());
        Thought before = thoughts.get(place);
        if (before != null && before.isOf(turn)) {
            before.deliver = deliver;
            if (before.move != null) {
                deliver.accept(before.move);
            }
            return;
        }
        if (before != null) {
            before.thinking.cancel(true);
        }
        Thought thought = new Thought(turn, deliver);
        thoughts.put(place, thought);
        thought.thinking = threads.submit(() -> {
            Move move = decide.apply(turn);
            Consumer<Move> receiver = decided(place, thought, move);
            if (receiver != null) {
                receiver.accept(move);
            }
        });
    }

    /** Keeps the move, and says to whom it goes; null if nobody waits for it any more. */
    private synchronized Consumer<Move> decided(Place place, Thought thought, Move move) {
        if (thoughts.get(place) != thought) {
            return null;
        }
        thought.move = move;
        return thought.deliver;
    }

    /** Forgets the turns of a match. */
    void matchOver(long match) {
        forget(of -> of == match);
    }

    /** Forgets the turns of all other matches. */
    void keepOnly(Collection<Long> running) {
        forget(of -> !running.contains(of));
    }

    private synchronized void forget(LongPredicate isOver) {
        thoughts.entrySet().removeIf(pending -> {
            boolean over = isOver.test(pending.getKey().match());
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
