package state

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Limits of transform feedback.
const (
	MaxStreams         = ir.MaxStreams
	MaxFeedbackBuffers = ir.MaxCaptures
	MaxCapturedBytes   = 1024 // of a vertex, in all buffers of a stream (maxTransformFeedbackStreamDataSize)
)

// Feedback is active transform feedback (VK_EXT_transform_feedback). It persists between draws; one
// draw at a time can use it.
type Feedback struct {
	Buffers [MaxFeedbackBuffers]FeedbackBuffer
	Streams [MaxStreams]FeedbackCount
}

// FeedbackBuffer is a buffer that receives vertices.
type FeedbackBuffer struct {
	Bytes []byte // the bound range; nil: not bound

	// Next is the byte offset of the next vertex, the value of a counter buffer. 0 begins; the value
	// after a draw resumes.
	Next uint64
}

// FeedbackCount counts primitives of a stream (Vulkan §"Transform Feedback Queries").
type FeedbackCount struct {
	Written uint64
	Needed  uint64 // written if the buffers had enough space
}
