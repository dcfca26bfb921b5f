package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"example.com/broadside-bot/internal/pb"
)

const (
	welcomeWithin = 30 * time.Second
	leaveWithin   = 2 * time.Second
)

// session is what outlives the streams of one bot.
type session struct {
	bot      *Bot
	to       Address
	desk     *desk
	resume   string // the token that takes the session up again
	welcomed bool   // on the latest stream
}

// converse opens one stream and reads it to its end, which is the error it returns.
func (s *session) converse(ctx context.Context, conn grpc.ClientConnInterface) error {
	// Not ctx's own child: when ctx is done, the stream is first ended in order.
	streamCtx, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	if s.to.Token != "" {
		streamCtx = metadata.AppendToOutgoingContext(streamCtx, "authorization", "Bearer "+s.to.Token)
	}
	stopConnecting := context.AfterFunc(ctx, func() { cut(nil) })
	stream, err := pb.NewGatewayServiceClient(conn).Connect(streamCtx)
	stopConnecting()
	if err != nil {
		return err
	}
	out := &outbox{stream: stream}
	out.send(&pb.ConnectRequest{Message: &pb.ConnectRequest_Hello{Hello: &pb.Hello{
		ProtocolVersion: 1, Profile: s.bot.Profile(), ResumeToken: s.resume,
	}}})
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(leaveWithin, func() { cut(nil) })
		out.close()
	})
	defer stop()

	patience := welcomeWithin
	silence := time.AfterFunc(patience, func() { cut(errors.New("the arena is silent")) })
	defer silence.Stop()
	for {
		message, err := stream.Recv()
		if err == io.EOF {
			return errors.New("the arena ended the stream")
		}
		if cause := context.Cause(streamCtx); cause != nil {
			return cause
		}
		if err != nil {
			return err
		}
		if limits := message.GetWelcome().GetLimits(); limits != nil {
			patience = 3 * time.Duration(limits.GetHeartbeatIntervalMs()) * time.Millisecond
		}
		if patience > 0 {
			silence.Reset(patience)
		} else {
			silence.Stop()
		}
		if err := s.heard(ctx, message, out); err != nil {
			return err
		}
	}
}

// heard acts on one message. It returns an error if the bot must not dial again.
func (s *session) heard(ctx context.Context, message *pb.ConnectResponse, out *outbox) error {
	log := s.bot.Log
	switch message := message.GetMessage().(type) {
	case *pb.ConnectResponse_Welcome:
		s.resume, s.welcomed = message.Welcome.GetResumeToken(), true
		s.desk.keepOnly(message.Welcome.GetRunningMatches())
		log.Info("connected", "arena", s.to.Target, "name", s.bot.Name, "resumed", message.Welcome.GetResumed())
	case *pb.ConnectResponse_MatchStart:
		s.bot.matchStarted(message.MatchStart)
	case *pb.ConnectResponse_Turn:
		turn := message.Turn
		s.desk.take(ctx, turn, func(move *pb.Move) { out.send(answer(turn, move)) })
	case *pb.ConnectResponse_Rejected:
		rejected := message.Rejected
		log.Warn("answer rejected", "match", rejected.GetMatchId(), "turn", rejected.GetTurnId(), "why", rejected.GetMessage())
	case *pb.ConnectResponse_MatchEnd:
		s.desk.matchOver(message.MatchEnd.GetMatchId())
		s.bot.matchEnded(message.MatchEnd)
	case *pb.ConnectResponse_SessionEnd:
		return s.ended(message.SessionEnd)
	}
	return nil // heartbeats need no answer, and what a later version may say is ignored
}

// ended returns an error if the bot must not dial again.
func (s *session) ended(end *pb.SessionEnd) error {
	switch end.GetReason() {
	case pb.SessionEndReason_SESSION_END_REASON_TAKEN_OVER:
		return fmt.Errorf("%w: %s", ErrTakenOver, end.GetMessage())
	case pb.SessionEndReason_SESSION_END_REASON_TOKEN_REVOKED:
		return fmt.Errorf("%w: %s", ErrRefused, end.GetMessage())
	default: // what to do about it, the status of the stream says
		s.bot.Log.Info("the arena ends the session", "why", end.GetMessage())
		return nil
	}
}

func answer(turn *pb.Turn, move *pb.Move) *pb.ConnectRequest {
	return &pb.ConnectRequest{Message: &pb.ConnectRequest_Answer{Answer: &pb.TurnAnswer{
		MatchId: turn.GetMatchId(), TurnId: turn.GetTurnId(), Move: move,
	}}}
}

// outbox is the sending half of a stream, for many goroutines.
type outbox struct {
	mu     sync.Mutex
	stream grpc.BidiStreamingClient[pb.ConnectRequest, pb.ConnectResponse]
	closed bool
}

// send needs no error: a stream that cannot be written ends, and whoever reads it is told why.
func (o *outbox) send(message *pb.ConnectRequest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		_ = o.stream.Send(message)
	}
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	_ = o.stream.CloseSend()
}
