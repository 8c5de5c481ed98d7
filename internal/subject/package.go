package subject

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"go/ast"
)

// packageComment is the comment of a package. Where several files have one, the first
// stands for the place, and all count.
func (r *Resolver) packageComment(name, dir string) (*Subject, error) {
	p := r.mod.Package(dir)
	if p == nil {
		return nil, fmt.Errorf("there is no package in %s%s", dir, didYouMean(r.nearestDir(dir)))
	}
	var out *Subject
	for _, f := range p.Files {
		if f.AST == nil || f.AST.Doc == nil || f.AST.Doc.Text() == "" {
			continue
		}
		s, err := r.subject(name, f, target{pkg: true}, "")
		switch {
		case err != nil:
			return nil, err
		case out == nil:
			out = s
		default:
			out.Text += "\n" + s.Text
			sum := sha1.Sum([]byte(out.Sum + "\n" + s.Sum))
			out.Sum = hex.EncodeToString(sum[:])
		}
	}
	if out == nil {
		return nil, fmt.Errorf("package %s has no package comment", dir)
	}
	return out, nil
}

// packageClause is the package comment with the clause.
func (v version) packageClause() (decl, bool) {
	if v.file.Doc == nil || v.file.Doc.Text() == "" {
		return decl{}, false
	}
	clause := span{v.file.Package, v.file.Name.End()}
	return decl{
		docs: []*ast.CommentGroup{v.file.Doc}, code: []span{clause},
		shown: []span{{v.file.Doc.Pos(), clause.end}},
	}, true
}
