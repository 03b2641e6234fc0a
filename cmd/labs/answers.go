package main

import (
	"io/fs"
	"path"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/predict"
	"reconform.dev/reconform/internal/lab/student"
)

// answers are the forms for predictions, by their path in the folder of labs.
func answers(labs fs.FS) (map[string]string, error) {
	all, err := lab.Read(labs)
	if err != nil {
		return nil, err
	}
	forms := map[string]string{}
	for _, l := range all {
		if l.Kind == lab.Predict {
			forms[path.Join(l.Folder, student.AnswerFile)] = predict.Form(l)
		}
	}
	return forms, nil
}
