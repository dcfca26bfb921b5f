package com.example.bot.arena;

import io.grpc.Status;

/** How a stream, or the bot's whole visit to an arena, ended, and why. */
public record Ending(Kind kind, String why) {
    /** What to do about it. */
    public enum Kind {
        /** The bot was asked to leave. */
        LEFT,
        /** The connection is gone: dial again. */
        LOST,
        /** The arena would refuse the bot again if it came again. */
        REFUSED,
        /** Another bot of the same name is connected now. Dialling again would only take the name back, and so on for ever. */
        TAKEN_OVER
    }

    static Ending of(Status status) {
        Kind kind = switch (status.getCode()) {
            case ABORTED -> Kind.TAKEN_OVER;
            case INVALID_ARGUMENT, FAILED_PRECONDITION, UNAUTHENTICATED, PERMISSION_DENIED, UNIMPLEMENTED -> Kind.REFUSED;
            default -> Kind.LOST;
        };
        return new Ending(kind, status.getCode() + ": " + reason(status));
    }

    /** What was said, and the innermost of the causes. */
    private static String reason(Status status) {
        String said = status.getDescription() == null ? "" : status.getDescription().lines().findFirst().orElse("");
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause == null ? said : said + ": " + cause.getMessage();
    }
}
