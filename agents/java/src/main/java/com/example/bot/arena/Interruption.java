package com.example.bot.arena;

import io.grpc.Context;

/** Interrupts the thread that made it if a call is cut before this is closed. */
final class Interruption implements AutoCloseable, Context.CancellationListener {
    private final Context call;
    private final Thread thread = Thread.currentThread();
    private boolean closed;

    Interruption(Context call) {
        this.call = call;
        call.addListener(this, Runnable::run);
    }

    @Override
    public synchronized void cancelled(Context cut) {
        if (!closed) {
            thread.interrupt();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        call.removeListener(this);
        Thread.interrupted(); // the thread goes back to a pool
    }
}
