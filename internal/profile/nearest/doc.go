// Package nearest finds the word that somebody meant.
package nearest
