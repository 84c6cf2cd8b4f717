package ptx

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
)

// Check returns the faults of a module beyond its syntax: names that are not declared or declared twice, labels that are not there,
// guards that are no predicates, instructions that PTX does not have.
func Check(m *Module) []*diag.Finding {
	c := &checker{module: m, globals: map[string]*Variable{}, functions: map[string]*Function{}}
	for _, x := range m.Items {
		switch x := x.(type) {
		case *Variable:
			c.declareGlobal(x)
		case *Function:
			c.declareFunction(x)
		}
	}
	for _, x := range m.Items {
		if f, ok := x.(*Function); ok && f.Body != nil {
			c.function(f)
		}
	}
	return c.findings
}

// checker is the state of Check.
type checker struct {
	module    *Module
	globals   map[string]*Variable
	functions map[string]*Function
	findings  []*diag.Finding

	labels map[string]bool
}

// names are the declarations of a block.
type names struct {
	parent *names
	own    map[string]*Variable
	labels map[string]bool // of tables and prototypes
}

func (c *checker) find(code string, at Position, format string, args ...any) {
	if len(c.findings) < maxFindings {
		c.findings = append(c.findings, diag.New(code, diag.Pos{Line: at.Line, Column: at.Col}, format, args...))
	}
}

func (c *checker) declareGlobal(v *Variable) {
	if old := c.globals[v.Name]; old != nil && !external(old.Linkage) && !external(v.Linkage) {
		c.find(CodeSymbol, v.Pos, "%s is declared a second time; must be declared once", v.Name)
	}
	legacy := c.module.Version[0] < 3 // without the ABI (PTX ISA, "Changes from PTX ISA Version 1.x")
	if v.Space == ".param" || (v.Space == ".reg" || v.Space == ".local") && !legacy {
		c.find(CodeSymbol, v.Pos, "%s is in %s outside of a function; must be in .global, .const or .shared", v.Name, v.Space)
	}
	key := v.Name
	if v.Space == ".reg" && v.Count > 0 {
		key += "<"
	}
	c.globals[key] = v
}

func external(linkage []string) bool {
	for _, l := range linkage {
		if l == ".extern" || l == ".weak" || l == ".common" {
			return true
		}
	}
	return false
}

func (c *checker) declareFunction(f *Function) {
	if old := c.functions[f.Name]; old != nil && old.Body != nil && f.Body != nil && !external(f.Linkage) {
		c.find(CodeSymbol, f.Pos, "%s is defined a second time; must be defined once", f.Name)
	}
	if c.functions[f.Name] == nil || f.Body != nil {
		c.functions[f.Name] = f
	}
}

// function checks the body of a function.
func (c *checker) function(f *Function) {
	c.labels = map[string]bool{}
	c.collectLabels(f.Body)
	top := &names{own: map[string]*Variable{}, labels: map[string]bool{}}
	for _, v := range append(f.Params[:len(f.Params):len(f.Params)], f.Results...) {
		c.declare(top, v)
	}
	c.block(f.Body, top)
}

// collectLabels lists the labels of a function, which branches may name before them.
func (c *checker) collectLabels(b *Block) {
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *Label:
			if c.labels[x.Name] {
				c.find(CodeSymbol, x.Pos, "the label %s is there a second time; must be there once", x.Name)
			}
			c.labels[x.Name] = true
		case *Block:
			c.collectLabels(x)
		}
	}
}

func (c *checker) declare(n *names, v *Variable) {
	key := v.Name
	if v.Count > 0 {
		key += "<"
	}
	if n.own[key] != nil {
		c.find(CodeSymbol, v.Pos, "%s is declared a second time; must be declared once in a block", v.Name)
	}
	n.own[key] = v
}

// block checks the statements of a block.
func (c *checker) block(b *Block, n *names) {
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *Variable:
			c.declare(n, x)
		case *Directive:
			if x.Label != "" {
				n.labels[x.Label] = true
			}
		}
	}
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *Instr:
			c.instruction(x, n)
		case *Block:
			c.block(x, &names{n, map[string]*Variable{}, map[string]bool{}})
		}
	}
}

// lookup returns the declaration of a name.
func (c *checker) lookup(n *names, name string) *Variable {
	for ; n != nil; n = n.parent {
		if v := declared(n.own, name); v != nil {
			return v
		}
	}
	return declared(c.globals, name)
}

// declared returns the declaration of a name; the key of a parameterised name ends with "<".
func declared(own map[string]*Variable, name string) *Variable {
	if v := own[name]; v != nil {
		return v
	}
	prefix := strings.TrimRight(name, "0123456789")
	v := own[prefix+"<"]
	if v == nil || len(prefix) == len(name) {
		return nil
	}
	digits := name[len(prefix):]
	if k := number31(digits); k >= 0 && k < v.Count && (digits == "0" || digits[0] != '0') {
		return v
	}
	return nil
}

// number31 returns the number that digits are, -1 beyond 31 bits.
func number31(digits string) int {
	n := int64(0)
	for _, d := range digits {
		if n = n*10 + int64(d-'0'); n >= 1<<31 {
			return -1
		}
	}
	return int(n)
}

// instruction checks an instruction.
func (c *checker) instruction(i *Instr, n *names) {
	if !opcodes[i.Op] {
		c.find(CodeInstruction, i.Pos, "%q is no instruction of PTX; must be one", i.Op)
		return
	}
	c.types(i)
	c.qualifiers(i)
	c.inForm(i)
	if i.Guard != "" {
		if v := c.lookup(n, i.Guard); v == nil || v.Type != ".pred" {
			c.find(CodeType, i.Pos, "the guard %s is no predicate register; must be one", i.Guard)
		}
	}
	if i.Op == "bra" {
		if len(i.Operands) != 1 || i.Operands[0].Kind != Symbol || !c.labels[i.Operands[0].Name] {
			c.find(CodeSymbol, i.Pos, "%s has no label of its function; must have one", i.Name())
		}
		return
	}
	c.operands(i, i.Operands, n)
	c.sizes(i, n)
}

// operands checks that names are declared.
func (c *checker) operands(i *Instr, list []*Operand, n *names) {
	for _, o := range list {
		if o.Kind == Symbol && !c.known(o.Name, n) {
			c.find(CodeSymbol, o.Pos, "%s of %s is not declared; must be", o.Name, i.Name())
		}
		if o.Kind == Address && o.Part != "" && i.Op != "ld" {
			c.find(CodeInstruction, o.Pos, "%s has an address with %s; must be ld", i.Name(), o.Part)
		}
		c.operands(i, o.Elems, n)
	}
}

// known reports whether a name is declared, or is one of a special register.
func (c *checker) known(name string, n *names) bool {
	if c.lookup(n, name) != nil || c.functions[name] != nil || c.labels[name] || special[strings.TrimRight(name, "0123456789")] || special[name] {
		return true
	}
	for ; n != nil; n = n.parent {
		if n.labels[name] {
			return true
		}
	}
	return false
}

// setOf returns the words of a text as a set.
func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// special are the special registers, without a number at their end (PTX ISA, "Special Registers").
var special = setOf(`%tid %ntid %laneid %warpid %nwarpid %ctaid %nctaid %smid %nsmid %gridid %is_explicit_cluster %clusterid %nclusterid
	%cluster_ctaid %cluster_nctaid %cluster_ctarank %cluster_nctarank %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt
	%clock %clock_hi %clock64 %pm %pm0_64 %pm1_64 %pm2_64 %pm3_64 %pm4_64 %pm5_64 %pm6_64 %pm7_64 %envreg %globaltimer %globaltimer_lo
	%globaltimer_hi %reserved_smem_offset_begin %reserved_smem_offset_end %reserved_smem_offset_cap %reserved_smem_offset_ %total_smem_size
	%aggr_smem_size %dynamic_smem_size %current_graph_exec %perctamemoryoffset %perctamemorysize %locality_domain_id`)

// opcodes are the instructions of the PTX ISA up to version 9.5.
var opcodes = setOf(`abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call clusterlaunchcontrol
	clmad clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fabric fence fma fns getctarank griddepcontrol isspacep
	istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 multimem nanosleep neg not
	or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct spcompress spdecompress sqrt st
	stackrestore stacksave stmatrix sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2
	vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma
	wmma xor`)
