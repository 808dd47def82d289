package traffic

import (
	"math"
	"math/rand/v2"
)

// Zipf draws ranks from 0 on: rank r with a probability in proportion to 1/(r+1)^s, for any s. It
// looks each up in a table made by Walker's alias method, which takes two memory accesses however
// many ranks there are. (The sampler of math/rand works for s > 1 only.)
type Zipf struct {
	random *rand.Rand
	// keep is the probability of column i to be i itself; otherwise it is other[i].
	keep  []float32
	other []uint32
}

// NewZipf prepares for n ranks.
func NewZipf(random *rand.Rand, n int, s float64) *Zipf {
	z := &Zipf{random: random, keep: make([]float32, n), other: make([]uint32, n)}
	weights := make([]float64, n)
	total := 0.0
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -s)
		total += weights[i]
	}
	// Columns of height 1 on average: the tall fill up the short.
	var short, tall []uint32
	for i := range weights {
		weights[i] *= float64(n) / total
		if weights[i] < 1 {
			short = append(short, uint32(i))
		} else {
			tall = append(tall, uint32(i))
		}
	}
	for len(short) > 0 && len(tall) > 0 {
		low, high := short[len(short)-1], tall[len(tall)-1]
		short = short[:len(short)-1]
		z.keep[low], z.other[low] = float32(weights[low]), high
		weights[high] -= 1 - weights[low]
		if weights[high] < 1 {
			tall = tall[:len(tall)-1]
			short = append(short, high)
		}
	}
	// What is left is 1 but for rounding.
	for _, i := range append(short, tall...) {
		z.keep[i] = 1
	}
	return z
}

// Next draws a rank.
func (z *Zipf) Next() uint32 {
	column := z.random.Uint32N(uint32(len(z.keep)))
	if z.random.Float32() < z.keep[column] {
		return column
	}
	return z.other[column]
}
