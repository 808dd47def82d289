package cluster

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
)

func TestProgramsFollowTheMode(t *testing.T) {
	tests := map[string]struct {
		o         Options
		with, not []string
	}{
		"a control plane only":           {Options{Mode: instance.ModeNone}, []string{"etcd", "kube-apiserver", "kubectl"}, []string{"kubelet", "kwok"}},
		"played nodes":                   {Options{Mode: instance.ModeKwok, KwokNodes: 1}, []string{"kwok", "kube-scheduler"}, []string{"kubelet", "containerd"}},
		"a real node":                    {Options{Mode: instance.ModeReal}, []string{"kubelet", "containerd", "ctr", "pause"}, []string{"kwok"}},
		"a real node beside played ones": {Options{Mode: instance.ModeReal, KwokNodes: 9}, []string{"kubelet", "kwok"}, nil},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			got := tt.o.programs()
			for _, name := range tt.with {
				if !slices.Contains(got, name) {
					t.Errorf("%q lacks %s", got, name)
				}
			}
			for _, name := range tt.not {
				if slices.Contains(got, name) {
					t.Errorf("%q has %s", got, name)
				}
			}
		})
	}
}

func TestAnotherInstanceIsNotPassedOff(t *testing.T) {
	up := instance.State{Mode: instance.ModeReal, KwokNodes: 3}
	tests := map[string]struct {
		o    Options
		want string
	}{
		"whatever there is":  {Options{}, ""},
		"the same":           {Options{Mode: instance.ModeReal, KwokNodes: 3}, ""},
		"another mode":       {Options{Mode: instance.ModeNone}, "--node real, not none"},
		"another node count": {Options{KwokNodes: 5}, "--kwok-nodes 3, not 5"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			err := tt.o.fits(up)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDecide(t *testing.T) {
	// Beneath a directory that a node sees its own version of, a real node is impossible for
	// anyone, root or not.
	dir := instance.Dir{Name: "t", Path: "/var/lib/t"}
	tests := map[string]struct {
		mode, want instance.Mode
		fakes      int
		err, said  string
	}{
		"none stays none":      {instance.ModeNone, instance.ModeNone, 0, "", ""},
		"kwok gets some nodes": {instance.ModeKwok, instance.ModeKwok, 3, "", ""},
		"auto falls back":      {"", instance.ModeKwok, 3, "", "/var/lib/t lies beneath /var/lib"},
		"real is refused":      {instance.ModeReal, instance.ModeReal, 0, "/var/lib/t lies beneath /var/lib", ""},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			var out bytes.Buffer
			o := Options{Dir: dir, Mode: tt.mode, Out: &out}
			err := o.decide(t.Context(), "/home/u/bin")
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("got %v", err)
			}
			if o.Mode != tt.want || o.KwokNodes != tt.fakes || !strings.Contains(out.String(), tt.said) {
				t.Errorf("mode %q with %d fake nodes, said %q", o.Mode, o.KwokNodes, &out)
			}
		})
	}
}

func TestLastField(t *testing.T) {
	status := "Name:\ta\nPPid:\t12\nNSpid:\t400\t9\nVmRSS:\t  2048 kB\n"
	for key, want := range map[string]string{"PPid": "12", "NSpid": "9", "Missing": ""} {
		if got := lastField(status, key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}
