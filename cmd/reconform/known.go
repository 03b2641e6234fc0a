package main

import (
	"fmt"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// readKnown reads a file of known failures, if one is given. They may be about requirements
// and about divergences of an exploration.
func readKnown(file string) ([]v1alpha1.KnownFailure, error) {
	if file == "" {
		return nil, nil
	}
	requirements, err := catalogue.Embedded()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range requirements {
		ids = append(ids, r.ID)
	}
	failures, err := baseline.Read(file, ids)
	if err != nil {
		return nil, fmt.Errorf("--known: %w", err)
	}
	return failures, nil
}
