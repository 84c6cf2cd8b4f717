package ptx

// recentForms are the forms that PTX 9.2 to 9.5 add to older instructions, and their new instructions (PTX ISA, "Changes in PTX ISA
// Version"). A form with "*" is one that Chiaro refuses by its name when a kernel is lowered.
const recentForms = `
add: sat u32|u16x2|s16x2 v9.2 sm107a; sat? u8x4|s8x4 v9.2 sm107a
sub: sat? u8x4|s8x4 v9.2 sm107a
neg: s8x4 v9.2 sm107a
min|max: u8x4 v9.2 sm107a; relu? s8x4 v9.2 sm107a
st: async weak? shared::cluster? $bytes b128 v9.2 sm90
cvt: rn relu? satfinite? bf16x2 e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 v9.2 sm100a; rn relu? satfinite? scaled::n2::ue8m0 bf16x2 e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 v9.2 sm100a
cp: async bulk ignore_oob shared::cta global $bytes mbarrier::report::disabled? $hint? v9.2 sm90
set: eq|ne|lt|le|gt|ge|lo|ls|hi|hs u8x4|s8x4|u16x2|s16x2 v9.4 sm107a
add|sub: $rnd? f32x2 f16x2|bf16x2 f32x2 v9.4 sm107a; rz ftz f16x2 f32x2 f32x2 v9.4 sm107a; rz bf16x2 f32x2 f32x2 v9.4 sm107a
add|sub: rn? satfinite? e5m2x4|e4m3x4 $x4 v9.4 sm100a
mul: rz ftz f16x2 f32x2 f32x2 v9.4 sm107a; rz bf16x2 f32x2 f32x2 v9.4 sm107a; bf16x2 bf16x2 f16x2 v9.4 sm107a; f16x2 f16x2 bf16x2 v9.4 sm107a
mul: rn? satfinite? e5m2x4|e4m3x4 $x4 $x4 v9.4 sm100a
fma: $rnd? f32x2 f16x2|bf16x2 f32x2 f32x2 v9.4 sm107a; rn? satfinite? e5m2x4|e4m3x4 $x4 $x4 v9.4 sm100a
cvt: rn|rz relu? satfinite? pzo f16|bf16|f16x2|bf16x2|tf32 f32 v9.4 sm107a
cvt: rn|rz satfinite relu? pzo? e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 f32|f16x2|bf16x2 v9.4 sm107a
cvt: rn|rz satfinite relu? pzo? scaled::n1::ue8m0 e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 f32|f16x2|bf16x2 v9.4 sm107a
cvt: rn|rz|rp satfinite? ue5m3x2 f32|f16x2|bf16x2 v9.4 sm107a; rn|rz satfinite? scaled::n1::ue8m0 ue5m3x2 f32|f16x2|bf16x2 v9.4 sm107a
cvt: rn f16x2 ue5m3x2 v9.4 sm107a; rn satfinite? scaled::n2::ue8m0? bf16x2 ue5m3x2 v9.4 sm107a; rz satfinite relu? scaled::n2::ue8m0? s2f6x2 f32|bf16x2 v9.4 sm107a
ld: proxy::readonly const|global? $mem v9.4 sm90
prefetch: global? L1::32B valid_addr v9.4 sm90
applypriority: async bulk global? bulk_group L2::evict_normal v9.4 sm107a; async bulk tensor $dim * v9.4 sm107a
createpolicy: range fabric * v9.4 sm100
spcompress|spdecompress: * v9.4 sm107a
cp: async bulk multicast::cluster::16b|multicast::cluster::32b * v9.4 sm90; async bulk $report * v9.4 sm107a; async bulk prefetch L2 global L2::evict_last|L2::evict_normal|L2::evict_first $hint? v9.4 sm107a
cp: reduce async bulk relaxed? $scope? global shared::cta bulk_group $hint? add noftz f32 v9.4 sm90
multimem: cp reduce async bulk relaxed? $scope? global shared::cta bulk_group add noftz f32 v9.4 sm90
atom: $sem? $scope? $gs? add noftz $hint? f32 v9.4 sm90; $sem? $scope? global? add noftz $hint? v2|v4 f32 v9.4 sm90
red: relaxed|release? $scope? $gs? add noftz $hint? f32 v9.4 sm90; relaxed|release? $scope? global? add noftz $hint? v2|v4 f32 v9.4 sm90
mbarrier: arrive|arrive_drop|expect_tx|complete_tx multicast::cluster::32b * v9.4 sm107a
fence: proxy alias acquire|release $scope v9.4 sm90; proxy async::generic release sync_restrict::shared::cluster::read cluster v9.4 sm90
ldmatrix: sync aligned m8n16 x1|x2|x4 $cta? s8 s4 v9.4 sm100a
sin|cos: approx ftz 2pi f32 v9.5
cp: async bulk wait_group sync_restrict::proxy::async v9.5 sm100
fence: alias sync_restrict::read release sys v9.5 sm90
tensormap: * v9.5 sm90a
`
