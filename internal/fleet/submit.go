package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// Submission is a run that is submitted.
type Submission struct {
	Server Server
	// Audit is the time without an answer after which the submitter compares the missing answers with the server's streams;
	// 0 for 5 seconds. Patience is the time without an answer for which it waits for room in a full stream; 0 for a minute.
	Audit, Patience time.Duration
}

// Submit reads a Head and Items from in and writes a Report with the answer to each item to out, in any order. It
// returns after the last one. Work that another run, or an earlier one, has submitted or answered is not repeated.
func (s *Submission) Submit(ctx context.Context, in io.Reader, out io.Writer) error {
	r := wire.NewReader(in)
	var head wire.Head
	if err := r.Read(&head); err != nil {
		return fmt.Errorf("no head of a run: %w", err)
	}
	if len(head.Options) > 0 { // a key has the options as every encoder writes them
		var b bytes.Buffer
		if err := json.Compact(&b, head.Options); err != nil {
			return fmt.Errorf("no options of a run: %w", err)
		}
		head.Options = b.Bytes()
	}
	st, err := connect(ctx, s.Server, "chiaro submitter")
	if err != nil {
		return err
	}
	defer st.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &submitter{Submission: *s, st: st, head: head, scope: scopeOf(&head), out: wire.NewWriter(out), fail: cancel,
		waiting: map[string]*waitingBatch{}, known: map[string]bool{}, noticed: map[string]bool{}, room: make(chan struct{}, 256), files: newHasher(), open: true, done: make(chan struct{})}
	if x.Audit == 0 {
		x.Audit = 5 * time.Second
	}
	if x.Patience == 0 {
		x.Patience = time.Minute
	}
	if err := x.begin(ctx); err != nil {
		return explained(s.Server.URL, err)
	}
	go x.auditAll(ctx)
	go func() {
		if err := x.readItems(ctx, r); err != nil {
			cancel(err)
		}
	}()
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// submitter is the state of a submission.
type submitter struct {
	Submission
	st     *store
	head   wire.Head
	scope  string
	files  *hasher
	packer packer
	fail   context.CancelCauseFunc
	room   chan struct{} // bounds the messages that are under way
	done   chan struct{} // is closed after the last answer

	mu      sync.Mutex
	out     *wire.Writer
	waiting map[string]*waitingBatch // by the token of the batch
	known   map[string]bool          // tokens of batches that the server has a result of
	open    bool                     // further items come
	over    bool                     // the last answer is written
	last    time.Time                // of the last answer
	count   int                      // answers
	noticed map[string]bool          // notices since the last answer
}

// waitingBatch is a batch without a result, with the places of its items in the list: several if the list has the same batch
// more than once. A run may have millions of items, so that a batch keeps a packed form of them alone once it is sent.
type waitingBatch struct {
	count  int // of the items
	places [][]int
	sent   []byte // the packed items, after the server has acknowledged the work; nil before
	lost   int    // times that the server had neither its work nor its result
}

// maxLost is the number of times that the work of a batch may be lost. Workers throw away work that they cannot read.
const maxLost = 10

// begin starts to receive results, and then asks which ones the server has, so that none is missed between.
func (x *submitter) begin(ctx context.Context) error {
	x.last = time.Now()
	info, err := x.st.results.Info(ctx)
	if err != nil {
		return err
	}
	cons, err := x.st.results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultPrefix + x.scope + ".>"},
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: info.State.LastSeq + 1})
	if err != nil {
		return err
	}
	flow, err := cons.Consume(func(m jetstream.Msg) { x.result(ctx, tokenOf(m.Subject()), m.Data()) })
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, flow.Stop)
	known, err := subjects(ctx, x.st.results, resultPrefix+x.scope+".>")
	if err != nil {
		return err
	}
	x.mu.Lock()
	for token := range known {
		x.known[token] = true
	}
	x.mu.Unlock()
	_, err = x.st.conn.Subscribe(cancelPrefix+x.scope, func(*nats.Msg) { x.fail(ErrCanceled) })
	return err
}

// ErrCanceled is the error of a run that was canceled on the server.
var ErrCanceled = errors.New("the run was canceled by chiaro fleet cancel")

// tokenOf returns the last token of a subject.
func tokenOf(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// subjects returns the last tokens of the subjects of a stream that match a filter.
func subjects(ctx context.Context, s jetstream.Stream, filter string) (map[string]bool, error) {
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		out[tokenOf(subject)] = true
	}
	return out, nil
}

// readItems makes batches of the items and sends them.
func (x *submitter) readItems(ctx context.Context, r *wire.Reader) error {
	mean := meanItems(x.head.Total)
	b, places := &batch{}, []int(nil)
	flush := func() {
		if len(b.items) > 0 {
			x.submit(ctx, b, places)
			b, places = &batch{}, nil
		}
	}
	for ctx.Err() == nil {
		var it wire.Item
		err := r.Read(&it)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		data, err := x.files.fill(&it)
		if err != nil {
			x.write(&wire.Report{Answer: &wire.Answer{Index: it.Index, Status: wire.Invalid, Log: err.Error()}})
			continue
		}
		b.add(it, itemKey(&it), data)
		places = append(places, it.Index)
		if b.ends(mean) {
			flush()
		}
	}
	flush()
	x.mu.Lock()
	x.open = false
	x.finish()
	x.mu.Unlock()
	return nil
}

// finish closes done after the last answer, which no notice follows. The caller holds the lock.
func (x *submitter) finish() {
	if !x.open && len(x.waiting) == 0 {
		x.over = true
		close(x.done)
	}
}

// submit registers a batch, and fetches its result or publishes it.
func (x *submitter) submit(ctx context.Context, b *batch, places []int) {
	token := b.key(x.scope).token()
	x.mu.Lock()
	w := x.waiting[token]
	fresh := w == nil
	if fresh {
		w = &waitingBatch{count: len(b.items)}
		x.waiting[token] = w
	}
	w.places = append(w.places, places)
	known := x.known[token]
	x.mu.Unlock()
	if !fresh {
		return
	}
	select {
	case x.room <- struct{}{}:
	case <-ctx.Done():
		return
	}
	go func() {
		defer func() { <-x.room }()
		if known && x.fetch(ctx, token) {
			return
		}
		x.publish(ctx, token, b)
	}()
}

// fetch reads the result of a batch from the server; it returns false if there is none.
func (x *submitter) fetch(ctx context.Context, token string) bool {
	for ctx.Err() == nil {
		m, err := x.st.results.GetLastMsgForSubject(ctx, resultPrefix+x.scope+"."+token)
		switch {
		case err == nil:
			x.result(ctx, token, m.Data)
			return true
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return false
		}
		pause(ctx, 200*time.Millisecond)
	}
	return true
}

// pause waits.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// publish stores the large files of a batch and then its message, until the server has both.
func (x *submitter) publish(ctx context.Context, token string, b *batch) {
	data, err := b.message(&x.head)
	if err != nil {
		x.fail(err)
		return
	}
	if limit := x.st.conn.MaxPayload(); int64(len(data)) > limit {
		x.fail(fmt.Errorf("%s: the server accepts messages of %d bytes; a batch has %d, so that max_payload must be at least 1 MB", wire.Shown(x.Server.URL), limit, len(data)))
		return
	}
	packed, err := x.packer.pack(b.items)
	if err != nil {
		x.fail(err)
		return
	}
	subject := jobPrefix + versionToken(x.head.Version) + "." + x.scope + "." + token
	began := time.Now()
	for ctx.Err() == nil {
		err := x.upload(ctx, b)
		if err == nil {
			err = x.send(ctx, subject, data)
		}
		x.mu.Lock()
		if err == nil || subjectFull(err) {
			if w := x.waiting[token]; w != nil {
				w.sent = packed
			}
			x.mu.Unlock()
			return
		}
		idle := time.Since(latest(x.last, began))
		x.mu.Unlock()
		switch why := x.refusal(err); {
		case errors.Is(err, errInput):
			x.fail(err)
			return
		case why != "" && idle > x.Patience:
			x.fail(fmt.Errorf("%s: the server stores no more work: %s", wire.Shown(x.Server.URL), why))
			return
		case why != "":
			x.notice("the server stores no more work at present: " + why)
		}
		pause(ctx, 300*time.Millisecond)
	}
}

// refusal returns why a server that is connected does not store a message; "" if the connection is lost.
func (x *submitter) refusal(err error) string {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		return api.Description
	case !x.st.conn.IsConnected():
		return ""
	case errors.Is(err, jetstream.ErrAsyncPublishTimeout), errors.Is(err, jetstream.ErrTooManyStalledMsgs), errors.Is(err, jetstream.ErrNoStreamResponse):
		return "it does not acknowledge messages; its disk may be full"
	}
	return ""
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// send publishes a message and waits for the acknowledgement. Many calls are under way at once.
func (x *submitter) send(ctx context.Context, subject string, data []byte) error {
	f, err := x.st.js.PublishAsync(subject, data, jetstream.WithStallWait(ackTime))
	if err != nil {
		return err
	}
	select {
	case <-f.Ok():
		return nil
	case err := <-f.Err():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// result writes the answers of a batch. A second result of a batch has no effect.
func (x *submitter) result(ctx context.Context, token string, data []byte) {
	x.mu.Lock()
	x.known[token] = true
	w := x.waiting[token]
	x.mu.Unlock()
	if w == nil {
		return
	}
	answers, err := x.readPatiently(ctx, data)
	if err == nil && len(answers) != w.count {
		err = fmt.Errorf("a result has %d answers to %d items", len(answers), w.count)
	}
	if err != nil {
		if ctx.Err() == nil {
			x.fail(fmt.Errorf("%s: result %s: %w", wire.Shown(x.Server.URL), token, err))
		}
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.waiting[token] != w {
		return
	}
	delete(x.waiting, token)
	x.last = time.Now()
	clear(x.noticed)
	for _, places := range w.places {
		for i, place := range places {
			a := answers[i]
			a.Index = place
			x.count++
			if err := x.out.Write(&wire.Report{Answer: &a}); err != nil {
				x.fail(err)
				return
			}
		}
	}
	x.finish()
}

// write writes a line, unless the last answer is written: Submit may have returned then.
func (x *submitter) write(r *wire.Report) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	if err := x.out.Write(r); err != nil {
		x.fail(err)
	}
}

// notice tells the user something, once until the next answer.
func (x *submitter) notice(text string) {
	x.mu.Lock()
	again := x.noticed[text]
	x.noticed[text] = true
	x.mu.Unlock()
	if !again {
		x.write(&wire.Report{Notice: text})
	}
}

// outcome is the message of a result.
type outcome struct {
	Answers []wire.Answer `json:"answers,omitempty"`
	Object  string        `json:"object,omitempty"` // that has the answers, if they are too large for a message
}

// readPatiently is readResult; for x.Patience it tries again after an error of the connection or of the object store.
func (x *submitter) readPatiently(ctx context.Context, data []byte) (list []wire.Answer, err error) {
	for began := time.Now(); ctx.Err() == nil; pause(ctx, 200*time.Millisecond) {
		list, err = x.st.readResult(ctx, data)
		if err == nil || errors.Is(err, errMessage) {
			return list, err
		}
		if x.st.conn.IsConnected() && time.Since(began) > x.Patience {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// readResult decodes the message of a result.
func (st *store) readResult(ctx context.Context, data []byte) ([]wire.Answer, error) {
	var o outcome
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, errMessage
	}
	if o.Object == "" {
		return o.Answers, nil
	}
	if !isHash(o.Object) {
		return nil, errMessage
	}
	text, err := st.outputs.GetBytes(ctx, o.Object)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &o.Answers); err != nil {
		return nil, errMessage
	}
	return o.Answers, nil
}
