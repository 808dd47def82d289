"""Documents with a few bytes wrong, to find where two readers differ."""

from keys import Stream
from texts import ACCEPTED, REFUSED

PIECES = [
    *(bytes([b]) for b in b'{}[]",:\\/-+.0123456789eEutn aA\t\n\r\x00\x0b\x7f'),
    b"\xc3\xa9", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc2\xa0", b"\\u0076", b"\\ud800", b"\\u", b"null", b"true", b"NaN",
    b"Infinity", b"1e3", b'"version"', b'"members"', b'"version":1,', b'"members":["a-0"],', b'"a-1",', b"{}", b"[]", b"[[",
]


def damaged(n, seed=4):
    """n texts: vectors of documents.json, short ones, with one to three places changed."""
    stream = Stream(seed)
    good, bad = ([text for _, text, _ in texts if len(text) < 400] for texts in (ACCEPTED, REFUSED))
    for _ in range(n):
        # Most of what is damaged further was well-formed: two wrongs are seldom told apart.
        text = stream.pick(bad if stream.below(4) == 0 else good)
        for _ in range(1 + stream.below(3)):
            at = stream.below(len(text) + 1)
            until = at + stream.pick([0, 0, 1, 1, 2, 5])
            text = text[:at] + (stream.pick(PIECES) if stream.below(3) else b"") + text[until:]
        yield text
