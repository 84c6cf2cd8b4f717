package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// auditAll audits the run whenever no answer has come for a while. Answers come by subscription, which is fast, but the
// audit alone decides that none is lost: by a server that restarts without its last messages, or by a missed message.
func (x *submitter) auditAll(ctx context.Context) {
	at := time.Now()
	for pause(ctx, x.Audit/5); ctx.Err() == nil; pause(ctx, x.Audit/5) {
		x.mu.Lock()
		quiet := time.Since(latest(x.last, at))
		x.mu.Unlock()
		if quiet < x.Audit {
			continue
		}
		at = time.Now()
		x.write(&wire.Report{}) // it fails if chiaro was killed, which ends the submitter
		if !x.st.conn.IsConnected() {
			x.notice("the connection to the server is lost; the run goes on when it is back")
			continue
		}
		x.audit(ctx)
	}
}

// audit fetches results that the server has, and publishes the batches again of which it has neither work nor result.
// It lists the sent batches, then the work, then the results: a batch leaves the work after its result is stored.
func (x *submitter) audit(ctx context.Context) {
	limit, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	x.mu.Lock()
	waiting := maps.Clone(x.waiting)
	maps.DeleteFunc(waiting, func(_ string, w *waitingBatch) bool { return w.sent == nil })
	x.mu.Unlock()
	jobs, err := subjects(limit, x.st.jobs, jobPrefix+versionToken(x.head.Version)+"."+x.scope+".>")
	if err != nil {
		return
	}
	results, err := subjects(limit, x.st.results, resultPrefix+x.scope+".>")
	if err != nil {
		return
	}
	for token, w := range waiting {
		switch {
		case ctx.Err() != nil:
			return
		case results[token]:
			x.fetch(ctx, token)
		case !jobs[token]:
			b, err := x.unpack(w.sent, token)
			if err != nil {
				x.fail(err)
				return
			}
			if w.lost++; w.lost > maxLost {
				x.fail(fmt.Errorf("%s: work was lost %d times: batch %s of %s; the logs of the workers say why", wire.Shown(x.Server.URL), maxLost, token, b.items[0].Name))
				return
			}
			x.files.forget(b)
			x.publish(ctx, token, b)
		}
	}
	if i := x.st.results.CachedInfo(); full(i) {
		x.notice("the stream of results is full; the run waits for room: chiaro fleet prune")
		return
	}
	x.explainWait(limit)
}

// full reports whether a stream has no room for a message of the largest size.
func full(i *jetstream.StreamInfo) bool {
	const largest = 1 << 20
	c, s := &i.Config, &i.State
	return c.MaxMsgs > 0 && s.Msgs >= uint64(c.MaxMsgs) || c.MaxBytes > 0 && s.Bytes+largest > uint64(c.MaxBytes)
}

// explainWait tells the user why nothing happens, if no worker can do the work.
func (x *submitter) explainWait(ctx context.Context) {
	list, err := x.st.ping(ctx, 500*time.Millisecond)
	if err != nil {
		return
	}
	others := map[string]bool{}
	for _, w := range list {
		if w.Version == x.head.Version {
			return
		}
		others[w.Version] = true
	}
	if len(list) == 0 {
		x.notice("no worker is connected; the run waits for one: chiaro fleet work")
		return
	}
	x.notice(fmt.Sprintf("version: all %d workers have %s; the run waits for one that has %s", len(list),
		strings.Join(slices.Sorted(maps.Keys(others)), ", "), x.head.Version))
}
