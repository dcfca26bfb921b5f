package main

import (
	"context"
	"math/rand/v2"

	"example.com/broadside-bot/internal/arena"
	"example.com/broadside-bot/internal/pb"
)

// choose decides one turn. REPLACE THIS, one variant at a time; everything else can stay.
//
// turn.View holds one variant's own view: all that this seat may know. ctx is done when the turn's time is up or its match
// is over. Turns of different matches are decided at the same time.
func choose(ctx context.Context, turn *pb.Turn, random *rand.Rand) (*pb.Move, error) {
	if view := turn.GetView().GetClassic(); view != nil && turn.GetPhase() == pb.Phase_PHASE_BATTLE {
		return hunt(view.GetTargets(), turn, random), nil
	}
	return arena.RandomMove(turn, random), nil
}

// hunt is the example, for classic: it shoots next to a hit on a ship that is still afloat.
func hunt(targets *pb.ClassicTargets, turn *pb.Turn, random *rand.Rand) *pb.Move {
	sunk := make(map[pb.ShipClass]bool)
	for _, sinking := range targets.GetSunk() {
		sunk[sinking.GetShipClass()] = true
	}
	beside := make(map[[2]int]bool) // rows and columns
	for i, number := range targets.GetGrid().GetHits() {
		// One class a hit; none at all if this match does not name the ship that is hit.
		if classes := targets.GetHitClasses(); i < len(classes) && sunk[classes[i]] {
			continue
		}
		// A view numbers the cells 1-100; a move has row and column, 1-10.
		row, column := int(number-1)/10+1, int(number-1)%10+1
		beside[[2]int{row - 1, column}] = true
		beside[[2]int{row + 1, column}] = true
		beside[[2]int{row, column - 1}] = true
		beside[[2]int{row, column + 1}] = true
	}
	var near []*pb.Move
	for _, move := range turn.GetLegalMoves().GetMoves() {
		cell := move.GetClassic().GetShot().GetCell()
		if beside[[2]int{int(cell.GetRow()), int(cell.GetColumn())}] {
			near = append(near, move)
		}
	}
	if len(near) == 0 {
		return arena.RandomMove(turn, random)
	}
	return near[random.IntN(len(near))]
}
