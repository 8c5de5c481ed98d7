package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// printTable prints facts as rows under a heading.
func printTable(out io.Writer) (print func(fact) error, flush func() error) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "POSITION\tEVENT\tACTIVE\tPENDING\tTOLD\tREVIEW")
	return func(f fact) error {
		review := f.Review.describe()
		if len(f.Owed) > 0 {
			review += fmt.Sprintf(", %d to be told", len(f.Owed))
		}
		if f.Fault != "" {
			review += "  ! " + f.Fault
		}
		_, err := fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n",
			f.Position, f.Event, mode(&f.Active), mode(f.Pending), mode(f.Told), review)
		return err
	}, table.Flush
}

// printJSON prints facts as JSON, one object a line.
func printJSON(out io.Writer) (print func(fact) error, flush func() error) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return func(f fact) error { return encoder.Encode(f) }, func() error { return nil }
}
