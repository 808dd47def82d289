"""Ring documents and their succession, written from docs/routing.md."""

import json
import re

MAX_BYTES = 131072
MAX_DEPTH = 32
MAX_VERSION = (1 << 63) - 1
MAX_ORDINAL = 9999

MEMBER = re.compile(r"[a-z0-9][a-z0-9-]*-(0|[1-9][0-9]{0,3})")


class Malformed(Exception):
    """What is wrong with a document."""


class Whole(str):
    """A number that is written as an integer."""


class Object(list):
    """The fields of an object as pairs, in order, with every duplicate."""


def refuse_constant(name):
    raise Malformed(f"{name} is not JSON")


def depth(text):
    deepest = level = 0
    for token in re.findall(r'"(?:[^"\\]|\\.)*"?|[][{}]', text, re.DOTALL):
        if token in "[{":
            level += 1
            deepest = max(deepest, level)
        elif token in "]}":
            level -= 1
    return deepest


def decode(data):
    """(version, members) of a document's bytes, or Malformed."""
    if len(data) > MAX_BYTES:
        raise Malformed("too long")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("not UTF-8") from None
    if depth(text) > MAX_DEPTH:
        raise Malformed("nested too deeply")
    try:
        top = json.loads(
            text,
            object_pairs_hook=Object,
            parse_int=Whole,
            parse_float=lambda text: None,
            parse_constant=refuse_constant,
        )
    except json.JSONDecodeError:
        raise Malformed("not one JSON text") from None
    if type(top) is not Object:
        raise Malformed("not an object")
    return version_of(only(top, "version")), members_of(only(top, "members"))


def only(top, name):
    values = [value for field, value in top if field == name]
    if len(values) != 1:
        raise Malformed(f"{name} occurs {len(values)} times")
    return values[0]


def version_of(value):
    if type(value) is not Whole or value.startswith("-"):
        raise Malformed("version is not a positive integer")
    digits = len(value)
    if digits > 19 or not 1 <= int(value) <= MAX_VERSION:
        raise Malformed("version is out of range")
    return int(value)


def members_of(value):
    if type(value) is not list:
        raise Malformed("members is not a list")
    last = -1
    for name in value:
        if type(name) is not str or len(name) > 63 or not MEMBER.fullmatch(name):
            raise Malformed("a member is not a DNS label that ends in an ordinal")
        ordinal = int(name.rsplit("-", 1)[1])
        if not last < ordinal <= MAX_ORDINAL:
            raise Malformed("members are out of numeric order")
        last = ordinal
    return value


def encode(version, members):
    """The canonical text of a document."""
    return '{"version":%d,"members":[%s]}' % (version, ",".join(f'"{name}"' for name in members))


class Client:
    """What is in force at a client that sees one publication after the other."""

    def __init__(self):
        self.owner, self.version, self.members = None, 0, None

    def see(self, owner, data):
        if not owner:
            return
        try:
            version, members = decode(data)
        except Malformed:
            return
        if owner != self.owner or version > self.version:
            self.owner, self.version, self.members = owner, version, members
