package ptx

// movingForms are the forms of the instructions that move and convert data (PTX ISA, "Data Movement and Conversion Instructions", "Texture
// Instructions", "Surface Instructions"). A qualifier that came later than its instruction is in qualifierNeeds.
const movingForms = `
mov: pred|$any; b128 v8.3 sm70; v2|v4|v8 $any
shfl: up|down|bfly|idx b32 v3.0 sm30; sync up|down|bfly|idx b32 v6.0 sm30
ld: weak? const|global|local|param|param::entry|param::func|$smem? ca|cg|cs|lu|cv? $hint? $size? $vec? $mem
ld: weak? const|global|local|param|param::entry|param::func|$smem? $l1? $l2? $hint? $size? $vec? $mem v7.4
ld: volatile const|global|local|param|$smem? $size? $vec? $mem v1.1
ld: relaxed|acquire $scope const|global|local|param|$smem? $l1? $l2? $hint? $size? $vec? $mem v6.0 sm70
ld: mmio relaxed|acquire sys global? $mem v8.2 sm70
ld: weak? global ca|cg|cs? nc $hint? $size? $vec? $mem v3.1 sm32; weak? global nc $l1? $l2? $hint? $size? $vec? $mem v7.4 sm70
ldu: global? v2|v4? $mem v2.0 sm20
st: weak? global|local|param|param::func|$smem? wb|cg|cs|wt? $hint? $vec? $mem
st: weak? global|local|param|param::func|$smem? $l1? $l2? $hint? $vec? $mem v7.4
st: volatile global|local|param|$smem? $vec? $mem v1.1
st: relaxed|release $scope global|local|param|$smem? $l1? $l2? $hint? $vec? $mem v6.0 sm70
st: mmio relaxed|release sys global? $mem v8.2 sm70
st: async weak? cluster? shared::cluster? $bytes v2|v4? b32|b64|u32|u64|s32|s64|f32|f64 v8.1 sm90
st: async mmio? release gpu|sys global? $mem v8.7 sm100; bulk weak? shared::cta? v8.6 sm100
prefetch: global|local? L1|L2 v2.0 sm20; global L2::evict_last|L2::evict_normal v7.4 sm80; const|param? tensormap v8.0 sm90
prefetchu: L1 v2.0 sm20
applypriority: global? L2::evict_normal v7.4 sm80
discard: global? L2 v7.4 sm80
createpolicy: range global? $l2|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? b64 v7.4 sm80
createpolicy: fractional $l2|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? b64 v7.4 sm80; cvt L2 b64 v7.4 sm80
isspacep: global|local|shared v2.0 sm20; const v3.1 sm20; param|param::entry v7.7 sm70; shared::cta|shared::cluster v7.8
cvta: to? global|local|shared u32|u64 v2.0 sm20; to? const u32|u64 v3.1 sm20; to? param|param::entry u32|u64 v7.7 sm70; to? shared::cta|shared::cluster u32|u64 v7.8
cvt: $irnd? ftz? sat? $plain $plain; $rnd? ftz? sat? $plain $plain; $rnd|$irnd? sat? f32 bf16 v7.1 sm80
cvt: $rnd|$irnd? ftz? sat? bf16 $num v7.8 sm90; $rnd|$irnd? ftz? sat? $num bf16 v7.8 sm90
cvt: rn|rz relu? f16|bf16|f16x2|bf16x2 f32 v7.0 sm80; rn|rz relu? satfinite f16|bf16|f16x2|bf16x2 f32 v8.1 sm80; rs relu? satfinite? f16x2|bf16x2 f32 v8.7 sm100a
cvt: rna tf32 f32 v7.0 sm80; rna satfinite tf32 f32 v8.1 sm80; rn|rz relu? tf32 f32 v7.8 sm90; rn|rz satfinite relu? tf32 f32 v8.6 sm100
cvt: rn satfinite relu? e4m3x2|e5m2x2 f32|f16x2 v7.8 sm89; rn relu? f16x2 e4m3x2|e5m2x2 v7.8 sm89
cvt: rn satfinite relu? e2m1x2|e2m3x2|e3m2x2 f32 v8.6 sm100a; rn relu? f16x2 e2m1x2|e2m3x2|e3m2x2 v8.6 sm100a
cvt: rs relu? satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32 v8.7 sm100a
cvt: rz|rp satfinite? ue8m0x2 f32|bf16x2 v8.6 sm100a; rn bf16x2 ue8m0x2 v8.6 sm100a
cvt: rn satfinite relu? e4m3x2|e5m2x2 bf16x2 v9.1 sm100a; rn satfinite relu? e2m1x2|e2m3x2|e3m2x2 f16x2|bf16x2 v9.1 sm100a
cvt: rn satfinite relu? scaled::n2::ue8m0? s2f6x2 f32|bf16x2 v9.1 sm100a; rn satfinite? relu? scaled::n2::ue8m0? bf16x2 s2f6x2 v9.1 sm100a
cvt: pack sat u16|s16 s32 v6.5 sm72; pack sat u2|s2|u4|s4|u8|s8 s32 b32 v6.5 sm72
mapa: shared::cluster? u32|u64 v7.8 sm90
getctarank: shared::cluster? u32|u64 v7.8 sm90
alloca|stacksave|stackrestore: u32|u64 v7.3 sm52
cp: async ca|cg $cta global $hint? $size? v7.0 sm80; async commit_group|wait_group|wait_all v7.0 sm80; async mbarrier arrive noinc? $cta? b64 v7.0 sm80
cp: async bulk commit_group v8.0 sm90; async bulk wait_group read? v8.0 sm90; async bulk prefetch L2 global $hint? v8.0 sm90
cp: async bulk weak|relaxed? $scope? shared::cluster global $bytes multicast::cluster? $hint? b128? v8.0 sm90; async bulk weak|relaxed? $scope? shared::cta global $bytes $hint? b128? v8.6 sm90
cp: async bulk weak|relaxed? $scope? shared::cluster shared::cta $bytes b128? v8.0 sm90; async bulk weak|relaxed? $scope? global shared::cta bulk_group $hint? cp_mask? b128? v8.0 sm90
cp: reduce async bulk weak|relaxed? $scope? shared::cluster shared::cta $bytes and|or|xor|add|inc|dec|min|max b32|u32|s32|b64|u64 v8.0 sm90
cp: reduce async bulk weak|relaxed? $scope? global shared::cta bulk_group $hint? and|or|xor|add|inc|dec|min|max b32|u32|s32|b64|u64|s64|f32|f64|f16|bf16 v8.0 sm90
cp: reduce async bulk weak|relaxed? $scope? global shared::cta bulk_group $hint? add noftz f16|bf16 v8.0 sm90
cp: async bulk tensor $dim * v8.0 sm90; async bulk prefetch tensor $dim L2 global * v8.0 sm90; reduce async bulk tensor $dim global shared::cta * v8.0 sm90
tensormap: replace tile * v8.3 sm90a; cp_fenceproxy * v8.3 sm90
multimem: ld_reduce|st|red weak? relaxed|acquire|release? $scope? global? min|max|add|$bool? acc::f32|acc::f16? $vec? b32|b64|u32|u64|s32|s64|$half|$brain|f32|f64|e5m2|e5m2x2|e5m2x4|e4m3|e4m3x2|e4m3x4 v8.1 sm90
multimem: cp async bulk weak|relaxed? $scope? global shared::cta bulk_group cp_mask? b128? v9.1 sm90; cp reduce async bulk weak|relaxed? $scope? global shared::cta bulk_group and|or|xor|add|inc|dec|min|max noftz? b32|u32|s32|b64|u64|s64|f32|f64|f16|bf16 v9.1 sm90
multimem: * v8.1 sm90
tex: base? $geom v4 u32|s32|f16|f32 s32|f32; base? $geom v2 f16x2 s32|f32; level|grad $geom v4 u32|s32|f16|f32 s32|f32 v2.0; level|grad $geom v2 f16x2 s32|f32 v4.2
tld4: r|g|b|a 2d v4 u32|s32|f32 f32 v2.2 sm20; r|g|b|a a2d|cube|acube v4 u32|s32|f32 f32 v4.3 sm30
txq: width|height|depth b32 v1.5; level width|height|depth b32 v4.3 sm30; channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples b32 v1.5
txq: force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2 b32 v1.5
istypep: texref|samplerref|surfref v4.0 sm30
suld: b 1d|2d|3d|a1d|a2d ca|cg|cs|cv? v2|v4? b8|b16|b32|b64 $mode? v1.5 sm20; p 1d|2d|3d v2|v4? b32|u32|s32|f32 $mode? v2.0 sm20 -v2.3
sust: b 1d|2d|3d|a1d|a2d wb|cg|cs|wt? v2|v4? b8|b16|b32|b64 $mode? v1.5; p 1d|2d|3d|a1d|a2d v2|v4? b32 $mode? v2.0 sm20; p 1d|2d|3d v2|v4? u32|s32|f32 $mode? v2.0 sm20 -v2.3
sured: b add|min|max|and|or 1d|2d|3d u32|u64|s32|b32|s64 $mode? v2.0 sm20; p add|min|max|and|or 1d|2d|3d b32|b64|$wide $mode? v2.0 sm20
suq: width|height|depth|channel_data_type|channel_order|array_size|memory_layout b32 v1.5 sm20
`
