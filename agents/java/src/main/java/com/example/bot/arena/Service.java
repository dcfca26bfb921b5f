package com.example.bot.arena;

import broadside.v1.Agent.ChooseMoveRequest;
import broadside.v1.Agent.ChooseMoveResponse;
import broadside.v1.Agent.EndMatchRequest;
import broadside.v1.Agent.EndMatchResponse;
import broadside.v1.Agent.GetProfileRequest;
import broadside.v1.Agent.GetProfileResponse;
import broadside.v1.Agent.StartMatchRequest;
import broadside.v1.Agent.StartMatchResponse;
import broadside.v1.AgentServiceGrpc;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** What the arena asks of a bot that it dials. chooseMove alone would do. Each call has a thread of its own. */
final class Service extends AgentServiceGrpc.AgentServiceImplBase {
    private final Bot bot;

    Service(Bot bot) {
        this.bot = bot;
    }

    @Override
    public void getProfile(GetProfileRequest request, StreamObserver<GetProfileResponse> response) {
        response.onNext(GetProfileResponse.newBuilder().setProfile(bot.profile()).build());
        response.onCompleted();
    }

    @Override
    public void startMatch(StartMatchRequest request, StreamObserver<StartMatchResponse> response) {
        bot.matchStarted(request.getMatchStart());
        response.onNext(StartMatchResponse.getDefaultInstance());
        response.onCompleted();
    }

    /** Its thread is interrupted when the call is cut. */
    @Override
    public void chooseMove(ChooseMoveRequest request, StreamObserver<ChooseMoveResponse> response) {
        if (!request.hasTurn()) {
            response.onError(Status.INVALID_ARGUMENT
                    .withDescription("turn: not set; it says what is to be decided")
                    .asRuntimeException());
            return;
        }
        ((ServerCallStreamObserver<ChooseMoveResponse>) response).setOnCancelHandler(() -> {}); // else onNext() throws then
        try (Interruption ignored = new Interruption(Context.current())) {
            response.onNext(ChooseMoveResponse.newBuilder().setMove(bot.decide(request.getTurn())).build());
        }
        response.onCompleted();
    }

    @Override
    public void endMatch(EndMatchRequest request, StreamObserver<EndMatchResponse> response) {
        bot.matchEnded(request.getMatchEnd());
        response.onNext(EndMatchResponse.getDefaultInstance());
        response.onCompleted();
    }
}
