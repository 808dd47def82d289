#!/usr/bin/env python3
"""Test vectors of the routing specification, docs/routing.md.

    vectors.py                  write the vector files and the example in the specification
    vectors.py --check          fail if one of them is not fresh
    vectors.py --keys N         print rings, and for each of N keys its hash and its owners in them
    vectors.py --documents N    print N damaged documents and what they are read as

It needs Python 3.9 and nothing else, and shares nothing with the Go packages but the specification.
"""

import json
import sys

sys.dont_write_bytecode = True

from pathlib import Path  # noqa: E402

import cases  # noqa: E402
import example  # noqa: E402
from damage import damaged  # noqa: E402
from documents import Malformed, decode, encode  # noqa: E402
from keys import keys  # noqa: E402
from routing import Router, xxh64  # noqa: E402

HERE = Path(__file__).resolve().parent
SPECIFICATION = HERE.parent.parent / "docs" / "routing.md"


def render(name):
    lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases.FILES[name]())
    return f'{{"cases":[\n{lines}\n]}}\n'


def write():
    for name in cases.FILES:
        (HERE / name).write_text(render(name), encoding="ascii")
    SPECIFICATION.write_text(example.replaced(SPECIFICATION.read_text(encoding="utf-8")), encoding="utf-8")


def check():
    stale = [name for name in cases.FILES if not is_fresh(HERE / name, render(name))]
    text = SPECIFICATION.read_text(encoding="utf-8")
    if example.replaced(text) != text:
        stale.append("docs/routing.md")
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run python3 test/vectors/vectors.py and look at the diff")
    print(f"fresh: {', '.join(cases.FILES)} and the example in docs/routing.md")


def is_fresh(path, want):
    return path.exists() and path.read_bytes() == want.encode("ascii")


# Ordinals of the rings that --keys routes in: with gaps at every place, and too many of them.
RINGS = [
    range(1),
    range(10),
    [i for i in range(10) if i != 4],
    range(1, 100),
    range(1000),
    [i for i in range(1000) if i % 3 and i < 990],
    [3, 30],
]


def print_keys(n):
    routers = [Router([f"c-{i}" for i in ordinals]) for ordinals in RINGS]
    print(json.dumps([encode(1, router.members) for router in routers]))
    for key in keys(n):
        h = xxh64(key)
        print(f"{h:016x}", *(router.locate(h)[0] for router in routers))


def print_documents(n):
    for text in damaged(n):
        try:
            canonical = encode(*decode(text))
        except Malformed:
            canonical = None
        print(json.dumps({"text": cases.base64(text), "canonical": canonical}))


def main(arguments):
    if not arguments:
        write()
    elif arguments == ["--check"]:
        check()
    elif len(arguments) == 2 and arguments[0] == "--keys":
        print_keys(int(arguments[1]))
    elif len(arguments) == 2 and arguments[0] == "--documents":
        print_documents(int(arguments[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
