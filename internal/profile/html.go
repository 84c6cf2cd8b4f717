package profile

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// pageFile is a source on the page.
type pageFile struct {
	Name      string
	Functions []functionCount
	Rows      []pageRow
}

// pageRow is a line of a source. A line without a count has no numbers; Gap is a gap between lines whose text is not known.
type pageRow struct {
	Gap     bool
	Number  int
	Text    string
	Counted bool
	Line    *Line
	Heat    template.CSS // color of the background
	Share   string       // of the instructions of the file
}

// Whole returns all lines of a source; nil if they are not known.
type Whole func(file string) []string

// maxPageLines bounds the lines of one source on the page.
const maxPageLines = 1 << 16

// HTML writes one page that needs nothing else: each source with the counts of its lines. The color of a line shows its share of the
// executed instructions of the source.
func (p *Profile) HTML(w io.Writer, title string, source Sources, whole Whole) error {
	page, err := template.New("page").Funcs(template.FuncMap{"plain": plain.Line}).Parse(pageText)
	if err != nil {
		return err
	}
	var files []pageFile
	for _, f := range p.Lines() {
		files = append(files, f.page(source, whole))
	}
	return page.Execute(w, map[string]any{"Title": plain.Line(title), "Files": files, "Pictures": p.Pictures, "Dispatches": p.Dispatches})
}

// page returns the rows of a source.
func (f *File) page(source Sources, whole Whole) pageFile {
	out := pageFile{Name: plain.Line(f.Name), Functions: f.functions()}
	total, most := uint64(0), uint64(1)
	counted := map[int]*Line{}
	for i := range f.Lines {
		l := &f.Lines[i]
		counted[l.Number] = l
		total += l.Instructions
		most = max(most, l.Instructions)
	}
	row := func(number int, text string) pageRow {
		r := pageRow{Number: number, Text: plain.Line(text), Line: counted[number]}
		if r.Counted = r.Line != nil; r.Counted && total > 0 {
			share := float64(r.Line.Instructions) / float64(total)
			r.Share = fmt.Sprintf("%.1f%%", 100*share)
			r.Heat = template.CSS(fmt.Sprintf("background:rgba(255,80,0,%.2f)", 0.6*math.Sqrt(float64(r.Line.Instructions)/float64(most))))
		}
		return r
	}
	if all := whole(f.Name); all != nil && len(all) <= maxPageLines {
		for i, text := range all {
			out.Rows = append(out.Rows, row(i+1, text))
		}
		return out
	}
	last := 0
	for i := range f.Lines {
		n := f.Lines[i].Number
		if n != last+1 {
			out.Rows = append(out.Rows, pageRow{Gap: true})
		}
		out.Rows, last = append(out.Rows, row(n, source(Place{f.Name, n}))), n
	}
	return out
}

// Shown returns a PNG file as an address for an img element.
func (Picture) Shown(png []byte) template.URL {
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
}

// Count returns the text of a count.
func (Picture) Count(n uint64) string { return number(n) }

// Mean returns the instructions of a pixel on average.
func (p Picture) Mean() string {
	return fmt.Sprintf("%.1f", float64(p.Total)/float64(max(p.Width*p.Height, 1)))
}

// Shown returns a count for the page; empty for 0.
func (pageRow) Shown(n uint64) string {
	if n == 0 {
		return ""
	}
	return number(n)
}

// Active returns the share of active lanes.
func (r pageRow) Active() string { return r.Line.active() }

const pageText = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Profile of {{.Title}}</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; font: 13px/1.45 ui-monospace, monospace }
th, td { padding: 0 .6em; text-align: right; white-space: pre }
th { position: sticky; top: 0; background: Canvas } td.text, th.text { text-align: left } .none { color: #888 } .never { color: #c22 }
.stack { position: relative; width: max-content } .stack img { display: block; image-rendering: pixelated } .stack .over { position: absolute; inset: 0; opacity: .75 }
.scale { display: flex; gap: .6em; align-items: center; font: 13px ui-monospace, monospace } .scale i { width: 12em; height: 1em; background: linear-gradient(90deg, #000, #f00, #ff0, #fff) }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Pictures}}<figure class="heat">
<div class="stack"><img src="{{.Shown .Image}}" width="{{.Width}}" height="{{.Height}}" alt="the picture"><img class="over" src="{{.Shown .Heat}}" width="{{.Width}}" height="{{.Height}}" alt="instructions at each pixel"></div>
<label>heat <input type="range" min="0" max="1" step="0.01" value="0.75" oninput="this.closest('figure').querySelector('.over').style.opacity=this.value"></label>
<figcaption>{{.Width}} × {{.Height}} pixels, draws: {{.Draws}}, instructions of fragments: {{.Count .Total}}, {{.Mean}} at a pixel on average
<div class="scale"><span>0</span><i></i><span>{{.Count .Most}}</span></div></figcaption>
</figure>
{{end}}{{range .Dispatches}}<h2>{{plain .Summary}}</h2>
<table>
<tr><th>instructions<th>dispatch<th>workgroup<th>invocation
{{range .Longest}}<tr><td>{{.Instructions}}<td>{{.Dispatch}}<td>{{.Workgroup}}<td>{{.Local}}
{{end}}</table>
<table>
<tr><th>loads<th>stores<th>atomics<th>bytes read<th>written<th>cache lines<th>accesses<th>contended<th>serial<th class="text">buffer
{{range .Buffers}}<tr><td>{{.Loads}}<td>{{.Stores}}<td>{{.Atomics}}<td>{{.Read}}<td>{{.Written}}<td>{{.Lines}}<td>{{.Transfers}}<td>{{.Contended}}<td>{{.Serial}}<td class="text">{{plain .Name}}
{{end}}</table>
{{end}}{{range .Files}}<h2>{{.Name}}</h2>
<p>{{range .Functions}}{{plain .Name}}, line {{.Line}}: {{.Called}}<br>
{{end}}</p>
<table>
<tr><th>share<th>executed<th>lanes<th>divergent<th>instructions<th>read<th>written<th>line<th class="text">source
{{range .Rows}}{{if .Gap}}<tr><td class="none" colspan="8">⋮<td>
{{else if .Counted}}<tr style="{{.Heat}}"><td>{{.Share}}<td{{if not .Line.Executed}} class="never"{{end}}>{{.Line.Executed}}<td>{{.Active}}<td>{{.Shown .Line.Divergent}}<td>{{.Shown .Line.Instructions}}<td>{{.Shown .Line.Read}}<td>{{.Shown .Line.Written}}<td id="{{.Number}}">{{.Number}}<td class="text">{{.Text}}
{{else}}<tr class="none"><td><td><td><td><td><td><td><td>{{.Number}}<td class="text">{{.Text}}
{{end}}{{end}}</table>
{{end}}</body>
</html>
`
