package render

import (
	"encoding/json"
	"fmt"

	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// passOn sets what spec.pod hands through to the pod unchanged.
func passOn(options v1alpha1.PodOptions, selector map[string]string, pod *corev1ac.PodSpecApplyConfiguration) error {
	if len(options.NodeSelector) > 0 {
		pod.WithNodeSelector(options.NodeSelector)
	}
	if options.PriorityClassName != "" {
		pod.WithPriorityClassName(options.PriorityClassName)
	}
	if options.ServiceAccountName != "" {
		pod.WithServiceAccountName(options.ServiceAccountName)
	}
	for _, secret := range options.ImagePullSecrets {
		pod.WithImagePullSecrets(corev1ac.LocalObjectReference().WithName(secret.Name))
	}
	if err := convert(options.Tolerations, &pod.Tolerations); err != nil {
		return fmt.Errorf("spec.pod.tolerations: %w", err)
	}
	if err := convert(options.Affinity, &pod.Affinity); err != nil {
		return fmt.Errorf("spec.pod.affinity: %w", err)
	}
	if err := convert(options.TopologySpreadConstraints, &pod.TopologySpreadConstraints); err != nil {
		return fmt.Errorf("spec.pod.topologySpreadConstraints: %w", err)
	}
	for i := range pod.TopologySpreadConstraints {
		if spread := &pod.TopologySpreadConstraints[i]; spread.LabelSelector == nil {
			spread.WithLabelSelector(metav1ac.LabelSelector().WithMatchLabels(selector))
		}
	}
	return nil
}

// convert carries an API value over to its apply configuration; the two have one JSON form.
func convert(from, to any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}
