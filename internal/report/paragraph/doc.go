// Package paragraph breaks texts into lines of a certain width.
package paragraph
