package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/pkg/crfile"
)

func newRender(t *target, s streams) *cobra.Command {
	var file, image string
	var first bool
	cmd := &cobra.Command{
		Use:   "render -f FILE",
		Short: "Print what the operator would apply for the caches of a file, without a cluster",
		Long: `Print what the operator would apply for the caches of a file, without a cluster, as YAML. The file
is checked and completed as the API server would, by the same schema and rules: what it would refuse
is refused here, with the line.

What is printed stands once all is as wanted: all pods in a ring of version 1. With --first-pass it
is what the operator's first pass writes.`,
		Example: `  render -f orders-cache.yaml
  kustomize build overlays/shop | render -f -`,
		GroupID: groupLook,
		Args:    argsOf(),
		RunE: func(*cobra.Command, []string) error {
			if file == "" {
				return wrongUse("render: -f FILE is missing")
			}
			return t.render(file, image, !first, s)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&file, "file", "f", "", "file with caches as YAML or JSON, - for standard input")
	f.StringVar(&image, "cache-image", "ghcr.io/sk1-services/tiny-cache:"+version, "image of caches that name none, as the operator was told")
	f.BoolVar(&first, "first-pass", false, "print what the first pass writes")
	return cmd
}

func (t *target) render(path, image string, settled bool, s streams) error {
	in := s.in
	if path != "-" {
		opened, err := os.Open(filepath.Clean(path))
		if err != nil {
			return usageError{err}
		}
		defer opened.Close() //nolint:errcheck // it is only read
		in = opened
	}
	contents, err := crfile.Read(in, path, crfile.Options{Namespace: t.namespace})
	if err != nil {
		return err
	}
	if len(contents.Caches) == 0 {
		return fmt.Errorf("%s: no DistributedCache in it", path)
	}
	for _, other := range contents.Others {
		fmt.Fprintf(s.err, "%s: %s %s is no DistributedCache; it is left out\n", other.Position, other.Kind, other.Name)
	}
	var failed []error
	for i, document := range contents.Caches {
		if i > 0 {
			fmt.Fprintln(s.out, "---")
		}
		failed = append(failed, write(document, image, settled, s))
	}
	return errors.Join(failed...)
}

func write(document crfile.Document, image string, settled bool, s streams) error {
	r, err := crfile.Render(document.Cache, image, settled)
	if err != nil {
		return fmt.Errorf("%s: %w", document.Position, err)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(s.err, "%s: %s\n", document.Cache.Name, note)
	}
	return r.Write(s.out)
}
