"""The keys that every implementation can make for itself: one stream of numbers, five kinds."""

from routing import GOLDEN, MASK, mix

SEED = 20140610


class Stream:
    """SplitMix64: each number is mix of a state that grows by the golden ratio."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        number = mix(self.state)
        self.state = (self.state + GOLDEN) & MASK
        return number

    def below(self, n):
        return self.next() % n

    def bytes(self, n):
        words = b"".join(self.next().to_bytes(8, "little") for _ in range((n + 7) // 8))
        return words[:n]

    def pick(self, choices):
        return choices[self.below(len(choices))]


# First code point and number of code points of Latin, Greek, Cyrillic, Han and Emoji.
BLOCKS = [(0x20, 95), (0x391, 57), (0x410, 64), (0x4E00, 20902), (0x1F300, 768)]


def unicode_key(stream):
    points = []
    for _ in range(1 + stream.below(20)):
        first, size = stream.pick(BLOCKS)
        points.append(chr(first + stream.below(size)))
    return "".join(points).encode("utf-8")


def keys(n, seed=SEED):
    """n keys: the empty one; every 50th has 4 KiB, two fifths are binary or Unicode, the rest names."""
    stream = Stream(seed)
    for i in range(n):
        if i == 0:
            yield b""
        elif i % 50 == 1:
            yield stream.bytes(4096)
        elif i % 5 == 2:
            yield stream.bytes(stream.below(64))
        elif i % 5 == 3:
            yield unicode_key(stream)
        else:
            yield b"user-%d" % stream.below(1_000_000_000)
