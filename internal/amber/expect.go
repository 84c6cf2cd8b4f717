package amber

// Comparison compares a value with an expected one.
type Comparison uint8

// The comparisons.
const (
	Equal Comparison = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	Fuzzy // equal within a tolerance
)

// comparisons has the words of AmberScript and the signs of VkScript.
var comparisons = [...]struct{ word, sign string }{
	{"EQ", "=="}, {"NE", "!="}, {"LT", "<"}, {"LE", "<="}, {"GT", ">"}, {"GE", ">="}, {"", "~="},
}

// String returns the sign of the comparison.
func (c Comparison) String() string { return comparisons[c].sign }

// Tolerance is an allowed difference.
type Tolerance struct {
	Value   float64
	Percent bool // of the expected value
}

// ExpectValues compares numbers in a buffer, from a byte on, one by one with
// the expected ones.
type ExpectValues struct {
	Step
	Buffer     *Buffer
	Shape      Shape // how elements lie: the buffer's, or VkScript's own
	Offset     int   // bytes
	Compare    Comparison
	Values     []Number
	Tolerances []Tolerance // with Fuzzy; the first means all, none is DefaultPercent
}

// ExpectTexels compares texels in a rectangle with a color. The buffer is nil if VkScript
// means its framebuffer.
type ExpectTexels struct {
	Step
	Buffer              *Buffer
	Whole               bool    // all texels
	Relative            bool    // the place is given in parts of the whole, and with Rect the size too
	Rect                bool    // a rectangle; else one texel
	X, Y, Width, Height float64 // in texels, except if Relative
	Alpha               bool    // alpha counts
	Color               [4]float64
	Tolerances          []Tolerance // one, or one for each channel; none is DefaultTexel
}

// ExpectBuffers compares two buffers.
type ExpectBuffers struct {
	Step
	Buffer, Other *Buffer
	How           BufferComparison
	Tolerance     float64
}

// BufferComparison is a way to compare buffers.
type BufferComparison uint8

// The ways: same bytes; root of the mean of squared differences; the largest
// earth mover's distance between the histograms of a channel.
const (
	SameBytes BufferComparison = iota
	RMSE
	HistogramEMD
)

// bufferComparisons has the words of AmberScript, in order.
var bufferComparisons = [...]string{"EQ_BUFFER", "RMSE_BUFFER", "EQ_HISTOGRAM_EMD_BUFFER"}

// The default tolerances: DefaultPercent of the expected number, DefaultTexel in a channel
// with a range from 0 to 1.
const (
	DefaultPercent = 0.000001
	DefaultTexel   = 0.002
)
