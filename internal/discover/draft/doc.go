// Package draft writes a profile as a commented YAML file. Beside each field it says
// whether the value was seen, read or guessed. If nothing is known, there is a question.
package draft
