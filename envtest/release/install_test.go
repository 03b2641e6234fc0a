package release

import (
	"archive/tar"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// installed is the content of a folder after the installation.
var installed = []string{".unpacked", "etcd", "k8s", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"}

func TestInstall(t *testing.T) {
	packed := pack(t, whole(t))
	const name = "reconform-v1-here.tar.gz"
	listed := []byte(sumOf([]byte("another")) + "  another.tar.gz\n" + sumOf(packed) + "  " + name + "\n")
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/" + name:
			_, _ = w.Write(packed)
		case "/v1/" + sums:
			_, _ = w.Write(listed)
		default:
			http.NotFound(w, r)
		}
	})
	plain, secure := httptest.NewServer(serve), httptest.NewTLSServer(serve)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	folder := t.TempDir()
	file := write(t, packed, folder, name)
	write(t, listed, folder, sums)
	alone := write(t, packed, t.TempDir(), "renamed.tar.gz")

	for what, archive := range map[string]Archive{
		"file, sum beside":   {Location: file},
		"file, pinned":       {Location: alone, SHA256: strings.ToUpper(sumOf(packed))},
		"https, sum beside":  {Location: secure.URL + "/v1/" + name + "?token=x"},
		"https, pinned":      {Location: secure.URL + "/v1/" + name, SHA256: sumOf(packed)},
		"http, pinned":       {Location: plain.URL + "/v1/" + name, SHA256: sumOf(packed)},
		"http with password": {Location: strings.Replace(plain.URL, "//", "//me:secret@", 1) + "/v1/" + name, SHA256: sumOf(packed)},
	} {
		t.Run(what, func(t *testing.T) {
			dest := filepath.Join(t.TempDir(), "bin", "k8s", version)
			write(t, nil, dest, "left-of-an-older-one")
			var said strings.Builder
			archive.client, archive.Progress = secure.Client(), func(text string) { said.WriteString(text + "\n") }
			if err := archive.Install(t.Context(), version, dest); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(installed, files(t, dest)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			expectAlone(t, dest)
			if strings.Contains(said.String(), "secret") || !strings.Contains(said.String(), dest) {
				t.Errorf("said %q", &said)
			}
			// Once is enough: what is pinned and there needs no archive.
			again := Archive{Location: filepath.Join(t.TempDir(), "gone"), SHA256: archive.SHA256}
			if err := again.Install(t.Context(), version, dest); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// TestRefused: the error says what is wrong, existing files stay as they were, and no
// other file is left.
func TestRefused(t *testing.T) {
	good := whole(t)
	only := func(e entry) []entry { return []entry{e} }
	dir := "x/k8s/" + version + "/"
	for what, tc := range map[string]struct {
		entries []entry
		raw     []byte
		want    string
	}{
		"out of it":           {entries: only(entry{name: "../../evil"}), want: `"../../evil": the name leads out of the archive`},
		"out of it, later":    {entries: only(entry{name: dir + "../../../../evil"}), want: "the name leads out"},
		"absolute":            {entries: only(entry{name: "/tmp/evil"}), want: "the name leads out"},
		"link out of it":      {entries: only(entry{name: dir + "evil", link: "../../../../etc/passwd"}), want: "leads out of the archive"},
		"absolute link":       {entries: only(entry{name: "x/evil", link: "/etc/passwd"}), want: "leads out of the archive"},
		"link to elsewhere":   {entries: only(entry{name: dir + "evil", link: "../../reconform"}), want: "leads out of its folder"},
		"hard link":           {entries: only(entry{name: dir + "evil", link: dir + "k8s", kind: tar.TypeLink}), want: "neither a file nor"},
		"device":              {entries: only(entry{name: dir + "evil", kind: tar.TypeChar}), want: "neither a file nor"},
		"through a link":      {entries: append(only(good[3]), entry{name: good[3].name, content: []byte("evil")}), want: "exists"},
		"no archive":          {raw: []byte("<html>please log in</html>"), want: "gzip"},
		"not all":             {entries: without(good, "kube-scheduler"), want: "it lacks kube-scheduler"},
		"link to nothing":     {entries: without(good, "k8s"), want: "it lacks etcd"},
		"another version":     {entries: replaced(good, version, "v1.35.0"), want: "it holds no folder k8s/v1.37.2 but k8s/v1.35.0"},
		"another machine":     {entries: replaced(good, "GOARCH="+runtime.GOARCH, "GOARCH="+strings.Repeat("x", len(runtime.GOARCH))), want: "and this machine is " + runtime.GOOS + "/" + runtime.GOARCH},
		"no program in Go":    {entries: append(without(good, "k8s"), entry{name: good[2].name, content: []byte("#!/bin/sh")}), want: "looking for what machine"},
		"nothing of that":     {entries: []entry{{name: "README.md"}}, want: "it holds no folder k8s/v1.37.2"},
		"cut before its pack": {raw: pack(t, good)[:1000], want: "unexpected EOF"},
	} {
		t.Run(what, func(t *testing.T) {
			raw := tc.raw
			if raw == nil {
				raw = pack(t, tc.entries)
			}
			file := write(t, raw, t.TempDir(), "archive.tar.gz")
			expectRefused(t, Archive{Location: file, SHA256: sumOf(raw)}, file, tc.want)
		})
	}
}

func TestWrongSum(t *testing.T) {
	packed := pack(t, []entry{{name: "README.md"}})
	folder := t.TempDir()
	file := write(t, packed, folder, "archive.tar.gz")
	other := sumOf([]byte("other"))

	expectRefused(t, Archive{Location: file, SHA256: other}, "its SHA-256 is "+sumOf(packed), "by RECONFORM_ASSETS_SHA256 it should be "+other)
	expectRefused(t, Archive{Location: file, SHA256: "12ab"}, `"12ab", of RECONFORM_ASSETS_SHA256, is not a SHA-256`)
	expectRefused(t, Archive{Location: file, SHA256: "12ab", SHA256From: "--sum"}, `"12ab", of --sum, is not a SHA-256`)
	expectRefused(t, Archive{Location: file, SHA256From: "--sum"}, "as --sum is not set")
	expectRefused(t, Archive{Location: file}, "as RECONFORM_ASSETS_SHA256 is not set", filepath.Join(folder, sums), "no such file")
	write(t, []byte(other+" *another.tar.gz\n"), folder, sums)
	expectRefused(t, Archive{Location: file}, "does not list archive.tar.gz")
	write(t, []byte(other+" *archive.tar.gz\n"), folder, sums)
	expectRefused(t, Archive{Location: file}, "by "+filepath.Join(folder, sums)+" it should be "+other)
	expectRefused(t, Archive{Location: filepath.Join(folder, "nothing.tar.gz"), SHA256: other}, "no such file", "RECONFORM_ASSETS")
	expectRefused(t, Archive{Location: folder, LocationFrom: "--file"}, "--file names a folder, "+folder)
	expectRefused(t, Archive{Location: folder, SHA256: other}, "RECONFORM_ASSETS names a folder, "+folder)
	expectRefused(t, Archive{Location: filepath.Join(folder, "nothing.tar.gz"), LocationFrom: "--file"}, "the archive that --file names")
	expectRefused(t, Archive{Location: filepath.Join(folder, "nothing.tar.gz"), LocationFrom: "--file", SHA256: other}, "the archive that --file names")
	expectRefused(t, Archive{Location: filepath.Join(folder, "nothing.tar.gz")}, "the archive that RECONFORM_ASSETS names", "nothing.tar.gz: no such file")
	expectRefused(t, Archive{Location: "ftp://here/archive", SHA256: other}, "ftp://here/archive is neither a file nor an URL with http or https")
}

func TestDownloadRefused(t *testing.T) {
	content := make([]byte, 1<<20)
	_, _ = rand.Read(content) // never fails
	begin := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content[:len(content)/2])
		w.(http.Flusher).Flush()
	}
	handler := http.NewServeMux()
	handler.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		begin(w)
		panic(http.ErrAbortHandler)
	})
	handler.HandleFunc("/stalled", func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		<-r.Context().Done()
	})
	handler.HandleFunc("/too-much", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.FormatInt(maxArchive+1, 10))
		w.WriteHeader(http.StatusOK)
	})
	handler.HandleFunc("/without-sums/archive", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	handler.HandleFunc("/led-astray/"+sums, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+"/"+sums, http.StatusFound)
	})

	pinned := func(path string) Archive {
		return Archive{Location: plain.URL + path, SHA256: sumOf(content), client: plain.Client()}
	}
	expectRefused(t, pinned("/cut"), plain.URL+"/cut (1 MB): cut after 524288 bytes", "unexpected EOF")
	expectRefused(t, pinned("/too-much"), "it has 1024 MB, more than 1024")
	expectRefused(t, pinned("/absent"), "/absent answers 404 Not Found")
	expectRefused(t, Archive{Location: secure.URL + "/x/archive", client: secure.Client()}, "RECONFORM_ASSETS_SHA256 is not set", "/x/SHA256SUMS answers 404")
	expectRefused(t, Archive{Location: plain.URL + "/x/archive"}, plain.URL+"/x/SHA256SUMS: a SHA-256 is not taken from a place without https")
	expectRefused(t, Archive{Location: secure.URL + "/led-astray/archive", client: secure.Client()}, "is not taken from a place without https")

	stalled := pinned("/stalled")
	stalled.stalled = 50 * time.Millisecond
	expectRefused(t, stalled, "/stalled", "nothing more came for 50ms")

	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		archive := pinned("/stalled")
		archive.Progress = func(string) { cancel() } // when it begins
		dest := filepath.Join(t.TempDir(), version)
		if err := archive.Install(ctx, version, dest); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		expectAlone(t, dest)
	})
}

// TestTooMuchInside: a small archive may unpack to very much, which is refused.
func TestTooMuchInside(t *testing.T) {
	packed := pack(t, []entry{{name: "zeros", content: make([]byte, 8<<20)}})
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := unpack(strings.NewReader(string(packed)), version, 4<<20, root); err == nil || !strings.Contains(err.Error(), "it holds more than 4 MB") {
		t.Errorf("got %v", err)
	}
}

// TestManyAtOnce: if several install the same release at the same time, it is there for
// each of them in the end.
func TestManyAtOnce(t *testing.T) {
	packed := pack(t, whole(t))
	file := write(t, packed, t.TempDir(), "archive.tar.gz")
	dest := filepath.Join(t.TempDir(), version)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			archive := Archive{Location: file, SHA256: sumOf(packed)}
			if err := archive.Install(t.Context(), version, dest); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff(installed, files(t, dest)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	expectAlone(t, dest)
}

// expectRefused expects an error with all of these words, and that an installation which
// is there stays.
func expectRefused(t *testing.T, archive Archive, words ...string) {
	t.Helper()
	dest := filepath.Join(t.TempDir(), version)
	write(t, []byte("older"), dest, "kwok")
	err := archive.Install(t.Context(), version, dest)
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error lacks %q: %v", word, err)
		}
	}
	if diff := cmp.Diff([]string{"kwok"}, files(t, dest)); diff != "" {
		t.Errorf("what was there has changed (-before +after):\n%s", diff)
	}
	expectAlone(t, dest)
}

// expectAlone expects nothing beside a folder.
func expectAlone(t *testing.T, dest string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dest))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(dest) {
			t.Errorf("%s is left beside it", e.Name())
		}
	}
}
