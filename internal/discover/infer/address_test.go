package infer

import "testing"

// TestIsAddress: a text is the address of a Service only if it leads to it.
func TestIsAddress(t *testing.T) {
	service := shopService(t).Object
	for text, want := range map[string]bool{
		"shop":                                  true,
		"shop.ns":                               true,
		"shop.ns.svc":                           true,
		"shop.ns.svc.cluster.local":             true,
		"shop.ns.svc.cluster.local.":            true,
		"shop.ns.svc:8443":                      true,
		"http://shop":                           true,
		"http://shop.ns:80/":                    true,
		"http://shop.ns.svc.example.org:8443":   true,
		"tcp://shop:8443":                       true,
		"10.0.0.7":                              true,
		"http://10.0.0.7:8443":                  true,
		"10.0.0.8":                              false,
		"https://shop.ns.svc":                   false, // it has no port 443
		"tcp://shop":                            false,
		"shop.ns:9999":                          false,
		"http://shop.ns.svc:8080":               false,
		"shop.other":                            false,
		"shop.ns.pod":                           false,
		"my-shop.ns.svc":                        false,
		"http://shop-db.ns.svc:80":              false,
		"example.com/name=shop,example.com/i=0": false,
		"shop/status":                           false,
		"kind: Service, name: shop":             false,
		"":                                      false,
	} {
		if got := isAddress(text, service); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestSaysAddress: the name of a Service alone is its address only in a field that says so.
func TestSaysAddress(t *testing.T) {
	r := story(t, "{url: shop, name: shop}", "{url: shop, name: shop}", "{url: shop, name: shop}", "{url: shop, name: shop}")
	moments := r.moments()
	for path, want := range map[string]bool{"status.url": true, "status.name": false, "status.none": false} {
		if got := r.alwaysAddress(moments, path, shopService(t).Object); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}
