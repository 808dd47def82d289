package collect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// MissingError says that there is no such cache, and which ones there are instead.
type MissingError struct {
	Key types.NamespacedName
	// Here are the caches of the namespace, those of similar names first.
	Here []string
	// Elsewhere are the namespaces that have a cache of the name.
	Elsewhere []string
	similar   bool
	err       error
}

// maxNames is how many names the error lists.
const maxNames = 5

func (e *MissingError) Error() string {
	text := fmt.Sprintf("there is no DistributedCache %s in namespace %s", e.Key.Name, e.Key.Namespace)
	switch {
	case len(e.Elsewhere) > 0:
		return text + "; there is one in namespace " + strings.Join(e.Elsewhere[:min(len(e.Elsewhere), maxNames)], ", ")
	case e.similar:
		return text + "; did you mean " + e.Here[0] + "?"
	case len(e.Here) > maxNames:
		return fmt.Sprintf("%s; there are %s and %d more", text, strings.Join(e.Here[:maxNames], ", "), len(e.Here)-maxNames)
	case len(e.Here) == 1:
		return text + "; there is " + e.Here[0]
	case len(e.Here) > 0:
		return text + "; there are " + strings.Join(e.Here, ", ")
	default:
		return text + ", and no other"
	}
}

// Unwrap is the API server's word.
func (e *MissingError) Unwrap() error { return e.err }

// missing looks for what may have been meant. It is help, so what cannot be listed is left out.
func missing(ctx context.Context, reader client.Reader, key types.NamespacedName, err error) error {
	missing := &MissingError{Key: key, err: err}
	var list v1alpha1.DistributedCacheList
	if err := reader.List(ctx, &list); err != nil {
		list.Items = nil
		if err := reader.List(ctx, &list, client.InNamespace(key.Namespace)); err != nil {
			return missing
		}
	}
	for i := range list.Items {
		switch cache := &list.Items[i]; {
		case cache.Namespace == key.Namespace:
			missing.Here = append(missing.Here, cache.Name)
		case cache.Name == key.Name:
			missing.Elsewhere = append(missing.Elsewhere, cache.Namespace)
		}
	}
	slices.SortFunc(missing.Here, func(a, b string) int {
		if d := distance(a, key.Name) - distance(b, key.Name); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	slices.Sort(missing.Elsewhere)
	missing.similar = len(missing.Here) > 0 && distance(missing.Here[0], key.Name) <= max(len(key.Name)/4, 2)
	return missing
}

// distance is how many letters are to be put in, left out or changed to make one name of the other;
// a name that begins with the other is one away.
func distance(a, b string) int {
	switch {
	case a == b:
		return 0
	case strings.HasPrefix(a, b) || strings.HasPrefix(b, a):
		return 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
