package arena

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"example.com/broadside-bot/internal/arenatest"
)

const (
	welcome   = "welcome { protocol_version: 1 resume_token: '%s' }"
	takenOver = "session_end { reason: SESSION_END_REASON_TAKEN_OVER message: 'the test is over' }"
)

func TestEveryVariantIsPlayedOnOneStream(t *testing.T) {
	turns := slices.Collect(maps.Values(arenatest.EveryKind(t)))
	err := dialled(t, botThat(t, random), func(stream *arenatest.Stream) error {
		profile := stream.Hello.GetProfile()
		if stream.Hello.GetProtocolVersion() != 1 || stream.Hello.GetResumeToken() != "" || profile.GetName() != "tester" ||
			profile.GetMaxMatches() != 3 || len(profile.GetVariants()) != 7 || !profile.GetWantsLegalMoves() {
			return arenatest.Fail("not the right hello: %v", stream.Hello)
		}
		stream.Say(welcome, "token-1")
		stream.Say("match_start { match_id: 1000 seat: SEAT_ONE opponent: 'fake' options { classic {} } }")
		stream.Say("heartbeat {}")
		stream.Say("") // what a later version might say
		stream.Turn(turns...)
		if err := stream.Answered(turns...); err != nil {
			return err
		}
		stream.Say("rejected { match_id: 1000 turn_id: 7 message: 'too late' }")
		stream.Say("match_end { match_id: 1000 outcome { message: 'a draw' } }")
		stream.Say(takenOver)
		return nil
	})
	if !errors.Is(err, ErrTakenOver) {
		t.Error(err)
	}
}

func TestABotComesBackWithItsResumeTokenHoweverTheStreamBreaks(t *testing.T) {
	turn := arenatest.EveryKind(t)["naumachia shot"]
	resumed := func(token, next string, end func(*arenatest.Stream) error) arenatest.Script {
		return func(stream *arenatest.Stream) error {
			if stream.Hello.GetResumeToken() != token {
				return arenatest.Fail("resume token %q, want %q", stream.Hello.GetResumeToken(), token)
			}
			if next != "" {
				stream.Say(welcome, next)
			}
			return end(stream)
		}
	}
	err := dialled(t, botThat(t, random),
		resumed("", "token-1", func(stream *arenatest.Stream) error {
			stream.Turn(turn)
			return status.Error(codes.Unavailable, "connection lost")
		}),
		resumed("token-1", "token-2", func(stream *arenatest.Stream) error {
			stream.Turn(turn)
			if err := stream.Answered(turn); err != nil {
				return err
			}
			stream.Say("session_end { reason: SESSION_END_REASON_ARENA_STOPS }")
			return nil
		}),
		resumed("token-2", "", func(*arenatest.Stream) error {
			return status.Error(codes.ResourceExhausted, "too many sessions")
		}),
		resumed("token-2", "token-2", func(*arenatest.Stream) error { return nil }),
		resumed("token-2", "token-2", func(stream *arenatest.Stream) error {
			stream.Say("session_end { reason: 99 }")
			return status.Error(codes.Unavailable, "maintenance")
		}),
		resumed("token-2", "token-2", func(stream *arenatest.Stream) error {
			stream.Say(takenOver)
			return nil
		}),
	)
	if !errors.Is(err, ErrTakenOver) {
		t.Error(err)
	}
}

func TestABotDoesNotDialAgainWhereItIsNotWanted(t *testing.T) {
	type ending struct {
		said string
		code codes.Code
		want error
	}
	endings := []ending{
		{"session_end { reason: SESSION_END_REASON_TAKEN_OVER }", codes.OK, ErrTakenOver},
		{"session_end { reason: SESSION_END_REASON_TOKEN_REVOKED }", codes.OK, ErrRefused},
		{"", codes.Aborted, ErrTakenOver},
		// Of a reason that a later version has, the status says what to do.
		{"session_end { reason: 99 }", codes.PermissionDenied, ErrRefused},
		{"session_end { reason: 99 }", codes.Aborted, ErrTakenOver},
	}
	for _, code := range []codes.Code{
		codes.InvalidArgument, codes.FailedPrecondition, codes.Unauthenticated, codes.PermissionDenied, codes.Unimplemented,
	} {
		endings = append(endings, ending{"", code, ErrRefused})
	}
	for _, ending := range endings {
		t.Run(ending.said+ending.code.String(), func(t *testing.T) {
			err := dialled(t, botThat(t, random), func(stream *arenatest.Stream) error {
				stream.Say(welcome, "token")
				if ending.said != "" {
					stream.Say("%s", ending.said)
				}
				return status.Error(ending.code, "go away")
			})
			if !errors.Is(err, ending.want) {
				t.Errorf("%v, want %v", err, ending.want)
			}
		})
	}
}

func TestTheTokenIsSentAsMetadata(t *testing.T) {
	for token, want := range map[string][]string{"secret": {"Bearer secret"}, "": nil} {
		address := arenatest.Start(t, []arenatest.Script{func(stream *arenatest.Stream) error {
			if !slices.Equal(stream.Authorization, want) {
				return arenatest.Fail("authorization %q, want %q", stream.Authorization, want)
			}
			return status.Error(codes.Aborted, "the test is over")
		}})
		to := Address{Target: address, Credentials: insecure.NewCredentials(), Token: token}
		if err := botThat(t, random).Dial(patiently(t), to); !errors.Is(err, ErrTakenOver) {
			t.Error(err)
		}
	}
}

func TestAnArenaThatFallsSilentIsDialledAgain(t *testing.T) {
	err := dialled(t, botThat(t, random),
		func(stream *arenatest.Stream) error {
			stream.Say("welcome { resume_token: 'token' limits { heartbeat_interval_ms: 20 } }")
			<-stream.Context().Done()
			return nil
		},
		func(stream *arenatest.Stream) error {
			if stream.Hello.GetResumeToken() != "token" {
				return arenatest.Fail("no resume token: %v", stream.Hello)
			}
			stream.Say(takenOver)
			return nil
		},
	)
	if !errors.Is(err, ErrTakenOver) {
		t.Error(err)
	}
}

func TestLeavingEndsTheStreamInOrder(t *testing.T) {
	ctx, leave := context.WithCancel(patiently(t))
	address := arenatest.Start(t, []arenatest.Script{func(stream *arenatest.Stream) error {
		stream.Say(welcome, "token")
		leave()
		if request, err := stream.Recv(); err != io.EOF {
			return arenatest.Fail("no orderly end: %v, %v", request, err)
		}
		return nil
	}})
	err := botThat(t, random).Dial(ctx, Address{Target: address, Credentials: insecure.NewCredentials()})
	if err != nil {
		t.Error(err)
	}
}

func TestLeavingWorksWhileThereIsNoArena(t *testing.T) {
	ctx, leave := context.WithCancel(patiently(t))
	bot := botThat(t, random)
	bot.Log = logThatCalls("dialling again", leave)
	err := bot.Dial(ctx, Address{Target: "127.0.0.1:1", Credentials: insecure.NewCredentials()})
	if err != nil {
		t.Error(err)
	}
}

// dialled lets the bot dial an arena with these scripts, and returns why it gave up.
func dialled(t *testing.T, bot *Bot, scripts ...arenatest.Script) error {
	t.Helper()
	address := arenatest.Start(t, scripts)
	return bot.Dial(patiently(t), Address{Target: address, Credentials: insecure.NewCredentials()})
}

// patiently is for what a working bot does at once. A bot that does not is stopped, and returns no error where one is wanted.
func patiently(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), arenatest.Patience)
	t.Cleanup(cancel)
	return ctx
}
