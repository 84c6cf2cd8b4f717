package link

import (
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Judge is the part of Chiaro that judges a rule of Vulkan, or the information that a check
// of the rule would need.
type Judge uint8

// The parts that judge a rule.
const (
	ByCheck   Judge = iota // package valid, for each module
	ByLink                 // this package, for a description of a pipeline
	ByReader               // the reader of modules or of descriptions, which rejects the input
	ByRun                  // a run, which stops with an error or whose sanitizers report it
	ByObjects              // package vk, the objects of the API
	ByDriver               // the driver, for the memory of calls: pointers, handles, chains and values
	ByOther                // the rules that Answer.Why names, which have the same content
	ByRefusal              // the device, which refuses the extension, the feature or the object that the rule needs
)

// The information that a check would need and that neither a module, nor a description, nor
// a device has.
const (
	NeedsForm     Judge = iota + ByRefusal + 1 // structures and calls in memory
	NeedsCall                                  // handles, and the state of the device at a call
	NeedsCommands                              // the commands that were recorded before
	NeedsDraw                                  // the resources that are bound at a draw, a dispatch or a trace
	NeedsRun                                   // values of an execution
	NeedsObject                                // an object, a state or a parameter that package vk does not have
	NeedsText                                  // none: the specification of this version does not have the subject
)

// judgeWords are the names of the judges.
var judgeWords = [...]string{
	ByCheck: "check", ByLink: "link", ByReader: "reader", ByRun: "while running", ByObjects: "objects", ByDriver: "driver", ByOther: "other rules", ByRefusal: "refused",
	NeedsForm: "form", NeedsCall: "call", NeedsCommands: "commands", NeedsDraw: "draw", NeedsRun: "run", NeedsObject: "object", NeedsText: "text",
}

// String returns the name of a judge: "check", "link", "reader", "while running", "objects", "driver", "other rules", "refused"; or of the
// missing information: "form", "call", "commands", "draw", "run", "object", "text".
func (j Judge) String() string { return judgeWords[j] }

// Judged reports whether a part of Chiaro judges the rule.
func (j Judge) Judged() bool { return j <= ByRefusal }

// Judges returns all judges in order.
func Judges() []Judge {
	out := make([]Judge, len(judgeWords))
	for i := range out {
		out[i] = Judge(i)
	}
	return out
}

// Answer is the judge of a rule of Vulkan.
type Answer struct {
	By  Judge
	Why string // the requirement of a judged rule; the rules that replace it; or the information that a check would need
}

// AnswerOf returns the answer for a rule of Vulkan, and whether there is one. A test demands
// an answer for each rule in [vuid.All].
func AnswerOf(code string) (Answer, bool) {
	a, ok := answers()[code]
	return a, ok
}

// beyond are the judges of package valid's reasons.
var beyond = map[valid.Beyond]Judge{
	valid.BeyondPipeline: NeedsCall, valid.BeyondDraw: NeedsDraw, valid.BeyondRun: NeedsRun, valid.BeyondText: NeedsText, valid.BeyondOther: ByOther,
}

// answers returns the answers by code.
var answers = sync.OnceValue(func() map[string]Answer {
	out := make(map[string]Answer, len(vuid.All))
	for _, code := range vuid.All {
		if a, ok := unjudgedAnswer(code); ok {
			out[code] = a
		}
	}
	for u := range valid.AllUnjudged() {
		out[u.Code] = Answer{beyond[u.Needs], u.Why}
	}
	for _, k := range slices.Concat(objectLists, runLists, refusedLists) { // some of the rules that package valid does not judge
		for _, c := range k.codes {
			out["VUID-"+c] = Answer{k.by, k.why}
		}
	}
	for r := range Rules() {
		out[r.Code] = Answer{ByLink, r.Words}
	}
	for r := range valid.Rules() {
		out[r.Code] = Answer{ByCheck, r.Words}
	}
	return out
})

// unjudgedAnswer returns the answer for a rule by the lists of rules that this package does
// not check. An answer for the rule itself has priority over an answer for its prefix.
func unjudgedAnswer(code string) (Answer, bool) {
	of := strings.TrimPrefix(code, "VUID-")
	var general Answer
	for k := range reasons() {
		for _, c := range k.codes {
			if c == of {
				return Answer{k.by, k.why}, true
			}
			if begin, many := strings.CutSuffix(c, "*"); many && strings.HasPrefix(of, begin) {
				general = Answer{k.by, k.why}
			}
		}
	}
	if a, ok := formAnswer(of); ok {
		return a, true
	}
	return general, general.Why != ""
}
