//go:build integration

package history

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// note is what the API server keeps of a manager, at a second.
func note(manager string, second int64, fields string) metav1.ManagedFieldsEntry {
	at := metav1.NewTime(time.Unix(second, 0))
	return metav1.ManagedFieldsEntry{Manager: manager, Time: &at, FieldsV1: metav1.NewFieldsV1(fields)}
}

func TestWriter(t *testing.T) {
	const operator, both, one, none = v1alpha1.FieldManager, `{"f:data":{"f:a":{},"f:b":{}}}`, `{"f:data":{"f:a":{}}}`, `{}`
	type notes []metav1.ManagedFieldsEntry
	for _, tc := range []struct {
		name        string
		before, now notes
		want        string
	}{
		{"who made it", nil, notes{note(operator, 1, both)}, operator},
		{"who wrote later", notes{note(operator, 1, both)}, notes{note(operator, 2, both)}, operator},
		{"who is new", notes{note(operator, 1, both)}, notes{note(operator, 1, one), note("somebody", 1, one)}, "somebody"},
		{
			"who takes back within the second",
			notes{note(operator, 1, one), note("somebody", 1, both)},
			notes{note(operator, 1, both), note("somebody", 1, none)},
			operator,
		},
		{
			"who writes beside an older note of another",
			notes{note(operator, 1, both), note("somebody", 2, one)},
			notes{note(operator, 3, both), note("somebody", 2, none)},
			operator,
		},
		{"nobody knows who took away", notes{note(operator, 1, both)}, notes{note(operator, 1, one)}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var before client.Object
			if tc.before != nil {
				before = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ManagedFields: tc.before}}
			}
			now := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ManagedFields: tc.now}}
			if got := writer(before, now); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
