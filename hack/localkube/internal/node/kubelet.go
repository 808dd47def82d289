package node

import (
	"encoding/json"
	"fmt"
)

type object = map[string]any

// kubeletConfig is JSON, which is YAML too.
func kubeletConfig(o Options) (string, error) {
	config := object{
		"apiVersion": "kubelet.config.k8s.io/v1beta1",
		"kind":       "KubeletConfiguration",
		"authentication": object{
			"anonymous": object{"enabled": false},
			"webhook":   object{"enabled": true},
			"x509":      object{"clientCAFile": o.Store.CA()},
		},
		"authorization":            object{"mode": "Webhook"},
		"tlsCertFile":              o.Store.CertFile("kubelet"),
		"tlsPrivateKeyFile":        o.Store.KeyFile("kubelet"),
		"containerRuntimeEndpoint": "unix://" + o.Dir.ContainerdSocket(),
		"cgroupDriver":             "cgroupfs",
		"cgroupRoot":               "/" + o.Dir.Cgroup(),
		"failCgroupV1":             false,
		"failSwapOn":               false,
		"clusterDomain":            "cluster.local",
		"clusterDNS":               []string{o.Address},
		// Pods see the cluster's names only, whatever the machine's resolver is.
		"resolvConf":      "",
		"volumePluginDir": o.Dir.Join("kubelet-plugins"),
		"maxPods":         110,
		"kubeReserved":    object{"cpu": "50m", "memory": "128Mi"},
		"systemReserved":  object{"cpu": "50m", "memory": "128Mi"},
		// Images come by `load` and from nowhere else: one that is collected is lost. A full
		// disk or a busy machine is the developer's to solve, not a reason to evict.
		"imageGCHighThresholdPercent": 100,
		"imageGCLowThresholdPercent":  99,
		"evictionHard": object{
			"memory.available": "64Mi", "nodefs.available": "1%", "nodefs.inodesFree": "1%",
			"imagefs.available": "1%", "imagefs.inodesFree": "1%",
		},
		"serializeImagePulls": false,
	}
	raw, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the kubelet's configuration: %w", err)
	}
	return string(raw), nil
}
