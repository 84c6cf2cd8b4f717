// Package fleet spreads the work of chiaro over machines with NATS JetStream. A submitter splits a list of items into
// batches, workers answer batches, and the submitter writes the answers. The package refuses to know shaders: at both
// ends is a chiaro, which speaks the protocol of package wire.
//
//	chiaro ─ items ─► submitter ─ job ──────► CHIARO_JOBS ────► worker ─ items ─► chiaro, one process a core
//	       ◄ answers ─          ◄ CHIARO_RESULTS ◄──── result ─        ◄ answers ─
//	                 └ large files ► CHIARO_INPUTS ─► cache ┘
//
// The name of each message is the hash of its question: tool version, verb, options, and the name and the contents of
// each file. Both streams accept one message of a name, so that a batch is queued once and answered once, whoever submits
// it and however many workers answer it. Nothing else is state: a submitter, a worker or a server that is killed and
// started again goes on by asking for the names.
//
// A job leaves the queue when its result is stored. A worker extends the deadline of its job; the job of a dead worker
// goes to another one. Small files travel in the job, because an object of the store is at least four messages.
//
// The command chiaro-fleet is a binary of its own: the server has 16 MB and takes half as long to compile as all of
// chiaro, and the process that holds the credentials runs no shader.
//
// # Files
//
//	batch.go       a batch: its key, its boundaries in the list, its message
//	store.go       the connection, the streams and the object stores, errors for the user
//	input.go       files of the submitter: hashes, upload
//	submit.go      the submitter
//	packer.go      the packed form of batches that wait for their results
//	audit.go       the submitter when no answer comes
//	inputcache.go  files of the worker: a bounded folder
//	process.go     a process that answers, with its limits and its end
//	note.go        how often workers have begun the items of a batch that came back
//	worker.go      the worker
//	server.go      the embedded server; a fleet of one machine
//	admin.go       status, cancel, prune
package fleet
