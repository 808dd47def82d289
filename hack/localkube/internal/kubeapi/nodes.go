package kubeapi

import "context"

// Node is what status tells of one.
type Node struct {
	Name  string `json:"name"`
	Ready bool   `json:"ready"`
	// Reason is the kubelet's word when it isn't ready.
	Reason string `json:"reason,omitempty"`
	// Fake nodes are played by kwok.
	Fake bool `json:"fake"`
	// Addressed is set once the node has told where it is.
	Addressed bool `json:"-"`
}

// Nodes lists the cluster's nodes.
func (c *Client) Nodes(ctx context.Context) ([]Node, error) {
	var list struct {
		Items []struct {
			Metadata struct {
				Name        string            `json:"name"`
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
			Status struct {
				Addresses  []struct{} `json:"addresses"`
				Conditions []struct {
					Type    string `json:"type"`
					Status  string `json:"status"`
					Message string `json:"message"`
				} `json:"conditions"`
			} `json:"status"`
		} `json:"items"`
	}
	if err := c.Get(ctx, "/api/v1/nodes", &list); err != nil {
		return nil, err
	}
	nodes := make([]Node, 0, len(list.Items))
	for _, item := range list.Items {
		node := Node{Name: item.Metadata.Name, Fake: item.Metadata.Annotations["kwok.x-k8s.io/node"] == "fake", Reason: "not registered", Addressed: len(item.Status.Addresses) > 0}
		for _, condition := range item.Status.Conditions {
			if condition.Type == "Ready" {
				node.Ready, node.Reason = condition.Status == "True", condition.Message
			}
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}
