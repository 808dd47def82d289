"""The worked example of the specification, with every number on the way."""

from documents import encode
from routing import MASK, MAX_PROBES, Router, jump, mix, xxh64

BEGIN, END = "<!-- begin example -->\n", "<!-- end example -->\n"

DOCUMENTS = [
    (encode(7, [f"orders-cache-{i}" for i in (0, 1, 3, 4)]), ["user-1234", "user-9"]),
    (encode(8, [f"orders-cache-{i}" for i in (3, 30)]), ["user-6"]),
]


def replaced(text):
    """The specification with the example as it should be."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + block() + END + after


def block():
    lines = ["```"]
    for document, names in DOCUMENTS:
        lines.append(document)
        router = Router(document.split('"')[5::2])
        for name in names:
            lines += ["", f'key "{name}"', *walk(router, xxh64(name.encode()))]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n```\n"


def walk(router, h):
    yield f"  h = xxh64(key)   = {h:016x}"
    for probe in range(MAX_PROBES):
        if probe < 2:
            yield from jump_lines(h, router.slots)
        slot = jump(h, router.slots)
        if slot in router.by_ordinal:
            yield f"    slot {slot}: {router.by_ordinal[slot]}"
            return
        h = mix(h)
        if probe < 2:
            yield f"    slot {slot}: nobody has it"
            yield f"  h = mix(h)       = {h:016x}"
    yield f"    ... {MAX_PROBES} slots that nobody has, and after the last of them"
    yield f"  h = mix(h)       = {h:016x}"
    yield from jump_lines(h, len(router.members))
    position = jump(h, len(router.members))
    yield f"    position {position} of the list: {router.members[position]}"


def jump_lines(h, slots):
    yield f"    jump(h, {slots})"
    b = 0
    while True:
        h = (h * 2862933555777941757 + 1) & MASK
        d = (h >> 33) + 1
        j = int((b + 1) * (2147483648.0 / d))
        yield f"      b = {b}  state = {h:016x}  d = {d}  j = {j}{'' if j < slots else ', outside'}"
        if j >= slots:
            return
        b = j
