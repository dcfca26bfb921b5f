package arena

import (
	"context"
	"math/rand/v2"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"example.com/broadside-bot/internal/arenatest"
	"example.com/broadside-bot/internal/pb"
)

func TestADialledBotAnswersEveryCall(t *testing.T) {
	ctx := patiently(t)
	client, _, _ := serving(t, botThat(t, random))
	if got, err := client.GetProfile(ctx, &pb.GetProfileRequest{}); err != nil || got.GetProfile().GetName() != "tester" ||
		len(got.GetProfile().GetVariants()) != 7 || !got.GetProfile().GetWantsLegalMoves() {
		t.Error(got, err)
	}
	if _, err := client.StartMatch(ctx, &pb.StartMatchRequest{MatchStart: &pb.MatchStart{MatchId: 1}}); err != nil {
		t.Error(err)
	}
	for kind, turn := range arenatest.EveryKind(t) {
		got, err := client.ChooseMove(ctx, &pb.ChooseMoveRequest{Turn: turn})
		if err != nil || !arenatest.IsLegal(turn, got.GetMove()) {
			t.Errorf("%s: %v, %v", kind, got, err)
		}
	}
	if _, err := client.EndMatch(ctx, &pb.EndMatchRequest{MatchEnd: &pb.MatchEnd{MatchId: 1}}); err != nil {
		t.Error(err)
	}
}

func TestADialledBotSaysThatATurnIsMissing(t *testing.T) {
	client, _, _ := serving(t, botThat(t, random))
	_, err := client.ChooseMove(patiently(t), &pb.ChooseMoveRequest{})
	if status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
}

func TestADialledBotThatLeavesFirstAnswersWhatItIsThinkingAbout(t *testing.T) {
	thinker := newThinker()
	bot := botThat(t, thinker.choose)
	bot.Log = logThatCalls("leaving", func() { close(thinker.release) })
	client, leave, left := serving(t, bot)
	go func() {
		<-thinker.begun
		leave()
	}()
	turn := turnOfMatch(t, 1)
	got, err := client.ChooseMove(patiently(t), &pb.ChooseMoveRequest{Turn: turn})
	if err != nil || !arenatest.IsLegal(turn, got.GetMove()) {
		t.Errorf("%v, %v", got, err)
	}
	if err := left(); err != nil {
		t.Error(err)
	}
}

func TestADialledBotLeavesAlsoInAThoughtThatNeverEnds(t *testing.T) {
	begun, never := make(chan struct{}), make(chan struct{})
	client, leave, left := serving(t, botThat(t, func(_ context.Context, turn *pb.Turn, random *rand.Rand) (*pb.Move, error) {
		close(begun)
		<-never
		return RandomMove(turn, random), nil
	}))
	go func() {
		<-begun
		leave()
	}()
	if _, err := client.ChooseMove(patiently(t), &pb.ChooseMoveRequest{Turn: turnOfMatch(t, 1)}); status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
	if err := left(); err != nil {
		t.Error(err)
	}
	close(never)
}

func TestACallThatIsCutStopsTheThinking(t *testing.T) {
	thinker := newThinker()
	client, _, _ := serving(t, botThat(t, thinker.choose))
	ctx, cut := context.WithCancel(patiently(t))
	go func() {
		<-thinker.begun
		cut()
	}()
	if _, err := client.ChooseMove(ctx, &pb.ChooseMoveRequest{Turn: turnOfMatch(t, 1)}); status.Code(err) != codes.Canceled {
		t.Error(err)
	}
	select {
	case <-thinker.stopped:
	case <-patiently(t).Done():
		t.Error("it thinks on")
	}
}

// serving serves the bot: a client for it, how to make it leave, and what Serve returns.
func serving(t *testing.T, bot *Bot) (client pb.AgentServiceClient, leave func(), left func() error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = bot.Serve(ctx, listener, insecure.NewCredentials())
	}()
	left = func() error { <-ended; return err }
	t.Cleanup(func() { leave(); <-ended })
	conn, dialErr := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if dialErr != nil {
		t.Fatal(dialErr)
	}
	t.Cleanup(func() { conn.Close() })
	return pb.NewAgentServiceClient(conn), leave, left
}
