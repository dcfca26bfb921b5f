package arena

import (
	"context"
	"slices"
	"sync"

	"example.com/broadside-bot/internal/pb"
)

// place is where the turns of one seat lie: there is one at a time.
type place struct {
	match uint64
	seat  pb.Seat
}

// thought is a turn that is being decided, or was.
type thought struct {
	turn, refusalsLeft uint32
	deliver            func(*pb.Move)
	move               *pb.Move // nil until it is decided
	forget             context.CancelFunc
}

// isOf says whether the turn is the one that is thought about. After a refusal it has the same id, but fewer refusals left.
func (t *thought) isOf(turn *pb.Turn) bool {
	return t.turn == turn.GetTurnId() && t.refusalsLeft == turn.GetRefusalsLeft()
}

// desk is where turns lie, each decided by a goroutine of its own, until the next one of the seat comes or the match is over.
// It outlives the streams: what was thought about when one broke is answered on the next.
type desk struct {
	decide func(context.Context, *pb.Turn) *pb.Move

	mu       sync.Mutex
	thoughts map[place]*thought
}

func newDesk(decide func(context.Context, *pb.Turn) *pb.Move) *desk {
	return &desk{decide: decide, thoughts: make(map[place]*thought)}
}

// take decides a turn and delivers the move. If the same turn was brought before, it is not thought about again: the move
// goes to whoever brought the turn last, at once if it is decided, since the answer may have been lost.
func (d *desk) take(ctx context.Context, turn *pb.Turn, deliver func(*pb.Move)) {
	at := place{turn.GetMatchId(), turn.GetSeat()}
	d.mu.Lock()
	defer d.mu.Unlock()
	if before := d.thoughts[at]; before != nil {
		if before.isOf(turn) {
			before.deliver = deliver
			if before.move != nil {
				go deliver(before.move)
			}
			return
		}
		before.forget()
	}
	ctx, forget := context.WithCancel(ctx)
	pending := &thought{turn: turn.GetTurnId(), refusalsLeft: turn.GetRefusalsLeft(), deliver: deliver, forget: forget}
	d.thoughts[at] = pending
	go func() {
		defer forget()
		move := d.decide(ctx, turn)
		if deliver := d.decided(at, pending, move); deliver != nil {
			deliver(move)
		}
	}()
}

// decided keeps the move, and says to whom it goes; nil if nobody waits for it any more.
func (d *desk) decided(at place, pending *thought, move *pb.Move) func(*pb.Move) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.thoughts[at] != pending {
		return nil
	}
	pending.move = move
	return pending.deliver
}

// matchOver forgets the turns of a match.
func (d *desk) matchOver(match uint64) {
	d.forget(func(of uint64) bool { return of == match })
}

// keepOnly forgets the turns of all other matches.
func (d *desk) keepOnly(running []uint64) {
	d.forget(func(of uint64) bool { return !slices.Contains(running, of) })
}

func (d *desk) forget(isOver func(match uint64) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for at, pending := range d.thoughts {
		if isOver(at.match) {
			pending.forget()
			delete(d.thoughts, at)
		}
	}
}
