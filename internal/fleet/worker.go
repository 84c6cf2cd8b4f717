package fleet

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// Worker answers batches with processes of its own. Any number of workers may come and go.
type Worker struct {
	Server  Server
	Command []string      // starts a process that answers: a Hello, and then an Answer for each item
	Slots   int           // processes; 0 for one a core
	Dir     string        // folder of the inputs; "" for a temporary one
	Cache   int64         // bytes of the inputs that are kept; 0 for 4 GiB
	Limits  Limits        // of a process
	AckWait time.Duration // after which the work of a dead worker is given to another one; 0 for 30 seconds
	Log     io.Writer     // nil for none

	st      *store
	version string
	brief   bool // the stream of results lets a message have an age of its own
	inputs  *inputCache
	started time.Time
	busy    atomic.Int64 // batches that processes work on
	done    atomic.Int64
	crashes atomic.Int64
	alone   sync.RWMutex // written by a batch that no other one accompanies; see enter
}

// Run works until the context is done. Work that it has begun then goes to another worker.
func (w *Worker) Run(ctx context.Context) (err error) {
	if w.Slots == 0 {
		w.Slots = runtime.GOMAXPROCS(0)
	}
	if w.AckWait == 0 {
		w.AckWait = 30 * time.Second
	}
	if w.Log == nil {
		w.Log = io.Discard
	}
	w.started = time.Now()
	if w.Dir == "" {
		if w.Dir, err = os.MkdirTemp("", "chiaro-worker-*"); err != nil {
			return err
		}
		defer os.RemoveAll(w.Dir)
	}
	if w.inputs, err = newInputCache(w.Dir, w.Cache); err != nil {
		return err
	}
	defer w.inputs.close()
	first := &process{command: w.Command, limits: w.Limits}
	if err := first.start(ctx); err != nil {
		return err
	}
	defer first.stop()
	w.version = first.version
	if w.st, err = connect(ctx, w.Server, "chiaro worker"); err != nil {
		return err
	}
	defer w.st.close()
	w.brief = w.st.results.CachedInfo().Config.AllowMsgTTL
	cons, err := w.st.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "work-" + versionToken(w.version), FilterSubject: jobPrefix + versionToken(w.version) + ".>",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.AckWait, MaxDeliver: -1, MaxAckPending: 1 << 17, InactiveThreshold: kept})
	if err != nil {
		return explained(w.Server.URL, err)
	}
	if _, err := w.st.conn.Subscribe(pingSubject, w.pong); err != nil {
		return err
	}
	var slots sync.WaitGroup
	failed := make([]error, w.Slots)
	for i := range w.Slots {
		p := first
		if i > 0 {
			p = &process{command: w.Command, limits: w.Limits}
		}
		slots.Go(func() {
			defer p.stop()
			w.work(ctx, cons, p)
			failed[i] = p.failed
		})
	}
	slots.Wait()
	return errors.Join(failed...)
}

// work answers batches with one process, as long as it can be started.
func (w *Worker) work(ctx context.Context, cons jetstream.Consumer, p *process) {
	for ctx.Err() == nil && p.failed == nil {
		wait, stop := context.WithTimeout(ctx, 5*time.Second)
		msg, err := cons.Next(jetstream.FetchContext(wait))
		spent := wait.Err() != nil
		stop()
		if err != nil {
			if !spent { // the connection is lost
				pause(ctx, 200*time.Millisecond)
			}
			continue
		}
		w.one(ctx, msg, p)
	}
}

// one answers the batch of a message.
func (w *Worker) one(ctx context.Context, msg jetstream.Msg, p *process) {
	head, b, err := readBatch(msg.Data())
	var scope, token string
	if err == nil {
		scope = scopeOf(head)
		token = b.key(scope).token()
		if msg.Subject() != jobPrefix+versionToken(w.version)+"."+scope+"."+token || head.Version != w.version {
			err = errors.New("the subject is not of the batch")
		}
	}
	if err != nil { // no submitter waits for it: each makes the subject of the content
		plain.Fprintf(w.Log, "chiaro fleet: a message of %s is thrown away: %v\n", msg.Subject(), err)
		_ = msg.TermWithReason("no batch")
		return
	}
	subject := resultPrefix + scope + "." + token
	if _, err := w.st.results.GetLastMsgForSubject(ctx, subject); err == nil {
		_ = msg.Ack()
		return
	}
	stop := w.extend(ctx, msg)
	defer stop()
	release, err := w.fetchInputs(ctx, b)
	defer release()
	if errors.Is(err, jetstream.ErrObjectNotFound) { // a submitter that waits stores it again with the work
		plain.Fprintf(w.Log, "chiaro fleet: an input of %s is not on the server: the work is thrown away\n", subject)
		_ = msg.TermWithReason("an input is missing")
		return
	}
	if errors.Is(err, errUnfit) && w.publish(ctx, subject, unfit(b, err)) {
		_ = msg.Ack()
		return
	}
	if err != nil {
		plain.Fprintf(w.Log, "chiaro fleet: an input of %s cannot be read: %v\n", subject, err)
		_ = msg.NakWithDelay(time.Second)
		return
	}
	w.busy.Add(1)
	defer w.busy.Add(-1)
	var n *note
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered > 1 {
		n = w.openNote(ctx, token, len(b.items))
	}
	defer w.enter(n)()
	answers, ok := w.answer(ctx, head, b, p, n)
	if !ok || !w.publish(ctx, subject, answers) {
		_ = msg.Nak()
		return
	}
	_ = msg.Ack() // if it is lost, the next worker finds the result
}

// enter waits until a batch may begin, and returns the function for its end. A batch with an item that a worker has begun, and that ended
// it perhaps, has no company: otherwise the batches of other slots, which end with the worker, would have as many starts as the one that
// ends it. The batch ends when its result is stored.
func (w *Worker) enter(n *note) (leave func()) {
	if n.suspect() {
		w.alone.Lock()
		return w.alone.Unlock
	}
	w.alone.RLock()
	return w.alone.RUnlock
}

// extend extends the deadline of a message until stop is called.
func (w *Worker) extend(ctx context.Context, msg jetstream.Msg) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	go func() {
		for pause(ctx, w.AckWait/3); ctx.Err() == nil; pause(ctx, w.AckWait/3) {
			_ = msg.InProgress()
		}
	}()
	return stop
}

// answer answers the items of a batch; it returns false if the worker ends before. A batch that a worker gave up before
// has a note.
func (w *Worker) answer(ctx context.Context, head *wire.Head, b *batch, p *process, n *note) ([]wire.Answer, bool) {
	answers := make([]wire.Answer, 0, len(b.items))
	for i := range b.items {
		it := b.items[i]
		it.Files = append([]wire.File(nil), it.Files...)
		for k := range it.Files {
			it.Files[k].Path = w.inputs.path(it.Files[k].Hash)
		}
		a := wire.Answer{Index: i, Status: wire.Crash, Brief: true, Log: fmt.Sprintf("%d workers ended while they worked on it", maxTries)}
		if n.begin(ctx, i) {
			a = p.answer(ctx, head, &it)
			if ctx.Err() != nil || p.failed != nil {
				n.giveUp(i)
				return nil, false
			}
			n.answered(i)
		}
		if a.Status == wire.Crash {
			w.crashes.Add(1)
		}
		a.Index = i
		answers = append(answers, a)
		w.done.Add(1)
	}
	return answers, true
}

// publish stores the result of a batch. Another result that is there already stays, since it answers the same.
func (w *Worker) publish(ctx context.Context, subject string, answers []wire.Answer) bool {
	text, err := json.Marshal(answers)
	if err != nil {
		return false
	}
	data, err := json.Marshal(&outcome{Answers: answers})
	if err != nil {
		return false
	}
	sum := hashOf("output", string(text))
	var keep []jetstream.PublishOpt
	if w.brief && slices.ContainsFunc(answers, func(a wire.Answer) bool { return a.Brief }) {
		keep = append(keep, jetstream.WithMsgTTL(keptBriefly))
	}
	large := int64(len(data)) > w.st.conn.MaxPayload()/2
	for ; ctx.Err() == nil; pause(ctx, 500*time.Millisecond) {
		if large {
			name := hex.EncodeToString(sum[:])
			if _, err = w.st.outputs.PutBytes(ctx, name, text); err != nil {
				plain.Fprintf(w.Log, "chiaro fleet: a result cannot be stored: %v\n", err)
				continue
			}
			data = []byte(fmt.Sprintf(`{"object":%q}`, name))
		}
		_, err = w.st.js.Publish(ctx, subject, data, keep...)
		if err == nil || subjectFull(err) {
			return true
		}
		plain.Fprintf(w.Log, "chiaro fleet: a result cannot be stored: %v\n", err)
	}
	return false
}

// Presence is a worker's answer to a ping.
type Presence struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Slots   int    `json:"slots"`
	Busy    int64  `json:"busy"`
	Done    int64  `json:"done"`    // items
	Crashes int64  `json:"crashes"` // of them
	Seconds int64  `json:"seconds"` // since its start
}

// pong answers a ping.
func (w *Worker) pong(m *nats.Msg) {
	host, _ := os.Hostname()
	data, err := json.Marshal(&Presence{Name: fmt.Sprintf("%s/%d", host, os.Getpid()), Version: w.version, Slots: w.Slots, Busy: w.busy.Load(),
		Done: w.done.Load(), Crashes: w.crashes.Load(), Seconds: int64(time.Since(w.started).Seconds())})
	if err == nil {
		_ = m.Respond(data)
	}
}
