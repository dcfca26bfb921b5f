package arena

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/broadside-bot/internal/arenatest"
	"example.com/broadside-bot/internal/pb"
)

// thinker is slow in match 1: it says when it begins, and waits until it is released or told to stop.
type thinker struct {
	begun   chan struct{}
	release chan struct{}
	stopped chan struct{}
}

func newThinker() *thinker {
	return &thinker{make(chan struct{}, 10), make(chan struct{}), make(chan struct{}, 10)}
}

func (th *thinker) choose(ctx context.Context, turn *pb.Turn, random *rand.Rand) (*pb.Move, error) {
	if turn.GetMatchId() == 1 {
		th.begun <- struct{}{}
		select {
		case <-th.release:
		case <-ctx.Done():
			th.stopped <- struct{}{}
		}
	}
	return RandomMove(turn, random), nil
}

func turnOfMatch(t *testing.T, match int) *pb.Turn {
	return arenatest.Turn(t, "match_id: %d view { amiral {} } legal_moves { %s }", match, arenatest.Shots("amiral", 1, 2, 3))
}

func TestATurnThatIsSentAgainIsThoughtAboutOnceAndHoldsUpNoOtherMatch(t *testing.T) {
	slow, other, last := turnOfMatch(t, 1), turnOfMatch(t, 2), turnOfMatch(t, 3)
	thinker := newThinker()
	err := dialled(t, botThat(t, thinker.choose), func(stream *arenatest.Stream) error {
		stream.Say(welcome, "token")
		stream.Turn(slow, slow, other)
		if err := stream.Answered(other); err != nil {
			return err
		}
		close(thinker.release)
		if err := stream.Answered(slow); err != nil {
			return err
		}
		stream.Turn(last)
		if err := stream.Answered(last); err != nil { // and not the slow one once more
			return err
		}
		stream.Say(takenOver)
		return nil
	})
	if !errors.Is(err, ErrTakenOver) || len(thinker.begun) != 1 {
		t.Errorf("%v; thought about %d times", err, len(thinker.begun))
	}
}

func TestWhatIsThoughtAboutWhenAStreamBreaksIsAnsweredOnTheNext(t *testing.T) {
	slow, other := turnOfMatch(t, 1), turnOfMatch(t, 2)
	thinker := newThinker()
	err := dialled(t, botThat(t, thinker.choose),
		func(stream *arenatest.Stream) error {
			stream.Say(welcome, "token")
			stream.Turn(slow, other)
			if err := stream.Answered(other); err != nil {
				return err
			}
			return status.Error(codes.Unavailable, "connection lost")
		},
		func(stream *arenatest.Stream) error {
			stream.Say("welcome { running_matches: 2 running_matches: 1 }")
			stream.Turn(slow, other)
			if err := stream.Answered(other); err != nil {
				return err
			}
			close(thinker.release)
			if err := stream.Answered(slow); err != nil {
				return err
			}
			stream.Say(takenOver)
			return nil
		},
	)
	if !errors.Is(err, ErrTakenOver) || len(thinker.begun) != 1 {
		t.Errorf("%v; thought about %d times", err, len(thinker.begun))
	}
}

func TestWhatWasDecidedIsSaidAgainAndNotThoughtAboutAgain(t *testing.T) {
	slow := turnOfMatch(t, 1)
	thinker := newThinker()
	close(thinker.release)
	err := dialled(t, botThat(t, thinker.choose),
		func(stream *arenatest.Stream) error {
			stream.Say(welcome, "token")
			stream.Turn(slow)
			if err := stream.Answered(slow); err != nil {
				return err
			}
			return status.Error(codes.Unavailable, "connection lost")
		},
		func(stream *arenatest.Stream) error {
			stream.Say("welcome { running_matches: 1 }")
			stream.Turn(slow)
			if err := stream.Answered(slow); err != nil {
				return err
			}
			stream.Say(takenOver)
			return nil
		},
	)
	if !errors.Is(err, ErrTakenOver) || len(thinker.begun) != 1 {
		t.Errorf("%v; thought about %d times", err, len(thinker.begun))
	}
}

func TestAMatchThatIsNoLongerRunningAfterABreakIsForgotten(t *testing.T) {
	slow, other := turnOfMatch(t, 1), turnOfMatch(t, 2)
	thinker := newThinker()
	err := dialled(t, botThat(t, thinker.choose),
		func(stream *arenatest.Stream) error {
			stream.Say(welcome, "token")
			stream.Turn(slow)
			<-thinker.begun
			return status.Error(codes.Unavailable, "connection lost")
		},
		func(stream *arenatest.Stream) error {
			stream.Say("welcome { running_matches: 2 }")
			<-thinker.stopped
			stream.Turn(other)
			if err := stream.Answered(other); err != nil {
				return err
			}
			stream.Say(takenOver)
			return nil
		},
	)
	if !errors.Is(err, ErrTakenOver) {
		t.Error(err)
	}
}

func TestWhenAMatchIsOverItsTurnIsForgotten(t *testing.T) {
	slow, other := turnOfMatch(t, 1), turnOfMatch(t, 2)
	thinker := newThinker()
	err := dialled(t, botThat(t, thinker.choose), func(stream *arenatest.Stream) error {
		stream.Say(welcome, "token")
		stream.Turn(slow)
		<-thinker.begun
		stream.Say("match_end { match_id: 1 outcome { message: 'cancelled' } }")
		<-thinker.stopped
		stream.Turn(other)
		if err := stream.Answered(other); err != nil {
			return err
		}
		stream.Say(takenOver)
		return nil
	})
	if !errors.Is(err, ErrTakenOver) {
		t.Error(err)
	}
}

func TestARefusedTurnIsAnotherTurnAlsoWhileItIsThoughtAbout(t *testing.T) {
	slow, refused := turnOfMatch(t, 1), turnOfMatch(t, 1)
	slow.RefusalsLeft, refused.RefusalsLeft = 3, 2
	refused.Refusal = &pb.IllegalMove{Message: "A1 was fired at before"}
	thinker := newThinker()
	err := dialled(t, botThat(t, thinker.choose), func(stream *arenatest.Stream) error {
		stream.Say(welcome, "token")
		stream.Turn(slow)
		<-thinker.begun
		stream.Turn(refused)
		<-thinker.stopped
		if err := stream.Answered(refused); err != nil {
			return err
		}
		stream.Say(takenOver)
		return nil
	})
	if !errors.Is(err, ErrTakenOver) {
		t.Error(err)
	}
}

func TestARefusedMoveIsAnsweredAgain(t *testing.T) {
	turn, refused := turnOfMatch(t, 2), turnOfMatch(t, 2)
	turn.RefusalsLeft, refused.RefusalsLeft = 3, 2
	refused.Refusal = &pb.IllegalMove{Message: "A1 was fired at before"}
	err := dialled(t, botThat(t, random), func(stream *arenatest.Stream) error {
		stream.Say(welcome, "token")
		for range 20 {
			stream.Turn(turn)
			if err := stream.Answered(turn); err != nil {
				return err
			}
			stream.Turn(refused)
			if err := stream.Answered(refused); err != nil {
				return err
			}
		}
		stream.Say(takenOver)
		return nil
	})
	if !errors.Is(err, ErrTakenOver) {
		t.Error(err)
	}
}

// logThatCalls is a log that calls a function at the first line with these words.
func logThatCalls(words string, call func()) *slog.Logger {
	return slog.New(slog.NewTextHandler(writer(func(line string) {
		if strings.Contains(line, words) {
			call()
		}
	}), nil))
}

type writer func(string)

func (w writer) Write(line []byte) (int, error) {
	w(string(line))
	return len(line), nil
}
