package explain_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/pkg/explain"
)

// Each scene has its explanation for people and for machines under testdata. UPDATE_GOLDEN=1
// rewrites them.
func TestGolden(t *testing.T) {
	for name, tc := range scenes {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			e := explain.Explain(tc.scene().Facts, epoch, explain.Options{})
			if e.Verdict != tc.verdict {
				t.Errorf("the verdict is %s, want %s", e.Verdict, tc.verdict)
			}
			var b strings.Builder
			if err := explain.Text(&b, e, explain.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-"))
			golden(t, file+".txt", b.String())
			data, err := yaml.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, file+".yaml", string(data))
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run make golden", err)
	}
	if string(want) != got {
		t.Errorf("%s differs: run make golden and look at the diff. Got:\n%s", file, got)
	}
}

// No file under testdata is left of a scene that is no more.
func TestGoldenFilesAreUsed(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		base := filepath.Base(file)
		name := strings.ReplaceAll(strings.TrimSuffix(base, filepath.Ext(base)), "-", " ")
		if _, ok := scenes[name]; !ok {
			t.Errorf("%s belongs to no scene", file)
		}
	}
}
