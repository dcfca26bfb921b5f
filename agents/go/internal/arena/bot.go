// Package arena talks to a Broadside arena: a Bot dials it, or serves and is dialled by it.
package arena

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"example.com/broadside-bot/internal/pb"
)

// Choose decides one turn. It is called for many matches at the same time.
type Choose func(ctx context.Context, turn *pb.Turn, random *rand.Rand) (*pb.Move, error)

// Bot is one bot: who it is and how it plays.
type Bot struct {
	Name    string
	Matches uint32 // at once
	Seed    uint64 // of its random choices
	Choose  Choose
	Log     *slog.Logger
}

// Profile introduces the bot: it plays every variant that the contract knows.
func (b *Bot) Profile() *pb.AgentProfile {
	var variants []pb.Variant
	values := pb.Variant(0).Descriptor().Values()
	for i := range values.Len() {
		if variant := pb.Variant(values.Get(i).Number()); variant != pb.Variant_VARIANT_UNSPECIFIED {
			variants = append(variants, variant)
		}
	}
	return &pb.AgentProfile{Name: b.Name, Variants: variants, MaxMatches: b.Matches, WantsLegalMoves: true}
}

// decide is Choose, but any legal move if that fails or if the arena refused what it chose.
func (b *Bot) decide(ctx context.Context, turn *pb.Turn) *pb.Move {
	log := b.Log.With("match", turn.GetMatchId(), "turn", turn.GetTurnId())
	random := randomFor(turn, b.Seed)
	ctx, stop := context.WithTimeout(ctx, timeLeft(turn))
	defer stop()
	if refusal := turn.GetRefusal(); refusal != nil {
		log.Warn("the arena refused the move; playing a random one", "why", refusal.GetMessage())
		return RandomMove(turn, random)
	}
	move, err := b.choose(ctx, turn, random)
	if err != nil {
		log.Error("choose failed; playing a random move", "why", err)
		return RandomMove(turn, random)
	}
	return move
}

func (b *Bot) choose(ctx context.Context, turn *pb.Turn, random *rand.Rand) (move *pb.Move, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	move, err = b.Choose(ctx, turn, random)
	if err == nil && move == nil {
		err = errors.New("it returned no move")
	}
	return move, err
}

func timeLeft(turn *pb.Turn) time.Duration {
	const longest = math.MaxInt64 / uint64(time.Microsecond)
	return time.Duration(min(turn.GetTimeLeftUs(), longest)) * time.Microsecond
}

func (b *Bot) matchStarted(start *pb.MatchStart) {
	b.Log.Info("match starts", "match", start.GetMatchId(), "variant", variantOf(start.GetOptions()),
		"seat", uint32(start.GetSeat()), "opponent", start.GetOpponent())
}

func (b *Bot) matchEnded(end *pb.MatchEnd) {
	b.Log.Info("match is over", "match", end.GetMatchId(), "seat", uint32(end.GetSeat()), "outcome", end.GetOutcome().GetMessage())
}

// variantOf names the variant that is set in the options.
func variantOf(options *pb.Options) string {
	message := options.ProtoReflect()
	if field := message.WhichOneof(message.Descriptor().Oneofs().ByName("variant")); field != nil {
		return string(field.Name())
	}
	return "a variant unknown to this bot"
}
