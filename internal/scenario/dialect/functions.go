package dialect

// Use is how a function uses the fields of its arguments.
type Use int

// The uses. A function must be Opaque, or left out, if it uses parts of an object that the
// expression does not show.
const (
	// Opaque functions make something new from plain values.
	Opaque Use = iota
	// Tells functions make a text for a reader from values of any kind.
	Tells
	// Same functions return their first argument, or elements of it.
	Same
	// Counts functions do not look at values.
	Counts
	// Compares functions compare their arguments with each other.
	Compares
	// EachOf functions evaluate an expression (&...) on each element.
	EachOf
	// Looks functions look up objects by apiVersion and kind.
	Looks
)

// Function is a function that scenarios may call.
type Function struct {
	Use Use
	// Least is the smallest number of arguments.
	Least int
}

// Functions are the functions that scenarios may call, by name.
var Functions = map[string]Function{
	"x_k8s_get":    {Looks, 5},
	"x_k8s_list":   {Looks, 4},
	"x_k8s_exists": {Looks, 5},
	// Is there such a kind?
	"x_k8s_resource_exists": {Looks, 3},

	"to_string":   {Same, 1},
	"to_number":   {Same, 1},
	"to_array":    {Same, 1},
	"not_null":    {Same, 1},
	"sort":        {Same, 1},
	"reverse":     {Same, 1},
	"sort_by":     {EachOf, 2},
	"group_by":    {EachOf, 2},
	"map":         {EachOf, 2},
	"max_by":      {EachOf, 2},
	"min_by":      {EachOf, 2},
	"contains":    {Compares, 2},
	"starts_with": {Compares, 2},
	"ends_with":   {Compares, 2},

	"length": {Counts, 1},
	"type":   {Counts, 1},

	"join":   {Tells, 2},
	"concat": {Tells, 2},

	"abs": {Opaque, 1}, "avg": {Opaque, 1}, "ceil": {Opaque, 1}, "floor": {Opaque, 1}, "max": {Opaque, 1},
	"min": {Opaque, 1}, "sum": {Opaque, 1}, "round": {Opaque, 2},
	"find_first": {Opaque, 2}, "find_last": {Opaque, 2}, "lower": {Opaque, 1}, "upper": {Opaque, 1},
	"to_lower": {Opaque, 1}, "to_upper": {Opaque, 1}, "replace_all": {Opaque, 3}, "regex_match": {Opaque, 2},
	"pattern_match": {Opaque, 2}, "split": {Opaque, 2}, "trim": {Opaque, 1}, "trim_space": {Opaque, 1},
	"trim_prefix": {Opaque, 2}, "truncate": {Opaque, 2}, "as_string": {Opaque, 1}, "to_boolean": {Opaque, 1},
	"label_match": {Opaque, 2}, "keys": {Opaque, 1}, "values": {Opaque, 1}, "items": {Opaque, 1},
	"from_items": {Opaque, 1}, "merge": {Opaque, 1}, "zip": {Opaque, 1}, "lookup": {Opaque, 2}, "at": {Opaque, 2},
	"parse_json": {Opaque, 1}, "json_parse": {Opaque, 1}, "time_now": {Opaque, 0}, "time_now_utc": {Opaque, 0},
	"time_add": {Opaque, 2}, "time_after": {Opaque, 2}, "time_before": {Opaque, 2}, "time_between": {Opaque, 3},
	"time_diff": {Opaque, 2}, "time_since": {Opaque, 3}, "time_parse": {Opaque, 2}, "time_utc": {Opaque, 1},
}
