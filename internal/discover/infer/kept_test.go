package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKeptWords: a field whose value a variable or an argument had, and did not follow, looks
// like a mistake. What followed does not, nor what has the same value by chance.
func TestKeptWords(t *testing.T) {
	const doubted = "spec.%s was changed, and %s of Deployment shop-web, which had its value, did not follow"
	withWords := func(words string) string {
		return strings.Replace(fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2), "env: []", words, 1)
	}
	for name, tc := range map[string]struct {
		spec, field string
		to          any
		first, then string
		want        string
	}{
		"a variable": {
			"{motd: Welcome}", "motd", "Goodbye", "env: [{name: GREETING, value: Welcome}]", "env: [{name: GREETING, value: Welcome}]",
			fmt.Sprintf(doubted, "motd", "the variable GREETING"),
		},
		"a number in a variable of its name": {
			"{maxPlayers: 16}", "maxPlayers", int64(17), "env: [{name: MAX_PLAYERS, value: '16'}]", "env: [{name: MAX_PLAYERS, value: '16'}]",
			fmt.Sprintf(doubted, "maxPlayers", "the variable MAX_PLAYERS"),
		},
		"a flag": {
			"{motd: Welcome}", "motd", "Goodbye", "args: [--greeting=Welcome]", "args: [--greeting=Welcome]",
			fmt.Sprintf(doubted, "motd", "the argument --greeting"),
		},
		"an argument of its own": {
			"{motd: Welcome}", "motd", "Goodbye", "args: [greet, Welcome]", "args: [greet, Welcome]",
			fmt.Sprintf(doubted, "motd", "the argument Welcome"),
		},
		"it followed":           {"{motd: Welcome}", "motd", "Goodbye", "env: [{name: MOTD, value: Welcome}]", "env: [{name: MOTD, value: Goodbye}]", ""},
		"the same number":       {"{tier: 16}", "tier", int64(17), "env: [{name: MAX_PLAYERS, value: '16'}]", "env: [{name: MAX_PLAYERS, value: '16'}]", ""},
		"a short text":          {"{mode: dev}", "mode", "test", "args: [dev]", "args: [dev]", ""},
		"only a part of a text": {"{motd: Welcome}", "motd", "Goodbye", "env: [{name: LINE, value: Welcome to it}]", "env: [{name: LINE, value: Welcome to it}]", ""},
		"it was not changed":    {"{motd: Welcome}", "motd", "Welcome", "args: [greet, Welcome]", "args: [greet, Welcome]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			r.Film = NewFilm(append(r.Film,
				frame(t, 15, "kind: Shop\nmetadata: {name: shop, generation: 1}\nspec: "+tc.spec),
				frame(t, 16, withWords(tc.first)), frame(t, 45, withWords(tc.then))))
			r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: "spec." + tc.field, To: tc.to, After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11})
			f := &finder{Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload()}
			f.deployment = r.Film.At(f.first.Until)[f.main]
			f.doubtKept()
			got := ""
			for _, doubt := range f.Doubts {
				got, _, _ = strings.Cut(doubt.Text, ". No requirement")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("doubt (-want +got):\n%s", diff)
			}
		})
	}
}

// TestKeptParts: a text of a child that is made from the value of a field, and did not follow,
// looks like a mistake, if an object that was created with another value shows that it is made
// from it.
func TestKeptParts(t *testing.T) {
	const ingress = "kind: Ingress\nmetadata: {name: %s, namespace: ns}\nspec: {rules: [{host: %s}]}"
	const doubted = "spec.db was changed, and %s, which is made from its value, did not follow"
	for name, tc := range map[string]struct {
		first, then, born string // the variable of the Pods
		host, bornHost    string
		want              string
	}{
		"a variable":                       {"orders-svc:5432", "orders-svc:5432", "bills-svc:5432", "a", "a", fmt.Sprintf(doubted, "the variable DB of Deployment shop-web")},
		"with the name of the object":      {"shop.orders", "shop.orders", "born.bills", "a", "a", fmt.Sprintf(doubted, "the variable DB of Deployment shop-web")},
		"the second time that it is in it": {"orders/orders", "orders/orders", "orders/bills", "a", "a", fmt.Sprintf(doubted, "the variable DB of Deployment shop-web")},
		"another child":                    {"x", "x", "x", "orders.shops.example", "bills.shops.example", fmt.Sprintf(doubted, "spec.rules[0].host of Ingress shop")},
		"all of a text of another child":   {"x", "x", "x", "orders", "bills", fmt.Sprintf(doubted, "spec.rules[0].host of Ingress shop")},
		"it followed":                      {"orders-svc", "bills-svc", "bills-svc", "a", "a", ""},
		"by chance":                        {"orders-svc", "orders-svc", "orders-svc", "orders.example", "orders.example", ""},
		"another text altogether":          {"orders-svc", "orders-svc", "bills-svc2", "a", "a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			with := func(object, value string) string {
				text := strings.Replace(fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2), "env: []", "env: [{name: DB, value: '"+value+"'}]", 1)
				return strings.ReplaceAll(text, "shop-web", object+"-web")
			}
			r.Film = NewFilm(append(r.Film,
				frame(t, 15, "kind: Shop\nmetadata: {name: shop}\nspec: {db: orders}"), frame(t, 16, with("shop", tc.first)),
				frame(t, 17, fmt.Sprintf(ingress, "shop", tc.host)), frame(t, 39, with("shop", tc.first)), frame(t, 45, with("shop", tc.then)),
				frame(t, 71, with("born", tc.born)), frame(t, 72, fmt.Sprintf(ingress, "born", tc.bornHost)),
				frame(t, 73, "kind: Shop\nmetadata: {name: born}\nspec: {db: bills}")))
			r.Account.Requests = append(r.Account.Requests, created(2, "ingresses", "Ingress/shop"),
				created(21, "deployments", "Deployment/born-web"), created(22, "ingresses", "Ingress/born"))
			r.Acts = append(r.Acts,
				Act{Deed: Change, Object: "shop", Path: "spec.db", To: "bills", After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11},
				Act{Deed: Born, Object: "born", After: 70, Until: 80, AfterSeq: 20, UntilSeq: 30})
			f := &finder{Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload()}
			f.deployment = r.Film.At(f.first.Until)[f.main]
			f.doubtKept()
			got := ""
			for _, doubt := range f.Doubts {
				got, _, _ = strings.Cut(doubt.Text, "; it is another one")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("doubt (-want +got):\n%s", diff)
			}
		})
	}
}
