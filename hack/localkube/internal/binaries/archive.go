package binaries

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// extract takes one file out of a .tar.gz into a temporary file under dir.
func extract(archive, member, dir string) (string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", member, err)
	}
	files := tar.NewReader(zip)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return "", fmt.Errorf("the archive holds no %s", member)
		}
		if err != nil {
			return "", fmt.Errorf("unpack %s: %w", member, err)
		}
		if path.Clean(header.Name) == member && header.Typeflag == tar.TypeReg {
			return writeTemp(files, dir)
		}
	}
}

func writeTemp(from io.Reader, dir string) (string, error) {
	out, err := os.CreateTemp(dir, "member-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, from)
	return out.Name(), errors.Join(err, out.Close())
}
