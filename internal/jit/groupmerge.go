package jit

import (
	"slices"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// mergeAfter is how many small workgroups a program runs before they are merged. A compilation takes about 10 µs per operation, and
// a merged workgroup saves about 1 ns per operation. It is a variable for tests.
var mergeAfter uint64 = 1 << 13

// groupMerge is the code of a program for merged workgroups (vectorize.MergeWorkgroups), compiled when mergeAfter of them have been run.
type groupMerge struct {
	groups  atomic.Uint64 // workgroups of the jobs so far
	tried   bool
	variant *variant // nil if workgroups cannot be merged
	factor  uint32   // workgroups that are one
	local   uint32   // invocations of a merged one
	written []int    // resources of vectorize.MergedGroups
}

// PrepareMerged is Prepare for all groups of a job; small workgroups are merged, if no result can tell.
func (p *program) PrepareMerged(job *exec.Job) (exec.Prepared, error) {
	x, err := p.prepare(job, true)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// selectMerged selects the code for merged workgroups for x, and reports whether there is one for the job. mu is held. Written
// resources must share no byte with others whatever the width of a strip: a former workgroup is narrower than any.
func (p *program) selectMerged(x *prepared, job *exec.Job) bool {
	m := &p.merge
	if p.source.Invocations() > vectorize.MaxSmallGroup || !inRow(job) || job.Hook != nil || job.Schedule != nil || job.Prompt || len(job.SpanEnds) > 0 {
		return false
	}
	if !m.tried {
		if x.waits = m.groups.Add(job.GroupCount()) < mergeAfter; x.waits {
			return false
		}
		m.tried = true
		p.compileGroupMerge(job.Groups[0])
	}
	if m.variant == nil || !m.fits(job) || p.mergedCount(job) < uint64(job.WorkerCount(p.source)) || len(m.written) > 0 && x.aliases(job, m.written) {
		return false
	}
	x.variant, x.merged, x.written, x.aliased = m.variant, true, m.written, false
	return true
}

// inRow reports whether a job has rows of several workgroups that begin at 0.
func inRow(job *exec.Job) bool { return job.Base[0] == 0 && job.Groups[0] > 1 }

// fits reports whether merged workgroups can run the groups of a job. The number of invocations in a
// row of workgroups must be below 2³².
func (m *groupMerge) fits(job *exec.Job) bool {
	n := (uint64(job.Groups[0]) + uint64(m.factor) - 1) / uint64(m.factor)
	return inRow(job) && n*uint64(m.local) < 1<<32
}

// mergedGroups returns the numbers of merged workgroups of a job.
func (p *program) mergedGroups(job *exec.Job) [3]uint32 {
	f := uint64(p.merge.factor)
	return [3]uint32{uint32((uint64(job.Groups[0]) + f - 1) / f), job.Groups[1], job.Groups[2]}
}

func (p *program) mergedCount(job *exec.Job) uint64 {
	merged := exec.Job{Groups: p.mergedGroups(job)}
	return merged.GroupCount()
}

// compileGroupMerge compiles the merged program, for rows of that many workgroups. Without code of its own for all operations it is not
// used: an exit to Go evaluates the inputs of the source.
func (p *program) compileGroupMerge(row uint32) {
	m := vectorize.MergeWorkgroups(p.counted, p.back.Form(p.level), row)
	source := m.Program
	if source == nil || codeLength(source) > maxMergedCode {
		return
	}
	q := &program{counted: source, source: vectorize.ExpandCounts(source, source.SubgroupSize), back: p.back, level: p.level, extras: p.extras, limits: p.limits, cache: p.cache, merges: true}
	var v *variant
	if q.cache != nil {
		q.hash = hashOf(source)
		v = q.cache.get(q.cacheKey(false), source)
	}
	if v == nil {
		// There is no stop function, as for the exact variant.
		var err error
		if v, err = q.compile(false, nil); err != nil {
			return // the code for the workgroups as they are serves too
		}
	}
	if slices.ContainsFunc(v.code.Sites, func(s target.Site) bool { return s.IR != ir.Log && s.IR != ir.LogArg }) || p.checkLimits(v) != nil {
		v.release()
		return
	}
	p.merge.variant, p.merge.factor, p.merge.local, p.merge.written = v, m.Factor, source.LocalSize[0], m.Written
}

// formerGroups returns the number of workgroups of the dispatch in the first n that machine code runs.
func (x *prepared) formerGroups(n uint64) uint64 {
	if !x.merged {
		return n
	}
	row := uint64(x.groups()[0])
	return n/row*uint64(x.job.Groups[0]) + min(n%row*uint64(x.program.merge.factor), uint64(x.job.Groups[0]))
}

// groups returns the numbers of workgroups that machine code runs.
func (x *prepared) groups() [3]uint32 {
	if x.merged {
		return x.program.mergedGroups(x.job)
	}
	return x.job.Groups
}

// GroupCount returns the number of workgroups that machine code runs.
func (x *prepared) GroupCount() (uint64, bool) {
	if x.merged {
		return x.program.mergedCount(x.job), x.program.merge.fits(x.job)
	}
	return x.job.GroupCount(), !x.waits || x.program.merge.groups.Load() < mergeAfter
}

// groupID returns the position of a workgroup that machine code runs.
func (x *prepared) groupID(n uint64) [3]uint32 {
	job := exec.Job{Groups: x.groups(), Base: x.job.Base}
	return job.GroupID(n)
}
