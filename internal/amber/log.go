package amber

import "fmt"

// MaxLog bounds the bytes of the log of a script.
const MaxLog = 4 << 20

// say adds printed output to the script's log.
func (r *runner) say(text string) {
	r.log = append(r.log, text)
	r.logged += len(text)
}

// maxUndefined bounds the reports of undefined results of a script.
const maxUndefined = 1 << 10

// noteUndefined adds a report of an undefined result to the script's log; the script then fails.
func (r *runner) noteUndefined(text string) {
	if r.undefined != nil && r.undefined.Count >= maxUndefined {
		r.undefined.Count++
		return
	}
	text = r.script.located(text)
	if r.undefined == nil {
		r.undefined = &UndefinedError{First: text}
	}
	r.undefined.Count++
	r.say("undefined: " + text)
}

// UndefinedError reports that a shader executed instructions without a defined result.
type UndefinedError struct {
	First string
	Count int
}

// Error returns the first report and the number of others.
func (e *UndefinedError) Error() string {
	if e.Count > 1 {
		return fmt.Sprintf("undefined: %s (and %d more)", e.First, e.Count-1)
	}
	return "undefined: " + e.First
}
