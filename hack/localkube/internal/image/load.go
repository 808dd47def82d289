package image

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Importer brings archives into a node's containerd.
type Importer struct {
	Ctr    string
	Socket string
}

// Import reads an archive and returns what ctr says of it.
func (i Importer) Import(ctx context.Context, archive io.Reader) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, i.Ctr, "--address", i.Socket, "--namespace", "k8s.io", "images", "import", "-")
	cmd.Stdin = archive
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("import the image: %w: %s", err, strings.TrimSpace(text.String()))
	}
	return strings.TrimSpace(text.String()), nil
}
