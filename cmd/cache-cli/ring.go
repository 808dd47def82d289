package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const ringArgument = `RING is the name of a cache, or a file with a ring document: a path with a slash or a dot in it,
or - for standard input. What "ring show -o json" prints is such a document.`

func newRing(t *target, s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "ring",
		Short:   "Show, watch or compare the rings that clients route by",
		GroupID: groupLook,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongUse("ring has no command %q: show, watch or diff", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRingShow(t, s), newRingWatch(t, s), newRingDiff(t, s))
	return cmd
}

// publication is a ring and where it was found.
type publication struct {
	// Cache and Namespace are empty for a ring of a file.
	Cache     string `json:"cache,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	OwnerUID  string `json:"ownerUID,omitempty"`
	ring.Document
}

func (p publication) String() string {
	if p.Cache == "" {
		return "file"
	}
	return p.Namespace + "/" + p.Cache
}

// isFile tells a path from the name of a cache, which has neither a slash nor a dot.
func isFile(argument string) bool { return argument == "-" || strings.ContainsAny(argument, `/\.`) }

// find reads the ring that an argument names.
func (t *target) find(ctx context.Context, argument string, in io.Reader) (publication, error) {
	if isFile(argument) {
		return readRing(argument, in)
	}
	c, err := t.connect()
	if err != nil {
		return publication{}, err
	}
	return c.ring(ctx, argument)
}

func readRing(path string, in io.Reader) (publication, error) {
	data, err := readFile(path, in, ring.MaxDocumentBytes+1)
	if err != nil {
		return publication{}, err
	}
	document, err := ring.Decode(data)
	if err != nil {
		return publication{}, fmt.Errorf("%s: %w", path, err)
	}
	return publication{Document: document}, nil
}

// readFile reads at most so much of a file, or of standard input for "-".
func readFile(path string, in io.Reader, limit int64) ([]byte, error) {
	if path != "-" {
		file, err := os.Open(filepath.Clean(path))
		if err != nil {
			return nil, usageError{err}
		}
		defer file.Close() //nolint:errcheck // it is only read
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, limit))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// ring reads the ring of a cache as it stands now.
func (c *cluster) ring(ctx context.Context, name string) (publication, error) {
	namespace, err := c.home(ctx, name)
	if err != nil {
		return publication{}, err
	}
	var m corev1.ConfigMap
	err = c.objects.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1alpha1.RingName(name)}, &m)
	switch {
	case apierrors.IsNotFound(err):
		return publication{}, fmt.Errorf("cache %s has no ring yet: none of its pods has been Ready; explain %s says why", name, name)
	case err != nil:
		return publication{}, fmt.Errorf("ring of cache %s: %w", name, err)
	}
	snapshot, err := apiwatch.Decode(&m)
	if err != nil {
		return publication{}, err
	}
	return published(name, namespace, snapshot), nil
}

func published(name, namespace string, s cacheclient.Snapshot) publication {
	return publication{Cache: name, Namespace: namespace, OwnerUID: s.Owner, Document: s.Ring}
}

func newRingShow(t *target, s streams) *cobra.Command {
	var form output
	cmd := &cobra.Command{
		Use:               "show RING",
		Short:             "Show the members of a ring, with each one's share of the keys",
		Long:              "Show the members of a ring, with each one's share of the keys.\n\n" + ringArgument,
		Args:              argsOf("RING"),
		ValidArgsFunction: t.completeCaches,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := t.find(cmd.Context(), args[0], s.in)
			if err != nil {
				return err
			}
			return form.write(s.out, p, func(w io.Writer) error { return p.describe(w) })
		},
	}
	form.addFlag(cmd)
	return cmd
}

func (p publication) describe(w io.Writer) error {
	rows := [][]any{}
	if p.Cache != "" {
		rows = append(rows, []any{"cache", p.String()}, []any{"owner UID", p.OwnerUID})
	}
	rows = append(rows, []any{"version", p.Version}, []any{"members", len(p.Members)})
	if err := table(w, rows...); err != nil || len(p.Members) == 0 {
		return err
	}
	held, err := shares(p.Members)
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	rows = [][]any{{"MEMBER", "SHARE"}}
	for _, member := range p.Members {
		rows = append(rows, []any{member, percent(held[member])})
	}
	return table(w, rows...)
}
