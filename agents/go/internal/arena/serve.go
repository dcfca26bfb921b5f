package arena

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"example.com/broadside-bot/internal/pb"
)

// finishWithin leaves time to spare: a bot is expected to be gone 5 s after it was asked to.
const finishWithin = 2 * time.Second

// Serve lets the arena dial the bot. It returns once ctx is done and what was being thought about is answered, but
// soon in any case.
func (b *Bot) Serve(ctx context.Context, listener net.Listener, creds credentials.TransportCredentials) error {
	server := grpc.NewServer(
		grpc.Creds(creds),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: 10 * time.Second}),
		// The arena pings too; by default that would be too often.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	)
	pb.RegisterAgentServiceServer(server, &agentService{bot: b})
	stop := context.AfterFunc(ctx, func() {
		b.Log.Info("leaving")
		late := time.AfterFunc(finishWithin, server.Stop)
		defer late.Stop()
		server.GracefulStop()
	})
	defer stop()
	return server.Serve(listener)
}

// agentService is what the arena asks of a bot that it dials. ChooseMove alone would do.
type agentService struct {
	pb.UnimplementedAgentServiceServer
	bot *Bot
}

func (a *agentService) GetProfile(context.Context, *pb.GetProfileRequest) (*pb.GetProfileResponse, error) {
	return &pb.GetProfileResponse{Profile: a.bot.Profile()}, nil
}

func (a *agentService) StartMatch(_ context.Context, request *pb.StartMatchRequest) (*pb.StartMatchResponse, error) {
	a.bot.matchStarted(request.GetMatchStart())
	return &pb.StartMatchResponse{}, nil
}

// ChooseMove runs in a goroutine of its own for each turn. When the call is cut, its ctx is done.
func (a *agentService) ChooseMove(ctx context.Context, request *pb.ChooseMoveRequest) (*pb.ChooseMoveResponse, error) {
	if request.GetTurn() == nil {
		return nil, status.Error(codes.InvalidArgument, "turn: not set; it says what is to be decided")
	}
	move := a.bot.decide(ctx, request.GetTurn())
	return &pb.ChooseMoveResponse{Decision: &pb.ChooseMoveResponse_Move{Move: move}}, nil
}

func (a *agentService) EndMatch(_ context.Context, request *pb.EndMatchRequest) (*pb.EndMatchResponse, error) {
	a.bot.matchEnded(request.GetMatchEnd())
	return &pb.EndMatchResponse{}, nil
}
