// Package kubeconfig writes the files by which clients find and convince the API server. They
// carry their certificates inside, so each works from anywhere on its own.
package kubeconfig

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
)

type file struct {
	APIVersion     string    `json:"apiVersion"`
	Kind           string    `json:"kind"`
	Clusters       []cluster `json:"clusters"`
	Users          []user    `json:"users"`
	Contexts       []context `json:"contexts"`
	CurrentContext string    `json:"current-context"`
}

type cluster struct {
	Name    string `json:"name"`
	Cluster struct {
		Server string `json:"server"`
		CA     []byte `json:"certificate-authority-data"`
	} `json:"cluster"`
}

type user struct {
	Name string `json:"name"`
	User struct {
		Cert []byte `json:"client-certificate-data"`
		Key  []byte `json:"client-key-data"`
	} `json:"user"`
}

type context struct {
	Name    string `json:"name"`
	Context struct {
		Cluster string `json:"cluster"`
		User    string `json:"user"`
	} `json:"context"`
}

// Write makes the kubeconfig of one client.
func Write(path, name, server string, store *pki.Store, client string) error {
	f := file{
		APIVersion: "v1", Kind: "Config", CurrentContext: name,
		Clusters: make([]cluster, 1), Users: make([]user, 1), Contexts: make([]context, 1),
	}
	c, u, x := &f.Clusters[0], &f.Users[0], &f.Contexts[0]
	c.Name, c.Cluster.Server = name, server
	u.Name = client
	x.Name, x.Context.Cluster, x.Context.User = name, name, client
	for source, into := range map[string]*[]byte{
		store.CA():             &c.Cluster.CA,
		store.CertFile(client): &u.User.Cert,
		store.KeyFile(client):  &u.User.Key,
	} {
		raw, err := os.ReadFile(source)
		if err != nil {
			return fmt.Errorf("kubeconfig of %s: %w", client, err)
		}
		*into = raw
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("kubeconfig of %s: %w", client, err)
	}
	text, err := yaml.JSONToYAML(raw)
	if err != nil {
		return fmt.Errorf("kubeconfig of %s: %w", client, err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("kubeconfig of %s: %w", client, err)
	}
	return nil
}
