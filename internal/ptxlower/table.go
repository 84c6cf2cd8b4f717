package ptxlower

import (
	"maps"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// row is the lowering of an instruction.
type row struct {
	mods        string // the modifiers besides types that it may have, separated by spaces
	least, most int    // operands
	do          func(*emitter)
}

// permits reports whether an instruction may have a modifier.
func (r *row) permits(mod string) bool {
	for m := range strings.FieldsSeq(r.mods) {
		if m == mod {
			return true
		}
	}
	return false
}

// Modifiers that several instructions have.
const (
	rounding  = ".rn .rz .rm .rp .ftz .sat "
	storeMod  = ".global .shared .shared::cta .shared::cluster .local .param .param::func "
	atomMod   = ".global .shared .shared::cta .shared::cluster .L2::cache_hint "
	spaceMod  = ".global .shared .shared::cta .shared::cluster .local .const .param .param::entry .param::func "
	caching   = ".ca .cg .cs .lu .cv .wb .wt .nc .L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate .L2::64B .L2::128B .L2::256B .L2::evict_first .L2::evict_last .L2::evict_normal .L2::cache_hint "
	ordering  = ".relaxed .acquire .release .acq_rel .sc .volatile .weak .cta .cluster .gpu .sys .mmio "
	compares  = ".eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan "
	combines  = ".and .or .xor "
	secondary = ".sat .add .min .max"

	geometryMod = ".1d .2d .3d .a1d .a2d .cube .acube .2dms .a2dms "
	surfaceMod  = ".1d .2d .3d .a1d .a2d .trap .clamp .zero "
)

// table has the instructions that Lower knows. A type is a modifier of every instruction that has one.
var table map[string]row

func init() {
	table = computing()
	maps.Copy(table, moving())
	maps.Copy(table, communicating())
	addVideo()
}

// computing returns the instructions on values of one thread.
func computing() map[string]row {
	return map[string]row{
		// Integer and float arithmetic.
		"add":   {rounding + ".cc", 3, 3, (*emitter).add},
		"sub":   {rounding + ".cc", 3, 3, (*emitter).sub},
		"mul":   {rounding + ".lo .hi .wide", 3, 3, (*emitter).mul},
		"mad":   {rounding + ".lo .hi .wide .cc", 4, 4, (*emitter).mad},
		"fma":   {rounding + ".relu", 4, 4, (*emitter).fma},
		"div":   {rounding + ".approx .full", 3, 3, (*emitter).div},
		"rem":   {"", 3, 3, (*emitter).rem},
		"abs":   {".ftz", 2, 2, (*emitter).abs},
		"neg":   {".ftz", 2, 2, (*emitter).neg},
		"min":   {".ftz .NaN .xorsign .abs .relu", 3, 4, (*emitter).minMax},
		"max":   {".ftz .NaN .xorsign .abs .relu", 3, 4, (*emitter).minMax},
		"addc":  {".cc", 3, 3, (*emitter).addCarry},
		"subc":  {".cc", 3, 3, (*emitter).subBorrow},
		"madc":  {".lo .hi .cc", 4, 4, (*emitter).madCarry},
		"mul24": {".lo .hi", 3, 3, (*emitter).mul24},
		"mad24": {".lo .hi .sat", 4, 4, (*emitter).mul24},
		"clmad": {".lo .hi", 4, 4, (*emitter).carrylessMad},
		"sad":   {"", 4, 4, (*emitter).sad},
		"dp4a":  {"", 4, 4, (*emitter).dot4},
		"dp2a":  {".lo .hi", 4, 4, (*emitter).dot2},
		"popc":  {"", 2, 2, (*emitter).popc},
		"clz":   {"", 2, 2, (*emitter).clz},
		"bfind": {".shiftamt", 2, 2, (*emitter).bfind},
		"brev":  {"", 2, 2, (*emitter).brev},
		"bfe":   {"", 4, 4, (*emitter).bfe},
		"bfi":   {"", 5, 5, (*emitter).bfi},
		"bmsk":  {".clamp .wrap", 3, 3, (*emitter).bmsk},
		"szext": {".clamp .wrap", 3, 3, (*emitter).szext},
		"fns":   {"", 4, 4, (*emitter).fns},

		// Floats.
		"rcp":      {".approx " + rounding, 2, 2, (*emitter).rcp},
		"sqrt":     {".approx " + rounding, 2, 2, (*emitter).sqrt},
		"rsqrt":    {".approx .ftz", 2, 2, (*emitter).rsqrt},
		"sin":      {".approx .ftz", 2, 2, (*emitter).approx},
		"cos":      {".approx .ftz", 2, 2, (*emitter).approx},
		"lg2":      {".approx .ftz", 2, 2, (*emitter).approx},
		"ex2":      {".approx .ftz", 2, 2, (*emitter).approx},
		"tanh":     {".approx .ftz", 2, 2, (*emitter).approx},
		"copysign": {"", 3, 3, (*emitter).copysign},
		"testp":    {".finite .infinite .number .notanumber .normal .subnormal", 2, 2, (*emitter).testp},

		// Comparison and selection.
		"setp": {compares + combines + ".ftz", 3, 4, (*emitter).setp},
		"set":  {compares + combines + ".ftz", 3, 4, (*emitter).setValue},
		"selp": {"", 4, 4, (*emitter).selp},
		"slct": {".ftz", 4, 4, (*emitter).slct},

		// Logic and shifts.
		"and":  {"", 3, 3, (*emitter).logic},
		"or":   {"", 3, 3, (*emitter).logic},
		"xor":  {"", 3, 3, (*emitter).logic},
		"not":  {"", 2, 2, (*emitter).not},
		"cnot": {"", 2, 2, (*emitter).cnot},
		"lop3": {combines, 5, 6, (*emitter).lop3},
		"shl":  {"", 3, 3, (*emitter).shift},
		"shr":  {"", 3, 3, (*emitter).shift},
		"shf":  {".l .r .clamp .wrap", 4, 4, (*emitter).funnel},
		"prmt": {".f4e .b4e .rc8 .ecl .ecr .rc16", 4, 4, (*emitter).prmt},
	}
}

// moving returns the instructions on memory, images and matrices.
func moving() map[string]row {
	return map[string]row{
		// Data movement and conversion.
		"mov":           {".v2 .v4 .v8", 2, 2, (*emitter).mov},
		"ld":            {spaceMod + caching + ordering + ".proxy::readonly .v2 .v4 .v8", 2, 2, (*emitter).load},
		"ldu":           {".global .v2 .v4", 2, 2, (*emitter).load},
		"st":            {storeMod + caching + ordering + asyncStore + ".bulk .v2 .v4 .v8", 2, 3, (*emitter).storeOrAsync},
		"cvt":           {rounding + ".pack .rni .rzi .rmi .rpi .rna .rs .relu .satfinite .scaled::n2::ue8m0", 2, 4, (*emitter).cvt},
		"cvta":          {spaceMod + ".to", 2, 2, (*emitter).cvta},
		"cp":            {".async .ca .cg .shared .shared::cta .global .commit_group .wait_group .wait_all .sync_restrict::proxy::async .mbarrier .arrive .noinc .L2::64B .L2::128B .L2::256B .L2::cache_hint" + bulkMods, 0, 5, (*emitter).copyAsync},
		"isspacep":      {spaceMod, 2, 2, (*emitter).isspacep},
		"prefetch":      {".global .local .L1::32B .valid_addr .L1 .L2 .L2::evict_last .L2::evict_normal .tensormap .const .param", 1, 1, (*emitter).nothing},
		"prefetchu":     {".L1", 1, 1, (*emitter).nothing},
		"createpolicy":  {".fractional .range .cvt .global " + caching, 2, 4, (*emitter).zero},
		"applypriority": {".async .bulk .bulk_group .global .L2::evict_normal", 2, 2, (*emitter).nothing},
		"multimem":      {multimemMods, 2, 4, (*emitter).multimem},
		"alloca":        {"", 2, 3, (*emitter).allocate},
		"stacksave":     {"", 1, 1, (*emitter).stackSave},
		"stackrestore":  {"", 1, 1, (*emitter).stackRestore},
		"mapa":          {".shared::cluster", 3, 3, (*emitter).mapAddress},
		"getctarank":    {".shared::cluster", 2, 2, (*emitter).rank},
		"discard":       {".global .L2", 2, 2, (*emitter).nothing},

		// Textures and surfaces.
		"tex":     {".base .level .grad " + geometryMod + ".v2 .v4", 2, 6, (*emitter).tex},
		"tld4":    {".r .g .b .a .2d .a2d .cube .acube .v4", 2, 4, (*emitter).gather},
		"txq":     {".level " + imageQueries + " " + samplerQueries, 2, 3, (*emitter).textureQuery},
		"istypep": {"", 2, 2, (*emitter).isType},
		"suld":    {".b .ca .cg .cs .cv " + surfaceMod + ".v2 .v4", 2, 2, (*emitter).surfaceLoad},
		"sust":    {".b .p .wb .cg .cs .wt " + surfaceMod + ".v2 .v4", 2, 2, (*emitter).surfaceStore},
		"sured":   {".b .p .add .min .max .and .or " + surfaceMod, 2, 2, (*emitter).surfaceReduce},
		"suq":     {imageQueries, 2, 2, (*emitter).surfaceQuery},

		// Matrices.
		"mma":       {".sync .aligned .sp .sp::ordered_metadata .m16n8k4 .m16n8k8 .m16n8k16 .m16n8k32 .m16n8k64 .m16n8k128 .m16n8k256 .m8n8k4 .m8n8k16 .m8n8k32 .m8n8k128 .row .col .s4 .u4 .b1 .xor .and .popc .satfinite .rn .rz .rm .rp", 4, 6, (*emitter).mma},
		"wmma":      {".load .store .mma .a .b .c .d .sync .aligned .row .col .global .shared .shared::cta .m16n16k16 .m32n8k16 .m8n32k16 .m16n16k8 .m8n8k4 .m8n8k32 .m8n8k128 .s4 .u4 .b1 .xor .and .popc .satfinite .rn .rz .rm .rp", 2, 4, (*emitter).wmma},
		"stmatrix":  {".sync .aligned .m8n8 .x1 .x2 .x4 .trans .shared .shared::cta", 2, 2, (*emitter).storeMatrix},
		"wgmma":     {groupShapeMods() + " .mma_async .fence .commit_group .wait_group .sync .aligned .satfinite .b1 .and .popc", 0, 8, (*emitter).wgmma},
		"movmatrix": {".sync .aligned .m8n8 .trans", 2, 2, (*emitter).transposeMatrix},
		"ldmatrix":  {".sync .aligned .m8n8 .x1 .x2 .x4 .trans .shared .shared::cta", 2, 2, (*emitter).loadMatrix},
	}
}

// communicating returns the instructions between threads, and on the control flow.
func communicating() map[string]row {
	return map[string]row{
		"atom":                 {atomMod + ordering + ".exch .cas .add .inc .dec .min .max .and .or .xor .noftz .v2 .v4", 3, 4, (*emitter).atom},
		"red":                  {atomMod + ordering + asyncStore + ".add .inc .dec .min .max .and .or .xor .noftz .v2 .v4", 2, 3, (*emitter).redOrAsync},
		"bar":                  {".sync .arrive .red .and .or .popc .warp .cta", 1, 4, (*emitter).bar},
		"barrier":              {partWaitMod + " .sync .arrive .wait .red .and .or .popc .aligned .cta .cluster .release .acquire .relaxed", 0, 4, (*emitter).bar},
		"mbarrier":             {".init .inval .arrive .arrive_drop .test_wait .try_wait .phase_type::primary .phase_type::conditional .layout::v0 .pending_count .expect_tx .complete_tx .noComplete .parity .release .acquire .relaxed .cta .cluster .shared .shared::cta .shared::cluster", 1, 4, (*emitter).mbarrier},
		"membar":               {".cta .gl .sys .proxy .alias .async .global .shared .shared::cta .shared::cluster", 0, 0, (*emitter).fence},
		"fence":                {".sc .acq_rel .acquire .release .cta .cluster .gpu .sys .proxy .alias .async .async::generic .mbarrier_init .sync_restrict::shared::cta .sync_restrict::shared::cluster .sync_restrict::shared::cluster::read .sync_restrict::read .global .shared .shared::cta .shared::cluster", 0, 0, (*emitter).fence},
		"shfl":                 {".sync .up .down .bfly .idx", 4, 5, (*emitter).shfl},
		"vote":                 {".sync .all .any .uni .ballot", 2, 3, (*emitter).vote},
		"match":                {".sync .any .all", 3, 3, (*emitter).match},
		"redux":                {".sync .add .min .max .and .or .xor .abs .NaN", 3, 3, (*emitter).redux},
		"activemask":           {"", 1, 1, (*emitter).activemask},
		"elect":                {".sync", 2, 2, (*emitter).elect},
		"pmevent":              {".mask", 1, 1, (*emitter).nothing},
		"setmaxnreg":           {".inc .dec .sync .aligned", 1, 1, (*emitter).nothing},
		"nanosleep":            {"", 1, 1, (*emitter).nothing},
		"trap":                 {"", 0, 0, (*emitter).trap},
		"brkpt":                {"", 0, 0, (*emitter).brkpt},
		"call":                 {".uni", 1, 4, (*emitter).call},
		"clusterlaunchcontrol": {".try_cancel .query_cancel .async .shared::cta .mbarrier::complete_tx::bytes .multicast::cluster::all .is_canceled .get_first_ctaid .get_first_ctaid::x .get_first_ctaid::y .get_first_ctaid::z .v4", 2, 2, (*emitter).launchControl},
		"griddepcontrol":       {".launch_dependents .wait", 0, 0, (*emitter).nothing},
	}
}

// addVideo adds the video instructions.
func addVideo() {
	for op, r := range map[string]row{
		"vadd":     {secondary, 3, 4, (*emitter).video},
		"vsub":     {secondary, 3, 4, (*emitter).video},
		"vabsdiff": {secondary, 3, 4, (*emitter).video},
		"vmin":     {secondary, 3, 4, (*emitter).video},
		"vmax":     {secondary, 3, 4, (*emitter).video},
		"vshl":     {secondary + " .clamp .wrap", 3, 4, (*emitter).video},
		"vshr":     {secondary + " .clamp .wrap", 3, 4, (*emitter).video},
		"vset":     {".add .min .max .eq .ne .lt .le .gt .ge", 3, 4, (*emitter).video},
		"vmad":     {".sat .shr7 .shr15 .po", 4, 4, (*emitter).videoMad},
	} {
		table[op] = r
	}
	for _, op := range []string{"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"} {
		mods := ".sat .add"
		if op == "vset" {
			mods = ".add .eq .ne .lt .le .gt .ge"
		}
		for _, n := range []string{"2", "4"} {
			table[op+n] = row{mods, 4, 4, (*emitter).videoLanes}
		}
	}
}

// mostTypes are the instructions that may have several types, and how many.
var mostTypes = map[string]int{"add": 2, "sub": 2, "fma": 2, "cvt": 3, "set": 2, "slct": 2, "dp4a": 2, "dp2a": 2, "mma": 4, "wmma": 4, "wgmma": 3, "tex": 2, "tld4": 2, "clusterlaunchcontrol": 2}

// synchronous are the instructions of warps that do not exist without .sync.
var synchronous = map[string]bool{"match": true, "redux": true, "elect": true, "mma": true, "wmma": true, "wgmma": true, "ldmatrix": true, "stmatrix": true, "movmatrix": true}

// Supported reports whether Lower knows an instruction.
func Supported(op string) bool {
	switch op {
	case "bra", "brx", "ret", "exit":
		return true
	}
	_, ok := table[op]
	return ok
}

// nothing lowers a hint.
func (e *emitter) nothing() {}

// zero lowers a cache policy, which hints name.
func (e *emitter) zero() { e.result(e.b.Const(ir.I64, 0)) }
