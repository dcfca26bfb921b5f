package arena

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"example.com/broadside-bot/internal/arenatest"
	"example.com/broadside-bot/internal/pb"
)

func TestARefusedChoiceIsFollowedByARandomLegalMove(t *testing.T) {
	bot := botThat(t, func(context.Context, *pb.Turn, *rand.Rand) (*pb.Move, error) {
		t.Error("it was asked again for what was refused")
		return nil, nil
	})
	turn := arenatest.Turn(t, "refusal { message: 'A1 was fired at before' } view { amiral {} } legal_moves { %s }",
		arenatest.Shots("amiral", 23, 42))
	if move := bot.decide(t.Context(), turn); !arenatest.IsLegal(turn, move) {
		t.Errorf("%v is no legal move", move)
	}
}

func TestAFailingChoiceIsReplacedByARandomLegalMove(t *testing.T) {
	turn := arenatest.Turn(t, "view { amiral {} } legal_moves { %s }", arenatest.Shots("amiral", 23))
	for how, choose := range map[string]Choose{
		"an error": func(context.Context, *pb.Turn, *rand.Rand) (*pb.Move, error) { return nil, errors.New("no idea") },
		"a panic":  func(_ context.Context, turn *pb.Turn, _ *rand.Rand) (*pb.Move, error) { panic("no idea") },
		"no move":  func(context.Context, *pb.Turn, *rand.Rand) (*pb.Move, error) { return nil, nil },
	} {
		t.Run(how, func(t *testing.T) {
			if move := botThat(t, choose).decide(t.Context(), turn); !arenatest.IsLegal(turn, move) {
				t.Errorf("%v is no legal move", move)
			}
		})
	}
}

func TestWithoutLegalMovesTheMoveIsEmpty(t *testing.T) {
	if move := botThat(t, random).decide(t.Context(), arenatest.Turn(t, "")); !proto.Equal(move, &pb.Move{}) {
		t.Errorf("not empty: %v", move)
	}
}

func TestASeedDecidesTheSameTurnTheSameWay(t *testing.T) {
	games := make(map[uint64]string)
	for _, seed := range []uint64{1, 2} {
		for again := range 2 {
			bot := botThat(t, random)
			bot.Seed = seed
			game := ""
			for id := range uint32(20) {
				turn := arenatest.EveryKind(t)["classic shot"]
				turn.TurnId = id
				turn.MatchId += uint64(again) // which is drawn by the arena
				cell := bot.decide(t.Context(), turn).GetClassic().GetShot().GetCell()
				game += string(rune('A'+cell.GetRow())) + string(rune('a'+cell.GetColumn()))
			}
			if before, played := games[seed]; played && before != game {
				t.Errorf("seed %d: %s and then %s", seed, before, game)
			}
			games[seed] = game
		}
	}
	if games[1] == games[2] {
		t.Error("two seeds made the same moves")
	}
}

func TestAChoiceIsToldWhenItsTimeIsUp(t *testing.T) {
	bot := botThat(t, func(ctx context.Context, _ *pb.Turn, _ *rand.Rand) (*pb.Move, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	turn := arenatest.Turn(t, "time_left_us: 1000 view { amiral {} } legal_moves { %s }", arenatest.Shots("amiral", 23))
	if move := bot.decide(t.Context(), turn); !arenatest.IsLegal(turn, move) {
		t.Errorf("%v is no legal move", move)
	}
}

func random(_ context.Context, turn *pb.Turn, random *rand.Rand) (*pb.Move, error) {
	return RandomMove(turn, random), nil
}

func botThat(t *testing.T, choose Choose) *Bot {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	return &Bot{Name: "tester", Matches: 3, Choose: choose, Log: log}
}
