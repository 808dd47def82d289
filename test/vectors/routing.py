"""jump-xxh64-v1, written from docs/routing.md: the hash, the mixing step, the jump and the probes."""

from struct import iter_unpack

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
MAX_PROBES = 32

P1 = 0x9E3779B185EBCA87
P2 = 0xC2B2AE3D27D4EB4F
P3 = 0x165667B19E3779F9
P4 = 0x85EBCA77C2B2AE63
P5 = 0x27D4EB2F165667C5


def rotate(x, n):
    return ((x << n) | (x >> (64 - n))) & MASK


def absorb(lane, word):
    return rotate((lane + word * P2) & MASK, 31) * P1 & MASK


def xxh64(key):
    """XXH64 with seed 0 of some bytes."""
    size = len(key)
    stripes = size // 32 * 32
    if stripes:
        v1, v2, v3, v4 = (P1 + P2) & MASK, P2, 0, -P1 & MASK
        for w1, w2, w3, w4 in iter_unpack("<4Q", key[:stripes]):
            v1, v2, v3, v4 = absorb(v1, w1), absorb(v2, w2), absorb(v3, w3), absorb(v4, w4)
        h = (rotate(v1, 1) + rotate(v2, 7) + rotate(v3, 12) + rotate(v4, 18)) & MASK
        for lane in (v1, v2, v3, v4):
            h = ((h ^ absorb(0, lane)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + size) & MASK
    rest = key[stripes:]
    while len(rest) >= 8:
        h = (rotate(h ^ absorb(0, int.from_bytes(rest[:8], "little")), 27) * P1 + P4) & MASK
        rest = rest[8:]
    if len(rest) >= 4:
        h = (rotate(h ^ (int.from_bytes(rest[:4], "little") * P1 & MASK), 23) * P2 + P3) & MASK
        rest = rest[4:]
    for byte in rest:
        h = rotate(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    h = (h ^ (h >> 33)) * P2 & MASK
    h = (h ^ (h >> 29)) * P3 & MASK
    return h ^ (h >> 32)


def mix(h):
    """The next hash to try after a gap."""
    z = (h + GOLDEN) & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def jump(h, slots):
    b, j = 0, 0
    while j < slots:
        b = j
        h = (h * 2862933555777941757 + 1) & MASK
        j = int((b + 1) * (2147483648.0 / ((h >> 33) + 1)))
    return b


def leap(b, d):
    """int((b + 1) * (2**31 / d)) as float64 rounds it, by integers alone."""
    t = d.bit_length() - 1
    product = (b + 1) * nearest(1 << (53 + t), d)
    spare = max(0, product.bit_length() - 53)
    return (nearest(product, 1 << spare) << spare) >> (22 + t)


def nearest(a, b):
    """a / b, rounded to the nearest integer, and halves to the even one."""
    quotient, rest = divmod(a, b)
    return quotient + (2 * rest > b or (2 * rest == b and quotient % 2))


class Router:
    """Finds the owner of a key among members whose ordinals are given, in order."""

    def __init__(self, members):
        self.members = members
        self.by_ordinal = {int(name.rsplit("-", 1)[1]): name for name in members}
        self.slots = max(self.by_ordinal, default=-1) + 1

    def locate(self, h):
        """The owner of a hash, and how many gaps were met: None if there is no member."""
        if not self.members:
            return None, 0
        for probe in range(MAX_PROBES):
            name = self.by_ordinal.get(jump(h, self.slots))
            if name is not None:
                return name, probe
            h = mix(h)
        return self.members[jump(h, len(self.members))], MAX_PROBES
