package wire

import "bytes"

// cutLine returns the first line of b without its CRLF, and how long it is with it; 0 if the line
// has not arrived in full.
func cutLine(b []byte) (line []byte, length int) {
	end := bytes.IndexByte(b, '\n')
	if end < 1 || b[end-1] != '\r' {
		return nil, 0
	}
	return b[:end-1], end + 1
}

// number reads a decimal number that fills b, as all lengths on these wires do.
func number(b []byte) (int, bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
