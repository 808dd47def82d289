"""What the vector files hold: small functions, one per file, that give its cases."""

from base64 import b64encode

from documents import Client, Malformed, decode, encode
from keys import Stream, keys
from routing import MASK, MAX_PROBES, Router, jump, leap, mix, xxh64
from texts import ACCEPTED, REFUSED, SUCCESSIONS

MULTIPLIER = 2862933555777941757


def base64(data):
    return b64encode(data).decode("ascii")


def number(h):
    return f"{h:016x}"


def hash_cases():
    stream = Stream(1)
    chosen = [b"", b"\x00", b"a", b"abc", b"foo", b"user-1234", "Grüße, 世界 🙂".encode(), b"\xff\xfe\xfd"]
    chosen += [stream.bytes(n) for n in range(1, 101)] + [b"k" * 4096, stream.bytes(4095), stream.bytes(4096)]
    return [{"key": base64(key), "hash": number(xxh64(key))} for key in chosen]


def mix_cases():
    stream = Stream(2)
    chosen = [0, 1, MASK, 1 << 63, MASK >> 1] + [stream.next() for _ in range(45)]
    return [{"hash": number(h), "next": number(mix(h))} for h in chosen]


def jump_cases():
    stream = Stream(3)
    chosen = [(h, slots) for h in (0, 1, MASK, 1 << 63) for slots in (1, 2, 3, 10, 1000, 10000)]
    chosen += [(stream.next(), slots) for slots in (*range(1, 41), 64, 99, 100, 101, 999, 1000, 1001, 4096, 9999, 10000) * 4]
    chosen += [(stream.next(), 1 + stream.below(10000)) for _ in range(200)]
    chosen += whole(stream)
    return [{"hash": number(h), "slots": slots, "slot": checked_jump(h, slots)} for h, slots in chosen]


def checked_jump(h, slots):
    """The slot of h, by both ways to say it."""
    *_, last = path(h, slots)
    assert last == jump(h, slots)
    return last


def path(h, slots):
    """Every slot that h jumps to, by integers alone."""
    j = 0
    while j < slots:
        yield j
        h = (h * MULTIPLIER + 1) & MASK
        j = leap(j, (h >> 33) + 1)


def whole(stream):
    """Hashes on whose way a quotient is whole. From step 49 on the two roundings of float64 make the
    jump one less than that."""
    for step, target in ((1, 2), (3, 6), (10, 320), (49, 64), (49, 128), (103, 1024), (147, 192), (343, 448), (347, 4096)):
        d = (step << 31) // target
        less = step >= 49
        assert d * target == step << 31 and int(step * (2147483648.0 / d)) == target - less
        h = hash_before(stream, step - 1, d)
        yield from ((h, slots) for slots in (target - 1, target, target + 1, 10000))


def hash_before(stream, b, d):
    """A hash that comes to b and jumps on from there with divisor d."""
    inverse = pow(MULTIPLIER, -1, 1 << 64)
    while True:
        h = ((d - 1) << 33) | stream.below(1 << 33)
        for steps in range(1, 16):
            h = (h - 1) * inverse & MASK
            way = list(path(h, b + 1))
            if way[-1] == b and len(way) == steps:
                return h


def routing_cases():
    ring_list = [
        ("no member", []),
        ("one member", [0]),
        ("two members", [0, 1]),
        ("ten without gaps", range(10)),
        ("a thousand without gaps", range(1000)),
        ("ten, the first away", range(1, 10)),
        ("ten, one in the middle away", [i for i in range(10) if i != 6]),
        ("ten, the last away", range(9)),
        ("ten, every other away", range(0, 10, 2)),
        ("a hundred, two thirds away", range(0, 100, 3)),
        ("a lone member far out", [999]),
        ("a lone member at the last ordinal", [9999]),
        ("two members far apart", [0, 9999]),
        ("three members, most probes in vain", [3, 40, 99]),
    ]
    return [routing_case(name, ordinals) for name, ordinals in ring_list]


def routing_case(name, ordinals):
    members = [f"orders-cache-{i}" for i in ordinals]
    router, located = Router(members), []
    for key in [b"foo", b"user-1234", *(key for key in keys(65) if len(key) < 100)]:
        owner, gaps = router.locate(xxh64(key))
        located.append({"key": base64(key), "owner": owner, "gaps": gaps})
    if name.startswith("three"):
        assert {x["owner"] for x in located if x["gaps"] == MAX_PROBES} == set(members)
    return {"name": name, "document": encode(1, members), "keys": located}


def document_cases():
    cases = []
    for name, text, spaces in ACCEPTED:
        version, members = decode(text + b" " * spaces)
        cases.append(document_case(name, text, spaces, encode(version, members)))
    for name, text, spaces in REFUSED:
        try:
            got = decode(text + b" " * spaces)
        except Malformed:
            cases.append(document_case(name, text, spaces, None))
        else:
            raise AssertionError(f"{name}: accepted as {got}")
    return cases


def document_case(name, text, spaces, canonical):
    case = {"name": name, "text": base64(text), "canonical": canonical}
    return case | {"spaces": spaces} if spaces else case


def succession_cases():
    return [{"name": name, "steps": steps_of(sightings)} for name, sightings in SUCCESSIONS]


def steps_of(sightings):
    client, steps = Client(), []
    for owner, text in sightings:
        client.see(owner, text.encode())
        force = None
        if client.members is not None:
            force = {"owner": client.owner, "document": encode(client.version, client.members)}
        steps.append({"owner": owner, "text": text, "inForce": force})
    return steps


FILES = {
    "hash.json": hash_cases,
    "mix.json": mix_cases,
    "jump.json": jump_cases,
    "routing.json": routing_cases,
    "documents.json": document_cases,
    "succession.json": succession_cases,
}
