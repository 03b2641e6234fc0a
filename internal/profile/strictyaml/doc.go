// Package strictyaml reads YAML files that people write or pass on. It is strict: limited
// size, one document, no key twice, no aliases. Problems are reported with file and line.
package strictyaml
