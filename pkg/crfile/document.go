package crfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

var errNoManifest = errors.New("a manifest is a mapping with apiVersion and kind")

// document is one document of a file.
type document struct {
	Position
	data []byte
	json bool
}

// split cuts a file into its documents: a stream of JSON values, or YAML documents.
func split(file string, data []byte) []document {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	documents, ok := splitJSON(data)
	if !ok {
		documents = splitYAML(data)
	}
	for i := range documents {
		documents[i].File, documents[i].Document = file, i+1
	}
	return documents
}

func splitJSON(data []byte) ([]document, bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, false
	}
	var documents []document
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return documents, true
		}
		if err != nil {
			return nil, false
		}
		begin := int(decoder.InputOffset()) - len(value)
		line := 1 + bytes.Count(data[:begin], []byte("\n"))
		documents = append(documents, document{Position: Position{Line: line}, data: value, json: true})
	}
}

// splitYAML cuts at the marks of YAML. Each document is led by as many empty lines as stand before
// it in the file, so that a line in an error is one of the file.
func splitYAML(data []byte) []document {
	var documents []document
	var current strings.Builder
	first := 0
	flush := func(line int) {
		if first > 0 {
			documents = append(documents, document{Position: Position{Line: first}, data: []byte(current.String())})
		}
		first = 0
		current.Reset()
		current.WriteString(strings.Repeat("\n", line))
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		if rest, mark := cutMark(text); mark {
			flush(line - 1)
			text = rest
		}
		if trimmed := strings.TrimSpace(text); first == 0 && trimmed != "" && trimmed[0] != '#' && trimmed[0] != '%' {
			first = line
		}
		current.WriteString(text)
	}
	flush(line)
	return documents
}

// cutMark cuts the mark that begins or ends a document off a line.
func cutMark(line string) (string, bool) {
	for _, mark := range []string{"---", "..."} {
		rest, ok := strings.CutPrefix(line, mark)
		if ok && (strings.TrimSpace(rest) == "" || rest[0] == ' ' || rest[0] == '\t') {
			return rest, true
		}
	}
	return line, false
}

// decode reads the document. A key that stands twice is an error, and the object, in which one of
// the two counts, is returned beside it.
func (d document) decode() (map[string]any, error) {
	data := d.data
	var twice []error
	if !d.json {
		var err error
		if data, err = yaml.YAMLToJSONStrict(d.data); err != nil {
			twice = append(twice, errors.New(oneLine(err)))
			if data, err = yaml.YAMLToJSON(d.data); err != nil {
				return nil, errors.New(oneLine(err))
			}
		}
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, errNoManifest
	}
	var object map[string]any
	strict, err := kjson.UnmarshalStrict(data, &object)
	if err != nil {
		return nil, err
	}
	if twice = append(twice, strict...); len(twice) > 0 {
		return object, runtime.NewStrictDecodingError(twice)
	}
	return object, nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
