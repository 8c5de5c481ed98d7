package required

import (
	"errors"
	"fmt"
	"go/version"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// minGo is the go line from which a go.mod lists everything that its packages need.
const minGo = "go1.17"

// checkGoMod reports what a go.mod has that the go command may complain of, or go by in a
// way that is not known here (loadModFile and ReadModFile of modload).
func checkGoMod(mod *modfile.File, release string) error {
	switch {
	case mod.Module == nil:
		return errors.New("go.mod has no module line")
	case mod.Go == nil:
		return errors.New("go.mod has no go line")
	case len(mod.Replace) > 0:
		return errors.New("go.mod replaces modules")
	case len(mod.Exclude) > 0:
		return errors.New("go.mod excludes versions")
	case len(mod.Ignore) > 0:
		return errors.New("go.mod ignores directories")
	}
	if err := checkModulePath(mod.Module.Mod.Path); err != nil {
		return err
	}
	if err := checkVersions(mod, release); err != nil {
		return err
	}
	for _, t := range mod.Tool {
		if err := module.CheckImportPath(t.Path); err != nil {
			return err
		}
	}
	for _, g := range mod.Godebug {
		if g.Key != "default" || !version.IsValid(g.Value) || version.Compare(g.Value, release) > 0 {
			return fmt.Errorf("go.mod sets godebug %s", g.Key)
		}
	}
	for _, r := range mod.Retract {
		for _, v := range []string{r.Low, r.High} {
			if module.CanonicalVersion(v) != v {
				return fmt.Errorf("go.mod retracts %s, which is no version", v)
			}
		}
	}
	return checkRequires(mod)
}

// checkModulePath also refuses the paths that mean something of their own.
func checkModulePath(p string) error {
	if err := module.CheckImportPath(p); err != nil {
		return err
	}
	switch first, _, _ := strings.Cut(p, "/"); first {
	case "all", "builtin", "cmd", "command-line-arguments", "go", "main", "mod", "std", "tool", "toolchain", "unsafe", "vendor", "work", "C":
		return fmt.Errorf("the module path %s is reserved", p)
	}
	return nil
}

// checkVersions reports a go or toolchain line that the release does not meet.
func checkVersions(mod *modfile.File, release string) error {
	v := "go" + mod.Go.Version
	if !version.IsValid(v) || version.Compare(v, minGo) < 0 || version.Compare(v, release) > 0 {
		return fmt.Errorf("go.mod is for %s", v)
	}
	if mod.Toolchain == nil {
		return nil
	}
	// The go command would drop a line that says no more than the go line.
	if t := mod.Toolchain.Name; !version.IsValid(t) || version.Compare(t, "go1.21") < 0 || version.Compare(t, v) <= 0 || version.Compare(t, release) > 0 {
		return fmt.Errorf("go.mod is for the toolchain %s", t)
	}
	return nil
}

// checkRequires reports a requirement that the go command would have to resolve or drop.
func checkRequires(mod *modfile.File) error {
	seen := map[string]bool{mod.Module.Mod.Path: true, "go": true, "toolchain": true}
	for _, r := range mod.Require {
		if err := module.Check(r.Mod.Path, r.Mod.Version); err != nil {
			return err
		}
		if module.CanonicalVersion(r.Mod.Version) != r.Mod.Version || !semver.IsValid(r.Mod.Version) {
			return fmt.Errorf("go.mod requires %s, which is no version", r.Mod)
		}
		if seen[r.Mod.Path] {
			return fmt.Errorf("go.mod requires %s once too often", r.Mod.Path)
		}
		seen[r.Mod.Path] = true
	}
	return nil
}
