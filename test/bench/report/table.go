package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is rows of text under a header, and notes below.
type Table struct {
	rows  [][]string
	notes []string
}

// NewTable returns a table with a header.
func NewTable(header ...string) *Table { return &Table{rows: [][]string{header}} }

// Note adds a line that explains the table.
func (t *Table) Note(text string) { t.notes = append(t.notes, text) }

// Row adds one row: text, and numbers written as Number does.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		if number, ok := cell.(float64); ok {
			row[i] = Number(number)
			continue
		}
		row[i] = fmt.Sprint(cell)
	}
	t.rows = append(t.rows, row)
}

// Print writes the table, numbers to the right.
func (t *Table) Print(w io.Writer) {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range t.rows {
		_, _ = fmt.Fprintln(columns, strings.Join(row, "\t")+"\t") // there is nobody to tell
	}
	_ = columns.Flush()
	for _, note := range t.notes {
		_, _ = fmt.Fprintln(w, note)
	}
}
