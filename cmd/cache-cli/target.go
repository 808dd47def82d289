package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// target is the cluster and namespace that the command line points at.
type target struct {
	kubeconfig, context, user string
	namespace                 string
	domain                    string
}

func (t *target) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&t.namespace, "namespace", "n", "", "namespace of the cache; empty, that of the pod or the kubeconfig")
	f.StringVar(&t.kubeconfig, "kubeconfig", "", "path of a kubeconfig; empty, the pod's service account or $KUBECONFIG")
	f.StringVar(&t.context, "context", "", "context of the kubeconfig; empty, its current one")
	f.StringVar(&t.user, "as", "", "user to impersonate, for example system:serviceaccount:shop:default")
	f.StringVar(&t.domain, "cluster-domain", "cluster.local", "DNS domain of the cluster")
}

// cluster is a way to an API server.
type cluster struct {
	target
	config    *rest.Config
	clientset *kubernetes.Clientset
	// objects reads and writes nothing on its own: there is no cache behind it.
	objects client.Client
}

// connect finds the way to the API server; nothing is sent yet.
func (t *target) connect() (*cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing = false // the error says it
	if t.kubeconfig != "" {
		if _, err := os.Stat(t.kubeconfig); err != nil {
			return nil, wrongUse("--kubeconfig: %w", err)
		}
		rules.ExplicitPath = t.kubeconfig
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: t.context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, wrongUse("no way to the API server: %w; run in a pod, or give --kubeconfig", err)
	}
	config.Impersonate.UserName = t.user
	config.WarningHandler = rest.NoWarnings{}
	c := &cluster{target: *t, config: config}
	if c.namespace == "" {
		if c.namespace, _, err = loader.Namespace(); err != nil {
			return nil, wrongUse("namespace: %w; give --namespace", err)
		}
	}
	if c.clientset, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("API client: %w", err)
	}
	scheme := runtime.NewScheme()
	_ = clientgoscheme.AddToScheme(scheme) // both fail only for a scheme that has other types of the same names
	_ = v1alpha1.AddToScheme(scheme)
	if c.objects, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("API client: %w", err)
	}
	return c, nil
}

// names are those of the caches in the namespace.
func (c *cluster) names(ctx context.Context) ([]string, error) {
	var list v1alpha1.DistributedCacheList
	if err := c.objects.List(ctx, &list, client.InNamespace(c.namespace)); err != nil {
		return nil, fmt.Errorf("list the caches of namespace %s: %w", c.namespace, err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	slices.Sort(names)
	return names, nil
}

// named is the cache that was asked for; an empty name stands for the only one of the namespace.
func (c *cluster) named(ctx context.Context, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	names, err := c.names(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w; give --cache", err)
	case len(names) == 0:
		return "", fmt.Errorf("namespace %s has no DistributedCache; give --namespace", c.namespace)
	case len(names) > 1:
		return "", wrongUse("namespace %s has %d caches: %s; give --cache", c.namespace, len(names), strings.Join(names, ", "))
	}
	return names[0], nil
}

// home is the namespace of a cache's pods and ring: its cell, if it has one. Who may read nothing
// but a ring looks for it in the namespace that was given.
func (c *cluster) home(ctx context.Context, name string) (string, error) {
	var cache v1alpha1.DistributedCache
	err := c.objects.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, &cache)
	switch {
	case err == nil:
		return cache.Home(), nil
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err) && c.hasRing(ctx, name):
		return c.namespace, nil
	case apierrors.IsNotFound(err):
		return "", c.missing(ctx, name)
	}
	return "", fmt.Errorf("DistributedCache %s/%s: %w", c.namespace, name, err)
}

// hasRing tells whether a cell was given as the namespace: it has the ring and not the cache.
func (c *cluster) hasRing(ctx context.Context, name string) bool {
	return c.objects.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: v1alpha1.RingName(name)}, &corev1.ConfigMap{}) == nil
}

// missing says that a cache is not there, and which are.
func (c *cluster) missing(ctx context.Context, name string) error {
	names, err := c.names(ctx)
	if err != nil || len(names) == 0 {
		return fmt.Errorf("there is no DistributedCache %s/%s, nor another in that namespace; give --namespace", c.namespace, name)
	}
	return fmt.Errorf("there is no DistributedCache %s/%s; that namespace has %s", c.namespace, name, strings.Join(names, ", "))
}

// completeCaches offers the names of caches to a shell.
func (t *target) completeCaches(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Second)
	defer cancel()
	c, err := t.connect()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names, err := c.names(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeNamespaces offers the names of namespaces to a shell.
func (t *target) completeNamespaces(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Second)
	defer cancel()
	c, err := t.connect()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var list corev1.NamespaceList
	if err := c.objects.List(ctx, &list); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
