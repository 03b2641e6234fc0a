package envtest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	// requestsFile says who asked kube-apiserver for what.
	requestsFile = "requests.txt"
	// auditLog is where kube-apiserver notes each request while it is profiled.
	auditLog = "audit.log"
	// mostRequests is how many lines each table of the requests has.
	mostRequests = 40
)

// auditPolicy notes the client and the resource of each request: of a watch when it begins,
// of all others when they end.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: Metadata, verbs: [watch], omitStages: [RequestReceived, ResponseComplete]}
- {level: Metadata, omitStages: [RequestReceived]}
`

// audited returns kube-apiserver's flags for a log of its requests.
func (p *profiler) audited(work *workDir) (map[string]string, error) {
	if p == nil {
		return nil, nil
	}
	policy, err := work.write("audit.yaml", []byte(auditPolicy))
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"audit-policy-file": policy, "audit-log-path": filepath.Join(p.dir, auditLog),
		"audit-log-maxsize": "4096", // MB, before it begins another file
	}, nil
}

// writeRequests writes two tables: the requests by client and resource, and the bytes and
// watches by resource.
func (p *profiler) writeRequests(base string, client *http.Client) error {
	body, err := get(base+"/metrics", client)
	if err != nil {
		return fmt.Errorf("reading its metrics: %w", err)
	}
	defer body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	metrics, err := parser.TextToMetricFamilies(body)
	if err != nil {
		return fmt.Errorf("reading its metrics: %w", err)
	}
	log, err := os.Open(filepath.Join(p.dir, auditLog))
	if err != nil {
		return err
	}
	defer os.Remove(log.Name()) // it is large, and the table has what is in it
	defer log.Close()
	asked, err := countRequests(log)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(p.dir, requestsFile))
	if err != nil {
		return err
	}
	return errors.Join(writeAsked(file, asked), writeSent(file, metrics), file.Close())
}

// asker is a client with a resource that it asks for.
type asker struct{ client, resource string }

// asked counts requests. The refused ones, of status 400 and more, are counted with the others, too.
type asked struct{ reads, writes, watches, refused int }

func (a asked) all() int { return a.reads + a.writes + a.watches }

// countRequests reads the audit log. It ignores a last line that is not complete.
func countRequests(log io.Reader) (map[asker]asked, error) {
	found := map[asker]asked{}
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		var event struct {
			Verb, UserAgent, RequestURI string
			ObjectRef                   struct{ APIGroup, Resource, Subresource string }
			ResponseStatus              struct{ Code int }
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		program, _, _ := strings.Cut(event.UserAgent, "/")
		who := asker{cmp.Or(program, "?"), event.ObjectRef.Resource}
		switch {
		case who.resource == "":
			who.resource, _, _ = strings.Cut(event.RequestURI, "?")
		case event.ObjectRef.APIGroup != "":
			who.resource += "." + event.ObjectRef.APIGroup
		}
		if event.ObjectRef.Subresource != "" {
			who.resource += "/" + event.ObjectRef.Subresource
		}
		count := found[who]
		switch event.Verb {
		case "watch":
			count.watches++
		case "get", "list":
			count.reads++
		default:
			count.writes++
		}
		if event.ResponseStatus.Code >= http.StatusBadRequest {
			count.refused++
		}
		found[who] = count
	}
}

func writeAsked(w io.Writer, found map[asker]asked) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "client\tresource\treads\twrites\twatches\trefused")
	order := slices.SortedFunc(maps.Keys(found), func(a, b asker) int {
		return cmp.Or(cmp.Compare(found[b].all(), found[a].all()), cmp.Compare(a.client, b.client), cmp.Compare(a.resource, b.resource))
	})
	var all asked
	for n, who := range order {
		count := found[who]
		all = asked{all.reads + count.reads, all.writes + count.writes, all.watches + count.watches, all.refused + count.refused}
		if n < mostRequests {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\n", who.client, who.resource, count.reads, count.writes, count.watches, count.refused)
		}
	}
	fmt.Fprintf(table, "all\t\t%d\t%d\t%d\t%d\n", all.reads, all.writes, all.watches, all.refused)
	return table.Flush()
}

// sent is what kube-apiserver sent of a resource, and how many watches of it were open at the end.
type sent struct{ answers, events, eventBytes, watches float64 }

func labelOf(metric *dto.Metric, name string) string {
	for _, label := range metric.GetLabel() {
		if label.GetName() == name {
			return label.GetValue()
		}
	}
	return ""
}

// writeSent writes what kube-apiserver counts itself: it does not know the clients.
func writeSent(w io.Writer, metrics map[string]*dto.MetricFamily) error {
	found := map[string]sent{}
	each := func(family string, add func(*sent, *dto.Metric)) {
		for _, metric := range metrics[family].GetMetric() {
			resource := labelOf(metric, "resource")
			if group := labelOf(metric, "group"); group != "" {
				resource += "." + group
			}
			one := found[resource]
			if add(&one, metric); one != (sent{}) {
				found[resource] = one
			}
		}
	}
	each("apiserver_response_sizes", func(s *sent, m *dto.Metric) { s.answers += m.GetHistogram().GetSampleSum() })
	each("apiserver_watch_events_total", func(s *sent, m *dto.Metric) { s.events += m.GetCounter().GetValue() })
	each("apiserver_watch_events_sizes", func(s *sent, m *dto.Metric) { s.eventBytes += m.GetHistogram().GetSampleSum() })
	each("apiserver_longrunning_requests", func(s *sent, m *dto.Metric) {
		if labelOf(m, "verb") == "WATCH" {
			s.watches += m.GetGauge().GetValue()
		}
	})

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nresource\tanswers (MB)\twatch events\twatch events (MB)\tlast watches")
	order := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b].answers+found[b].eventBytes, found[a].answers+found[a].eventBytes), cmp.Compare(a, b))
	})
	for _, resource := range order[:min(len(order), mostRequests)] {
		of := found[resource]
		fmt.Fprintf(table, "%s\t%.1f\t%.0f\t%.1f\t%.0f\n", cmp.Or(resource, "(none)"), of.answers/1e6, of.events, of.eventBytes/1e6, of.watches)
	}
	return table.Flush()
}
