// Package schema carries the JSON Schemas of what the catalog tools print, as they stand
// beside it in the repository.
package schema

import _ "embed" // for the schema files

//go:embed catalog.json
var catalog string

// Catalog returns the JSON Schema (draft 2020-12) of the document that gen-catalog --json
// prints.
func Catalog() string { return catalog }

//go:embed findings.json
var findings string

// Findings returns the JSON Schema (draft 2020-12) of the document that
// verify-catalog --format json prints.
func Findings() string { return findings }
