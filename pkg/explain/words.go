package explain

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/duration"
)

// plainWord tells words from names of pods, fields and the like, which keep their case.
var plainWord = regexp.MustCompile(`^[a-z]+[,:]?$`)

// sentences puts clauses together, each with a capital and a full stop.
func sentences(clauses ...string) string {
	var list []string
	for _, c := range clauses {
		c = strings.TrimRight(strings.TrimSpace(c), ".")
		if c == "" {
			continue
		}
		first, size := utf8.DecodeRuneInString(c)
		if word, _, _ := strings.Cut(c, " "); plainWord.MatchString(word) && word != "kubectl" {
			c = string(unicode.ToUpper(first)) + c[size:]
		}
		list = append(list, c+".")
	}
	return strings.Join(list, " ")
}

// maxNames is how many names a sentence lists.
const maxNames = 4

// names lists names in a sentence.
func names(list []string) string {
	switch n := len(list); {
	case n == 0:
		return "none"
	case n == 1:
		return list[0]
	case n <= maxNames:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	default:
		return fmt.Sprintf("%s and %d more", strings.Join(list[:maxNames-1], ", "), n-maxNames+1)
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// age is how long ago a time is, in kubectl's manner.
func age(now, then time.Time) string { return span(now.Sub(then)) }

// span is a duration in kubectl's manner; a fraction of a second counts as a whole one.
func span(d time.Duration) string {
	return duration.HumanDuration(time.Duration(seconds(d)) * time.Second)
}

// seconds rounds up.
func seconds(d time.Duration) int64 { return int64((max(d, 0) + time.Second - 1) / time.Second) }
