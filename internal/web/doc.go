// Package web serves the page of chiaro: the results of runs, failures by their cause, pictures with their differences, sources
// with findings and counts, the state of a fleet, and a playground for shaders. It refuses to know shaders: a chiaro of its own
// answers, one process for each question.
//
//	browser ── GET /api/… ───────► reports ◄── *.json, *.jsonl of a folder, which may grow
//	        ◄─ GET /api/events ─── watcher, server-sent events
//	        ── POST /api/play ───► player ───► chiaro check, dis, run, profile; each in a process with limits
//	        ◄─ one JSON a line ──
//
// The data are files: whatever writes a report feeds the page, a run of a fleet with --out jsonl=FILE too. A report is read once;
// an item keeps the place of its record in the file, which is read again when someone looks at it.
//
// The page is for the user of this machine. It listens on a loopback address alone. It refuses a request that names another host,
// which stops DNS rebinding, and one from another origin. It runs no script but its own, loads nothing from another host, and
// shows each name and text of a report, a module or a shader as text. Files are named by reports, never by requests, and are
// read only in the folder of sources. A process of the playground has limits of time, memory and output, an empty folder
// of its own, and ends when the browser leaves.
//
// # Files
//
//	server.go   the server, its routes, the files of the page
//	guard.go    the requests that it refuses, the headers of answers
//	child.go    a process of chiaro: its limits and its end
//	play.go     the playground
//	listing.go  a listing, as instructions
//	heat.go     the counts of a profile, by line and by instruction
//	reports.go  the reports of a folder
//	record.go   the records of a report
//	cause.go    the causes of a failure
//	runs.go     runs and items, as the browser asks for them
//	source.go   the sources of an item
//	picture.go  pictures and their differences
//	events.go   events
package web
