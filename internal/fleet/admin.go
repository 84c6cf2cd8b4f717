package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ping returns the workers that answer in a time.
func (st *store) ping(ctx context.Context, most time.Duration) (list []Presence, err error) {
	inbox := st.conn.NewInbox()
	sub, err := st.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := st.conn.PublishRequest(pingSubject, inbox, nil); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			break // the time has passed, or no worker is there
		}
		var p Presence
		if json.Unmarshal(m.Data, &p) == nil {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b Presence) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// State is the content of a server.
type State struct {
	Workers []Presence  `json:"workers"`
	Streams []StreamUse `json:"streams"`
	Runs    []RunState  `json:"runs"`
}

// StreamUse is the use of a stream.
type StreamUse struct {
	Name     string `json:"name"`
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
	Most     int64  `json:"most"` // bytes; -1 for no limit
}

// RunState is the work of a run that is not done: its batches.
type RunState struct {
	Run     string `json:"run"`     // for Cancel
	Waiting int    `json:"waiting"` // batches that are queued or that a worker has
	Done    int    `json:"done"`    // batches with a result
}

// Status returns the content of a server.
func Status(ctx context.Context, s Server) (*State, error) {
	st, err := connect(ctx, s, "chiaro status")
	if err != nil {
		return nil, err
	}
	defer st.close()
	out := &State{}
	if out.Workers, err = st.ping(ctx, 500*time.Millisecond); err != nil {
		return nil, err
	}
	for _, name := range []string{jobsStream, resultsStream, "OBJ_" + inputsBucket, "OBJ_" + outputsBucket} {
		stream, err := st.js.Stream(ctx, name)
		if err != nil {
			return nil, explained(s.URL, err)
		}
		i := stream.CachedInfo()
		out.Streams = append(out.Streams, StreamUse{name, i.State.Msgs, i.State.Bytes, i.Config.MaxBytes})
	}
	out.Runs, err = st.runs(ctx)
	return out, err
}

// runs returns the runs with work that is not done.
func (st *store) runs(ctx context.Context) (list []RunState, err error) {
	count := map[string]*RunState{}
	info, err := st.jobs.Info(ctx, jetstream.WithSubjectFilter(jobPrefix+">"))
	if err != nil {
		return nil, err
	}
	for subject := range info.State.Subjects {
		parts := strings.Split(strings.TrimPrefix(subject, jobPrefix), ".")
		if len(parts) != 3 {
			continue
		}
		if count[parts[1]] == nil {
			count[parts[1]] = &RunState{Run: parts[1]}
		}
		count[parts[1]].Waiting++
	}
	for run, r := range count {
		done, err := subjects(ctx, st.results, resultPrefix+run+".>")
		if err != nil {
			return nil, err
		}
		r.Done = len(done)
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b RunState) int { return strings.Compare(a.Run, b.Run) })
	return list, nil
}

// Cancel removes the work of a run, or of all runs for "all", and ends the submitters that wait for it. Its results stay.
func Cancel(ctx context.Context, s Server, run string) (batches int, err error) {
	st, err := connect(ctx, s, "chiaro cancel")
	if err != nil {
		return 0, err
	}
	defer st.close()
	list, err := st.runs(ctx)
	if err != nil {
		return 0, err
	}
	found := false
	for _, r := range list {
		if run != "all" && run != r.Run {
			continue
		}
		found = true
		if err := st.conn.Publish(cancelPrefix+r.Run, nil); err != nil {
			return batches, err
		}
		if err := st.jobs.Purge(ctx, jetstream.WithPurgeSubject(jobPrefix+"*."+r.Run+".>")); err != nil {
			return batches, explained(s.URL, err)
		}
		batches += r.Waiting
	}
	if !found && run != "all" {
		return 0, fmt.Errorf("%s: no such run has work; chiaro fleet status lists the runs", run)
	}
	return batches, st.conn.FlushTimeout(10 * time.Second)
}

// Prune removes results and files that are older than an age, except the files that waiting work needs.
func Prune(ctx context.Context, s Server, age time.Duration) (results uint64, files int, err error) {
	st, err := connect(ctx, s, "chiaro prune")
	if err != nil {
		return 0, 0, err
	}
	defer st.close()
	info, err := st.jobs.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	before := info.TimeStamp.Add(-age) // by the clock of the server, which the results have
	if results, err = st.pruneResults(ctx, before); err != nil {
		return results, 0, explained(s.URL, err)
	}
	if info, err = st.jobs.Info(ctx); err != nil {
		return results, 0, err
	}
	buckets := []jetstream.ObjectStore{st.outputs, st.inputs}
	if info.State.Msgs > 0 {
		buckets = buckets[:1]
	}
	for _, b := range buckets {
		list, err := b.List(ctx)
		if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
			return results, files, err
		}
		for _, o := range list {
			if o.ModTime.Before(before) {
				if err := b.Delete(ctx, o.Name); err != nil {
					return results, files, err
				}
				files++
			}
		}
	}
	return results, files, nil
}

// pruneResults removes the results before a time.
func (st *store) pruneResults(ctx context.Context, before time.Time) (uint64, error) {
	info, err := st.results.Info(ctx)
	if err != nil || info.State.Msgs == 0 {
		return 0, err
	}
	if info.State.LastTime.Before(before) {
		return info.State.Msgs, st.results.Purge(ctx)
	}
	cons, err := st.results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &before, HeadersOnly: true})
	if err != nil {
		return 0, err
	}
	m, err := cons.Next(jetstream.FetchMaxWait(10 * time.Second))
	if err != nil {
		return 0, err
	}
	meta, err := m.Metadata()
	if err != nil {
		return 0, err
	}
	if err := st.results.Purge(ctx, jetstream.WithPurgeSequence(meta.Sequence.Stream)); err != nil {
		return 0, err
	}
	after, err := st.results.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.Msgs - min(after.State.Msgs, info.State.Msgs), nil
}
