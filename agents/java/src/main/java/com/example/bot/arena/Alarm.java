package com.example.bot.arena;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Goes off when it was not set anew in time. */
final class Alarm {
    private static final ScheduledThreadPoolExecutor CLOCK = new ScheduledThreadPoolExecutor(1, Threads.named("clock"));

    static {
        CLOCK.setRemoveOnCancelPolicy(true);
    }

    private final Runnable action;
    private Future<?> pending;
    private boolean off;

    Alarm(Runnable action) {
        this.action = action;
    }

    /** Runs something later, whatever happens. */
    static Future<?> after(long milliseconds, Runnable action) {
        return CLOCK.schedule(action, milliseconds, TimeUnit.MILLISECONDS);
    }

    /** Sets it anew; 0: to never. */
    synchronized void in(long milliseconds) {
        if (pending != null) {
            pending.cancel(false);
        }
        pending = off || milliseconds == 0 ? null : after(milliseconds, action);
    }

    /** Turns it off for good. */
    synchronized void off() {
        in(0);
        off = true;
    }
}
