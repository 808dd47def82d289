// Package supervisor keeps the processes of one instance. It starts what it is told to, hears
// of every exit, restarts nothing, and knows nothing about Kubernetes. For a real node it is
// PID 1 of its own PID, mount and network namespaces: when it dies, however it dies, the kernel
// kills every process of the instance, unmounts its mounts and deletes its links.
package supervisor

import "time"

// Spec is one program to run.
type Spec struct {
	Name string   `json:"name"`
	Path string   `json:"path"`
	Args []string `json:"args"`
	// Env is added to a small fixed environment; the caller's own is not passed on.
	Env []string `json:"env,omitempty"`
}

// Status is what the supervisor knows about one component.
type Status struct {
	Name    string    `json:"name"`
	Running bool      `json:"running"`
	Since   time.Time `json:"since"`
	// PID is the process id as the supervisor sees it, which for a real node is not the host's.
	PID int `json:"pid"`
	// Exit tells how the last run ended, for example "exit code 1".
	Exit string `json:"exit,omitempty"`
	// Restarts counts those that nobody asked for.
	Restarts int `json:"restarts,omitempty"`
	// Stopped is set when it ended because it was asked to.
	Stopped bool `json:"stopped,omitempty"`
}

// StopRequest asks for the end of one component.
type StopRequest struct {
	Name string `json:"name"`
	// GraceSeconds pass between SIGTERM and SIGKILL; with 0 it is SIGKILL at once.
	GraceSeconds int `json:"graceSeconds"`
}

// Network is how the node's end of the veth pair is set up, once the link is there.
type Network struct {
	Link        string `json:"link"`
	Address     string `json:"address"`
	ServiceCIDR string `json:"serviceCIDR"`
}

const (
	pathStatus   = "/status"
	pathNetwork  = "/network"
	pathStart    = "/start"
	pathStop     = "/stop"
	pathShutdown = "/shutdown"
)
