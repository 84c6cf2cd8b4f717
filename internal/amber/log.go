package amber

// MaxLog bounds the bytes of the log of a script.
const MaxLog = 4 << 20

// say adds printed output to the script's log.
func (r *runner) say(text string) {
	r.log = append(r.log, text)
	r.logged += len(text)
}
