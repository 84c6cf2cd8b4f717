package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/oracle"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// permission judges the contents of the buffers of a shader with the results that Vulkan permits.
type permission struct {
	job    *shaderJob
	size   uint32                // of subgroups; 0 if it is not known
	zero   map[oracle.Place]bool // buffers whose loads outside are zero
	facts  *facts.Module
	before map[oracle.Place][]byte
	result *oracle.Result
	viewer *viewer
}

// newPermission keeps the buffers before the dispatch.
func newPermission(job *shaderJob, f *pipelineFlags) (*permission, error) {
	// What no flag names may be without robustness.
	named := pipelineFlags{robustness: append([]string{exec.NotRobust.String()}, f.robustness...)}
	r, stages, err := named.robust()
	if err != nil {
		return nil, err
	}
	if own := stages[vk.StageCompute]; own != nil {
		r = *own
	}
	p := &permission{job: job, size: f.subgroup, zero: map[oracle.Place]bool{}, before: map[oracle.Place][]byte{}}
	for at, x := range job.buffers {
		p.before[oracle.Place{Set: at.Set, Binding: at.Binding}] = bytes.Clone(x.data)
	}
	for i := range job.entry.Resources {
		x := &job.entry.Resources[i]
		level, own := r.Bindings[vk.SetBinding{Set: x.Set, Binding: x.Binding}]
		switch {
		case own:
		case x.Type == iface.UniformBuffer:
			level = r.Uniform
		default:
			level = r.Storage
		}
		if l := exec.Robustness(level); l == exec.Strict || l == exec.Robust2 {
			p.zero[oracle.Place{Set: x.Set, Binding: x.Binding}] = true
		}
	}
	return p, nil
}

// determine determines the permitted results. The push constants of the job are known.
func (p *permission) determine(ctx context.Context) (err error) {
	j := p.job
	p.facts = facts.Gather(j.module, j.spec)
	groups := j.groups
	if a := j.arguments; a != nil {
		for i := range groups {
			groups[i] = binary.LittleEndian.Uint32(a.of.data[a.at+4*uint64(i):])
		}
	}
	p.result, err = oracle.Run(ctx, &oracle.Job{Module: p.facts, Entry: p.facts.EntryPoint(j.entry.Name, spirv.ExecutionModelGLCompute),
		Groups: groups, Base: j.base, Buffers: p.before, Push: j.push, SubgroupSize: p.size, Robust2: p.zero})
	if err != nil {
		return err
	}
	source := j.source
	source.facts = p.facts
	p.viewer = newViewer(&source)
	return nil
}

// within is determine with a limit of time; 0 is none.
func (p *permission) within(ctx context.Context, most time.Duration) error {
	limited := ctx
	if most > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	err := p.determine(limited)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return &coded{exitFindings, fmt.Sprintf("%s: the permitted results are not known after %v, the limit of --timeout", p.job.source.file, most)}
	}
	return err
}

// outputs returns the resources that the shader may write, with their buffers.
func (p *permission) outputs() (list []*iface.Resource) {
	for i := range p.job.entry.Resources {
		r := &p.job.entry.Resources[i]
		if _, bound := p.job.buffers[vk.SetBinding{Set: r.Set, Binding: r.Binding}]; bound && r.Type == iface.StorageBuffer && !r.NonWritable {
			list = append(list, r)
		}
	}
	return list
}

// kind returns the type of the values of a resource.
func (p *permission) kind(at oracle.Place) scalarKind {
	return p.job.buffers[vk.SetBinding{Set: at.Set, Binding: at.Binding}].kind
}

// name names a number of a buffer: n[3], or its byte if it is not of the type of the values.
func (p *permission) name(at oracle.Place, n *oracle.Permitted) string {
	name := fmt.Sprintf("%d.%d", at.Set, at.Binding)
	for _, r := range p.job.entry.Resources {
		if r.Set == at.Set && r.Binding == at.Binding {
			name = nameOf(&r)
			break
		}
	}
	if size := uint64(p.kind(at).size); n.Size == size {
		return fmt.Sprintf("%s[%d]", name, n.Offset/size)
	}
	return fmt.Sprintf("%s byte %d", name, n.Offset)
}

// where returns the place and the name of an instruction, which are counted from 1; "" for 0.
func (p *permission) where(instruction int) string {
	if instruction == 0 {
		return ""
	}
	i := instruction - 1
	in := p.facts.Code.Inst(i)
	text := in.Op().String()
	if in.Op() == spirv.OpExtInst {
		if row := p.facts.ExtSet(spirv.ID(in[3])).Inst(in[4]); row != nil {
			text = row.Name()
		}
	}
	if id := in.Result(); id != 0 {
		text += " %" + orElse(p.facts.Name(id), fmt.Sprint(uint32(id)))
	}
	f := valid.Finding{}
	f.Pos = instructionPos(i)
	if at, ok := p.facts.Line(i); ok {
		f.HasSource, f.Source = true, at
	}
	source := p.job.source
	source.facts = p.facts
	file, line, _ := p.viewer.where(&source, &f)
	return fmt.Sprintf("%s:%d: %s", file, line, text)
}

// value returns the text of the bytes of a number.
func (p *permission) value(at oracle.Place, n *oracle.Permitted, b []byte) string {
	kind := p.kind(at)
	switch {
	case !n.Kept():
		return n.Text(b)
	case uint64(kind.size) != n.Size:
		return fmt.Sprintf("0x%x", b)
	}
	return kind.text(b)
}

// violations describes the numbers of contents that are not permitted, in the order of the instructions.
func (p *permission) violations(contents map[oracle.Place][]byte) (list []violationRecord) {
	for _, v := range p.result.Judge(contents) {
		list = append(list, violationRecord{Name: p.name(v.Place, &v.Permitted), Value: p.value(v.Place, &v.Permitted, v.Got), Permitted: v.Permitted.String(), Instruction: p.where(v.At)})
	}
	return list
}

// violationRecord is a number that is not permitted, as JSON.
type violationRecord struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Permitted   string `json:"permitted"`
	Instruction string `json:"instruction,omitempty"` // with its place
}

func (v *violationRecord) String() string {
	text := fmt.Sprintf("%s is %s; permitted: %s", v.Name, v.Value, v.Permitted)
	if v.Instruction != "" {
		text += ", by " + v.Instruction
	}
	return text
}

// contents returns the buffers of the job.
func (p *permission) contents() map[oracle.Place][]byte {
	out := map[oracle.Place][]byte{}
	for at, x := range p.job.buffers {
		out[oracle.Place{Set: at.Set, Binding: at.Binding}] = x.data
	}
	return out
}

// undecided says why every content is permitted; "" if the results are decided.
func (p *permission) undecided() string {
	if p.result.Undecided == "" {
		return ""
	}
	why := "any content is permitted: " + p.result.Undecided
	if at := p.where(p.result.Instruction); at != "" {
		why += ", " + at
	}
	return why
}

// permittedRecord is the permitted values of a number, as JSON.
type permittedRecord struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Permitted string `json:"permitted"`
}

// show lists the numbers that the shader stored, with the permitted values.
func (p *permission) show() (list []permittedRecord) {
	contents := p.contents()
	list = []permittedRecord{}
	for _, r := range p.outputs() {
		at := oracle.Place{Set: r.Set, Binding: r.Binding}
		sets, _ := p.result.Permitted(at)
		sets = slices.DeleteFunc(sets, func(n oracle.Permitted) bool { return n.Kept() })
		for i := range sets {
			n := &sets[i]
			list = append(list, permittedRecord{p.name(at, n), p.value(at, n, contents[at][n.Offset:n.Offset+n.Size]), n.String()})
		}
	}
	return list
}

// report writes the verdict on the buffers of a run of chiaro itself.
func (p *permission) report(ctx context.Context, c console, f *runFlags) error {
	if err := p.within(ctx, f.opts.Timeout); err != nil {
		return err
	}
	wrong := p.violations(p.contents())
	if f.format == "json" {
		return p.reportJSON(c, wrong)
	}
	for i, n := range p.show() {
		if i == maxValues {
			plain.Fprintf(c.out, "…\n")
			break
		}
		plain.Fprintf(c.out, "%s: %s, permitted %s\n", n.Name, n.Value, n.Permitted)
	}
	if text := p.undecided(); text != "" {
		plain.Fprintf(c.out, "%s\n", text)
	}
	for i := range wrong {
		plain.Fprintf(c.out, "not permitted: %s\n", wrong[i].String())
	}
	if len(wrong) > 0 {
		return &coded{code: exitFindings}
	}
	return nil
}

func (p *permission) reportJSON(c console, wrong []violationRecord) error {
	if wrong == nil {
		wrong = []violationRecord{}
	}
	err := writeJSON(c.out, map[string]any{"file": p.job.source.file, "values": p.show(), "violations": wrong, "undecided": p.undecided()})
	if err == nil && len(wrong) > 0 {
		err = &coded{code: exitFindings}
	}
	return err
}
