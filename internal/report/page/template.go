package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// The files that the page is made from. The script has several files, one for each task.
var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/page.css
	pageCSS string
	//go:embed assets/scale.js
	scaleJS string
	//go:embed assets/look.js
	lookJS string
	//go:embed assets/lanes.js
	lanesJS string
	//go:embed assets/marks.js
	marksJS string
	//go:embed assets/pointer.js
	pointerJS string
	//go:embed assets/words.js
	wordsJS string
	//go:embed assets/timeline.js
	timelineJS string
	//go:embed assets/charts.js
	chartsJS string
	//go:embed assets/list.js
	listJS string
	//go:embed assets/page.js
	pageJS string
)

// execute writes the page.
func (v *view) execute(to io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{"command": command}).Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("reading the template: %w", err)
	}
	style := "\n" + pageCSS
	parts := []string{scaleJS, lookJS, lanesJS, marksJS, pointerJS, wordsJS, timelineJS, chartsJS, listJS, pageJS}
	script := "\n'use strict';\n(() => {\n" + strings.Join(parts, "\n") + "})();\n"
	err = page.Execute(to, struct {
		*view
		Policy string
		Style  template.CSS
		Script template.JS
		Data   data
	}{v, policy(style, script), template.CSS(style), template.JS(script), v.data})
	if err != nil {
		return fmt.Errorf("filling the template: %w", err)
	}
	return nil
}

// policy allows this style and this script, and nothing else. So the page sends no
// request.
func policy(style, script string) string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
		digest(style), digest(script))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// command returns a command line in which no line ends within the name of a flag. A browser
// ends one behind each hyphen, and people then read -- and profile as two words.
func command(line string) template.HTML {
	var b strings.Builder
	for n, word := range strings.Split(line, " ") {
		if n > 0 {
			b.WriteByte(' ')
		}
		if strings.HasPrefix(word, "-") {
			name, value, with := strings.Cut(word, "=")
			if with {
				name += "="
			}
			fmt.Fprintf(&b, `<span class="flag">%s</span>`, template.HTMLEscapeString(name))
			word = value
		}
		b.WriteString(template.HTMLEscapeString(word))
	}
	return template.HTML(b.String()) //nolint:gosec // each word is escaped
}
