package apply

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

// Changes are the fields whose ownership an update changed, read from managedFields before and
// after it.
type Changes struct {
	// Repaired are the fields that somebody else had taken and that are ours again.
	Repaired []Drift
	// Set are the other fields that became ours, Dropped those that ceased to be.
	Set     []string
	Dropped []string
}

// Drift is a field that another manager had changed.
type Drift struct {
	Field   string
	Manager string
}

// String is for logs and events.
func (d Drift) String() string { return d.Field + " (changed by " + d.Manager + ")" }

// changes compares the managedFields of an object before and after an apply by manager. The wire
// form of a field set does not depend on the library's version, so v4 reads what v6 wrote.
func changes(before, after []metav1.ManagedFieldsEntry, manager string) (Changes, error) {
	was, err := ownedBy(before, manager)
	if err != nil {
		return Changes{}, err
	}
	is, err := ownedBy(after, manager)
	if err != nil {
		return Changes{}, err
	}
	c := Changes{Dropped: fields(was.Difference(is))}
	gained := is.Difference(was)
	for _, entry := range before {
		if applied(entry, manager) {
			continue
		}
		theirs, err := decodeFields(entry)
		if err != nil {
			return Changes{}, err
		}
		for _, field := range fields(gained.Intersection(theirs)) {
			c.Repaired = append(c.Repaired, Drift{Field: field, Manager: entry.Manager})
		}
	}
	for _, field := range fields(gained) {
		if !slices.ContainsFunc(c.Repaired, func(d Drift) bool { return d.Field == field }) {
			c.Set = append(c.Set, field)
		}
	}
	return c, nil
}

func applied(entry metav1.ManagedFieldsEntry, manager string) bool {
	return entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
}

func ownedBy(entries []metav1.ManagedFieldsEntry, manager string) (*fieldpath.Set, error) {
	for _, entry := range entries {
		if applied(entry, manager) {
			return decodeFields(entry)
		}
	}
	return fieldpath.NewSet(), nil
}

func decodeFields(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if entry.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("read the managed fields of %s: %w", entry.Manager, err)
	}
	return set, nil
}

// fields are the leaves of a set, in order.
func fields(set *fieldpath.Set) []string {
	var paths []string
	set.Leaves().Iterate(func(p fieldpath.Path) { paths = append(paths, strings.TrimPrefix(p.String(), ".")) })
	slices.Sort(paths)
	return paths
}
