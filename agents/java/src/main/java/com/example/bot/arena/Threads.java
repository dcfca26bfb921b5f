package com.example.bot.arena;

import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the program alive. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
