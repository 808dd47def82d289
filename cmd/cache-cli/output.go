package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// output is the form of a command's answer.
type output string

const (
	human    output = ""
	jsonForm output = "json"
	yamlForm output = "yaml"
)

// String, Set and Type make output a flag.
func (o *output) String() string { return string(*o) }
func (o *output) Type() string   { return "json|yaml" }

// Set takes a form by its name.
func (o *output) Set(text string) error {
	if f := output(text); f == jsonForm || f == yamlForm {
		*o = f
		return nil
	}
	return fmt.Errorf("%q is not a form of output: json or yaml, or leave the flag out for humans", text)
}

func (o *output) addFlag(cmd *cobra.Command) {
	cmd.Flags().VarP(o, "output", "o", "form of the answer for machines")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{string(jsonForm), string(yamlForm)}, cobra.ShellCompDirectiveNoFileComp))
}

// write writes an answer: the value for machines, or by the given function for humans.
func (o *output) write(w io.Writer, value any, forHumans func(io.Writer) error) error {
	switch *o {
	case jsonForm:
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	case yamlForm:
		data, err := yaml.Marshal(value)
		if err != nil {
			return fmt.Errorf("answer as YAML: %w", err)
		}
		_, err = w.Write(data)
		return err
	default:
		return forHumans(w)
	}
}

// table writes rows in columns.
func table(w io.Writer, rows ...[]any) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(t, "\t")
			}
			fmt.Fprint(t, cell)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
