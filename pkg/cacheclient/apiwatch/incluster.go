package apiwatch

import (
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ownNamespace is where a pod finds the name of its namespace.
const ownNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// InCluster is the source of a program in a pod, by the rights of its service account. An empty
// namespace means that of the pod; the ring of an isolated cache is in the cache's cell. It fails
// outside of a pod, and in one without a service account's token.
func InCluster(cache, namespace string) (Source, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return Source{}, fmt.Errorf("apiwatch: no way to the API server: %w", err)
	}
	if namespace == "" {
		data, err := os.ReadFile(ownNamespace)
		if err != nil {
			return Source{}, fmt.Errorf("apiwatch: the pod's namespace: %w; name one", err)
		}
		namespace = strings.TrimSpace(string(data))
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return Source{}, fmt.Errorf("apiwatch: %w", err)
	}
	return Source{Client: client, Namespace: namespace, Cache: cache}, nil
}
