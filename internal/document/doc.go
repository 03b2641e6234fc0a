// Package document reads YAML files that people write or hand on, strictly: of limited
// size, one document, no key twice, no aliases. What is wrong is told with file and line.
package document
