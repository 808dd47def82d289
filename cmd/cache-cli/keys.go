package main

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// keyFlags are those of the commands on keys.
type keyFlags struct {
	cache   string
	encoded bool
}

func (k *keyFlags) addFlags(cmd *cobra.Command, t *target) {
	cmd.Flags().StringVarP(&k.cache, "cache", "c", "", "name of the DistributedCache; empty, the only one of the namespace")
	_ = cmd.RegisterFlagCompletionFunc("cache", t.completeCaches)
}

func (k *keyFlags) addEncoding(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&k.encoded, "base64", false, "keys are given in base64, for bytes that a shell cannot carry")
}

// key is the key that an argument stands for: its bytes as they are, unless --base64 is given.
func (k *keyFlags) key(argument string) ([]byte, error) {
	if !k.encoded {
		return []byte(argument), nil
	}
	key, err := base64.StdEncoding.DecodeString(argument)
	if err != nil {
		return nil, wrongUse("key %q is no base64: %w", argument, err)
	}
	return key, nil
}

// blob is bytes as JSON and YAML can carry them: as text where they are, in base64 otherwise.
type blob struct {
	Text   *string `json:"text,omitempty"`
	Base64 []byte  `json:"base64,omitempty"`
}

func newBlob(data []byte) blob {
	if utf8.Valid(data) {
		text := string(data)
		return blob{Text: &text}
	}
	return blob{Base64: data}
}
