package explain

// colour is a colour of terminals.
type colour string

const (
	uncoloured colour = ""
	red        colour = "\x1b[31m"
	green      colour = "\x1b[32m"
	yellow     colour = "\x1b[33m"
	off               = "\x1b[0m"
)

func (t *text) paint(c colour, s string) string {
	if !t.options.Color || c == uncoloured {
		return s
	}
	return string(c) + s + off
}

func (v Verdict) colour() colour {
	switch v {
	case Healthy:
		return green
	case Degraded, Unavailable:
		return red
	default:
		return yellow
	}
}

func (s PodState) colour() colour {
	switch s {
	case PodServing:
		return green
	case PodUnschedulable, PodImagePull, PodFailing, PodNotReady, PodStuck, PodRefused:
		return red
	default:
		return yellow
	}
}
