package planmode

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Config is the configuration of plan mode. [ParseConfig] reads it from loosely typed
// settings and [New] checks it again.
//
//catalog:config planMode
type Config struct {
	// Section is the guidance that stands in the system prompt while plan mode is
	// active, word for word. It must hold more than white space.
	Section string `json:"section" yaml:"section"`
}

// ParseConfig reads a configuration from decoded JSON or YAML. It fails if section is
// missing, blank or not a string, and if there is any other key; the error names the
// key. The result shares nothing with raw.
func ParseConfig(raw map[string]any) (Config, error) {
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		if key != "section" {
			return Config{}, fmt.Errorf("parse plan mode config: unknown key %q: the only key is section, a non-empty string", key)
		}
	}
	value, found := raw["section"]
	text, isString := value.(string)
	switch {
	case !found:
		return Config{}, errors.New("parse plan mode config: section is missing: a string is needed")
	case !isString:
		return Config{}, fmt.Errorf("parse plan mode config: section is of type %T: a string is needed", value)
	}
	cfg := Config{Section: text}
	if err := cfg.check(); err != nil {
		return Config{}, fmt.Errorf("parse plan mode config: %w", err)
	}
	return cfg, nil
}

func (c Config) check() error {
	if strings.TrimFunc(c.Section, isSpace) == "" {
		return errors.New("section is blank: it must be a non-empty string")
	}
	return nil
}
