package arenatest

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"example.com/broadside-bot/internal/pb"
)

// Turn makes a turn of the fields given in protobuf's text format; the others are those of a battle, with time to think.
func Turn(t *testing.T, format string, arguments ...any) *pb.Turn {
	t.Helper()
	given := &pb.Turn{}
	if err := prototext.Unmarshal(fmt.Appendf(nil, format, arguments...), given); err != nil {
		t.Fatal(err)
	}
	turn := &pb.Turn{MatchId: 1<<53 - 1, TurnId: 7, Seat: pb.Seat_SEAT_TWO, Phase: pb.Phase_PHASE_BATTLE, TimeLeftUs: 60_000_000}
	proto.Merge(turn, given)
	return turn
}

// EveryKind makes a turn for each kind of decision in each variant, each of a match of its own.
func EveryKind(t *testing.T) map[string]*pb.Turn {
	t.Helper()
	turns := make(map[string]*pb.Turn)
	add := func(kind, variant, phase, legal string) {
		turns[variant+" "+kind] = Turn(t, "match_id: %d phase: PHASE_%s view { %s {} } legal_moves { %s }",
			1000+len(turns), phase, variant, legal)
	}
	list := func(variant string, moves ...string) string {
		var legal strings.Builder
		for _, move := range moves {
			fmt.Fprintf(&legal, "moves { %s { %s } }\n", variant, move)
		}
		return legal.String()
	}
	const fleet = "ships { ship_class: SHIP_CLASS_CARRIER cell { row: 1 column: 1 } orientation: ORIENTATION_VERTICAL }"
	for _, variant := range []string{"classic", "salvo", "advanced_salvo", "amiral", "naumachia"} {
		add("deployment", variant, "DEPLOYMENT", list(variant, "deployment { "+fleet+" }"))
	}
	for _, variant := range []string{"classic", "amiral", "naumachia"} {
		add("shot", variant, "BATTLE", list(variant, shots(1, 10, 55, 100)...))
	}
	for _, variant := range []string{"salvo", "advanced_salvo"} {
		for size := range 5 {
			add(fmt.Sprintf("of %d", size+1), variant, "BATTLE", fmt.Sprintf("salvo { size: %d %s }", size+1, cells(1, 10, 55, 91, 100)))
		}
	}
	add("deployment", "amiral_advanced", "DEPLOYMENT",
		list("amiral_advanced", "deployment { fleet { "+fleet+" } berth { letter: 2 } }"))
	add("move", "amiral_advanced", "BATTLE", list("amiral_advanced", append(shots(91),
		"torpedo { route { letter: 5 number: 5 } }", "hunt { end { letter: 9 } }", "air_strike { cell { row: 9 column: 9 } }")...))
	add("relocation", "amiral_advanced", "RELOCATION", list("amiral_advanced", "relocation { berth { number: 3 } }"))
	add("move", "abalone", "BATTLE", list("abalone",
		"group { row: 3 number: 3 } group { row: 3 number: 4 } direction: ABALONE_DIRECTION_EAST",
		"group { row: 3 number: 3 } direction: ABALONE_DIRECTION_WEST"))
	return turns
}

// Shots lists one shot in the variant at each of the cells, which are numbered as in a view: 1-100.
func Shots(variant string, numbers ...int) string {
	var moves strings.Builder
	for _, shot := range shots(numbers...) {
		fmt.Fprintf(&moves, "moves { %s { %s } }\n", variant, shot)
	}
	return moves.String()
}

func shots(numbers ...int) []string {
	var moves []string
	for _, number := range numbers {
		moves = append(moves, fmt.Sprintf("shot { cell { row: %d column: %d } }", (number-1)/10+1, (number-1)%10+1))
	}
	return moves
}

func cells(numbers ...int) string {
	var list strings.Builder
	for _, number := range numbers {
		fmt.Fprintf(&list, "cells { row: %d column: %d }\n", (number-1)/10+1, (number-1)%10+1)
	}
	return list.String()
}
