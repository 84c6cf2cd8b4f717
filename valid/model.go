package valid

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// modelSet is a set of execution models.
type modelSet uint32

// The execution models as sets of one.
const (
	inVertex modelSet = 1 << iota
	inTessellationControl
	inTessellationEvaluation
	inGeometry
	inFragment
	inGLCompute
	inKernel
	inTaskNV
	inMeshNV
	inRayGeneration
	inIntersection
	inAnyHit
	inClosestHit
	inMiss
	inCallable
	inTaskEXT
	inMeshEXT
	inClusterCulling
)

// Sets that rules speak of.
const (
	inMesh       = inMeshNV | inMeshEXT
	inTask       = inTaskNV | inTaskEXT
	inRayTracing = inRayGeneration | inIntersection | inAnyHit | inClosestHit | inMiss | inCallable
	inWorkgroups = inGLCompute | inKernel | inMesh | inTask | inClusterCulling
)

// modelOrder is the models in the order of their bits.
var modelOrder = [...]spirv.ExecutionModel{
	spirv.ExecutionModelVertex, spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation,
	spirv.ExecutionModelGeometry, spirv.ExecutionModelFragment, spirv.ExecutionModelGLCompute,
	spirv.ExecutionModelKernel, spirv.ExecutionModelTaskNV, spirv.ExecutionModelMeshNV,
	spirv.ExecutionModelRayGenerationKHR, spirv.ExecutionModelIntersectionKHR, spirv.ExecutionModelAnyHitKHR,
	spirv.ExecutionModelClosestHitKHR, spirv.ExecutionModelMissKHR, spirv.ExecutionModelCallableKHR,
	spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelClusterCullingHUAWEI,
}

// modelOf returns the set of one model.
func modelOf(m spirv.ExecutionModel) modelSet {
	for i, o := range modelOrder {
		if o == m {
			return 1 << i
		}
	}
	return 0
}

// String returns the names: "Fragment", "Fragment, GLCompute or MeshEXT".
func (s modelSet) String() string {
	var names []string
	for rest := s; rest != 0; rest &= rest - 1 {
		names = append(names, modelOrder[bits.TrailingZeros32(uint32(rest))].String())
	}
	return or(names)
}

// or joins names: "a", "a or b", "a, b or c".
func or(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " or " + names[n]
	}
	return strings.Join(names, "")
}

// callGraph is the relation of functions and variables of module scope to the entry
// points that call or use them. callers computes the models; the rest is computed
// at the first use. It does not depend on the position of the walk.
type callGraph struct {
	*subject
	models  []modelSet            // by function: the models of the entry points that call it
	entries [][]*facts.EntryPoint // by function: the entry points that call it; nil until callersOf

	globalsOf [][]*facts.Variable // by function; see globals
	steps     int                 // see maxSteps

	users  []modelSet // by variable of module scope: the models that use it; nil until usedBy
	listed []modelSet // by variable of module scope: the models that list it in an interface; nil until listedBy

	entryOf  [][]int32            // by function: its entry points; nil until entriesAt
	entryOdd map[spirv.ID][]int32 // entry points, by an id that is not a function
}

// callers states by which models each function is called, directly or by way
// of others.
func (c *callGraph) callers() {
	c.models = make([]modelSet, len(c.m.Functions))
	var todo []*facts.Function
	for i := range c.m.EntryPoints {
		e := &c.m.EntryPoints[i]
		if e.Func == nil {
			continue
		}
		if s := modelOf(e.Model); c.models[e.Func.Number]&s != s {
			c.models[e.Func.Number] |= s
			todo = append(todo, e.Func)
		}
	}
	for len(todo) > 0 { // a function comes back at most once for each model
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, g := range f.Calls {
			if s := c.models[f.Number]; c.models[g.Number]&s != s {
				c.models[g.Number] |= s
				todo = append(todo, g)
			}
		}
	}
}

// callerModels returns the models of the entry points that the walk's function
// is called from, 0 outside of functions.
func (c *position) callerModels() modelSet {
	if c.fn == nil {
		return 0
	}
	return c.models[c.fn.Number]
}

// modelsAt returns the models of the entry points that the function of an instruction is
// called from, 0 outside of functions.
func (c *callGraph) modelsAt(i int) modelSet {
	n, _ := slices.BinarySearchFunc(c.m.Functions, i, func(f facts.Function, i int) int { return cmp.Compare(f.End, i+1) })
	if n == len(c.m.Functions) || i < c.m.Functions[n].Index {
		return 0
	}
	return c.models[n]
}

// onlyIn reports instruction i if its function is called from an entry point
// of a model that is not allowed, and returns whether it did.
func (c *position) onlyIn(i int, allowed modelSet, code string) bool {
	bad := c.callerModels() &^ allowed
	if bad == 0 {
		return false
	}
	c.fail(i, code, "%s in a function that a %s entry point calls; must be in %s", c.code.Inst(i).Op(), bad, allowed)
	return true
}

// callersOf returns the entry points that call a function, directly or by way
// of others, in order. It looks at each call tree at most once.
func (c *callGraph) callersOf(f *facts.Function) []*facts.EntryPoint {
	if c.entries == nil {
		c.entries = make([][]*facts.EntryPoint, len(c.m.Functions))
		budget := maxCallers
		for i := range c.m.EntryPoints {
			e := &c.m.EntryPoints[i]
			if e.Func == nil || budget <= 0 {
				continue
			}
			tree := c.m.CallTree(e)
			budget -= len(tree)
			for _, g := range tree {
				c.entries[g.Number] = append(c.entries[g.Number], e)
			}
		}
	}
	return c.entries[f.Number]
}

// maxCallers bounds how many pairs of an entry point and a function it calls
// are looked at, so that thousands of both do not take the square of the time.
const maxCallers = 1 << 18

// globals returns the variables of module scope that an entry point uses. The
// result is cached by entry function. With thousands of entry points that call
// thousands of functions, the walk ends after maxSteps; it returns no variables
// for the remaining entry points, so rules report nothing about them.
func (c *callGraph) globals(e *facts.EntryPoint) []*facts.Variable {
	if e.Func == nil {
		return nil
	}
	if c.globalsOf == nil {
		c.globalsOf, c.steps = make([][]*facts.Variable, len(c.m.Functions)), maxSteps
	}
	list := c.globalsOf[e.Func.Number]
	if list == nil && c.steps > 0 {
		list = c.m.Globals(e)
		c.steps -= len(c.m.Functions) + len(list)
		c.globalsOf[e.Func.Number] = list
	}
	return list
}

// maxSteps bounds the functions that globals looks at.
const maxSteps = 1 << 22
