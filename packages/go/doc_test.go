package mockbroker

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestEverythingPublicIsDocumented(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			switch found := declaration.(type) {
			case *ast.FuncDecl:
				if found.Name.IsExported() && !strings.HasPrefix(found.Doc.Text(), found.Name.Name+" ") &&
					!strings.HasSuffix(name, "_test.go") {
					t.Errorf("%s: %s has no comment that begins with its name", name, found.Name)
				}
			case *ast.GenDecl:
				for _, spec := range found.Specs {
					if kind, isType := spec.(*ast.TypeSpec); isType && kind.Name.IsExported() &&
						found.Doc.Text() == "" {
						t.Errorf("%s: the type %s has no comment", name, kind.Name)
					}
				}
			}
		}
	}
}
