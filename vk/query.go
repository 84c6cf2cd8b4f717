package vk

import (
	"context"
	"encoding/binary"
	"errors"
	mathbits "math/bits"
	"sync"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// QueryType is the kind of the queries of a pool (VkQueryType).
type QueryType uint8

// The kinds.
const (
	Timestamps              QueryType = iota // in nanoseconds: timestampPeriod is 1
	Occlusion                                // samples that pass all tests, exactly
	PipelineStatistics                       // the Statistics of the pool
	TransformFeedbackStream                  // primitives written, and primitives that need space
	PrimitivesGenerated                      // of a stream, with transform feedback or without it
	MeshPrimitivesGenerated                  // emitted by mesh shaders

	// Properties of acceleration structures, in bytes but for the pointers; see WriteAccelerationStructureProperties.
	CompactedSize         // of a copy that is compact
	SerializationSize     // in memory
	SerializationPointers // bottom levels that a serialized top level refers to
	StructureSize         // of a copy

	// Properties of micromaps, in bytes; see WriteMicromapProperties.
	MicromapCompactedSize
	MicromapSerializationSize
)

// Statistics is a set of pipeline statistics (VkQueryPipelineStatisticFlagBits).
type Statistics uint32

// The statistics. A query has one value for each, in this order.
const (
	InputVertices Statistics = 1 << iota
	InputPrimitives
	VertexInvocations
	GeometryInvocations
	GeometryPrimitives
	ClippingInvocations
	ClippingPrimitives
	FragmentInvocations
	ControlPatches
	EvaluationInvocations
	ComputeInvocations
	TaskInvocations
	MeshInvocations
	ClusterInvocations

	allStatistics = 1<<iota - 1
)

// QueryFlags is a set of ways to read queries (VkQueryResultFlagBits).
type QueryFlags uint32

// The ways. Without QueryWithAvailability and QueryPartial, the memory of a query that is not available is unchanged.
const (
	Query64               QueryFlags = 1 << iota // values of 64 bits instead of 32
	QueryWait                                    // wait until all queries are available
	QueryWithAvailability                        // after the values, 1 if the query is available, else 0
	QueryPartial                                 // a query that is not available has a value between 0 and its final one

	allQueryFlags = 1<<iota - 1
)

// ErrNotReady is the error of [QueryPool.Results] if a query is not available (VK_NOT_READY).
var ErrNotReady = errors.New("a query is not available")

// QueryPoolInfo describes a query pool.
type QueryPoolInfo struct {
	Type       QueryType
	Count      int
	Statistics Statistics // of the type PipelineStatistics
}

// QueryPool holds queries.
type QueryPool struct {
	object
	info  QueryPoolInfo
	width int // values of a query

	mu    sync.Mutex
	value []uint64 // width values for each query
	ready []bool
	wake  chan struct{} // closed when a query becomes available; nil if no goroutine waits
}

// maxQueries bounds a pool.
const maxQueries = 1 << 20

// NewQueryPool makes a pool of queries, which are not available.
func (d *Device) NewQueryPool(info QueryPoolInfo) (*QueryPool, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	q := &QueryPool{info: info, width: 1}
	switch {
	case info.Count <= 0 || info.Count > maxQueries:
		return nil, usage("VUID-VkQueryPoolCreateInfo-queryCount-02763", "the pool has %d queries; must have 1 to %d", info.Count, maxQueries)
	case info.Type > MicromapSerializationSize:
		return nil, &UnsupportedError{Feature: "queries of the type " + uintText(uint64(info.Type))}
	case info.Type == MeshPrimitivesGenerated && d.checking > None && d.without("meshShaderQueries"):
		return nil, usage("VUID-VkQueryPoolCreateInfo-meshShaderQueries-07068", "the pool counts primitives of mesh shaders without the feature meshShaderQueries; must have it")
	case info.Statistics&(TaskInvocations|MeshInvocations) != 0 && d.checking > None && d.without("meshShaderQueries"):
		return nil, usage("VUID-VkQueryPoolCreateInfo-meshShaderQueries-07069", "the pool counts invocations of mesh shaders without the feature meshShaderQueries; must have it")
	case info.Type == TransformFeedbackStream:
		q.width = 2
	case info.Type != PipelineStatistics:
	case info.Statistics == 0:
		return nil, usage("VUID-VkQueryPoolCreateInfo-queryType-09534", "the pool has no pipeline statistics; must have some")
	case info.Statistics > allStatistics:
		return nil, &UnsupportedError{Feature: "a pipeline statistic that is none of Vulkan's"}
	default:
		q.width = mathbits.OnesCount32(uint32(info.Statistics))
	}
	q.value, q.ready = make([]uint64, info.Count*q.width), make([]bool, info.Count)
	d.adopt(&q.object, "query pool", nil)
	return q, nil
}

// Result returns the first value of a query; ok is false if it is not available yet.
func (q *QueryPool) Result(i int) (value uint64, ok bool) {
	if q == nil || i < 0 || i >= len(q.ready) {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.value[i*q.width], q.ready[i]
}

// has reports whether the pool has n queries from first on.
func (q *QueryPool) has(first, n int) bool {
	return first >= 0 && n >= 0 && first <= len(q.ready) && n <= len(q.ready)-first
}

// Results writes the values of n queries from first on to out, a query each stride bytes (vkGetQueryPoolResults). With
// QueryWait it waits until all of them are available, or until ctx or the device ends; else it returns ErrNotReady if one
// is not.
func (q *QueryPool) Results(ctx context.Context, first, n int, out []byte, stride uint64, flags QueryFlags) error {
	if err := check(nil, "the query pool", q); err != nil {
		return err
	}
	if ctx == nil {
		return errNoContext
	}
	if n == 0 {
		return usage("", "no query is read; must be at least 1")
	}
	size, err := q.size(first, n, stride, flags, "VUID-vkGetQueryPoolResults-firstQuery-09436")
	if err != nil {
		return err
	}
	if size > uint64(len(out)) {
		return usage("VUID-vkGetQueryPoolResults-dataSize-00817", "the memory has %d bytes; must have %d", len(out), size)
	}
	for {
		q.mu.Lock()
		ready := q.write(out, first, n, stride, flags)
		if ready || flags&QueryWait == 0 {
			q.mu.Unlock()
			if !ready {
				return ErrNotReady
			}
			return nil
		}
		if q.wake == nil {
			q.wake = make(chan struct{})
		}
		wake := q.wake
		q.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return waitError(ctx)
		case <-q.dev.lost:
			return q.dev.Err()
		}
	}
}

// size returns the bytes that the results of n queries need.
func (q *QueryPool) size(first, n int, stride uint64, flags QueryFlags, rule string) (uint64, error) {
	unit, values := uint64(4), uint64(q.width)
	if flags&Query64 != 0 {
		unit = 8
	}
	if flags&QueryWithAvailability != 0 {
		values++
	}
	switch {
	case !q.has(first, n):
		return 0, usage(rule, "%d queries from %d on are read; the pool has %d", n, first, len(q.ready))
	case flags > allQueryFlags:
		return 0, &UnsupportedError{Feature: "a flag of query results that is none of Vulkan's"}
	case flags&QueryPartial != 0 && q.info.Type == Timestamps:
		return 0, usage("VUID-vkGetQueryPoolResults-queryType-09439", "partial results of timestamps are read; must be of another type")
	case n > 1 && (stride%unit != 0 || stride < unit*values || stride > 1<<40):
		return 0, usage("VUID-vkGetQueryPoolResults-stride-08993", "the stride is %d bytes; must be a multiple of %d, from %d on", stride, unit, unit*values)
	}
	return uint64(max(n, 1)-1)*stride + unit*values, nil
}

// write writes results to memory and reports whether all are available. The caller holds the lock. Values beyond 32 bits
// wrap in 32 bits.
func (q *QueryPool) write(out []byte, first, n int, stride uint64, flags QueryFlags) bool {
	all := true
	for i := range n {
		at := out[uint64(i)*stride:]
		put := func(v uint64) {
			if flags&Query64 != 0 {
				binary.LittleEndian.PutUint64(at, v)
				at = at[8:]
				return
			}
			binary.LittleEndian.PutUint32(at, uint32(v))
			at = at[4:]
		}
		ready := q.ready[first+i]
		all = all && ready
		for _, v := range q.value[(first+i)*q.width:][:q.width] {
			if ready || flags&QueryPartial != 0 {
				put(v)
			} else if flags&Query64 != 0 {
				at = at[8:]
			} else {
				at = at[4:]
			}
		}
		if flags&QueryWithAvailability != 0 {
			put(flag(ready))
		}
	}
	return all
}

// Reset makes n queries from first on unavailable, from the host.
func (q *QueryPool) Reset(first, n int) error {
	if err := check(nil, "the query pool", q); err != nil {
		return err
	}
	if !q.has(first, n) {
		return usage("VUID-vkResetQueryPool-firstQuery-09436", "%d queries from %d on are reset; the pool has %d", n, first, len(q.ready))
	}
	q.reset(first, n)
	return nil
}

func (q *QueryPool) reset(first, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.value[first*q.width : (first+n)*q.width])
	clear(q.ready[first : first+n])
}

// clock is the start of all timestamps.
var clock = time.Now()

// Now returns the present time of timestamps (vkGetCalibratedTimestamps).
func (d *Device) Now() uint64 { return uint64(time.Since(clock)) }

// put makes queries from first on available, one for each view: the first has the values, the others are 0 (Vulkan,
// "Queries", multiview).
func (q *QueryPool) put(first, views int, values ...uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range min(views, len(q.ready)-first) {
		at := q.value[(first+i)*q.width:][:q.width]
		clear(at)
		if i == 0 {
			copy(at, values)
		}
		q.ready[first+i] = true
	}
	if q.wake != nil {
		close(q.wake)
		q.wake = nil
	}
}

// statistics returns the values of a set of statistics in the order of their bits.
func (c *counts) statistics(set Statistics) (out []uint64) {
	s := &c.draws
	all := [...]uint64{
		s.InputVertices, s.InputPrimitives, s.VertexInvocations, s.GeometryInvocations, s.GeometryPrimitives, s.ClippingInvocations, s.ClippingPrimitives,
		s.FragmentInvocations, s.ControlPatches, s.EvaluationInvocations, c.compute, s.TaskInvocations, s.MeshInvocations, c.clusters,
	}
	for i, n := range all {
		if set>>i&1 != 0 {
			out = append(out, n)
		}
	}
	return out
}

// counts are the counters of the draws and dispatches between two begins or ends of queries. Counts of draws are complete at the
// end of their rendering.
type counts struct {
	passed   uint64
	draws    state.Statistics
	compute  uint64
	clusters uint64
	streams  [state.MaxStreams]state.FeedbackCount
}

// add adds other counts.
func (c *counts) add(o *counts) {
	c.passed += o.passed
	c.draws.Add(&o.draws)
	c.compute += o.compute
	c.clusters += o.clusters
	for i := range c.streams {
		c.streams[i].Written += o.streams[i].Written
		c.streams[i].Needed += o.streams[i].Needed
	}
}
