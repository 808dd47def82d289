package fakenode

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestNode(t *testing.T) {
	seen := map[netip.Prefix]bool{}
	for i := range MaxNodes {
		raw, err := Node(i, i%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		var node struct {
			Metadata struct{ Labels, Annotations map[string]string }
			Spec     struct {
				PodCIDR netip.Prefix
				Taints  []struct{ Key, Value, Effect string }
			}
		}
		if err := json.Unmarshal(raw, &node); err != nil {
			t.Fatal(err)
		}
		if seen[node.Spec.PodCIDR] {
			t.Fatalf("node %d shares its pod network %s", i, node.Spec.PodCIDR)
		}
		seen[node.Spec.PodCIDR] = true
		if node.Metadata.Annotations[annotation] != "fake" || node.Metadata.Labels["type"] != "kwok" {
			t.Fatalf("node %d: %+v", i, node.Metadata)
		}
		if len(node.Spec.Taints) == 1 != (i%2 == 0) {
			t.Fatalf("node %d has the taints %v", i, node.Spec.Taints)
		}
	}
}

func TestStages(t *testing.T) {
	text, err := allStages()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for doc := range strings.SplitSeq(string(text), "---\n") {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		var stage struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(doc), &stage); err != nil || stage.Kind != "Stage" {
			t.Errorf("%v in\n%s", err, doc)
		}
		names[stage.Metadata.Name] = true
	}
	for _, want := range []string{"node-ready", "node-heartbeat", "pod-ready", "pod-complete", "pod-delete"} {
		if !names[want] {
			t.Errorf("no stage %s in %v", want, names)
		}
	}
}
