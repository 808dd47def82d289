package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func entry(name string, operation metav1.ManagedFieldsOperationType, subresource, fields string) metav1.ManagedFieldsEntry {
	e := metav1.ManagedFieldsEntry{Manager: name, Operation: operation, Subresource: subresource}
	if fields != "" {
		e.FieldsV1 = metav1.NewFieldsV1(fields)
	}
	return e
}

func applies(name, fields string) metav1.ManagedFieldsEntry {
	return entry(name, metav1.ManagedFieldsOperationApply, "", fields)
}

func updates(name, fields string) metav1.ManagedFieldsEntry {
	return entry(name, metav1.ManagedFieldsOperationUpdate, "", fields)
}

type managed = []metav1.ManagedFieldsEntry

const (
	labelA   = `{"f:metadata":{"f:labels":{"f:a":{}}}}`
	labelB   = `{"f:metadata":{"f:labels":{"f:b":{}}}}`
	labelsAB = `{"f:metadata":{"f:labels":{"f:a":{},"f:b":{}}}}`
	port     = `{"f:spec":{"f:ports":{"k:{\"port\":8080}":{".":{},"f:name":{}}}}}`
)

func TestChanges(t *testing.T) {
	for _, tc := range []struct {
		name          string
		before, after managed
		want          Changes
	}{
		{"nothing changed hands", managed{applies(manager, labelsAB)}, managed{applies(manager, labelsAB)}, Changes{}},
		{"a new field is set", managed{applies(manager, labelA)}, managed{applies(manager, labelsAB)}, Changes{Set: []string{"metadata.labels.b"}}},
		{"a field is dropped", managed{applies(manager, labelsAB)}, managed{applies(manager, labelA)}, Changes{Dropped: []string{"metadata.labels.b"}}},
		{
			"a field that another took is repaired",
			managed{applies(manager, labelA), updates("kubectl-edit", labelB)},
			managed{applies(manager, labelsAB)},
			Changes{Repaired: []Drift{{"metadata.labels.b", "kubectl-edit"}}},
		},
		{
			"a field that another has too is neither",
			managed{applies(manager, labelA), updates("kubectl-edit", labelA)},
			managed{applies(manager, labelA)},
			Changes{},
		},
		{
			"a field that two others took names both",
			managed{updates("x", labelA), applies("y", labelA)},
			managed{applies(manager, labelA)},
			Changes{Repaired: []Drift{{"metadata.labels.a", "x"}, {"metadata.labels.a", "y"}}},
		},
		{
			"repaired, set and dropped at once",
			managed{applies(manager, labelA), updates("x", labelB)},
			managed{applies(manager, `{"f:metadata":{"f:labels":{"f:b":{},"f:c":{}}}}`)},
			Changes{Repaired: []Drift{{"metadata.labels.b", "x"}}, Set: []string{"metadata.labels.c"}, Dropped: []string{"metadata.labels.a"}},
		},
		{
			"our own updates and statuses are somebody else's",
			managed{updates(manager, labelA), entry(manager, "Apply", "status", labelB)},
			managed{applies(manager, labelsAB)},
			Changes{Repaired: []Drift{{"metadata.labels.a", manager}, {"metadata.labels.b", manager}}},
		},
		{"an item of a list is named by its key", managed{}, managed{applies(manager, port)}, Changes{Set: []string{"spec.ports[port=8080].name"}}},
		{"fields without a set are none", managed{applies(manager, "")}, managed{applies(manager, labelA)}, Changes{Set: []string{"metadata.labels.a"}}},
		{"an answer without managed fields drops all", managed{applies(manager, labelA)}, nil, Changes{Dropped: []string{"metadata.labels.a"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := changes(tc.before, tc.after, manager)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestChangesOfWhatCannotBeRead(t *testing.T) {
	for name, tc := range map[string]struct{ before, after managed }{
		"ours before": {managed{applies(manager, "[")}, nil},
		"ours after":  {nil, managed{applies(manager, "[")}},
		"theirs":      {managed{updates("x", "[")}, managed{applies(manager, labelA)}},
	} {
		if got, err := changes(tc.before, tc.after, manager); err == nil {
			t.Errorf("%s: got %+v and no error", name, got)
		}
	}
}

func TestDriftIsPrinted(t *testing.T) {
	if got := (Drift{"metadata.labels.a", "kubectl"}).String(); got != "metadata.labels.a (changed by kubectl)" {
		t.Errorf("got %q", got)
	}
}
