// Package arenatest is an arena for tests: it plays scripts to the bots that dial it.
package arenatest

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"example.com/broadside-bot/internal/pb"
)

// Patience is how long a test waits for what must happen at once.
const Patience = 20 * time.Second

// Script is the arena's part on one stream, after the hello. The stream ends with what it returns.
type Script func(stream *Stream) error

// Start serves one script for each connection, in order, and fails the test if there are more connections, or fewer.
func Start(t *testing.T, scripts []Script, options ...grpc.ServerOption) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(options...)
	gateway := &gateway{t: t, scripts: scripts}
	pb.RegisterGatewayServiceServer(server, gateway)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		gateway.mu.Lock()
		defer gateway.mu.Unlock()
		if len(gateway.scripts) > 0 {
			t.Errorf("%d more connections were expected", len(gateway.scripts))
		}
	})
	return listener.Addr().String()
}

type gateway struct {
	pb.UnimplementedGatewayServiceServer
	t *testing.T

	mu      sync.Mutex
	scripts []Script
}

func (g *gateway) Connect(stream grpc.BidiStreamingServer[pb.ConnectRequest, pb.ConnectResponse]) error {
	g.mu.Lock()
	if len(g.scripts) == 0 {
		g.mu.Unlock()
		g.t.Error("one connection too many")
		return status.Error(codes.FailedPrecondition, "one connection too many")
	}
	script := g.scripts[0]
	g.scripts = g.scripts[1:]
	g.mu.Unlock()

	first, err := stream.Recv()
	if err != nil {
		g.t.Errorf("the first message: %v", err)
		return err
	}
	told, _ := metadata.FromIncomingContext(stream.Context())
	err = script(&Stream{stream, g.t, first.GetHello(), told.Get("authorization")})
	if failed := (*failure)(nil); errors.As(err, &failed) {
		g.t.Error(failed)
		return status.Error(codes.FailedPrecondition, "the test failed") // the bot does not come again
	}
	return err
}

// failure ends a script in which the bot did not do what it should.
type failure struct{ error }

// Fail ends a script, and fails the test.
func Fail(format string, arguments ...any) error {
	return &failure{fmt.Errorf(format, arguments...)}
}

// Stream is one bot's stream.
type Stream struct {
	grpc.BidiStreamingServer[pb.ConnectRequest, pb.ConnectResponse]
	t             *testing.T
	Hello         *pb.Hello
	Authorization []string
}

// Say sends a message, given in protobuf's text format.
func (s *Stream) Say(format string, arguments ...any) {
	message := &pb.ConnectResponse{}
	if err := prototext.Unmarshal(fmt.Appendf(nil, format, arguments...), message); err != nil {
		s.t.Error(err)
	}
	_ = s.Send(message) // a stream that is gone is noticed when it is read
}

// Turn asks for decisions.
func (s *Stream) Turn(turns ...*pb.Turn) {
	for _, turn := range turns {
		_ = s.Send(&pb.ConnectResponse{Message: &pb.ConnectResponse_Turn{Turn: turn}})
	}
}

// Answered reads one answer for each of the turns, in any order, each a legal one.
func (s *Stream) Answered(turns ...*pb.Turn) error {
	for len(turns) > 0 {
		request, err := s.Recv()
		if err != nil {
			return Fail("no answer: %w", err)
		}
		answer := request.GetAnswer()
		i := slices.IndexFunc(turns, func(turn *pb.Turn) bool {
			return turn.GetMatchId() == answer.GetMatchId() && turn.GetTurnId() == answer.GetTurnId()
		})
		if i < 0 {
			return Fail("an answer to no turn that waits: %v", request)
		}
		if !IsLegal(turns[i], answer.GetMove()) {
			return Fail("no legal move: %v", request)
		}
		turns = slices.Delete(slices.Clone(turns), i, i+1)
	}
	return nil
}

// IsLegal says whether the turn lists the move.
func IsLegal(turn *pb.Turn, move *pb.Move) bool {
	choice := turn.GetLegalMoves().GetSalvo()
	if choice == nil {
		return slices.ContainsFunc(turn.GetLegalMoves().GetMoves(), func(legal *pb.Move) bool { return proto.Equal(legal, move) })
	}
	cells := move.GetSalvo().GetSalvo().GetCells()
	if turn.GetView().GetAdvancedSalvo() != nil {
		cells = move.GetAdvancedSalvo().GetSalvo().GetCells()
	}
	distinct := make(map[string]bool)
	for _, cell := range cells {
		if !slices.ContainsFunc(choice.GetCells(), func(legal *pb.Cell) bool { return proto.Equal(legal, cell) }) {
			return false
		}
		distinct[cell.String()] = true
	}
	return len(cells) == int(choice.GetSize()) && len(distinct) == len(cells)
}
