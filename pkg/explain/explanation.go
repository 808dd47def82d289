package explain

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// Explanation says how a cache is, and why. Its form, as JSON or YAML, is stable.
type Explanation struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Home is the namespace of the cache's objects: its own, or its cell.
	Home    string  `json:"home"`
	Verdict Verdict `json:"verdict"`
	// Summary is the verdict in one or two sentences.
	Summary string `json:"summary"`
	// AsOf is the time that all durations count from.
	AsOf     metav1.Time `json:"asOf"`
	Replicas Replicas    `json:"replicas"`
	// Ring is nil if it could not be read.
	Ring *Ring `json:"ring,omitempty"`
	// Next is what the operator does next, by its own state machine; nil if too little could be
	// read for that.
	Next   *Next   `json:"next,omitempty"`
	Drains []Drain `json:"drains,omitempty"`
	// Cell is nil if the cache is not isolated.
	Cell *Cell `json:"cell,omitempty"`
	// Pods are the wanted ones and those that exist, in order of their ordinals.
	Pods       []Pod       `json:"pods,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
	// Hints are what to do, and about what, besides what the conditions say; the most pressing first.
	Hints []Hint `json:"hints,omitempty"`
	// Events are the latest, each kind once, the newest last.
	Events []Event `json:"events,omitempty"`
	// EventsLeftOut counts the older ones that are not listed.
	EventsLeftOut int `json:"eventsLeftOut,omitempty"`
	// Unreadable are what could not be read.
	Unreadable []Unreadable `json:"unreadable,omitempty"`
}

// Replicas counts the pods.
type Replicas struct {
	Wanted int `json:"wanted"`
	// Held is the size of the StatefulSet, which may be larger while pods drain.
	Held int `json:"held"`
	// Exist, Ready and Serving count pods that exist, those of them that are Ready and not
	// terminating, and those of these that are in the ring.
	Exist   int `json:"exist"`
	Ready   int `json:"ready"`
	Serving int `json:"serving"`
}

// Ring is the published ring.
type Ring struct {
	// ConfigMap holds the ring.
	ConfigMap string `json:"configMap"`
	// Version is that of the published ring, 0 without one; RecordedVersion is the highest that
	// the status knows of.
	Version         int64    `json:"version"`
	RecordedVersion int64    `json:"recordedVersion"`
	Members         []string `json:"members"`
	// Trouble says what is the matter with the document itself.
	Trouble string `json:"trouble,omitempty"`
	// Missing are the wanted pods that are not members, Stale the members that do not serve.
	Missing []PodReason `json:"missing,omitempty"`
	Stale   []PodReason `json:"stale,omitempty"`
}

// PodReason names a pod and says why.
type PodReason struct {
	Pod string `json:"pod"`
	Why string `json:"why"`
}

// Next is what the operator does next.
type Next struct {
	Step plan.Step `json:"step"`
	// Meaning is the step in a sentence.
	Meaning string `json:"meaning"`
	// InSeconds is when time alone changes what is to be done, nil if it does not.
	InSeconds *int64 `json:"inSeconds,omitempty"`
}

// Drain is a pod that has left the ring for good and serves on for the grace.
type Drain struct {
	Pod string `json:"pod"`
	// Since is when it left the ring, nil if that is not known.
	Since *metav1.Time `json:"since,omitempty"`
	// Until is when its grace ends, and LeftSeconds how long that still takes, 0 if it is over.
	Until       *metav1.Time `json:"until,omitempty"`
	LeftSeconds int64        `json:"leftSeconds"`
}

// Condition is one of the cache's conditions, with what to do about it.
type Condition struct {
	Type    string                 `json:"type"`
	Status  metav1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason"`
	Message string                 `json:"message,omitempty"`
	Since   metav1.Time            `json:"since"`
	// Meaning and Action are of the documentation; Action is empty if nothing is to be done.
	Meaning string `json:"meaning,omitempty"`
	Action  string `json:"action,omitempty"`
	// Outdated says that it speaks of an earlier generation of the cache.
	Outdated bool `json:"outdated,omitempty"`
}

// Hint is something that is the matter, and what to do about it.
type Hint struct {
	Problem string `json:"problem"`
	Action  string `json:"action"`
}

// Event is one event, or several that say the same.
type Event struct {
	// Last is when it was seen last.
	Last    metav1.Time `json:"last"`
	Type    string      `json:"type"`
	Reason  string      `json:"reason"`
	Object  string      `json:"object"`
	Message string      `json:"message"`
	Count   int         `json:"count"`
}

// Unreadable is a kind that could not be read.
type Unreadable struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}
