// Package required yields the packages of the modules that a go.mod requires: their
// directories in the module cache, as the go command would choose them, without starting
// it.
//
// It answers only where the choice is plain. Each error says what leaves doubt; the go
// command has to be asked then, and knows better. The rules are those of the package
// cmd/go/internal/modload with -mod=readonly and without a workspace, for a module with a
// pruned module graph:
//
//   - What an import path stands for is looked for in the standard library, the module
//     itself and the modules of the requirements. Only where none of them has it is the
//     whole module graph loaded, which leaves doubt (importFromModules).
//   - A requirement counts as it is written, unless a module that packages are taken from
//     requires more (spotCheckRoots). If one does, or a package is found in a module that
//     is not required, the go command says that go.mod needs updates.
//   - A module of the cache is taken as it is if go.sum has its two sums.
package required
