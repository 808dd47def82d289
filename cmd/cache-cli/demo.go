package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
)

// sampleKeys are what the demo routes.
var sampleKeys = []string{"foo", "bar", "baz", "user-1234", "session-abcd", "orders-99"}

const demoTTL = 5 * time.Minute

type demo struct {
	kubeconfig string
	namespace  string
	cache      string
	domain     string
	timeout    time.Duration
}

func newDemo() *cobra.Command {
	d := &demo{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Route sample keys, write each through its owner and read it back",
		Long: `Route sample keys by the ring of a cache, write each through the member that owns it and
read it back. It speaks to the members by their names in the cluster, so run it in a pod:
config/samples/cli-job.yaml is a Job that does, with the rights it needs.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unexpected argument %q: demo takes flags only", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&d.cache, "cache", "orders-cache", "name of the DistributedCache")
	f.StringVarP(&d.namespace, "namespace", "n", "", "namespace of its ring; empty, that of the pod or the kubeconfig")
	f.StringVar(&d.kubeconfig, "kubeconfig", "", "path of a kubeconfig; empty, the pod's service account or $KUBECONFIG")
	f.StringVar(&d.domain, "cluster-domain", "cluster.local", "DNS domain of the cluster")
	f.DurationVar(&d.timeout, "timeout", time.Minute, "how long the whole demo may take, the wait for a ring included")
	return cmd
}

func (d *demo) run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	client, err := d.client()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the work is done or has failed
	if err := client.Wait(ctx); err != nil {
		return fmt.Errorf("ring of cache %s/%s: %w", d.namespace, d.cache, err)
	}
	snapshot, _ := client.Ring()
	fmt.Fprintf(out, "ring version  %d\nservice       %s\nmembers       %s\n\n",
		snapshot.Ring.Version, d.service(), strings.Join(snapshot.Ring.Members, " "))
	return d.roundTrips(ctx, client, out)
}

func (d *demo) roundTrips(ctx context.Context, client *cacheclient.Client, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tOWNER\tWRITTEN\tREAD BACK")
	var failed []error
	for _, key := range sampleKeys {
		owner, err := client.Owner([]byte(key))
		if err != nil {
			return err
		}
		value := fmt.Sprintf("value of %s at %s", key, time.Now().UTC().Format(time.RFC3339Nano))
		stored, err := client.Set(ctx, []byte(key), []byte(value), demoTTL)
		if err != nil {
			return fmt.Errorf("write %s through %s: %w", key, owner, err)
		}
		got, found, err := client.Get(ctx, []byte(key))
		if err != nil {
			return fmt.Errorf("read %s through %s: %w", key, owner, err)
		}
		same := found && string(got) == value
		fmt.Fprintf(table, "%s\t%s\t%t\t%t\n", key, owner, stored, same)
		if !same {
			failed = append(failed, fmt.Errorf("%s was not read back from %s", key, owner))
		}
	}
	return errors.Join(table.Flush(), errors.Join(failed...))
}

func (d *demo) service() string {
	return fmt.Sprintf("%s.%s.svc.%s", v1alpha1.ServiceName(d.cache), d.namespace, d.domain)
}

func (d *demo) client() (*cacheclient.Client, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if d.kubeconfig != "" {
		if _, err := os.Stat(d.kubeconfig); err != nil {
			return nil, usageError{fmt.Errorf("--kubeconfig: %w", err)}
		}
		rules.ExplicitPath = d.kubeconfig
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, usageError{fmt.Errorf("no way to the API server: %w; run in a pod, or give --kubeconfig", err)}
	}
	if d.namespace == "" {
		if d.namespace, _, err = loader.Namespace(); err != nil {
			return nil, usageError{fmt.Errorf("namespace: %w; give --namespace", err)}
		}
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("API client: %w", err)
	}
	return cacheclient.New(cacheclient.Options{
		Source: apiwatch.Source{Client: clientset, Namespace: d.namespace, Cache: d.cache},
		Address: func(member string) string {
			return fmt.Sprintf("%s.%s:%d", member, d.service(), v1alpha1.Port)
		},
	})
}
