package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Header describes a session. Its JSON form is the first line of a session file of
// format version 0.
type Header struct {
	// ID is the id of the session, unique within its store.
	ID string
	// Cwd is the absolute working directory of the session; empty means none.
	Cwd string
	// ParentSession is the id of the session this one was forked from; empty if none.
	ParentSession string
	// CreatedAt is when the session was made, to the millisecond.
	CreatedAt time.Time
	// SeedLength counts the events that were copied from the parent.
	SeedLength int64
	// Extra holds the other fields of the header by name, such as origin, agentPreset
	// and a delegationDepth other than 0. It may be nil.
	Extra map[string]json.RawMessage
}

// isHeaderField reports whether a key of the JSON form has a field of its own.
func isHeaderField(key string) bool {
	switch key {
	case "type", "version", "id", "createdAt", "cwd", "parentSession", "seedLength":
		return true
	}
	return false
}

// MarshalJSON returns the header as the first line of a session file, without the
// line end.
func (h Header) MarshalJSON() ([]byte, error) {
	if h.ID == "" {
		return nil, errors.New("encode session header: id is empty")
	}
	created := h.CreatedAt.UnixMilli()
	if created > MaxInt || created < -MaxInt {
		return nil, errors.New("encode session header: createdAt is out of range")
	}
	if h.SeedLength < 0 || h.SeedLength > MaxInt {
		return nil, errors.New("encode session header: seedLength is out of range")
	}
	line := []byte(`{"type":"session","version":0,"id":`)
	line = appendString(line, h.ID)
	line = fmt.Appendf(line, `,"createdAt":%d`, created)
	if h.Cwd != "" {
		line = append(line, `,"cwd":`...)
		line = appendString(line, h.Cwd)
	}
	if h.ParentSession != "" {
		line = append(line, `,"parentSession":`...)
		line = appendString(line, h.ParentSession)
	}
	if h.ParentSession != "" || h.SeedLength > 0 {
		line = fmt.Appendf(line, `,"seedLength":%d`, h.SeedLength)
	}
	if h.Extra["delegationDepth"] == nil {
		line = append(line, `,"delegationDepth":0`...)
	}
	for _, key := range slices.Sorted(maps.Keys(h.Extra)) {
		if isHeaderField(key) {
			return nil, fmt.Errorf("encode session header: extra field %q has a field of its own", key)
		}
		if !json.Valid(h.Extra[key]) {
			return nil, fmt.Errorf("encode session header: extra field %q is not JSON", key)
		}
		line = append(line, ',')
		line = appendString(line, key)
		line = append(line, ':')
		line = appendCompact(line, h.Extra[key])
	}
	return append(line, '}'), nil
}

// UnmarshalJSON reads the first line of a session file. The error of a version other
// than 0 wraps [ErrVersion] and names it.
func (h *Header) UnmarshalJSON(line []byte) error {
	read, err := decodeHeader(line)
	if err != nil {
		return fmt.Errorf("read session header: %w", err)
	}
	*h = read
	return nil
}

func decodeHeader(line []byte) (Header, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return Header{}, err
	}
	var kind string
	if err := json.Unmarshal(fields["type"], &kind); err != nil || kind != "session" {
		return Header{}, errors.New(`type is not "session"`)
	}
	if version := string(fields["version"]); version != "0" {
		if version == "" {
			version = "none"
		}
		return Header{}, fmt.Errorf("%w: %s, this reads version 0", ErrVersion, version)
	}
	var h Header
	var created int64
	err := errors.Join(
		required(fields, "id", &h.ID),
		required(fields, "createdAt", &created),
		optional(fields, "cwd", &h.Cwd),
		optional(fields, "parentSession", &h.ParentSession),
		optional(fields, "seedLength", &h.SeedLength),
	)
	switch {
	case err != nil:
		return Header{}, err
	case h.ID == "":
		return Header{}, errors.New("id is empty")
	case created > MaxInt || created < -MaxInt:
		return Header{}, errors.New("createdAt is out of range")
	case h.SeedLength < 0 || h.SeedLength > MaxInt:
		return Header{}, errors.New("seedLength is out of range")
	}
	h.CreatedAt = time.UnixMilli(created).UTC()
	for key, value := range fields {
		if isHeaderField(key) || key == "delegationDepth" && string(value) == "0" {
			continue
		}
		if h.Extra == nil {
			h.Extra = make(map[string]json.RawMessage)
		}
		h.Extra[key] = value
	}
	return h, nil
}

func required(fields map[string]json.RawMessage, key string, into any) error {
	if _, ok := fields[key]; !ok {
		return fmt.Errorf("%s is missing", key)
	}
	return optional(fields, key, into)
}

// optional reads a field that may be missing, but not null.
func optional(fields map[string]json.RawMessage, key string, into any) error {
	value, ok := fields[key]
	if !ok {
		return nil
	}
	if string(value) == "null" {
		return fmt.Errorf("%s is null", key)
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// ForkHeader returns the header of a fork of parent before position at: in the same
// directory, of the same preset and depth, made now.
func ForkHeader(parent Header, at int64, newID string) Header {
	h := Header{
		ID:            newID,
		Cwd:           parent.Cwd,
		ParentSession: parent.ID,
		CreatedAt:     time.UnixMilli(time.Now().UnixMilli()).UTC(),
		SeedLength:    at,
	}
	for _, key := range []string{"agentPreset", "delegationDepth"} {
		if value, ok := parent.Extra[key]; ok {
			if h.Extra == nil {
				h.Extra = make(map[string]json.RawMessage)
			}
			h.Extra[key] = value
		}
	}
	return h
}
