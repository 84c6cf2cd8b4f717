package state

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Limits of transform feedback.
const (
	MaxStreams         = ir.MaxStreams
	MaxFeedbackBuffers = ir.MaxCaptures
	MaxCapturedBytes   = 1024 // of a vertex, in all buffers of its stream (maxTransformFeedbackStreamDataSize)
)

// Feedback is transform feedback while it is active (VK_EXT_transform_feedback). It is
// kept from draw to draw; only one draw at a time may have it.
type Feedback struct {
	Buffers [MaxFeedbackBuffers]FeedbackBuffer
	Streams [MaxStreams]FeedbackCount
}

// FeedbackBuffer is a buffer that vertices are written to.
type FeedbackBuffer struct {
	Bytes []byte // the range that is bound; nil: nothing is

	// Next is where the next vertex goes, in bytes: what a counter buffer holds. 0
	// begins, what a draw left resumes.
	Next uint64
}

// FeedbackCount counts primitives of a stream (Vulkan §"Transform Feedback Queries").
type FeedbackCount struct {
	Written uint64
	Needed  uint64 // what would have been written if there were room
}
