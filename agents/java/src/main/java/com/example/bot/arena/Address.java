package com.example.bot.arena;

import io.grpc.ChannelCredentials;

/**
 * Where an arena is and what it asks for.
 *
 * @param target HOST:PORT
 * @param token none if empty
 */
public record Address(String target, ChannelCredentials credentials, String token) {}
