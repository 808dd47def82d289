package epoll

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func listen(t *testing.T) (Socket, net.Listener) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Listening(ln)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Close(), ln.Close() })
	return s, ln
}

func newPoller(t *testing.T) *Poller {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// wait waits until exactly what is wanted is ready.
func (p *Poller) wait(t *testing.T, share bool, want ...Socket) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		got, err := p.Wait(10*time.Second, share)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 0 {
			if !slices.Equal(got, want) {
				t.Fatalf("ready: %v, want %v", got, want)
			}
			return
		}
	}
	t.Fatalf("nothing is ready, want %v", want)
}

func TestSocketsAreReportedAndMoved(t *testing.T) {
	for _, share := range []bool{false, true} {
		p, listening, ln := newPoller(t), Socket(0), net.Listener(nil)
		listening, ln = listen(t)
		if _, err := listening.Accept(); !errors.Is(err, ErrAgain) {
			t.Fatalf("nobody has come: %v, want ErrAgain", err)
		}
		if err := p.Add(listening); err != nil {
			t.Fatal(err)
		}
		client, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		p.wait(t, share, listening)
		s, err := listening.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Add(s); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		if n, err := s.Read(buf); !errors.Is(err, ErrAgain) {
			t.Fatalf("nothing was sent: %d, %v, want ErrAgain", n, err)
		}
		_, _ = io.WriteString(client, "one")
		p.wait(t, share, s)
		if n, err := s.Read(buf); string(buf[:n]) != "one" || err != nil {
			t.Fatalf("read %q, %v", buf[:n], err)
		}

		// To Go's poller and back, with nothing lost on the way.
		if err := p.Remove(s); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(client, "two")
		c, err := s.Conn()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.ReadFull(c, buf[:3]); string(buf[:n]) != "two" || err != nil {
			t.Fatalf("read %q, %v", buf[:n], err)
		}
		_, _ = io.WriteString(client, "three")
		if s, err = Detach(c); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(buf); !errors.Is(err, net.ErrClosed) {
			t.Fatalf("a connection that was detached: %v, want net.ErrClosed", err)
		}
		if err := p.Add(s); err != nil {
			t.Fatal(err)
		}
		p.wait(t, share, s)
		if n, err := s.Read(buf); string(buf[:n]) != "three" || err != nil {
			t.Fatalf("read %q, %v", buf[:n], err)
		}
		if n, err := s.Write([]byte("back")); n != 4 || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
		_ = s.Close()
		if got, err := io.ReadAll(client); string(got) != "back" || err != nil {
			t.Fatalf("the client got %q, %v", got, err)
		}
		_ = client.Close()
	}
}

func TestWriteTakesWhatThereIsRoomFor(t *testing.T) {
	listening, ln := listen(t)
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	p := newPoller(t)
	if err := p.Add(listening); err != nil {
		t.Fatal(err)
	}
	p.wait(t, false, listening)
	s, err := listening.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	much := []byte(strings.Repeat("x", 64<<20))
	n, err := s.Write(much)
	if n <= 0 || n >= len(much) || err != nil {
		t.Fatalf("write of %d bytes: %d, %v", len(much), n, err)
	}
	for end := time.Now().Add(30 * time.Second); ; {
		if n, err = s.Write(much); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the socket takes everything")
		}
	}
	if !errors.Is(err, ErrAgain) || n != 0 {
		t.Fatalf("a full socket: %d, %v, want ErrAgain", n, err)
	}
}

func TestWaitEnds(t *testing.T) {
	for _, share := range []bool{false, true} {
		p := newPoller(t)
		if got, err := p.Wait(20*time.Millisecond, share); len(got) != 0 || err != nil {
			t.Errorf("after the timeout: %v, %v", got, err)
		}
		p.Wake()
		p.Wake()
		if got, err := p.Wait(0, share); len(got) != 0 || err != nil {
			t.Errorf("woken before: %v, %v", got, err)
		}
		go func() {
			time.Sleep(20 * time.Millisecond)
			p.Wake()
		}()
		if got, err := p.Wait(0, share); len(got) != 0 || err != nil {
			t.Errorf("woken meanwhile: %v, %v", got, err)
		}
	}
}

func TestWhatHasNoSocket(t *testing.T) {
	one, other := net.Pipe()
	defer func() { _, _ = one.Close(), other.Close() }()
	if _, err := Detach(one); err == nil || !strings.Contains(err.Error(), "net.pipe") {
		t.Errorf("detach a pipe: %v, want an error that names it", err)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := newPoller(t).Add(Socket(file.Fd())); err == nil {
		t.Error("a file that is always ready was added")
	}
}
