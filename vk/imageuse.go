package vk

import (
	"iter"
	"sync"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// resourceUse is a static use of a descriptor binding by a stage.
type resourceUse struct {
	program  *ir.Program
	resource *ir.Resource
}

// imageUse is a kind of access of a stage to an image that is no element of an array of several: a dynamic index decides which
// element of an array is accessed.
type imageUse struct {
	program *ir.Program
	*ir.Texture
	image, sampler, other *ir.Resource // sampler and other are nil without one

	certain    bool // each invocation accesses the image
	formatless bool // the type of the image has the format Unknown; false if the module is not known
	written    int  // the least number of components of a texel that OpImageWrite writes; 0 if it is not known
}

// uses are the uses of the stages of a pipeline, which the first check finds.
type uses struct {
	once       sync.Once
	atSample   bool // a fragment stage interpolates at a sample
	hit        bool // there is a stage for hits of rays
	positions  bool // which reads the positions of vertices
	images     []imageUse
	resources  []resourceUse
	matches    []matchUse
	matrices   []resourceUse // buffers of loads and stores of cooperative matrices
	heaps      []heapUse
	structures []structureUse
}

// of returns the uses of stages.
func (u *uses) of(stages ...*shader.Stage) *uses {
	u.once.Do(func() {
		for _, s := range stages {
			u.add(s)
		}
	})
	return u
}

func (u *uses) add(s *shader.Stage) {
	p := s.Program
	for i := range p.Res {
		u.resources = append(u.resources, resourceUse{p, &p.Res[i]})
	}
	var details map[*ir.Resource]imageDetail
	if f := factsOf(s); f != nil {
		if e := f.EntryPoint(p.Name, modelOf(p.Stage)); e != nil {
			details = imageDetails(s, f, e)
			u.atSample = u.atSample || p.Stage == ir.Fragment && interpolatesAtSample(f, e)
			u.addMatches(s, f, e)
			u.addMatrices(s, f, e)
			u.addStructures(s, f, e)
			if p.Stage == ir.ClosestHit || p.Stage == ir.AnyHit {
				u.hit, u.positions = true, readsPositions(f, e)
			}
			u.addHeaps(p.Stage, f, e)
		}
	}
	single := func(i int) *ir.Resource {
		if i < 0 || i >= len(p.Res) || p.Res[i].Count != 1 || p.Res[i].Heap {
			return nil
		}
		return &p.Res[i]
	}
	always := unconditional(p)
	for _, f := range p.Funcs {
		if f.Texture == nil {
			continue
		}
		x := imageUse{program: p, Texture: f.Texture, image: single(f.Texture.Image), sampler: single(f.Texture.Sampler), certain: always[f]}
		if f.Texture.HasOther() {
			x.other = single(f.Texture.Other)
		}
		if x.image == nil {
			continue
		}
		d := details[x.image]
		x.formatless, x.written = d.formatless, d.written
		u.images = append(u.images, x)
	}
}

// factsOf returns the facts of the module of a stage; nil if it is not known.
func factsOf(s *shader.Stage) *facts.Module {
	if s.Facts == nil && s.Source != nil {
		return s.Source()
	}
	return s.Facts
}

// instructions yields the instructions in the call tree of an entry point.
func instructions(f *facts.Module, e *facts.EntryPoint) iter.Seq[spirv.Inst] {
	return func(yield func(spirv.Inst) bool) {
		for _, fn := range f.CallTree(e) {
			for i := fn.Index; i < fn.End; i++ {
				if !yield(f.Code.Inst(i)) {
					return
				}
			}
		}
	}
}

// interpolatesAtSample reports whether an entry point uses the extended instruction InterpolateAtSample.
func interpolatesAtSample(f *facts.Module, e *facts.EntryPoint) bool {
	if !f.Capable(spirv.CapabilityInterpolationFunction) {
		return false
	}
	for in := range instructions(f, e) {
		if in.Op() == spirv.OpExtInst && len(in) > 4 && f.ExtSet(spirv.ID(in[3])) == spirv.ExtSetGLSL && spirv.GLSLOp(in[4]) == spirv.GLSLInterpolateAtSample {
			return true
		}
	}
	return false
}

// imageDetail is the part of an image variable that a program does not have.
type imageDetail struct {
	formatless bool
	written    int
}

// imageDetails returns the details of the image variables of an entry point by their resources.
func imageDetails(s *shader.Stage, f *facts.Module, e *facts.EntryPoint) map[*ir.Resource]imageDetail {
	out, at := map[*ir.Resource]imageDetail{}, map[spirv.ID]*ir.Resource{}
	for _, v := range shader.ImageVariables(f, e) {
		key := resourceOf(s, f, v.ID, ir.Texels)
		at[v.ID] = key
		out[key] = imageDetail{formatless: v.Image.Image.Format == spirv.ImageFormatUnknown}
	}
	for in := range instructions(f, e) {
		if in.Op() != spirv.OpImageWrite {
			continue
		}
		w := inst.ImageWrite(in)
		key, ok := at[variableOf(f, w.Image())]
		if !ok {
			continue
		}
		n := 1
		if t := f.TypeOf(w.Texel()); t != nil && t.Count > 0 && t.Elem != nil {
			n = int(min(t.Count, 4))
		}
		if d := out[key]; d.written == 0 || n < d.written {
			d.written = n
			out[key] = d
		}
	}
	return out
}

// variableOf returns the variable of a pointer, of a loaded image, or of the image of a sampled image; 0 if it is not found.
func variableOf(f *facts.Module, id spirv.ID) spirv.ID {
	for range 8 {
		in := f.Inst(id)
		if in == nil {
			return 0
		}
		switch in.Op() {
		case spirv.OpLoad, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject, spirv.OpPtrAccessChain, spirv.OpSampledImage, spirv.OpImage:
			id = spirv.ID(in[3])
		case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
			id = inst.UntypedAccessChainKHR(in).Base()
		case spirv.OpVariable, spirv.OpUntypedVariableKHR:
			return id
		default:
			return 0
		}
	}
	return 0
}
