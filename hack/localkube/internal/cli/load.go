package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/image"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/node"
)

func addImageFlags(cmd *cobra.Command, o *image.Options) {
	cmd.Flags().StringVar(&o.Binary, "binary", "", "static program to put into the image")
	cmd.Flags().StringVar(&o.Entrypoint, "entrypoint", "", "its path in the image (default /<file name>)")
	cmd.Flags().StringVar(&o.User, "user", image.DefaultUser, "UID:GID that it runs as")
}

func newLoad(f *flags) *cobra.Command {
	var o image.Options
	cmd := &cobra.Command{
		Use:   "load IMAGE_REF --binary PATH | load FILE.tar",
		Short: "Bring an image into the node: one made of a program, or one from an archive",
		Args:  exactly("an image name (with --binary) or an archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := f.dir()
			if err != nil {
				return err
			}
			archive, err := openArchive(args[0], o)
			if err != nil {
				return err
			}
			defer func() { _ = archive.Close() }()
			return load(cmd.Context(), dir, archive, args[0], cmd.OutOrStdout())
		},
	}
	addImageFlags(cmd, &o)
	return cmd
}

func openArchive(arg string, o image.Options) (io.ReadCloser, error) {
	if o.Binary != "" {
		var archive bytes.Buffer
		if err := build(arg, o, &archive); err != nil {
			return nil, err
		}
		return io.NopCloser(&archive), nil
	}
	file, err := os.Open(arg)
	if os.IsNotExist(err) {
		return nil, usage("no archive %s: give a file, or an image name with --binary PATH", arg)
	}
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	return file, nil
}

func build(ref string, o image.Options, w io.Writer) error {
	if _, err := name.NewTag(ref); err != nil {
		return usage("image name %q: %w", ref, err)
	}
	if _, err := os.Stat(o.Binary); err != nil {
		return usage("--binary: %w", err)
	}
	o.Ref = ref
	return image.Write(o, w)
}

func load(ctx context.Context, dir instance.Dir, archive io.Reader, what string, out io.Writer) error {
	state, err := dir.LoadState()
	if err != nil {
		return err
	}
	if state.Mode != instance.ModeReal {
		return fmt.Errorf("%q is up with --node %s, which runs no images: use --node real", dir.Name, state.Mode)
	}
	start := time.Now()
	importer := image.Importer{Ctr: state.Binaries[node.Ctr], Socket: dir.ContainerdSocket()}
	if _, err := importer.Import(ctx, archive); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "loaded %s in %.1fs\n", what, time.Since(start).Seconds())
	return nil
}

func newImage() *cobra.Command {
	var o image.Options
	var output string
	cmd := &cobra.Command{
		Use:   "image IMAGE_REF --binary PATH -o FILE.tar",
		Short: "Make an image of one static program, for any container engine",
		Args:  exactly("an image name"),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.Binary == "" || output == "" {
				return usage("localkube image needs --binary PATH and -o FILE.tar")
			}
			var archive bytes.Buffer
			if err := build(args[0], o, &archive); err != nil {
				return err
			}
			return writeWhole(output, archive.Bytes())
		},
	}
	addImageFlags(cmd, &o)
	cmd.Flags().StringVarP(&output, "output", "o", "", "archive to write")
	return cmd
}

// writeWhole leaves either the whole file or none.
func writeWhole(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".")
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if _, err := temp.Write(content); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	if err := temp.Chmod(0o644); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	if err := temp.Close(); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return os.Rename(temp.Name(), path)
}
