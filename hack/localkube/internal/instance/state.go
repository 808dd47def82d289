package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Mode says what kind of nodes an instance has.
type Mode string

// The modes of an instance.
const (
	ModeReal Mode = "real"
	ModeKwok Mode = "kwok"
	ModeNone Mode = "none"
)

// State is what later commands need to know about an instance.
type State struct {
	Mode      Mode      `json:"mode"`
	KwokNodes int       `json:"kwokNodes"`
	Started   time.Time `json:"started"`
	// Ready is set once `up` has seen everything answer; without it the start was cut short.
	Ready    bool              `json:"ready"`
	Address  string            `json:"address"`
	Server   string            `json:"server"`
	Network  int               `json:"network"`
	Binaries map[string]string `json:"binaries"`
}

// Link is the host's end of an instance's network. Its index, unlike its name, is given to no
// other link while the machine runs.
type Link struct {
	Name  string `json:"name"`
	Index int    `json:"index"`
}

const (
	linkName       = "link.json"
	stateName      = "instance.json"
	supervisorName = "supervisor.json"
)

// ErrNoInstance says that the directory holds no instance.
var ErrNoInstance = errors.New("no instance")

// LoadState reads the state; ErrNoInstance if there is none.
func (d Dir) LoadState() (State, error) {
	var s State
	return s, d.load(stateName, &s)
}

// SaveState replaces the state.
func (d Dir) SaveState(s State) error { return d.save(stateName, s) }

// LoadLink reads the recorded link; ErrNoInstance if there is none.
func (d Dir) LoadLink() (Link, error) {
	var l Link
	return l, d.load(linkName, &l)
}

// SaveLink records the link.
func (d Dir) SaveLink(l Link) error { return d.save(linkName, l) }

// LoadSupervisor reads which process is the instance; ErrNoInstance if none was recorded.
func (d Dir) LoadSupervisor() (Process, error) {
	var p Process
	return p, d.load(supervisorName, &p)
}

// SaveSupervisor records which process is the instance.
func (d Dir) SaveSupervisor(p Process) error { return d.save(supervisorName, p) }

func (d Dir) load(name string, into any) error {
	raw, err := os.ReadFile(d.Join(name))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w in %s: run `localkube up`", ErrNoInstance, d.Path)
	}
	if err != nil {
		return fmt.Errorf("read the state: %w", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read %s: %w", d.Join(name), err)
	}
	return nil
}

// save writes beside and renames, so that a reader never sees half a file.
func (d Dir) save(name string, from any) error {
	raw, err := json.MarshalIndent(from, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	path := d.Join(name)
	if err := os.WriteFile(path+".tmp", append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	return nil
}
