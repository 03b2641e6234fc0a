package metrics

import (
	"math"
	"regexp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Page is a page of metrics.
type Page struct {
	text     text
	families map[string]*dto.MetricFamily // by name
}

// Series is one set of labels of a metric, and its value.
type Series struct {
	Name   string
	Labels []Label
	Value  float64
}

// Label of a series.
type Label struct{ Name, Value string }

// Parse reads a page. If there is an error, the page still knows its lines, but no values.
func Parse(page string) (*Page, error) {
	read := readText(page)
	families, err := parser().TextToMetricFamilies(strings.NewReader(read.classic))
	if err != nil {
		return &Page{text: read}, err
	}
	return &Page{text: read, families: families}, nil
}

func parser() *expfmt.TextParser {
	p := expfmt.NewTextParser(model.UTF8Validation)
	return &p
}

// Size is the number of series.
func (p *Page) Size() (size int64) {
	for _, one := range p.Sizes() {
		size += one
	}
	return size
}

// Sizes returns the number of series that each metric has.
func (p *Page) Sizes() map[string]int64 {
	sizes := map[string]int64{}
	for name, family := range p.families {
		sizes[name] = int64(len(family.GetMetric()))
	}
	return sizes
}

// Names returns the names of the metrics of a type that have values, in order.
func (p *Page) Names(of dto.MetricType) (names []string) {
	for name, family := range p.families {
		if family.GetType() == of {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Counters returns the series of all counters, in the order of the names.
func (p *Page) Counters() (all []Series) {
	for _, name := range p.Names(dto.MetricType_COUNTER) {
		for _, metric := range p.families[name].GetMetric() {
			one := Series{Name: name, Value: metric.GetCounter().GetValue()}
			for _, label := range metric.GetLabel() {
				one.Labels = append(one.Labels, Label{label.GetName(), label.GetValue()})
			}
			all = append(all, one)
		}
	}
	return all
}

// Value of a metric is the sum over its labels. If labels are given, as in
// name{label="value"}, only the series that have them count. It also tells whether there is
// such a series.
func (p *Page) Value(wanted string) (sum float64, exposed bool) {
	name, labels := wanted, []*dto.LabelPair(nil)
	if strings.Contains(wanted, "{") {
		asked, err := parser().TextToMetricFamilies(strings.NewReader(wanted + " 0\n"))
		if err != nil {
			return 0, false
		}
		for _, family := range asked { // it is one
			name, labels = family.GetName(), family.GetMetric()[0].GetLabel()
		}
	}
	for _, metric := range p.families[name].GetMetric() {
		if !hasLabels(metric, labels) {
			continue
		}
		exposed = true
		if value := valueOf(metric); !math.IsNaN(value) {
			sum += value
		}
	}
	return sum, exposed
}

func hasLabels(metric *dto.Metric, labels []*dto.LabelPair) bool {
	return !slices.ContainsFunc(labels, func(want *dto.LabelPair) bool {
		return !slices.ContainsFunc(metric.GetLabel(), func(has *dto.LabelPair) bool {
			return has.GetName() == want.GetName() && has.GetValue() == want.GetValue()
		})
	})
}

// valueOf a histogram or a summary is the number of its observations.
func valueOf(metric *dto.Metric) float64 {
	switch {
	case metric.Counter != nil:
		return metric.Counter.GetValue()
	case metric.Gauge != nil:
		return metric.Gauge.GetValue()
	case metric.Untyped != nil:
		return metric.Untyped.GetValue()
	case metric.Histogram != nil:
		return float64(metric.Histogram.GetSampleCount())
	case metric.Summary != nil:
		return float64(metric.Summary.GetSampleCount())
	}
	return 0
}

// Has tells whether the page has a metric with this name, with or without values. The name of
// a histogram or a summary has no suffix such as _count. A metric without a type has the name
// of its samples.
func (p *Page) Has(name string) bool {
	if len(p.text.types) == 0 {
		return len(p.text.samples[name]) > 0
	}
	return p.text.types[name] != "" || p.families[name] != nil
}

// Declared returns the names of the metrics that the page declares as of a type, such as
// counter, in order. They may have no values.
func (p *Page) Declared(kind string) (names []string) {
	for name, is := range p.text.types {
		if is == kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Samples returns the lines of a name, as they are written. The samples of a histogram have
// the suffixes _bucket, _count and _sum.
func (p *Page) Samples(name string) []string { return p.text.samples[name] }

// OfLibrary tells whether a metric has the name of one that a program has from a library,
// such as client_golang, controller-runtime or the runtime of its language.
func OfLibrary(name string) bool { return ofLibrary.MatchString(name) }

var ofLibrary = regexp.MustCompile(`^(?:go|process|promhttp|workqueue|controller_runtime|rest_client|leader_election|certwatcher|http|nodejs|jvm|python|net)_`)
