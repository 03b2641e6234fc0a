package page

import "reconform.dev/reconform/internal/harmless"

// What the page shows at most, in bytes: of one text of the history, and of all of them.
const (
	mostSaid    = 400
	mostAllSaid = 1 << 20
)

// texts are numbered, so that each stands in the page once. The first is empty.
type texts struct {
	list   []string
	number map[string]int
	size   int
}

func newTexts() *texts {
	return &texts{list: []string{""}, number: map[string]int{"": 0}}
}

// add a text, made harmless, and return its number.
func (t *texts) add(text string) int {
	if n, known := t.number[text]; known {
		return n
	}
	shown := harmless.Text(harmless.Cut(text, mostSaid))
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
