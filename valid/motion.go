package valid

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// motionFamily checks the instructions of SPV_INTEL_device_side_avc_motion_estimation.
// The uses of a VME image are checked with those of sampled images (image_sample.go).
var motionFamily = family{
	rules: []Rule{
		{Code: "SPV-Motion-Type", Section: "SPV_INTEL_device_side_avc_motion_estimation", Words: "the operands and the result of a motion estimation instruction have the types that the extension requires"},
		{Code: "SPV-Motion-Image", Section: "SPV_INTEL_device_side_avc_motion_estimation", Words: "a VME image combines a sampler and a two-dimensional image of the type of the result, with a Sampled of 0 or 1"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeVmeImageINTEL: (*checker).motionImageType,
		spirv.OpVmeImageINTEL:     (*checker).motionImage,
	},
	ops: []group{{(*checker).motion, motionOps()}},
}

// motionShapes are the types of the result and the operands of the instructions,
// in the words of motionTypes; a dot is a type that the extension does not name.
// The names lack "OpSubgroupAvc" and "INTEL".
//
// The extension names the result of IME for the operand of MceGet instructions.
// Its own conversions yield the result of MCE for them, so both are accepted.
var motionShapes = map[string]string{
	"8 8 8":         "MceGetDefaultInterBaseMultiReferencePenalty MceGetDefaultInterDirectionPenalty MceGetDefaultIntraLumaModePenalty",
	"64 8 8":        "MceGetDefaultInterShapePenalty",
	"32 8 8":        "MceGetDefaultIntraLumaShapePenalty",
	"2x32 8 8":      "MceGetDefaultInterMotionVectorCostTable",
	"2x32":          "MceGetDefaultHighPenaltyCostTable MceGetDefaultMediumPenaltyCostTable MceGetDefaultLowPenaltyCostTable",
	"32":            "MceGetDefaultNonDcLumaIntraPenalty",
	"8":             "MceGetDefaultIntraChromaModeBasePenalty",
	"mce mce":       "MceSetAcOnlyHaar",
	"mce 8 mce":     "MceSetInterBaseMultiReferencePenalty MceSetInterDirectionPenalty MceSetSourceInterlacedFieldPolarity MceSetSingleReferenceInterlacedFieldPolarity",
	"mce 8 8 mce":   "MceSetDualReferenceInterlacedFieldPolarities",
	"mce 64 mce":    "MceSetInterShapePenalty",
	"64 found":      "MceGetMotionVectors",
	"32 found":      "MceGetInterReferenceIds",
	"16 found":      "MceGetInterDistortions MceGetBestInterDistortions",
	"8 found":       "MceGetInterMajorShape MceGetInterMinorShape MceGetInterDirections MceGetInterMotionVectorCount",
	"8 32 32 found": "MceGetInterReferenceInterlacedFieldPolarities",
	"mce ime":       "ImeConvertToMcePayload",
	"ime mce":       "MceConvertToImePayload",
	"mce ref":       "RefConvertToMcePayload",
	"ref mce":       "MceConvertToRefPayload",
	"mce sic":       "SicConvertToMcePayload",
	"sic mce":       "MceConvertToSicPayload",
	"mce= ime=":     "ImeConvertToMceResult",
	"ime= mce=":     "MceConvertToImeResult",
	"mce= ref=":     "RefConvertToMceResult",
	"ref= mce=":     "MceConvertToRefResult",
	"mce= sic=":     "SicConvertToMceResult",
	"sic= mce=":     "MceConvertToSicResult",

	"mce 64 2x32 8 mce":               "MceSetMotionVectorCostFunction",
	"ime 2x16 8 8":                    "ImeInitialize",
	"ime 2x16 8 ime":                  "ImeSetSingleReference",
	"ime 2x16 2x16 8 ime":             "ImeSetDualReference",
	"2x16 8 8":                        "ImeRefWindowSize",
	"2x16 2x16 2x16 2x16 2x16":        "ImeAdjustRefOffset",
	"ime ime":                         "ImeSetUnidirectionalMixDisable",
	"ime 8 ime":                       "ImeSetMaxMotionVectorCount",
	". 8 ime":                         "ImeSetEarlySearchTerminationThreshold",
	". 32 ime":                        "ImeSetWeightedSad",
	"ime= image image ime":            "ImeEvaluateWithSingleReference",
	"ime= image image image ime":      "ImeEvaluateWithDualReference",
	"ime= image image ime in1":        "ImeEvaluateWithSingleReferenceStreamin",
	"ime= image image image ime in2":  "ImeEvaluateWithDualReferenceStreamin",
	"out1= image image ime":           "ImeEvaluateWithSingleReferenceStreamout",
	"out2= image image image ime":     "ImeEvaluateWithDualReferenceStreamout",
	"out1= image image ime in1":       "ImeEvaluateWithSingleReferenceStreaminout",
	"out2= image image image ime in2": "ImeEvaluateWithDualReferenceStreaminout",
	"in1 out1=":                       "ImeGetSingleReferenceStreamin",
	"in2 out2=":                       "ImeGetDualReferenceStreamin",
	"ime= out1=":                      "ImeStripSingleReferenceStreamout",
	"ime= out2=":                      "ImeStripDualReferenceStreamout",
	"32 out1= 8":                      "ImeGetStreamoutSingleReferenceMajorShapeMotionVectors",
	"32 out2= 8 8":                    "ImeGetStreamoutDualReferenceMajorShapeMotionVectors",
	"16 out1= 8":                      "ImeGetStreamoutSingleReferenceMajorShapeDistortions",
	"16 out2= 8 8":                    "ImeGetStreamoutDualReferenceMajorShapeDistortions",
	"8 out1= 8":                       "ImeGetStreamoutSingleReferenceMajorShapeReferenceIds",
	"8 out2= 8 8":                     "ImeGetStreamoutDualReferenceMajorShapeReferenceIds",
	"8 8 ime=":                        "ImeGetBorderReached",
	"8 ime=":                          "ImeGetTruncatedSearchIndication ImeGetUnidirectionalEarlySearchTermination",
	"32 ime=":                         "ImeGetWeightingPatternMinimumMotionVector",
	"16 ime=":                         "ImeGetWeightingPatternMinimumDistortion",

	"ref 2x16 64 8 8 8 8 8":      "FmeInitialize",
	"ref 2x16 64 8 8 8 8 8 8":    "BmeInitialize",
	"ref ref":                    "RefSetBidirectionalMixDisable RefSetBilinearFilterEnable",
	"ref= image image ref":       "RefEvaluateWithSingleReference",
	"ref= image image image ref": "RefEvaluateWithDualReference",
	"ref= image 32 ref":          "RefEvaluateWithMultiReference",
	"ref= image 32 8 ref":        "RefEvaluateWithMultiReferenceInterlaced",

	"sic 2x16":                    "SicInitialize",
	"sic 8 32 64 8 8 sic":         "SicConfigureSkc",
	"sic 8 8 8 8 8 8 8 sic":       "SicConfigureIpeLuma",
	"sic 8 8 8 8 8 8 . . . 8 sic": "SicConfigureIpeLumaChroma", // compilers pass a pair of chroma pixels in 16 bits, the text has 8
	"32 32 8":                     "SicGetMotionVectorMask",
	"sic 32 sic":                  "SicSetIntraLumaShapePenalty",
	"sic . . . sic":               "SicSetIntraLumaModeCostFunction",
	"sic . sic":                   "SicSetIntraChromaModeCostFunction",
	"sic sic":                     "SicSetBilinearFilterEnable",
	"sic 64 sic":                  "SicSetSkcForwardTransformEnable",
	"sic 8 sic":                   "SicSetBlockBasedRawSkipSad",
	"sic= image sic":              "SicEvaluateIpe",
	"sic= image image sic":        "SicEvaluateWithSingleReference",
	"sic= image image image sic":  "SicEvaluateWithDualReference",
	"sic= image 32 sic":           "SicEvaluateWithMultiReference",
	"sic= image 32 8 sic":         "SicEvaluateWithMultiReferenceInterlaced",
	"8 sic=":                      "SicGetIpeLumaShape SicGetIpeChromaMode",
	"16 sic=":                     "SicGetBestIpeLumaDistortion SicGetBestIpeChromaDistortion SicGetInterRawSads",
	"64 sic=":                     "SicGetPackedIpeLumaModes SicGetPackedSkcLumaSumThreshold",
	"32 sic=":                     "SicGetPackedSkcLumaCountThreshold",
}

// motionTypes are the opaque types of motionShapes. The sign = marks a result.
var motionTypes = map[string][]spirv.Op{
	"image": {spirv.OpTypeVmeImageINTEL},
	"mce":   {spirv.OpTypeAvcMcePayloadINTEL}, "mce=": {spirv.OpTypeAvcMceResultINTEL},
	"ime": {spirv.OpTypeAvcImePayloadINTEL}, "ime=": {spirv.OpTypeAvcImeResultINTEL},
	"ref": {spirv.OpTypeAvcRefPayloadINTEL}, "ref=": {spirv.OpTypeAvcRefResultINTEL},
	"sic": {spirv.OpTypeAvcSicPayloadINTEL}, "sic=": {spirv.OpTypeAvcSicResultINTEL},
	"out1=": {spirv.OpTypeAvcImeResultSingleReferenceStreamoutINTEL}, "in1": {spirv.OpTypeAvcImeSingleReferenceStreaminINTEL},
	"out2=": {spirv.OpTypeAvcImeResultDualReferenceStreamoutINTEL}, "in2": {spirv.OpTypeAvcImeDualReferenceStreaminINTEL},
	"found": {spirv.OpTypeAvcMceResultINTEL, spirv.OpTypeAvcImeResultINTEL},
}

// motionIntegers are the integers of motionShapes: their number and width.
var motionIntegers = map[string]struct {
	count, width int
	words        string
}{
	"8": {1, 8, "an integer of 8 bits"}, "16": {1, 16, "an integer of 16 bits"},
	"32": {1, 32, "an integer of 32 bits"}, "64": {1, 64, "an integer of 64 bits"},
	"2x16": {2, 16, "a vector of 2 integers of 16 bits"}, "2x32": {2, 32, "a vector of 2 integers of 32 bits"},
}

// motionOf is the shape of each instruction.
var motionOf = func() map[spirv.Op][]string {
	shape := make(map[string][]string, len(motionShapes))
	for types, names := range motionShapes {
		for name := range strings.FieldsSeq(names) {
			shape["SubgroupAvc"+name+"INTEL"] = strings.Fields(types)
		}
	}
	out := make(map[spirv.Op][]string, len(shape))
	for _, r := range spirv.Ops() {
		if s, ok := shape[r.Name()]; ok {
			out[spirv.Op(r.Value())] = s
		}
	}
	return out
}()

func motionOps() []spirv.Op {
	var out []spirv.Op
	for op := range motionOf {
		out = append(out, op)
	}
	return out
}

// motion checks the types of one instruction.
func (c *checker) motion(i int, in spirv.Inst) {
	op := in.Op()
	for n, want := range motionOf[op] {
		switch {
		case n == 0:
			if t := c.m.Type(in.Type()); t != nil && !motionFits(t, want) {
				c.fail(i, "SPV-Motion-Type", "%s yields %s; must yield %s", op, c.typeName(t), motionWords(want))
				return
			}
		case n+2 < len(in):
			if t := c.m.TypeOf(spirv.ID(in[n+2])); t != nil && !t.IsVoid() && !motionFits(t, want) {
				c.fail(i, "SPV-Motion-Type", "operand %d of %s is %s; must be %s", n, op, c.typeName(t), motionWords(want))
				return
			}
		}
	}
}

// motionFits reports whether a type is the one that a word of motionShapes requires.
func motionFits(t *facts.Type, want string) bool {
	if n, ok := motionIntegers[want]; ok {
		s := t.Scalar()
		return (t.IsScalar() || t.IsVector()) && s.IsInt() && int(s.Width) == n.width && t.Components() == n.count
	}
	ops, ok := motionTypes[want]
	return !ok || slices.Contains(ops, t.Op)
}

func motionWords(want string) string {
	if n, ok := motionIntegers[want]; ok {
		return n.words
	}
	var out []string
	for _, op := range motionTypes[want] {
		out = append(out, op.String())
	}
	return strings.Join(out, " or ")
}

// motionImageType checks the image type of a VME image.
func (c *checker) motionImageType(i int, in spirv.Inst) {
	switch t := c.m.Type(inst.TypeVmeImageINTEL(in).ImageType()); {
	case t == nil:
	case t.Op != spirv.OpTypeImage:
		c.fail(i, "SPV-Motion-Image", "the image type of OpTypeVmeImageINTEL is %s; must be an image", c.typeName(t))
	case t.Image.Dim != spirv.Dim2D:
		c.fail(i, "SPV-Motion-Image", "the image type of OpTypeVmeImageINTEL has the dimension %s; must be 2D", t.Image.Dim)
	}
}

// motionImage checks one combination of an image and a sampler.
func (c *checker) motionImage(i int, in spirv.Inst) {
	v := inst.VmeImageINTEL(in)
	c.image.sampled = append(c.image.sampled, i)
	t, m, s := c.m.Type(in.Type()), c.m.TypeOf(v.ImageType()), c.m.TypeOf(v.Sampler())
	switch {
	case t != nil && t.Op != spirv.OpTypeVmeImageINTEL:
		c.fail(i, "SPV-Motion-Image", "OpVmeImageINTEL yields %s; must yield a VME image", c.typeName(t))
	case m != nil && m.Op != spirv.OpTypeImage:
		c.fail(i, "SPV-Motion-Image", "the image of OpVmeImageINTEL is %s; must be an image", c.typeName(m))
	case m != nil && m.Image.Sampled > 1:
		c.fail(i, "SPV-Motion-Image", "the image of OpVmeImageINTEL has sampled %d; must be 0 or 1", m.Image.Sampled)
	case t != nil && m != nil && t.Elem != nil && t.Elem != m:
		c.fail(i, "SPV-Motion-Image", "the image of OpVmeImageINTEL is %s, and the result %s; must be an image of the same type", c.typeName(m), c.typeName(t)).also(c, t.Index, "the result's type")
	case s != nil && s.Op != spirv.OpTypeSampler:
		c.fail(i, "SPV-Motion-Image", "the sampler of OpVmeImageINTEL is %s; must be a sampler", c.typeName(s))
	}
}

// takesMotionImage reports whether an instruction has a VME image as an operand itself.
func takesMotionImage(op spirv.Op) bool {
	shape := motionOf[op]
	return len(shape) > 1 && slices.Contains(shape[1:], "image") || takesAnySampledImage(op)
}
