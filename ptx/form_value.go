package ptx

// arithmeticForms are the forms of the instructions on the values of one thread (PTX ISA, "Integer Arithmetic Instructions" to "Logic and
// Shift Instructions"). Before version 1.4 the instructions that approximate had no .approx.
const arithmeticForms = `
add: $int; sat s32; u16x2|s16x2 v8.0 sm90; cc u32|s32 v1.2; cc u64|s64 v4.3 sm20
add: $rnd? ftz? sat? f32; $rnd? f64 sm13; $rnd? ftz? f32x2 v8.6 sm100; $rnd? sat? f32 f16|bf16 v8.6 sm100
add: rn? ftz? sat? $half v4.2 sm53; rn? $brain v7.8 sm90
sub: $int; sat s32; cc u32|s32 v1.2; cc u64|s64 v4.3 sm20
sub: $rnd? ftz? sat? f32; $rnd? f64 sm13; $rnd? ftz? f32x2 v8.6 sm100; $rnd? sat? f32 f16|bf16 v8.6 sm100
sub: rn? ftz? sat? $half v4.2 sm53; rn? $brain v7.8 sm90
mul: hi|lo $int; wide u16|u32|s16|s32; $rnd? ftz? sat? f32; $rnd? f64 sm13; $rnd? ftz? f32x2 v8.6 sm100
mul: rn? ftz? sat? $half v4.2 sm53; rn? $brain v7.8 sm90
mad: hi|lo $int; wide u16|u32|s16|s32; hi sat s32; hi|lo cc u32|s32 v3.0 sm20; hi|lo cc u64|s64 v4.3 sm20
mad: ftz? sat? f32; $rnd ftz? sat? f32 v1.4 sm20; $rnd? f64 sm13
addc|subc: cc? u32|s32 v1.2; cc? u64|s64 v4.3 sm20
madc: hi|lo cc? u32|s32 v3.0 sm20; hi|lo cc? u64|s64 v4.3 sm20
mul24: hi|lo u32|s32
clmad: lo|hi u64 v9.3 sm80
mad24: hi|lo u32|s32; hi sat s32
sad|rem: $int
div: $int; approx|full ftz? f32 v1.4; $rnd ftz? f32 v1.4 sm20; $rnd f64 v1.4 sm13; ftz? f32|f64 -v1.3
abs: s16|s32|s64; ftz? f32; f64 sm13; ftz? $half v6.5 sm53; $brain v7.0 sm80
neg: s16|s32|s64; ftz? f32; f64 sm13; ftz? $half v6.0 sm53; $brain v7.0 sm80
min|max: $int; relu s32|s16x2 v8.0 sm90; u16x2|s16x2 v8.0 sm90; f64 sm13; ftz? f32; ftz? NaN f32 v7.0 sm80; ftz? NaN? xorsign abs f32 v7.2 sm86
min|max: ftz? NaN? $half v7.0 sm80; NaN? $brain v7.0 sm80; ftz? NaN? xorsign abs $half v7.2 sm86; NaN? xorsign abs $brain v7.2 sm86
min|max: ftz? NaN? abs f32 v8.8 sm100
popc|clz|brev: b32|b64 v2.0 sm20
bfind: shiftamt? u32|u64|s32|s64 v2.0 sm20
bfe: u32|u64|s32|s64 v2.0 sm20
bfi: b32|b64 v2.0 sm20
fns: b32 v6.0 sm30
bmsk: clamp|wrap b32 v7.6 sm70
szext: clamp|wrap u32|s32 v7.6 sm70
dp4a: u32|s32 u32|s32 v5.0 sm61
dp2a: lo|hi u32|s32 u32|s32 v5.0 sm61
testp: finite|infinite|number|notanumber|normal|subnormal f32|f64 v2.0 sm20
copysign: f32|f64 v2.0 sm20
fma: $rnd ftz? sat? f32 v2.0 sm20; $rnd f64 v1.4 sm13; $rnd ftz? f32x2 v8.6 sm100; $rnd sat? f32 f16|bf16 v8.6 sm100
fma: rn ftz? sat? $half v4.2 sm53; rn ftz? relu $half v7.0 sm80; rn relu? $brain v7.0 sm80; rn oob relu? $half|$brain v8.1 sm90
rcp: approx ftz? f32 v1.4; $rnd ftz? f32 v1.4 sm20; $rnd f64 v1.4 sm13; approx ftz f64 v2.1 sm20; ftz? f32|f64 -v1.3
sqrt: approx ftz? f32 v1.4; $rnd ftz? f32 v1.4 sm20; $rnd f64 v1.4 sm13; ftz? f32|f64 -v1.3
rsqrt: approx ftz? f32 v1.4; approx f64 v1.4 sm13; approx ftz f64 v4.0 sm20; ftz? f32|f64 -v1.3
sin|cos|lg2: approx ftz? f32 v1.4; ftz? f32 -v1.3
ex2: approx ftz? f32 v1.4; approx ftz? $half v7.0 sm75; approx ftz $brain v7.8 sm90; ftz? f32 -v1.3
tanh: approx f32|$half v7.0 sm75; approx $brain v7.8 sm90
set: $cmp $bool? ftz? u32|s32|f32 $any; $cmp $bool? ftz? f16 $any|f16 v4.2 sm53; $cmp $bool? bf16 $any|f16|bf16 v7.8 sm90
set: $cmp $bool? ftz? u16|s16|u32|s32 f16 v4.2 sm53; $cmp $bool? u16|s16|u32|s32 bf16 v7.8 sm90
set: $cmp $bool? ftz? f16x2|u32|s32 f16x2 v4.2 sm53; $cmp $bool? bf16x2|u32|s32 bf16x2 v7.8 sm90
setp: $cmp $bool? ftz? $any; $cmp $bool? ftz? $half v4.2 sm53; $cmp $bool? $brain v7.8 sm90
selp: $any
slct: ftz? $any s32|f32
and|or|xor|not: pred|$bits
cnot: $bits
lop3: b32 v4.3 sm50; and|or b32 v8.2 sm70
shf: l|r clamp|wrap b32 v3.1 sm32
shl: $bits
shr: $bits|$int
prmt: f4e|b4e|rc8|ecl|ecr|rc16? b32 v2.0 sm20
`

// videoForms are the forms of the video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").
const videoForms = `
vadd|vsub|vabsdiff|vmin|vmax: u32|s32 u32|s32 u32|s32 sat? add|min|max? v2.0 sm20
vshl|vshr: u32|s32 u32|s32 u32 sat? clamp|wrap add|min|max? v2.0 sm20
vmad: u32|s32 u32|s32 u32|s32 po? sat? shr7|shr15? v2.0 sm20
vset: u32|s32 u32|s32 eq|ne|lt|le|gt|ge add|min|max? v2.0 sm20
vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2: u32|s32 u32|s32 u32|s32 sat|add? v3.0 sm30
vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4: u32|s32 u32|s32 u32|s32 sat|add? v3.0 sm30
vset2|vset4: u32|s32 u32|s32 eq|ne|lt|le|gt|ge add? v3.0 sm30
`
