package main

import (
	"context"
	"maps"
	"os"
	"path"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/predict"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
)

// generate writes the files that are committed.
func generate(ctx context.Context, dir string) error {
	all, err := lab.Read(os.DirFS(dir))
	if err != nil {
		return err
	}
	files, err := steps.Module(ctx, dir)
	if err != nil {
		return err
	}
	maps.Copy(files, forms(all))
	return write(dir, files)
}

// forms returns the forms for predictions, by their path in the folder of the labs.
func forms(all []*lab.Lab) map[string]string {
	files := map[string]string{}
	for _, l := range all {
		if l.Kind == lab.Predict {
			files[path.Join(l.Folder, student.AnswerFile)] = predict.Form(l)
		}
	}
	return files
}
