package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/agentplan/sdk/planmode"
)

// maxRead is how much of a file the model is shown, in bytes.
const maxRead = 64 << 10

// workspaceTools returns the tools that work in a directory. They cannot leave it, also
// not by a symbolic link.
func workspaceTools(root *os.Root) []planmode.Tool {
	return []planmode.Tool{
		{
			Name:        "list_files",
			Description: "Lists the files of the workspace.",
			Schema:      json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			Call: func(context.Context, planmode.Agent, string, json.RawMessage) planmode.Result {
				return toolResult(listFiles(root.FS()))
			},
		},
		{
			Name:        "read_file",
			Description: "Reads a text file of the workspace.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","description":"Path within the workspace."}},"required":["name"],"additionalProperties":false}`),
			Call: func(_ context.Context, _ planmode.Agent, _ string, args json.RawMessage) planmode.Result {
				var in struct{ Name string }
				if err := json.Unmarshal(args, &in); err != nil {
					return toolResult("", fmt.Errorf("read arguments: %w", err))
				}
				return toolResult(readFile(root, in.Name))
			},
		},
		{
			Name:        "write_note",
			Description: "Writes a Markdown note into the workspace, in place of one of the same name.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","description":"File name that ends in .md."},"text":{"type":"string"}},"required":["name","text"],"additionalProperties":false}`),
			Call: func(_ context.Context, _ planmode.Agent, _ string, args json.RawMessage) planmode.Result {
				var in struct{ Name, Text string }
				if err := json.Unmarshal(args, &in); err != nil {
					return toolResult("", fmt.Errorf("read arguments: %w", err))
				}
				return toolResult(writeNote(root, in.Name, in.Text))
			},
		},
	}
}

func toolResult(content string, err error) planmode.Result {
	if err != nil {
		return planmode.Result{Content: err.Error(), IsError: true}
	}
	return planmode.Result{Content: content}
}

func listFiles(fsys fs.FS) (string, error) {
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type().IsRegular() {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("list files: %w", err)
	}
	if len(names) == 0 {
		return "The workspace is empty.", nil
	}
	return strings.Join(names, "\n"), nil
}

func readFile(root *os.Root, name string) (string, error) {
	file, err := root.Open(name)
	if err != nil {
		return "", fmt.Errorf("read file: %w", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read file: %w", err)
	case len(content) > maxRead:
		return "", fmt.Errorf("read file %s: it is larger than %d bytes", name, maxRead)
	case !utf8.Valid(content):
		return "", fmt.Errorf("read file %s: it is not a text file", name)
	}
	return string(content), nil
}

func writeNote(root *os.Root, name, text string) (string, error) {
	if path.Base(name) != name || path.Ext(name) != ".md" {
		return "", errors.New("write note: the name must be that of a file, without a directory, that ends in .md")
	}
	if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("write note: %w", err)
	}
	return fmt.Sprintf("Wrote %d bytes to %s.", len(text), name), nil
}
