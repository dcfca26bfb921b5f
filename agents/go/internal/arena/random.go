package arena

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"

	"google.golang.org/protobuf/proto"

	"example.com/broadside-bot/internal/pb"
)

// RandomMove is any legal move: one of a list, or in the salvo variants so many cells of a list.
func RandomMove(turn *pb.Turn, random *rand.Rand) *pb.Move {
	legal := turn.GetLegalMoves()
	if choice := legal.GetSalvo(); choice != nil {
		return salvo(turn.GetView(), randomCells(choice, random))
	}
	if moves := legal.GetMoves(); len(moves) > 0 {
		return moves[random.IntN(len(moves))]
	}
	return &pb.Move{}
}

func randomCells(choice *pb.SalvoChoice, random *rand.Rand) *pb.Salvo {
	order := random.Perm(len(choice.GetCells()))
	salvo := &pb.Salvo{}
	for _, i := range order[:min(len(order), int(choice.GetSize()))] {
		salvo.Cells = append(salvo.Cells, choice.GetCells()[i])
	}
	return salvo
}

// salvo makes the move of the variant whose view is set.
func salvo(view *pb.View, salvo *pb.Salvo) *pb.Move {
	switch view.GetVariant().(type) {
	case *pb.View_Salvo:
		move := &pb.SalvoMove{Move: &pb.SalvoMove_Salvo{Salvo: salvo}}
		return &pb.Move{Variant: &pb.Move_Salvo{Salvo: move}}
	case *pb.View_AdvancedSalvo:
		move := &pb.AdvancedSalvoMove{Move: &pb.AdvancedSalvoMove_Salvo{Salvo: salvo}}
		return &pb.Move{Variant: &pb.Move_AdvancedSalvo{AdvancedSalvo: move}}
	default:
		return &pb.Move{}
	}
}

// randomFor gives a turn randomness of its own, made of the seed and of what the turn shows: the same turn is decided in the
// same way, whatever other matches go on beside it.
func randomFor(turn *pb.Turn, seed uint64) *rand.Rand {
	hash := fnv.New64a()
	for _, number := range []uint32{turn.GetTurnId(), uint32(turn.GetSeat()), turn.GetRefusalsLeft()} {
		_ = binary.Write(hash, binary.BigEndian, number) // a hash takes everything
	}
	if view, err := (proto.MarshalOptions{Deterministic: true}).Marshal(turn.GetView()); err == nil {
		hash.Write(view)
	}
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}
