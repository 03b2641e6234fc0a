package page

import "reconform.dev/reconform/internal/record/sanitize"

// Limits of the texts of the history on the page: of each one, in characters, and of all,
// in bytes.
const (
	mostSaid    = 400
	mostAllSaid = 1 << 20
)

// texts gives each text a number, so that the page contains it once. The first text is
// empty.
type texts struct {
	list   []string
	number map[string]int
	size   int
}

func newTexts() *texts {
	return &texts{list: []string{""}, number: map[string]int{"": 0}}
}

// add adds a text, made harmless, and returns its number.
func (t *texts) add(text string) int {
	if n, known := t.number[text]; known {
		return n
	}
	shown := sanitize.Text(sanitize.Cut(text, mostSaid))
	if t.size+len(shown) > mostAllSaid {
		shown = "… (left out: there is too much text) …"
		if n, known := t.number[shown]; known {
			return n
		}
		text = shown
	}
	t.size += len(shown)
	t.list = append(t.list, shown)
	t.number[text] = len(t.list) - 1
	return len(t.list) - 1
}
