package trial

import (
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

// TestAgainAndAgain: the writes that came most often are named, and no others.
func TestAgainAndAgain(t *testing.T) {
	write := func(verb, name string, effect history.Effect) history.Request {
		return history.Request{Verb: verb, Resource: "services", Name: name, Effect: effect}
	}
	var writes []history.Request
	for range 3 {
		writes = append(writes, write(history.VerbDelete, "demo", history.EffectEffective), write(history.VerbCreate, "demo", history.EffectEffective))
	}
	writes = append(writes, write(history.VerbCreate, "demo", history.EffectEffective), write(history.VerbCreate, "once", history.EffectEffective),
		write(history.VerbUpdate, "refused", history.EffectRefused), write(history.VerbUpdate, "refused", history.EffectRefused))
	if got, want := againAndAgain(writes), ": create services demo 4 times, delete services demo 3 times"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := againAndAgain(writes[7:]); got != "" {
		t.Errorf("%q, want nothing", got)
	}
}
