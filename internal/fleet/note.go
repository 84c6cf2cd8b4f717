package fleet

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// maxTries is the number of processes, and of workers, that an item may end before its answer is a crash.
const maxTries = 3

// note counts how often the workers have begun each item of a batch that came back, and not answered it, so that the item which ends
// workers is found. The first worker of a batch writes none: a note is a message for each item.
type note struct {
	kv     jetstream.KeyValue
	token  string
	Starts []int `json:"starts"`
}

// openNote reads the note of a batch, or begins it.
func (w *Worker) openNote(ctx context.Context, token string, items int) *note {
	n := &note{kv: w.st.notes, token: token}
	if e, err := n.kv.Get(ctx, token); err == nil {
		_ = json.Unmarshal(e.Value(), n)
	}
	if len(n.Starts) != items {
		n.Starts = make([]int, items)
	}
	return n
}

// suspect reports whether an item of the batch may have ended a worker: it was begun, and has no answer.
func (n *note) suspect() bool {
	return n != nil && slices.ContainsFunc(n.Starts, func(starts int) bool { return starts > 0 })
}

// begin counts the start of an item; it returns false if the item has ended too many workers.
func (n *note) begin(ctx context.Context, i int) bool {
	if n == nil {
		return true
	}
	if n.Starts[i] >= maxTries {
		return false
	}
	n.Starts[i]++
	n.save(ctx)
	return true
}

// answered takes back the start of an item that ended no worker. The next item that begins saves it.
func (n *note) answered(i int) {
	if n != nil {
		n.Starts[i]--
	}
}

// giveUp takes back a start that the end of the worker interrupts.
func (n *note) giveUp(i int) {
	if n == nil {
		return
	}
	n.answered(i)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n.save(ctx)
}

func (n *note) save(ctx context.Context) {
	if data, err := json.Marshal(n); err == nil {
		_, _ = n.kv.Put(ctx, n.token, data) // a lost note costs one more try
	}
}
