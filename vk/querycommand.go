package vk

import (
	mathbits "math/bits"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// QueryControl is how a query counts (VkQueryControlFlagBits).
type QueryControl uint32

// QueryPrecise counts samples exactly. Chiaro always does.
const QueryPrecise QueryControl = 1

// ResetQueries makes queries unavailable.
func (c *CommandBuffer) ResetQueries(q *QueryPool, first, n int) {
	c.query(resetQueries, q, first, n, "VUID-vkCmdResetQueryPool-firstQuery-09436")
}

// WriteTimestamp writes the time at which the commands before it are finished. In a rendering with views it writes a query
// for each view.
func (c *CommandBuffer) WriteTimestamp(q *QueryPool, i int) {
	if c.begin() && !c.outsideTiles("VUID-vkCmdWriteTimestamp-None-10640") || !c.query(writeTimestamp, q, i, 1, "VUID-vkCmdWriteTimestamp-query-04904") {
		return
	}
	if n := c.scope.views(); !q.has(i, n) {
		c.fail(usage("VUID-vkCmdWriteTimestamp-query-00831", "timestamps of %d views are written from query %d on; the pool has %d", n, i, len(q.ready)))
	}
	if q.info.Type != Timestamps {
		c.fail(usage("VUID-vkCmdWriteTimestamp-queryPool-01416", "a timestamp is written to %v; must be of the type Timestamps", &q.object))
	}
}

// BeginQuery begins a query that is not of the type Timestamps. A query that begins in a rendering ends in the same one. In
// a rendering with views it uses a query for each view.
func (c *CommandBuffer) BeginQuery(q *QueryPool, i int, control QueryControl) {
	c.BeginQueryIndexed(q, i, control, 0)
}

// BeginQueryIndexed begins a query of a vertex stream: of the types TransformFeedbackStream and PrimitivesGenerated.
func (c *CommandBuffer) BeginQueryIndexed(q *QueryPool, i int, control QueryControl, stream uint32) {
	if c.begin() && !c.outsideTiles("VUID-vkCmdBeginQuery-None-10681") || !c.query(beginQuery, q, i, 1, "VUID-vkCmdBeginQuery-query-00802") {
		return
	}
	streams := q.info.Type == TransformFeedbackStream || q.info.Type == PrimitivesGenerated
	switch n := c.scope.views(); {
	case !q.has(i, n):
		c.fail(usage("VUID-vkCmdBeginQuery-query-00808", "queries of %d views begin from query %d on; the pool has %d", n, i, len(q.ready)))
	case q.info.Type == Timestamps:
		c.fail(usage("VUID-vkCmdBeginQuery-queryType-02804", "a query of timestamps begins; must be of another type"))
	case q.info.Type == CompactedSize || q.info.Type == SerializationSize:
		c.fail(usage("VUID-vkCmdBeginQuery-queryType-04728", "a query of a property of acceleration structures begins; must be of another type"))
	case q.info.Type == SerializationPointers || q.info.Type == StructureSize:
		c.fail(usage("VUID-vkCmdBeginQuery-queryType-06741", "a query of a property of acceleration structures begins; must be of another type"))
	case q.info.Type >= MicromapCompactedSize:
		c.fail(usage("", "a query of a property of micromaps begins; must be of another type"))
	case control > QueryPrecise, control == QueryPrecise && q.info.Type != Occlusion:
		c.fail(usage("VUID-vkCmdBeginQuery-queryType-00800", "a query that is not of the type Occlusion is precise; must be of the type"))
	case stream >= state.MaxStreams, stream > 0 && !streams:
		c.fail(usage("VUID-vkCmdBeginQueryIndexedEXT-queryType-06692", "a query of index %d begins; must be a stream below %d of a type that has streams, or 0", stream, state.MaxStreams))
	}
	k := &c.commands[len(c.commands)-1]
	k.x[2], k.x[3] = uint64(stream), uint64(control)
}

// EndQuery ends a query.
func (c *CommandBuffer) EndQuery(q *QueryPool, i int) {
	if c.begin() && !c.outsideTiles("VUID-vkCmdEndQuery-None-10682") {
		return
	}
	c.query(endQuery, q, i, 1, "VUID-vkCmdEndQuery-query-00810")
}

// EndQueryIndexed ends a query of a vertex stream.
func (c *CommandBuffer) EndQueryIndexed(q *QueryPool, i int, stream uint32) {
	if c.begin() && !c.outsideTiles("VUID-vkCmdEndQueryIndexedEXT-None-10682") {
		return
	}
	if c.query(endQuery, q, i, 1, "VUID-vkCmdEndQueryIndexedEXT-query-02343") && stream >= state.MaxStreams {
		c.fail(usage("VUID-vkCmdEndQueryIndexedEXT-queryType-06696", "a query of index %d ends; must be below %d", stream, state.MaxStreams))
	}
}

// query records a command for n queries from first on.
func (c *CommandBuffer) query(kind commandKind, q *QueryPool, first, n int, rule string) bool {
	if !c.begin() {
		return false
	}
	if err := check(c.dev, "the query pool", q); err != nil {
		c.fail(err)
		return false
	}
	if !q.has(first, n) {
		c.fail(usage(rule, "%d queries from %d on are used; the pool has %d", n, first, len(q.ready)))
		return false
	}
	c.refer(&q.object)
	c.commands = append(c.commands, command{kind: kind, a: q, x: [4]uint64{uint64(first), uint64(n)}})
	return true
}

// CopyQueries writes n results from first on to a buffer, a query each stride bytes; see [QueryPool.Results]. Commands run
// in order: a query that is not available then was not used before, and QueryWait does not wait for it.
func (c *CommandBuffer) CopyQueries(q *QueryPool, first, n int, b *Buffer, offset, stride uint64, flags QueryFlags) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the query pool", q); err != nil {
		c.fail(err)
		return
	}
	size, err := q.size(first, n, stride, flags, "VUID-vkCmdCopyQueryPoolResults-firstQuery-09436")
	if err == nil && (n == 0 || offset%4 != 0 || flags&Query64 != 0 && offset%8 != 0) {
		err = usage("VUID-vkCmdCopyQueryPoolResults-flags-00822", "%d queries are copied to offset %d; must be at least 1, to a multiple of the size of a value", n, offset)
	}
	if err != nil {
		c.fail(err)
		return
	}
	if !c.transfer(b, offset, size, TransferTarget, "VUID-vkCmdCopyQueryPoolResults-dstBuffer-00824") {
		return
	}
	c.refer(&q.object)
	c.commands = append(c.commands, command{kind: copyQueries, a: q, b: b, x: [4]uint64{uint64(first) | uint64(n)<<32, offset, stride, uint64(flags)}})
}

// copyQueries runs CopyQueries.
func (k *command) copyQueries() {
	q, b := k.a.(*QueryPool), k.b.(*Buffer)
	first, n, flags := int(uint32(k.x[0])), int(k.x[0]>>32), QueryFlags(k.x[3])
	size, err := q.size(first, n, k.x[2], flags, "")
	if err != nil {
		return
	}
	if to, ok := b.part(k.x[1], size); ok {
		q.mu.Lock()
		q.write(to, first, n, k.x[2], flags)
		q.mu.Unlock()
	}
}

// activeQuery is a query between its begin and its end.
type activeQuery struct {
	pool          *QueryPool
	number, views int
	control       QueryControl
	stream        uint64
	parts         []*counts // of the draws and dispatches so far
}

// views returns the queries that one command uses: as many as the current rendering has views.
func (g *graphics) views() int {
	if g.current == nil {
		return 1
	}
	return max(mathbits.OnesCount32(g.current.info.ViewMask), 1)
}

// queryCommand runs the begin or the end of a query, or a timestamp.
func (x *executor) queryCommand(k *command) error {
	g, q, number := &x.graphics, k.a.(*QueryPool), int(k.x[0])
	switch k.kind {
	case writeTimestamp:
		if g.current != nil { // the draws before it run first
			if err := x.flush(); err != nil {
				return err
			}
		}
		q.put(number, g.views(), x.dev.Now())
	case beginQuery:
		g.queries = append(g.queries, &activeQuery{pool: q, number: number, views: g.views(), stream: k.x[2], control: QueryControl(k.x[3])})
		g.split()
	case endQuery:
		for i, a := range g.queries {
			if a.pool == q && a.number == number {
				g.queries = append(g.queries[:i], g.queries[i+1:]...)
				g.split()
				if g.ended = append(g.ended, a); g.current == nil {
					g.finish()
				}
				break
			}
		}
	}
	return nil
}

// split begins new counts for the active queries.
func (g *graphics) split() {
	if g.counts = nil; len(g.queries) == 0 {
		return
	}
	g.counts = &counts{}
	for _, a := range g.queries {
		a.parts = append(a.parts, g.counts)
	}
}

// finish makes the queries available that have ended.
func (g *graphics) finish() {
	for _, a := range g.ended {
		var sum counts
		for _, c := range a.parts {
			sum.add(c)
		}
		switch stream := &sum.streams[a.stream]; a.pool.info.Type {
		case Occlusion:
			a.pool.put(a.number, a.views, sum.passed)
		case PipelineStatistics:
			a.pool.put(a.number, a.views, sum.statistics(a.pool.info.Statistics)...)
		case TransformFeedbackStream:
			a.pool.put(a.number, a.views, stream.Written, stream.Needed)
		case MeshPrimitivesGenerated:
			a.pool.put(a.number, a.views, sum.draws.MeshPrimitives)
		case PrimitivesGenerated:
			a.pool.put(a.number, a.views, sum.draws.Generated[a.stream])
		}
	}
	clear(g.ended)
	g.ended = g.ended[:0]
}

// countStreams adds the primitives that a draw has written by transform feedback: such a draw runs at once.
func (g *graphics) countStreams(before *[state.MaxStreams]state.FeedbackCount) {
	if g.feedback == nil || g.counts == nil {
		return
	}
	for i, n := range g.feedback.Streams {
		g.counts.streams[i].Written += n.Written - before[i].Written
		g.counts.streams[i].Needed += n.Needed - before[i].Needed
	}
}

// count lets a draw count for the active queries. Counting samples and invocations costs code in the fragment program: only
// if a query needs them.
func (g *graphics) count(a *state.Args) {
	for _, q := range g.queries {
		switch q.pool.info.Type {
		case Occlusion:
			a.Passed = &g.counts.passed
		case PipelineStatistics, PrimitivesGenerated, MeshPrimitivesGenerated:
			a.Statistics = &g.counts.draws
		}
	}
}
