package lower

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// feedbackText is a vertex shader whose outputs are captured. MODE stands
// for the mode.
const feedbackText = `OpCapability Shader
OpCapability Float64
OpCapability TransformFeedback
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %per %matrix %list %struct %unused %blocks
MODE
OpDecorate %Per Block
OpMemberDecorate %Per 0 BuiltIn Position
OpMemberDecorate %Per 1 BuiltIn PointSize
OpMemberDecorate %Per 0 Offset 16
OpDecorate %per XfbBuffer 0
OpDecorate %per XfbStride 64
OpDecorate %matrix Location 0
OpDecorate %matrix XfbBuffer 0
OpDecorate %matrix XfbStride 64
OpDecorate %matrix Offset 32
OpDecorate %list Location 4
OpDecorate %list XfbBuffer 0
OpDecorate %list XfbStride 64
OpDecorate %list Offset 48
OpDecorate %struct Location 8
OpDecorate %struct XfbBuffer 3
OpDecorate %struct XfbStride 40
OpDecorate %struct Offset 8
OpDecorate %unused Location 15
OpDecorate %unused XfbBuffer 3
OpDecorate %unused XfbStride 40
OpDecorate %unused Offset 0
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 4
OpMemberDecorate %Block 2 Offset 0
OpDecorate %blocks Location 20
OpDecorate %blocks XfbBuffer 1
OpDecorate %blocks XfbStride 8
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%m2 = OpTypeMatrix %v2 2
%l2 = OpTypeArray %v2 %two
%S = OpTypeStruct %float %double %float
%Per = OpTypeStruct %v4 %float
%Block = OpTypeStruct %float %float %uint
%B2 = OpTypeArray %Block %two
%pPer = OpTypePointer Output %Per
%pm2 = OpTypePointer Output %m2
%pl2 = OpTypePointer Output %l2
%pS = OpTypePointer Output %S
%pf = OpTypePointer Output %float
%pB2 = OpTypePointer Output %B2
%per = OpVariable %pPer Output
%matrix = OpVariable %pm2 Output
%list = OpVariable %pl2 Output
%struct = OpVariable %pS Output
%unused = OpVariable %pf Output
%blocks = OpVariable %pB2 Output
%nPer = OpConstantNull %Per
%nm2 = OpConstantNull %m2
%nl2 = OpConstantNull %l2
%nS = OpConstantNull %S
%nB2 = OpConstantNull %B2
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %per %nPer
OpStore %matrix %nm2
OpStore %list %nl2
OpStore %struct %nS
OpStore %blocks %nB2
OpReturn
OpFunctionEnd
`

// captured returns the outputs of a module that are captured, as buffer:offset=output.
func captured(t *testing.T, text string) (list []string) {
	p := lowered(t, []byte(text), nil, Options{})
	for _, c := range p.Captures {
		list = append(list, fmt.Sprintf("%d/%d/%d", c.Buffer, c.Stride, c.Stream))
	}
	slices.Sort(list)
	outs := []string{}
	for _, o := range p.Out {
		if o.Capture > 0 {
			outs = append(outs, fmt.Sprintf("%d:%02d=%s:%d", p.Captures[o.Capture-1].Buffer, o.Offset, o.Semantic, o.Index))
		}
	}
	slices.Sort(outs)
	return append(list, outs...)
}

// TestCaptures: what has an Offset is captured, tightly packed: the components of
// vectors, columns of matrices, elements of arrays and members of structs in order, each
// at a multiple of its size (Vulkan §"Transform Feedback"). A buffer that no store goes
// to is one too.
func TestCaptures(t *testing.T) {
	text := strings.NewReplacer("MODE", "OpExecutionMode %main Xfb").Replace(feedbackText)
	want := []string{
		"0/64/0", "1/8/0", "2/8/0", "3/40/0",
		"0:16=position:0", "0:20=position:1", "0:24=position:2", "0:28=position:3",
		"0:32=location:0", "0:36=location:1", "0:40=location:4", "0:44=location:5",
		"0:48=location:16", "0:52=location:17", "0:56=location:20", "0:60=location:21",
		"1:00=location:88", "1:04=location:80", "2:00=location:100", "2:04=location:92",
		"3:08=location:32", "3:16=location:36", "3:24=location:40",
	}
	if got := captured(t, text); !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
	// without the mode nothing is captured
	if got := captured(t, strings.Replace(text, "OpExecutionMode %main Xfb", "", 1)); len(got) > 0 {
		t.Errorf("%v without the mode Xfb", got)
	}
}

// TestCapturesNested: the Offset of a member is relative to its struct, unless the struct
// is a block (SPIR-V 3.20: Offset), so that elements of an array do not overlap. The next
// element or member begins after all members, in whichever order their Offsets are.
func TestCapturesNested(t *testing.T) {
	const text = `OpCapability Shader
OpCapability TransformFeedback
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %list %block
OpExecutionMode %main Xfb
OpMemberDecorate %S 0 Offset 8
OpMemberDecorate %S 2 Offset 0
OpDecorate %list Location 0
OpDecorate %list XfbBuffer 0
OpDecorate %list XfbStride 64
OpDecorate %list Offset 4
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 4
OpMemberDecorate %Block 1 Offset 16
OpDecorate %block Location 10
OpDecorate %block XfbBuffer 1
OpDecorate %block XfbStride 48
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%S = OpTypeStruct %float %float %v2
%S2 = OpTypeArray %S %two
%Block = OpTypeStruct %float %S
%pS2 = OpTypePointer Output %S2
%pBlock = OpTypePointer Output %Block
%list = OpVariable %pS2 Output
%block = OpVariable %pBlock Output
%nS2 = OpConstantNull %S2
%nBlock = OpConstantNull %Block
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %list %nS2
OpStore %block %nBlock
OpReturn
OpFunctionEnd
`
	want := []string{
		"0/64/0", "1/48/0",
		"0:04=location:8", "0:08=location:9", "0:12=location:0", "0:16=location:4",
		"0:20=location:20", "0:24=location:21", "0:28=location:12", "0:32=location:16",
		"1:04=location:40", "1:16=location:52", "1:20=location:53", "1:24=location:44", "1:28=location:48",
	}
	if got := captured(t, text); !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}

// TestCapturesRefused gives modules whose outputs fit no buffer.
func TestCapturesRefused(t *testing.T) {
	for change, want := range map[string]string{
		"%struct XfbStride 48":    "two strides",    // VUID-StandaloneSpirv-XfbBuffer-04693
		"%struct Stream 1":        "or streams",     // VUID-StandaloneSpirv-Stream-04694
		"%struct Offset 24":       "at byte 40",     // it ends after its vertex
		"%struct XfbBuffer 4":     "buffer 4",       // maxTransformFeedbackBuffers
		"%struct XfbStride 65536": "stride of 6553", // maxTransformFeedbackBufferDataStride
		"%blocks XfbBuffer 3":     "buffer 3",       // and 4
	} {
		text := strings.NewReplacer("MODE", "OpExecutionMode %main Xfb").Replace(feedbackText)
		words := strings.Fields(change)
		before, after, _ := strings.Cut(text, words[0]+" "+words[1])
		if words[1] == "Stream" {
			text = strings.Replace(text, "OpDecorate %struct Location", "OpDecorate %struct Stream 1\nOpDecorate %struct Location", 1)
		} else {
			_, rest, _ := strings.Cut(after, "\n")
			text = before + change + "\n" + rest
		}
		if _, err := stage(t, []byte(text), nil, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want an error with %q", change, err, want)
		}
	}
}
