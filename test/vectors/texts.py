"""The documents of the vector files: (name, text, how many spaces follow the text)."""

MAX_BYTES = 131072

LEAST = b'{"version":1,"members":[]}'


def ring(members, version="7", more=""):
    return b'{"version":%s,"members":%s%s}' % (version.encode(), members.encode(), more.encode())


def nested(levels):
    """A document with a field whose value makes it so many levels deep, the outermost object included."""
    return b'{"version":1,"members":[],"x":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


LABEL = "c" * 61

ACCEPTED = [
    ("two members", ring('["orders-cache-0","orders-cache-1"]'), 0),
    ("no member", LEAST, 0),
    ("ten comes after nine", ring('["a-9","a-10"]'), 0),
    ("gaps", ring('["a-0","a-3","a-9999"]'), 0),
    ("the other order of fields", b'{"members":["a-0"],"version":7}', 0),
    ("white space", b' \t\r\n{ "version" :\n7 ,\r\n"members"\t: [ "a-0" , "a-1" ] } \n', 0),
    ("an unknown field", ring('["a-0"]', more=',"zones":{"a-0":"x"}'), 0),
    ("an unknown field first", b'{"zones":[1,{"version":2}],"version":7,"members":[]}', 0),
    ("an unknown field twice", ring("[]", more=',"x":1,"x":2'), 0),
    ("another case is another field", ring("[]", more=',"Version":"8","MEMBERS":null'), 0),
    ("version inside of an unknown field", ring("[]", more=',"x":{"version":8,"version":9}'), 0),
    ("numbers of any size in an unknown field", ring("[]", more=',"x":[-0,1e999,-1.5E+2,' + "9" * 5000 + "]"), 0),
    ("a lone surrogate in an unknown field", ring("[]", more=',"x":"\\ud800","\\udfff":1'), 0),
    ("escapes in names and members", b'{"\\u0076ersion":7,"member\\u0073":["\\u0061-0"]}', 0),
    ("brackets in strings", ring("[]", more=',"x":"\\"' + "[{" * 40 + '\\\\"'), 0),
    ("32 levels deep", nested(32), 0),
    ("the greatest version", ring("[]", version="9223372036854775807"), 0),
    ("a version above 2^53", ring("[]", version="9007199254740993"), 0),
    ("a name of 63 bytes", ring(f'["{LABEL}-0"]'), 0),
    ("a name that begins with a digit", ring('["0-0"]'), 0),
    ("hyphens in the middle", ring('["a--b--7"]'), 0),
    ("two prefixes", ring('["b-0","a-1"]'), 0),
    ("131072 bytes", LEAST, MAX_BYTES - len(LEAST)),
]

REFUSED = [
    ("131073 bytes", LEAST, MAX_BYTES - len(LEAST) + 1),
    ("nothing", b"", 0),
    ("spaces", b"", 3),
    ("no JSON", b"version 1", 0),
    ("null", b"null", 0),
    ("a list", b'["version",1]', 0),
    ("a string", b'"version"', 0),
    ("cut off", LEAST[:-1], 0),
    ("an object behind", LEAST + b"{}", 0),
    ("a bracket behind", LEAST + b"]", 0),
    ("a brace behind", LEAST + b"}", 0),
    ("a NUL behind", LEAST + b"\x00", 0),
    ("a byte order mark", b"\xef\xbb\xbf" + LEAST, 0),
    ("a no-break space", LEAST + b"\xc2\xa0", 0),
    ("a form feed", b"\x0c" + LEAST, 0),
    ("a comment", LEAST + b"//", 0),
    ("single quotes", b"{'version':1,'members':[]}", 0),
    ("a comma too many in the object", b'{"version":1,"members":[],}', 0),
    ("a comma too many in the list", ring('["a-0",]'), 0),
    ("UTF-16", LEAST.decode().encode("utf-16-le"), 0),
    ("broken UTF-8 in a member", b'{"version":1,"members":["\xff-0"]}', 0),
    ("broken UTF-8 in an unknown field", b'{"version":1,"members":[],"x":"\xc3"}', 0),
    ("overlong UTF-8", b'{"version":1,"members":[],"x":"\xc0\xaf"}', 0),
    ("a surrogate as UTF-8", b'{"version":1,"members":[],"x":"\xed\xa0\x80"}', 0),
    ("a line break in a string", b'{"version":1,"members":[],"x":"\n"}', 0),
    ("an escape that JSON has not", b'{"version":1,"members":[],"x":"\\x41"}', 0),
    ("an escape cut short", b'{"version":1,"members":[],"x":"\\u12"}', 0),
    ("NaN in an unknown field", ring("[]", more=',"x":NaN'), 0),
    ("33 levels deep", nested(33), 0),
    ("20000 levels deep", nested(20000), 0),
    ("no version", b'{"members":[]}', 0),
    ("no members", b'{"version":1}', 0),
    ("version in another case", b'{"Version":1,"members":[]}', 0),
    ("members in another case", b'{"version":1,"Members":[]}', 0),
    ("version twice", ring("[]", more=',"version":7'), 0),
    ("version twice, once escaped", ring("[]", more=',"\\u0076ersion":8'), 0),
    ("members twice", ring("[]", more=',"members":["a-0"]'), 0),
    ("version null", ring("[]", version="null"), 0),
    ("version in quotes", ring("[]", version='"7"'), 0),
    ("version zero", ring("[]", version="0"), 0),
    ("version minus zero", ring("[]", version="-0"), 0),
    ("a negative version", ring("[]", version="-1"), 0),
    ("a signed version", ring("[]", version="+7"), 0),
    ("a version with a leading zero", ring("[]", version="07"), 0),
    ("a fraction", ring("[]", version="1.5"), 0),
    ("a fraction of nought", ring("[]", version="7.0"), 0),
    ("an exponent", ring("[]", version="7e0"), 0),
    ("a version of 2^63", ring("[]", version="9223372036854775808"), 0),
    ("a version of 5000 digits", ring("[]", version="9" * 5000), 0),
    ("members null", ring("null"), 0),
    ("members a string", ring('"a-0"'), 0),
    ("members an empty object", ring("{}"), 0),
    ("a member null", ring("[null]"), 0),
    ("a member that is a number", ring("[0]"), 0),
    ("a member that is a list", ring('[["a-0"]]'), 0),
    ("an empty name", ring('[""]'), 0),
    ("no ordinal", ring('["a"]'), 0),
    ("no ordinal behind the hyphen", ring('["a-"]'), 0),
    ("nothing before the hyphen", ring('["-0"]'), 0),
    ("a hyphen first", ring('["-a-0"]'), 0),
    ("a signed ordinal", ring('["a-+1"]'), 0),
    ("an ordinal with a leading zero", ring('["a-01"]'), 0),
    ("an ordinal of 10000", ring('["a-10000"]'), 0),
    ("an ordinal of other digits", ring('["a-\u0661"]'), 0),
    ("a name of 64 bytes", ring(f'["c{LABEL}-0"]'), 0),
    ("capitals in a name", ring('["A-0"]'), 0),
    ("a dot in a name", ring('["a.b-0"]'), 0),
    ("a slash in a name", ring('["a/b-0"]'), 0),
    ("an address", ring('["10.0.0.7:8080"]'), 0),
    ("a space behind a name", ring('["a-0 "]'), 0),
    ("a line break behind a name", ring('["a-0\\n"]'), 0),
    ("a letter of another script", ring('["é-0"]'), 0),
    ("a lone surrogate in a name", ring('["\\ud800-0"]'), 0),
    ("order of text", ring('["a-10","a-9"]'), 0),
    ("a member twice", ring('["a-1","a-1"]'), 0),
    ("an ordinal twice", ring('["a-1","b-1"]'), 0),
]


def at(version, *ordinals):
    members = ",".join(f'"c-{i}"' for i in ordinals)
    return f'{{"version":{version},"members":[{members}]}}'


SUCCESSIONS = [
    ("versions grow", [("u1", at(1, 0)), ("u1", at(2, 0, 1)), ("u1", at(9, 1))]),
    ("an older version is passed over", [("u1", at(5, 0, 1)), ("u1", at(4, 0)), ("u1", at(6, 1))]),
    ("the same version is passed over, whatever it holds", [("u1", at(5, 0)), ("u1", at(5, 0, 1)), ("u1", at(5))]),
    ("a recreated cache begins at 1", [("u1", at(70, 0, 1)), ("u2", at(1, 0)), ("u2", at(2, 0, 1))]),
    ("what is published counts, also if it is the former owner's", [("u1", at(5, 0)), ("u2", at(1, 1)), ("u1", at(3, 2)), ("u1", at(2, 3))]),
    ("a malformed ring is passed over", [("u1", at(3, 0)), ("u1", "{}"), ("u1", ""), ("u1", at(4, 2, 1)), ("u1", at(4, 1, 2))]),
    ("a malformed ring of another owner is passed over", [("u1", at(3, 0)), ("u2", "{"), ("u1", at(4, 1))]),
    ("nothing but malformed rings", [("u1", "{"), ("u1", at(0, 0))]),
    ("an empty ring is a ring", [("u1", at(1)), ("u1", at(2, 0)), ("u1", at(3)), ("u1", at(2, 0))]),
    ("a ring without an owner is passed over", [("", at(1, 0)), ("u1", at(3, 0)), ("", at(9, 1))]),
    ("owners are compared byte for byte", [("u1", at(3, 0)), ("U1", at(2, 1)), ("U1 ", at(1, 2))]),
    ("versions that a float64 cannot tell apart", [("u1", at(9007199254740992, 0)), ("u1", at(9007199254740993, 1)), ("u1", at(9007199254740992, 2))]),
    ("white space and unknown fields make no difference", [("u1", at(1, 0)), ("u1", ' {"members":["c-1"],"x":0,"version":2} ')]),
]
