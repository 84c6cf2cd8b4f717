package vk

import (
	"encoding/binary"
	"sync"
	"time"
)

// QueryType is the kind of the queries of a pool.
type QueryType uint8

// The kinds.
const (
	Timestamps QueryType = iota // in nanoseconds: timestampPeriod is 1
	Occlusion                   // samples that pass all tests, exactly
)

// QueryPool holds queries.
type QueryPool struct {
	object
	kind  QueryType
	mu    sync.Mutex
	value []uint64
	ready []bool
}

// maxQueries bounds a pool.
const maxQueries = 1 << 20

// NewQueryPool makes a pool of n queries.
func (d *Device) NewQueryPool(kind QueryType, n int) (*QueryPool, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if n <= 0 || n > maxQueries {
		return nil, usage("VUID-VkQueryPoolCreateInfo-queryCount-02763", "the pool has %d queries; must have 1 to %d", n, maxQueries)
	}
	if kind > Occlusion {
		return nil, &UnsupportedError{Feature: "queries of the type " + uintText(uint64(kind))}
	}
	q := &QueryPool{kind: kind, value: make([]uint64, n), ready: make([]bool, n)}
	d.adopt(&q.object, "query pool", nil)
	return q, nil
}

// Result returns the value of a query; ok is false if it is not available yet.
func (q *QueryPool) Result(i int) (value uint64, ok bool) {
	if q == nil || i < 0 || i >= len(q.value) {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.value[i], q.ready[i]
}

// Reset makes n queries from first on unavailable, from the host.
func (q *QueryPool) Reset(first, n int) error {
	if err := check(nil, "the query pool", q); err != nil {
		return err
	}
	if first < 0 || n < 0 || first > len(q.value) || n > len(q.value)-first {
		return usage("VUID-vkResetQueryPool-firstQuery-09436", "%d queries from %d on are reset; the pool has %d", n, first, len(q.value))
	}
	q.reset(first, n)
	return nil
}

func (q *QueryPool) reset(first, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := first; i < first+n; i++ {
		q.value[i], q.ready[i] = 0, false
	}
}

// clock is the start of all timestamps.
var clock = time.Now()

// Now returns the present time of timestamps (vkGetCalibratedTimestamps).
func (d *Device) Now() uint64 { return uint64(time.Since(clock)) }

// put makes a query available.
func (q *QueryPool) put(i int, value uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.value[i], q.ready[i] = value, true
}

// ResetQueries makes queries unavailable.
func (c *CommandBuffer) ResetQueries(q *QueryPool, first, n int) {
	c.query(resetQueries, q, first, n, "VUID-vkCmdResetQueryPool-firstQuery-09436")
}

// WriteTimestamp writes the time at which the commands before it are finished.
func (c *CommandBuffer) WriteTimestamp(q *QueryPool, i int) {
	c.query(writeTimestamp, q, i, 1, "VUID-vkCmdWriteTimestamp-query-04904")
}

// BeginQuery begins to count in a query of the kind Occlusion, and EndQuery ends it. A query that begins in a rendering
// ends in the same one.
func (c *CommandBuffer) BeginQuery(q *QueryPool, i int) {
	c.query(beginQuery, q, i, 1, "VUID-vkCmdBeginQuery-query-00802")
}

// EndQuery ends a query.
func (c *CommandBuffer) EndQuery(q *QueryPool, i int) {
	c.query(endQuery, q, i, 1, "VUID-vkCmdEndQuery-query-00810")
}

func (c *CommandBuffer) query(kind commandKind, q *QueryPool, first, n int, rule string) bool {
	if !c.begin() {
		return false
	}
	if err := check(c.dev, "the query pool", q); err != nil {
		c.fail(err)
		return false
	}
	if first < 0 || n < 0 || first > len(q.value) || n > len(q.value)-first {
		c.fail(usage(rule, "%d queries from %d on are used; the pool has %d", n, first, len(q.value)))
		return false
	}
	if occlusion := q.kind == Occlusion; kind == writeTimestamp && occlusion || (kind == beginQuery || kind == endQuery) && !occlusion {
		c.fail(usage(rule, "%s with a query pool of another kind; must be of the kind of the command", commandNames[kind]))
		return false
	}
	c.refer(&q.object)
	c.commands = append(c.commands, command{kind: kind, a: q, x: [4]uint64{uint64(first), uint64(n)}})
	return true
}

// CopyQueries writes n results from first on to a buffer, 64 bits each with the given stride in bytes, a multiple of 8.
// A query that is not available is 0.
func (c *CommandBuffer) CopyQueries(q *QueryPool, first, n int, b *Buffer, offset, stride uint64) {
	const rule = "VUID-vkCmdCopyQueryPoolResults-dstBuffer-00824"
	size := uint64(0)
	if n > 0 && stride <= 1<<40 {
		size = uint64(n-1)*stride + 8
	}
	if n <= 0 || n > maxQueries || stride%8 != 0 || stride > 1<<40 || offset%8 != 0 {
		if c.begin() {
			c.fail(usage(rule, "%d queries are copied to offset %d with a stride of %d; must be at least 1, and multiples of 8", n, offset, stride))
		}
		return
	}
	if !c.transfer(b, offset, size, TransferTarget, rule) || !c.query(copyQueries, q, first, n, "VUID-vkCmdCopyQueryPoolResults-firstQuery-09436") {
		return
	}
	x := &c.commands[len(c.commands)-1]
	x.b, x.x[2], x.x[3] = b, offset, stride
}

// copyTo writes results to memory.
func (q *QueryPool) copyTo(out []byte, first, n int, stride uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range n {
		binary.LittleEndian.PutUint64(out[uint64(i)*stride:], q.value[first+i])
	}
}
