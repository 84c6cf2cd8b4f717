package ptx

// groupForms are the forms of the instructions on the control flow and between threads (PTX ISA, "Control Flow Instructions", "Parallel
// Synchronization and Communication Instructions", "Miscellaneous Instructions").
const groupForms = `
bra|call|ret: uni?
exit|trap:
brkpt: v1.0 sm11
brx: idx uni? v6.0 sm30
bar: sync; cta sync v7.8; cta? arrive v2.0; cta? red popc u32 v2.0; cta? red and|or pred v2.0; warp sync v6.0 sm30
barrier: cta? sync aligned? v6.0 sm30; cta? arrive aligned? v6.0 sm30; cta? red popc aligned? u32 v6.0 sm30; cta? red and|or aligned? pred v6.0 sm30
barrier: cluster arrive release|relaxed? aligned? v7.8 sm90; cluster wait acquire? aligned? v7.8 sm90
membar: cta|gl v1.4; sys v2.0 sm20; proxy alias v7.5 sm60; proxy async global|$smem? v8.0 sm90
fence: sc|acq_rel? $scope v6.0 sm70; acquire|release $scope v8.6 sm90; acquire|release sync_restrict::shared::cta|sync_restrict::shared::cluster cluster v8.6 sm90
fence: mbarrier_init release cluster v8.0 sm90; proxy alias v7.5 sm70; proxy fabric::generic|generic::fabric|fabric::fabric alias acquire|release sys v9.3 sm100; proxy async global|$smem? v8.0 sm90
fence: proxy tensormap::generic acquire|release $scope v8.3 sm90; proxy async::generic acquire|release sync_restrict::shared::cta|sync_restrict::shared::cluster cluster v8.6 sm90
atom: $sem? $scope? $gs? $bool $hint? b32 v1.1; $sem? $scope? $gs? $bool $hint? b64 v3.1 sm32; $sem? $scope? $gs? inc|dec $hint? u32 v1.1
atom: $sem? $scope? $gs? min|max $hint? u32|s32 v1.1; $sem? $scope? $gs? min|max $hint? u64|s64 v3.1 sm32
atom: $sem? $scope? $gs? exch $hint? b32|b64|$wide|f32; $sem? $scope? $gs? cas $hint? b32|b64|$wide; $sem? $scope? $gs? cas b16 v6.3 sm70
atom: $sem? $scope? $gs? add $hint? $wide; $sem? $scope? $gs? add $hint? f32 v2.0 sm20; $sem? $scope? $gs? add $hint? f64 v5.0 sm60
atom: $sem? $scope? $gs? exch|cas $hint? b128 v8.3 sm90; $sem? $scope? $gs? add noftz $hint? f16x2 v6.2 sm60; $sem? $scope? $gs? add noftz $hint? f16 v6.3 sm70
atom: $sem? $scope? $gs? add noftz $hint? $brain v7.8 sm90; $sem? $scope? global? add $hint? v2|v4 f32 v8.1 sm90
atom: $sem? $scope? global? add|min|max noftz $hint? $vec f16|bf16 v8.1 sm90; $sem? $scope? global? add|min|max noftz $hint? v2|v4 f16x2|bf16x2 v8.1 sm90
red: relaxed|release? $scope? $gs? $bool $hint? b32 v1.2; relaxed|release? $scope? $gs? $bool $hint? b64 v3.1 sm32; relaxed|release? $scope? $gs? inc|dec $hint? u32 v1.2
red: relaxed|release? $scope? $gs? min|max $hint? u32|s32 v1.2; relaxed|release? $scope? $gs? min|max $hint? u64|s64 v3.1 sm32
red: relaxed|release? $scope? $gs? add $hint? $wide v1.2; relaxed|release? $scope? $gs? add $hint? f32 v2.0 sm20
red: relaxed|release? $scope? $gs? add $hint? f64 v5.0 sm60; relaxed|release? $scope? $gs? add noftz $hint? f16x2 v6.2 sm60
red: relaxed|release? $scope? $gs? add noftz $hint? f16 v6.3 sm70; relaxed|release? $scope? $gs? add noftz $hint? $brain v7.8 sm90
red: relaxed|release? $scope? global? add $hint? v2|v4 f32 v8.1 sm90; relaxed|release? $scope? global? add|min|max noftz $hint? $vec f16|bf16 v8.1 sm90
red: relaxed|release? $scope? global? add|min|max noftz $hint? v2|v4 f16x2|bf16x2 v8.1 sm90
red: async relaxed cluster shared::cluster? $bytes inc|dec u32 v8.1 sm90; async relaxed cluster shared::cluster? $bytes min|max u32|s32 v8.1 sm90
red: async relaxed cluster shared::cluster? $bytes $bool b32 v8.1 sm90; async relaxed cluster shared::cluster? $bytes add u32|s32|u64 v8.1 sm90
red: async mmio? release gpu|cluster|sys global? add $wide v8.7 sm100
vote: all|any|uni pred v1.2; ballot b32 v2.0 sm20; sync all|any|uni pred v6.0 sm30; sync ballot b32 v6.0 sm30
match: any|all sync b32|b64 v6.0 sm70
activemask: b32 v6.2 sm30
redux: sync add|min|max u32|s32 v7.0 sm80; sync $bool b32 v7.0 sm80; sync min|max abs? NaN? f32 v8.6 sm100a
griddepcontrol: launch_dependents|wait v7.8 sm90
elect: sync v8.0 sm90
mbarrier: init $cta? layout::v0|layout::v1? b64 v7.0 sm80; inval $cta? b64 v7.0 sm80; pending_count layout::v0|layout::v1? b64 v7.0 sm80; check_layout * v9.3 sm90
mbarrier: arrive|arrive_drop expect_tx release|relaxed? cta|cluster? $smem? b64 v8.0 sm90
mbarrier: arrive|arrive_drop release|relaxed? cta|cluster? $smem? b64 v7.0 sm80; arrive|arrive_drop noComplete release? cta? $cta? b64 v7.0 sm80
mbarrier: expect_tx|complete_tx relaxed? cta|cluster? $smem? b64 v8.0 sm90
mbarrier: test_wait parity? phase_type::primary|phase_type::conditional? acquire|relaxed? cta|cluster? $cta? b64 v7.0 sm80; try_wait parity? phase_type::primary|phase_type::conditional? acquire|relaxed? cta|cluster? $cta? b64 v7.8 sm90
clusterlaunchcontrol: try_cancel async shared::cta? $bytes b128 v8.6 sm100; try_cancel async shared::cta? $bytes multicast::cluster::all b128 v8.6 sm100a
clusterlaunchcontrol: query_cancel is_canceled pred b128 v8.6 sm100; query_cancel get_first_ctaid v4 b32 b128 v8.6 sm100
clusterlaunchcontrol: query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128 v8.6 sm100
nanosleep: u32 v6.3 sm70
pmevent: v1.4; mask v3.0 sm20
setmaxnreg: inc|dec sync aligned u32 v8.0 sm90a
`

// matrixForms are the forms of the matrix instructions (PTX ISA, "Warp Level Matrix Instructions"). The other matrix instructions are
// refused by their names whatever their qualifiers. Before version 6.3 .aligned of wmma is implicit. Version 6.5 has no .satfinite for
// floats of wmma.
const matrixForms = `
wmma: load a|b sync aligned row|col m16n16k16 $ss? f16 v6.0 sm70; load a|b sync aligned row|col m8n32k16|m32n8k16 $ss? f16 v6.1 sm70
wmma: load a|b sync row|col m16n16k16 $ss? f16 v6.0 sm70 -v6.2; load a|b sync row|col m8n32k16|m32n8k16 $ss? f16 v6.1 sm70 -v6.2
wmma: load a|b sync aligned row|col $mnk16 $ss? u8|s8 v6.3 sm72; load a|b sync aligned row|col $mnk16 $ss? bf16 v7.0 sm80
wmma: load a|b sync aligned row|col m16n16k8 $ss? tf32 v7.0 sm80; load a|b|c sync aligned row|col m8n8k4 $ss? f64 v7.0 sm80
wmma: load a sync aligned row m8n8k32 $ss? u4|s4 v6.3 sm75; load b sync aligned col m8n8k32 $ss? u4|s4 v6.3 sm75
wmma: load a sync aligned row m8n8k128 $ss? b1 v6.3 sm75; load b sync aligned col m8n8k128 $ss? b1 v6.3 sm75
wmma: load c sync aligned row|col m16n16k16 $ss? f16|f32 v6.0 sm70; load c sync aligned row|col m8n32k16|m32n8k16 $ss? f16|f32 v6.1 sm70
wmma: load c sync row|col m16n16k16 $ss? f16|f32 v6.0 sm70 -v6.2; load c sync row|col m8n32k16|m32n8k16 $ss? f16|f32 v6.1 sm70 -v6.2
wmma: load c sync aligned row|col $mnk16 $ss? s32 v6.3 sm72; load c sync aligned row|col m8n8k32|m8n8k128 $ss? s32 v6.3 sm75
wmma: load c sync aligned row|col m16n16k8 $ss? f32 v7.0 sm80; store d sync aligned row|col m16n16k8 $ss? f32 v7.0 sm80
wmma: store d sync aligned row|col m16n16k16 $ss? f16|f32 v6.0 sm70; store d sync aligned row|col m8n32k16|m32n8k16 $ss? f16|f32 v6.1 sm70
wmma: store d sync row|col m16n16k16 $ss? f16|f32 v6.0 sm70 -v6.2; store d sync row|col m8n32k16|m32n8k16 $ss? f16|f32 v6.1 sm70 -v6.2
wmma: store d sync aligned row|col $mnk16 $ss? s32 v6.3 sm72; store d sync aligned row|col m8n8k32|m8n8k128 $ss? s32 v6.3 sm75
wmma: store d sync aligned row|col m8n8k4 $ss? f64 v7.0 sm80
wmma: mma sync aligned row|col row|col m16n16k16 f16|f32 f16|f32 v6.0 sm70; mma sync aligned row|col row|col m8n32k16|m32n8k16 f16|f32 f16|f32 v6.1 sm70
wmma: mma sync aligned? row|col row|col $mnk16 f16|f32 f16|f32 satfinite? v6.0 sm70 -v6.2; mma sync aligned row|col row|col $mnk16 f16|f32 f16|f32 satfinite v6.0 sm70 -v6.4
wmma: mma sync aligned row|col row|col $mnk16 s32 u8|s8 u8|s8 s32 satfinite? v6.3 sm72; mma sync aligned row col m8n8k32 s32 u4|s4 u4|s4 s32 satfinite? v6.3 sm75
wmma: mma xor popc sync aligned row col m8n8k128 s32 b1 b1 s32 v6.3 sm75; mma and popc sync aligned row col m8n8k128 s32 b1 b1 s32 v7.1 sm80
wmma: mma sync aligned row|col row|col $mnk16 f32 bf16 bf16 f32 v7.0 sm80; mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32 v7.0 sm80
wmma: mma sync aligned row|col row|col m8n8k4 $rnd? f64 f64 f64 f64 v7.0 sm80
ldmatrix: sync aligned m8n8 x1|x2|x4 trans? $cta? b16 v6.5 sm75; sync aligned m16n16 x1|x2|x4 trans $cta? b8 v8.6 sm100a
ldmatrix: sync aligned m8n16|m16n16 x1|x2|x4 trans? $cta? b8x16 b6x16_p32|b4x16_p64 v8.6 sm100a
stmatrix: sync aligned m8n8 x1|x2|x4 trans? $cta? b16 v7.8 sm90; sync aligned m16n8 x1|x2|x4 trans? $cta? b8 v8.6 sm100a
movmatrix: sync aligned m8n8 trans b16 v7.8 sm75
mma: sync aligned m8n8k4 row|col row|col f16|f32 f16 f16 f16|f32 v6.4 sm70; sync aligned m16n8k8 row col f16|f32 f16 f16 f16|f32 v6.5 sm75
mma: sync aligned m16n8k16 row col f16|f32 f16 f16 f16|f32 v7.0 sm80; sync aligned m16n8k8|m16n8k16 row col f32 bf16 bf16 f32 v7.0 sm80
mma: sync aligned m16n8k4|m16n8k8 row col f32 tf32 tf32 f32 v7.0 sm80; sync aligned m16n8k32 row col f32 $f8 $f8 f32 v8.4 sm89
mma: sync aligned m16n8k16|m16n8k32 row col f16|f32 $f8 $f8 f16|f32 v8.7 sm89; sync aligned m16n8k32 row col kind::f8f6f4 f16|f32 $f864 $f864 f16|f32 v8.7 sm120a
mma: sync aligned m16n8k64 row col kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0 v8.7 sm120a
mma: sync aligned m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::2X f32 e2m1 e2m1 f32 ue8m0 v8.7 sm120a; sync aligned m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::4X f32 e2m1 e2m1 f32 ue4m3 v8.7 sm120a; sync aligned m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::4X f32 e2m1 e2m1 f32 ue8m0 v9.1 sm120a
mma: sync aligned m16n8k32 row col kind::mxf8f6f4 block_scale scale_vec::1X? f32 $f864 $f864 f32 ue8m0 v8.7 sm120a
mma: sync aligned m8n8k4 row col f64 f64 f64 f64 $rnd? v7.0 sm80; sync aligned m16n8k4|m16n8k8|m16n8k16 row col f64 f64 f64 f64 $rnd? v7.8 sm90
mma: sync aligned m8n8k16 row col satfinite? s32 u8|s8 u8|s8 s32 v6.5 sm75; sync aligned m16n8k16|m16n8k32 row col satfinite? s32 u8|s8 u8|s8 s32 v7.0 sm80
mma: sync aligned m8n8k32 row col satfinite? s32 u4|s4 u4|s4 s32 v6.5 sm75; sync aligned m16n8k32|m16n8k64 row col satfinite? s32 u4|s4 u4|s4 s32 v7.0 sm80
mma: sync aligned m8n8k128 row col s32 b1 b1 s32 xor popc v7.0 sm75; sync aligned m16n8k128|m16n8k256 row col s32 b1 b1 s32 xor popc v7.0 sm80
mma: sync aligned m8n8k128|m16n8k128|m16n8k256 row col s32 b1 b1 s32 and popc v7.1 sm80
mma: $sp sync aligned m16n8k16|m16n8k32 row col f16|f32 f16 f16 f16|f32 v7.1 sm80; $sp sync aligned m16n8k16|m16n8k32 row col f32 bf16 bf16 f32 v7.1 sm80
mma: $sp sync aligned m16n8k8|m16n8k16 row col f32 tf32 tf32 f32 v7.1 sm80; $sp sync aligned m16n8k64 row col f32 $f8 $f8 f32 v8.4 sm89
mma: $sp sync aligned m16n8k32|m16n8k64 row col f16|f32 $f8 $f8 f16|f32 v8.7 sm120; sp::ordered_metadata sync aligned m16n8k64 row col kind::f8f6f4 f16|f32 $f864 $f864 f16|f32 v8.7 sm120a
mma: sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0 v8.7 sm120a
mma: sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4nvf4 block_scale scale_vec::2X f32 e2m1 e2m1 f32 ue8m0 v8.7 sm120a; sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4nvf4 block_scale scale_vec::4X f32 e2m1 e2m1 f32 ue4m3 v8.7 sm120a; sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4nvf4 block_scale scale_vec::4X f32 e2m1 e2m1 f32 ue8m0 v9.1 sm120a
mma: sp::ordered_metadata sync aligned m16n8k64 row col kind::mxf8f6f4 block_scale scale_vec::1X? f32 $f864 $f864 f32 ue8m0 v8.7 sm120a
mma: $sp sync aligned m16n8k32|m16n8k64 row col satfinite? s32 u8|s8 u8|s8 s32 v7.1 sm80; $sp sync aligned m16n8k64|m16n8k128 row col satfinite? s32 u4|s4 u4|s4 s32 v7.1 sm80
wgmma: * v8.0 sm90a
tcgen05: * v8.6 sm100a
fabric: * v9.3 sm100
`
