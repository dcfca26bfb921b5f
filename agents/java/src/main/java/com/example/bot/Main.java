package com.example.bot;

import com.example.bot.arena.Address;
import com.example.bot.arena.Bot;
import com.example.bot.arena.Ending;
import com.example.bot.arena.Host;
import com.example.bot.arena.Visit;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A Broadside bot in Java: plays every variant, and waits for your ideas in MyPlayer. */
@Command(
        name = "bot",
        description = "A Broadside bot that plays every variant.",
        sortOptions = false,
        footer = {
            "",
            "It shows the arena the token in BROADSIDE_TOKEN, if that is set.",
            "Exit status: 0 asked to leave; 1 refused, or the address to serve cannot be had; 2 wrong usage; 3 another bot "
                    + "took this name over."
        })
final class Main implements Callable<Integer> {
    static final int DONE = 0;
    static final int REFUSED = 1;
    static final int USAGE = 2;
    static final int TAKEN_OVER = 3;
    private static final Logger log = LoggerFactory.getLogger(Main.class);

    @Mixin
    private Options options;

    private final String token;
    private final PrintWriter out;
    private Runnable leave;
    private boolean leaving;

    Main(String token, PrintWriter out) {
        this.token = token;
        this.out = out;
    }

    public static void main(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true);
        Main bot = new Main(System.getenv().getOrDefault("BROADSIDE_TOKEN", ""), out);
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            // At a signal, but also when the bot has ended by itself.
            if (!status.isDone()) {
                bot.leave();
                Runtime.getRuntime().halt(status.completeOnTimeout(DONE, 10, TimeUnit.SECONDS).join());
            }
        }));
        status.complete(bot.run(new PrintWriter(System.err, true), arguments));
        System.exit(status.join());
    }

    /** Runs the bot to its end; the exit status. */
    int run(PrintWriter err, String... arguments) {
        return new CommandLine(this)
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler((wrong, given) -> {
                    err.printf("bot: %s (see --help)%n", wrong.getMessage());
                    return USAGE;
                })
                .execute(arguments);
    }

    /** Asks the bot to end, from another thread. */
    synchronized void leave() {
        leaving = true;
        if (leave != null) {
            leave.run();
        }
    }

    private synchronized void onLeave(Runnable action) {
        leave = action;
        if (leaving) {
            action.run();
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        Bot bot = new Bot(options.name(), options.matches(), options.seed(), new MyPlayer());
        return options.serves() ? serve(bot) : dial(bot);
    }

    private int dial(Bot bot) throws InterruptedException {
        Visit visit = new Visit(bot, new Address(options.target(), options.trust(), options.checked(token)));
        onLeave(visit::leave);
        Ending ending = visit.run();
        return switch (ending.kind()) {
            case LEFT -> DONE;
            case TAKEN_OVER -> {
                log.error("another bot took this name over: {}", ending.why());
                yield TAKEN_OVER;
            }
            case REFUSED, LOST -> {
                log.error("refused by the arena at {}: {}", options.target(), ending.why());
                yield REFUSED;
            }
        };
    }

    private int serve(Bot bot) throws InterruptedException {
        Host host = options.host(bot);
        try {
            int port = host.start();
            out.printf("serving on %s:%d%n", options.hostName(), port);
            out.flush();
        } catch (IOException failure) {
            log.error("cannot serve on {}: {}", options.serveAddress(), failure.getMessage());
            return REFUSED;
        }
        onLeave(host::leave);
        host.join();
        return DONE;
    }
}
