package main

// checkPage is the page that checkHTML fills in. It loads nothing.
const checkPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>chiaro check: {{.Errors}} errors, {{.Warnings}} warnings</title>
<style>
:root { color-scheme: light dark; --line: #8884; --error: #c22; --warning: #a70; --soft: #8881 }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
h1 { font-size: 1.4em } h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid var(--line) }
table { border-collapse: collapse } td, th { padding: .2em .8em; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
td.n { text-align: right; font-variant-numeric: tabular-nums }
code, pre { font: 13px/1.45 ui-monospace, monospace }
pre { overflow-x: auto; background: var(--soft); padding: .6em; margin: .4em 0 }
summary { cursor: pointer } summary code { font-weight: 600 }
.error { color: var(--error) } .warning { color: var(--warning) }
.find { border-left: 3px solid var(--error); margin: .3em 0 .3em 4.5em; padding: .1em .7em; background: var(--soft); font-family: system-ui, sans-serif; white-space: normal }
.find.warning { border-color: var(--warning) } .find.warning, .find.error { color: inherit }
.num { color: #888; display: inline-block; width: 4em; text-align: right; margin-right: 1em; user-select: none }
.hit { background: #f002 }
.of { color: #888 }
</style>
</head>
<body>
<h1>chiaro check</h1>
<table>
<tr><th>environment<td>{{.Env}}
<tr><th>version<td>{{.Version}}
<tr><th>modules<td>{{.Total}}
<tr><th>clean<td>{{.Clean}}
<tr><th>with errors<td>{{.Faulty}}
<tr><th>unreadable<td>{{.Unreadable}}
<tr><th>errors<td class="error">{{.Errors}}
<tr><th>warnings<td class="warning">{{.Warnings}}
</table>
<h2 id="rules">By rule</h2>
{{range .Rules}}<details><summary><code>{{.Code}}</code> {{len .Findings}} — {{.Words}} <span class="of">{{.Section}}</span></summary>
<ul>{{range .Findings}}<li><a href="#f{{.File}}{{if .Line}}l{{.Line}}{{end}}">{{.Message}}</a>{{end}}</ul>
</details>
{{else}}<p>No findings.</p>
{{end}}
<h2 id="files">By file</h2>
<table>{{range .Files}}<tr><td>{{if or .Findings .Message}}<a href="#f{{.Number}}">{{.Name}}</a>{{else}}{{.Name}}{{end}}<td class="n">{{if .Message}}{{.Verdict}}{{else}}{{len .Findings}}{{end}}{{end}}</table>
{{range $f := .Files}}{{if .Message}}<h2 id="f{{.Number}}">{{.Name}}</h2><pre>{{.Message}}</pre>
{{else if .Findings}}<h2 id="f{{.Number}}">{{.Name}}</h2>
{{range .Findings}}{{if not .Line}}{{template "finding" .}}{{end}}{{end}}{{if .Listing}}<pre>{{range .Listing}}<span{{if .Findings}} class="hit" id="f{{$f.Number}}l{{.Number}}"{{end}}><span class="num">{{.Number}}</span>{{.Text}}</span>
{{range .Findings}}{{template "finding" .}}{{end}}{{end}}</pre>{{end}}{{if .Cut}}<p class="of">{{.Cut}} lines without findings are left out.</p>{{end}}
{{end}}{{end}}
</body>
</html>
{{define "finding"}}<div class="find {{.Severity}}"><b>{{.Severity}}</b> {{.Message}} <code>{{.Code}}</code>{{if .EntryPoint}} <span class="of">in {{.EntryPoint}}</span>{{end}}{{if .Source}}<br><span class="of">{{.Source}}</span>{{end}}{{if .SourceLine}}<br><code>{{.SourceLine}}</code>{{end}}{{range .Related}}<br>{{.Message}}: <code>{{.Text}}</code>{{end}}</div>{{end}}
`
