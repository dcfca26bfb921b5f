package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

var (
	// ErrRefused says that the arena would refuse the bot again if it came again.
	ErrRefused = errors.New("refused by the arena")
	// ErrTakenOver says that another bot of the same name is connected now. Dialling again would only take the name back,
	// and so on for ever.
	ErrTakenOver = errors.New("another bot took this name over")
)

const (
	shortestWait = 250 * time.Millisecond
	longestWait  = 8 * time.Second
)

// Address is where an arena is and what it asks for.
type Address struct {
	Target      string // HOST:PORT
	Credentials credentials.TransportCredentials
	Token       string // none if empty
}

// Dial plays any number of matches on one stream, and dials again when it breaks. It returns nil once ctx is done, and
// otherwise why it gave up: ErrRefused or ErrTakenOver.
func (b *Bot) Dial(ctx context.Context, to Address) error {
	s := session{bot: b, to: to, desk: newDesk(b.decide)}
	wait := shortestWait
	for {
		s.welcomed = false
		err := s.connect(ctx)
		if ctx.Err() != nil {
			b.Log.Info("left the arena")
			return nil
		}
		if err := final(err); err != nil {
			return err
		}
		if s.welcomed {
			wait = shortestWait
		}
		pause := wait/2 + rand.N(wait/2)
		b.Log.Warn("not connected; dialling again", "in", pause.Round(time.Millisecond), "why", reason(err))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		wait = min(2*wait, longestWait)
	}
}

// connect opens a connection, which lives as long as its one stream.
func (s *session) connect(ctx context.Context) error {
	conn, err := grpc.NewClient(s.to.Target,
		grpc.WithTransportCredentials(s.to.Credentials),
		// Notices within 20 s that the arena has gone without a word.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 10 * time.Second, Timeout: 10 * time.Second, PermitWithoutStream: true,
		}),
	)
	if err != nil {
		return err
	}
	defer conn.Close()
	return s.converse(ctx, conn)
}

// final is why the bot must not dial again; nil if it may.
func final(err error) error {
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrTakenOver) {
		return err
	}
	switch status.Code(err) {
	case codes.Aborted:
		return fmt.Errorf("%w: %s", ErrTakenOver, status.Convert(err).Message())
	case codes.InvalidArgument, codes.FailedPrecondition, codes.Unauthenticated, codes.PermissionDenied, codes.Unimplemented:
		return fmt.Errorf("%w: %s", ErrRefused, reason(err))
	default:
		return nil
	}
}

func reason(err error) string {
	if told, ok := status.FromError(err); ok {
		return fmt.Sprintf("%s: %s", told.Code(), told.Message())
	}
	return err.Error()
}
