// Package fossil reads archives of pipelines that Fossilize recorded: the stream archives
// (.foz, versions 5 and 6 of the format) and the JSON of their entries, which may also be a
// file of its own. It makes a link.Description of each pipeline.
//
// [Open] reads the positions of the entries in an archive and [Archive.Read] reads one
// entry; [Set] holds the objects of an archive or of a document, and [Set.Pipeline]
// assembles a pipeline from the objects that it names. Objects are read on demand and
// cached, because many pipelines share them. An archive that was cut off during recording
// is read up to the cut.
//
// The package does not check pipelines, which is the task of package link, and does not
// replay an application.
package fossil
