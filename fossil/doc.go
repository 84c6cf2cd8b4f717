// Package fossil reads archives of pipelines as Fossilize records them: the
// stream archives (.foz, versions 5 and 6 of the format) and the JSON that their
// entries hold, or that stands alone in a file. It makes link.Descriptions of
// the pipelines in them.
//
// [Open] reads where the entries of an archive are, [Archive.Read] one of them;
// [Set] knows the objects of an archive or of a document, and [Set.Pipeline]
// puts a pipeline together out of those that it names. Objects are read when
// they are asked for and kept, for many pipelines share them. An archive that was
// cut off while it was being written is taken up to where it was cut.
//
// The package refuses to know what is wrong in a pipeline, which is link's, and
// how an application is replayed.
package fossil
