package arena

import (
	"context"
	"sync"

	"example.com/broadside-bot/internal/pb"
)

// turnKey is a turn as its answer names it.
type turnKey struct {
	match uint64
	turn  uint32
}

// thought is a turn that is being decided.
type thought struct {
	deliver func(*pb.Move)
	forget  context.CancelFunc
}

// desk is where turns lie until they are decided, each by a goroutine of its own. It outlives the streams: what was being
// thought about when one broke is answered on the next.
type desk struct {
	decide func(context.Context, *pb.Turn) *pb.Move

	mu       sync.Mutex
	thoughts map[turnKey]*thought
}

func newDesk(decide func(context.Context, *pb.Turn) *pb.Move) *desk {
	return &desk{decide: decide, thoughts: make(map[turnKey]*thought)}
}

// take decides a turn and delivers the move. If the turn is being thought about already, it is not thought about again: the
// move goes to whoever brought the turn last.
func (d *desk) take(ctx context.Context, turn *pb.Turn, deliver func(*pb.Move)) {
	key := turnKey{turn.GetMatchId(), turn.GetTurnId()}
	d.mu.Lock()
	defer d.mu.Unlock()
	if pending := d.thoughts[key]; pending != nil {
		pending.deliver = deliver
		return
	}
	ctx, forget := context.WithCancel(ctx)
	pending := &thought{deliver: deliver, forget: forget}
	d.thoughts[key] = pending
	go func() {
		defer forget()
		move := d.decide(ctx, turn)
		if deliver := d.done(key, pending); deliver != nil {
			deliver(move)
		}
	}()
}

// done takes a thought off the desk before its move is sent, so that the turn is new if the arena refuses the move. Nil
// if the match has ended meanwhile.
func (d *desk) done(key turnKey, decided *thought) func(*pb.Move) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.thoughts[key] != decided {
		return nil
	}
	delete(d.thoughts, key)
	return decided.deliver
}

// matchOver forgets the turns of a match.
func (d *desk) matchOver(match uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, pending := range d.thoughts {
		if key.match == match {
			pending.forget()
			delete(d.thoughts, key)
		}
	}
}
