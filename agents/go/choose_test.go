package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/broadside-bot/internal/arenatest"
	"example.com/broadside-bot/internal/pb"
)

func TestEveryChoiceIsALegalMove(t *testing.T) {
	for kind, turn := range arenatest.EveryKind(t) {
		t.Run(kind, func(t *testing.T) {
			for seed := range uint64(50) {
				if move := chosen(t, turn, seed); !arenatest.IsLegal(turn, move) {
					t.Fatalf("%v is not among %v", move, turn.GetLegalMoves())
				}
			}
		})
	}
}

func TestEveryLegalMoveIsChosenSometimes(t *testing.T) {
	turn := arenatest.EveryKind(t)["amiral_advanced move"]
	kinds := make(map[string]bool)
	for seed := range uint64(200) {
		kinds[fmt.Sprintf("%T", chosen(t, turn, seed).GetAmiralAdvanced().GetMove())] = true
	}
	if len(kinds) != 4 {
		t.Errorf("only %v", kinds)
	}
}

func TestClassicShootsBesideAnOpenHit(t *testing.T) {
	all := arenatest.Shots("classic", oneTo(100)...)
	for name, test := range map[string]struct {
		grid, legal string
		want        []int
	}{
		"a corner, and the next number is no neighbour": {
			"grid { hits: 10 } hit_classes: SHIP_CLASS_CARRIER", all, []int{9, 20},
		},
		"no classes are named": {"grid { hits: 11 }", all, []int{1, 12, 21}},
		"the ship that is sunk is left alone": {
			`grid { hits: [55, 56, 1] } sunk { ship_class: SHIP_CLASS_PATROL_BOAT hits: 2 }
			 hit_classes: [SHIP_CLASS_PATROL_BOAT, SHIP_CLASS_PATROL_BOAT, SHIP_CLASS_CARRIER]`, all, []int{2, 11},
		},
		"every hit is on a ship that is sunk": {
			"grid { hits: 55 } hit_classes: SHIP_CLASS_CRUISER sunk { ship_class: SHIP_CLASS_CRUISER hits: 1 }",
			arenatest.Shots("classic", 3, 54), []int{3, 54},
		},
		"all around it is fired at": {"grid { hits: 1 }", arenatest.Shots("classic", 12, 89), []int{12, 89}},
	} {
		t.Run(name, func(t *testing.T) {
			turn := arenatest.Turn(t, "view { classic { targets { %s } } } legal_moves { %s }", test.grid, test.legal)
			var shot []int
			for seed := range uint64(200) {
				cell := chosen(t, turn, seed).GetClassic().GetShot().GetCell()
				shot = append(shot, int(10*(cell.GetRow()-1)+cell.GetColumn()))
			}
			slices.Sort(shot)
			if shot = slices.Compact(shot); !slices.Equal(shot, test.want) {
				t.Errorf("shot at %v, want %v", shot, test.want)
			}
		})
	}
}

func chosen(t *testing.T, turn *pb.Turn, seed uint64) *pb.Move {
	t.Helper()
	move, err := choose(t.Context(), turn, rand.New(rand.NewPCG(seed, seed)))
	if err != nil {
		t.Fatal(err)
	}
	return move
}

func oneTo(last int) []int {
	var numbers []int
	for number := range last {
		numbers = append(numbers, number+1)
	}
	return numbers
}
