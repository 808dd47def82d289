package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/kubeapi"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// Report is the state of one instance as found now.
type Report struct {
	Healthy    bool           `json:"healthy"`
	Problem    string         `json:"problem,omitempty"`
	Mode       instance.Mode  `json:"mode"`
	State      string         `json:"state"`
	Server     string         `json:"server"`
	Address    string         `json:"address"`
	Kubeconfig string         `json:"kubeconfig"`
	AuditLog   string         `json:"auditLog"`
	Supervisor int            `json:"supervisorPID"`
	Components []Component    `json:"components"`
	Nodes      []kubeapi.Node `json:"nodes"`
	FakeNodes  int            `json:"fakeNodes"`
	FakeReady  int            `json:"fakeNodesReady"`
}

// Component is one process of the instance.
type Component struct {
	Name string `json:"name"`
	// PID is the host's number of the process, 0 if it does not run.
	PID     int    `json:"pid"`
	State   string `json:"state"`
	Seconds int64  `json:"seconds"`
	RSS     uint64 `json:"rssBytes"`
	Log     string `json:"log"`
}

// Inspect looks at an instance. What is wrong with it is in the report; an error means that
// there is no instance to look at.
func Inspect(ctx context.Context, dir instance.Dir) (Report, error) {
	state, err := dir.LoadState()
	if err != nil {
		return Report{}, err
	}
	r := Report{
		Mode: state.Mode, State: dir.Path, Server: state.Server, Address: state.Address,
		Kubeconfig: dir.Kubeconfig(), AuditLog: dir.AuditLog(),
		Components: []Component{}, Nodes: []kubeapi.Node{},
	}
	// Without a supervisor there is no network of the instance: its address would be someone else's.
	err = r.inspectProcesses(ctx, dir)
	if r.Supervisor != 0 {
		err = errors.Join(err, r.inspectNodes(ctx, dir, state))
	}
	if err != nil {
		r.Problem = strings.ReplaceAll(err.Error(), "\n", "; ")
	} else if !state.Ready {
		r.Problem = "its `up` has not come to an end"
	}
	r.Healthy = r.Problem == ""
	return r, nil
}

func (r *Report) inspectProcesses(ctx context.Context, dir instance.Dir) error {
	process, err := dir.LoadSupervisor()
	if err != nil {
		return err
	}
	if !process.Alive() {
		return fmt.Errorf("the supervisor (pid %d) has died: run `localkube up`", process.PID)
	}
	r.Supervisor = process.PID
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	list, err := supervisor.NewClient(dir.Socket()).Status(ctx)
	if err != nil {
		return err
	}
	hostPIDs := childrenOf(process.PID)
	var problems []error
	for _, s := range list {
		c := Component{Name: s.Name, State: "running", Seconds: int64(time.Since(s.Since).Seconds()), Log: dir.Log(s.Name)}
		switch {
		case s.Running:
			c.PID = hostPIDs[s.PID]
			if s.Restarts > 0 {
				c.State = fmt.Sprintf("running, restarted %d times", s.Restarts)
			}
			c.RSS = statusNumber(c.PID, "VmRSS") * 1024
		case s.Stopped:
			c.State = "stopped"
		default:
			c.State = s.Exit
		}
		if !s.Running {
			problems = append(problems, fmt.Errorf("%s does not run (%s)", s.Name, c.State))
		}
		r.Components = append(r.Components, c)
	}
	return errors.Join(problems...)
}

func (r *Report) inspectNodes(ctx context.Context, dir instance.Dir, state instance.State) error {
	api, err := kubeapi.New(state.Server, pki.Open(dir.Join("pki")))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := api.Ready(ctx); err != nil {
		return err
	}
	nodes, err := api.Nodes(ctx)
	if err != nil {
		return err
	}
	var problems []error
	for _, n := range nodes {
		if n.Fake {
			r.FakeNodes++
			if n.Ready {
				r.FakeReady++
			}
			continue
		}
		r.Nodes = append(r.Nodes, n)
		if !n.Ready {
			problems = append(problems, fmt.Errorf("node %s is not ready: %s", n.Name, n.Reason))
		}
	}
	if r.FakeReady < state.KwokNodes {
		problems = append(problems, fmt.Errorf("%d of %d fake nodes are ready", r.FakeReady, state.KwokNodes))
	}
	return errors.Join(problems...)
}

// childrenOf maps the pids of a process's children, as that process sees them, to the host's.
func childrenOf(parent int) map[int]int {
	out := map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if ppid, _ := strconv.Atoi(lastField(string(raw), "PPid")); ppid != parent {
			continue
		}
		host, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		inner, _ := strconv.Atoi(lastField(string(raw), "NSpid"))
		out[inner] = host
	}
	return out
}

func statusNumber(pid int, key string) uint64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSuffix(lastField(strings.ReplaceAll(string(raw), " kB", ""), key), " kB"), 10, 64)
	return n
}

// lastField is the last word of the line that starts with the key.
func lastField(text, key string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && name == key {
			fields := strings.Fields(value)
			if len(fields) > 0 {
				return fields[len(fields)-1]
			}
		}
	}
	return ""
}
