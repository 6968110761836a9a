#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The words of text, comments and strings: those of kernel documentation, and no others. Comments
that open with a subject, or with a noun phrase that names the thing. And lines of at most 100
columns, in whatever is written by hand.

    words.py [--count] [PATH...]

--count prints the number of complaints by rule and folder instead of each of them. What is checked
are prose (pages, manual) as a whole, and of sources comments and strings; names are checked by
names.py. A line that has to break a rule of words ends with `words: ok`.
"""
import collections
import pathlib
import re
import sys

import sources

COLUMNS = 100
TAB = 8
OK = "words: ok"

C = (".c", ".h", ".S")
PYTHON = (".py",)
# Written by others, or recorded from machines.
NOT_OURS = ("LICENSE", "tests/data/", "tests/fuzz/seeds/", "docs/grafana/")
# Has to name the words: only its lines' width is checked.
LIST = pathlib.PurePosixPath("tests/lint/words.py")

# What is found, and what is written instead.
RULES = {
    "say": (r"\b(?:tell|tells|told|telling|say|says|said|saying)\b", "report, log, print"),
    "limit": (
        r"\b(?:limit|max)\w*\b.*\b(?:passed|kept)\b|\b(?:passed|kept)\b.*\blimit",
        "exceeded, met",
    ),
    "cannot be meant": (r"\bcannot be meant\b", "invalid"),
    "found out by": (
        r"\bfound out by\b|\btold apart\b|\btell\w* apart\b",
        "recognised by, distinguished",
    ),
    "gone on with": (r"\bgone on with\b", "stays in use"),
    "keeps step": (r"\bkeeps? step\b", "multiples of"),
    "hang together": (r"\bhangs? together\b", "are merged"),
    "worked": (r"\bnetwork is worked\b|\bworks? the network\b", "serviced"),
    "reckon": (r"\breckon\w*\b", "computed"),
    "from elsewhere": (r"\bnothing from elsewhere\b", "self-contained"),
    "no place": (r"\b[Nn]o place:", "queue full"),
    "is once": (r"\bmore than once is once\b", "idempotent"),
    "only welcome": (r"\bonly welcome\b", "best effort"),
    "laid to": (r"\blaid to\b", "attributed to"),
    "comes seldom": (r"\bcomes? seldom\b", "rare"),
    "before its end": (r"\bends before its end\b", "truncated"),
    "as if no two": (r"\bas if no two\b", "assuming they never overlap"),
    "more than chance": (r"\bno more than chance\b", "not significant"),
    "by unknown": (r"\bgaps by unknown\b", "gaps, cause unknown"),
    "of its like": (r"\bof its like\b|\bof their like\b", "peers"),
    "will not have": (r"\bwill not have\b", "rejected"),
    "under way": (r"\bunder way\b", "current, running"),
    "ground": (r"\bgrounds?\b", "platform"),
    "peer tool": (r"\bpeer tools?\b", "tool"),
}
PATTERNS = {rule: re.compile(pattern, re.I) for rule, (pattern, _) in RULES.items()}
LONG = "long line"
OPENING = "opening"
ADVICE = {LONG: f"at most {COLUMNS}", OPENING: "name the thing, or begin with a subject"}

# Words that show that a pronoun before them has no noun of its own.
NO_NOUN = r"""(?=\W*$|[.,:;?')]|\ (?:of|that|which|who|whose|whom|with|without|in|on|at|by|for|from|
    to|are|is|was|were|be|have|has|had|do|does|did|will|would|can|could|may|might|must|should|and|
    before|behind|after|above|below|between|under|over|through|or|not|only|but|already|as|it|they|
    where|when|if|again|all|alone|left|now|never|here|there|then|no|nothing|nobody)\b)"""
NO_QUESTION = r"\b(?![^.]*\?)"
# How no comment opens: fragments, and pronouns that only the code or another comment explains.
OPENINGS = (
    r"(?:of|so|as\ well|likewise|and|but|nor|or)\b",
    r"as\ (?:(?:in|the|it|they)\b|`)",
    r"(?:it|they|them|he|she)\b",
    rf"(?:the\ same|these|those){NO_NOUN}",
    rf"(?:who|whom|whose|whoever|that|which){NO_QUESTION}",
    rf"(?:what|whatever)\b(?!\ to\b){NO_QUESTION}",
    r"(?:at|by|for|from|in|on|to|with|without)\ (?:it|them|which|whom|whose)\b",
    rf"(?:at|by|for|from|in|on|to|with|without)\ (?:one|that|these|those){NO_NOUN}",
    # A sentence, by its full stop, in lower case.
    r"(?-i:the|an|all|each|every|if|when|where|there|as|how|why|until|while|nobody)\ .*\.(?:\s|$)",
)
OPENS = re.compile("|".join(OPENINGS), re.I | re.X)

C_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
PYTHON_TOKENS = re.compile(
    r'""".*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*', re.S
)


HASH_TOKENS = re.compile(r"(?<!\S)#[^\n]*")
HASH = ("", ".sh", ".bash", ".mk")


def openings(path, text):
    """(offset, text) of each comment. Lines of `#` or `//` that follow each other are one."""
    tokens = C_TOKENS if path.suffix in C else PYTHON_TOKENS if path.suffix in PYTHON else (
        HASH_TOKENS if path.suffix in HASH else None)
    end = None
    for match in tokens.finditer(text) if tokens else ():
        indent = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        alone = not indent.strip()
        continues = alone and end is not None and text[end : match.start()] == "\n" + indent
        one_line = match[0].startswith(("#", "//"))
        end = match.end() if one_line and alone else None
        if (one_line and not continues) or match[0].startswith("/*") or (
                alone and match[0].startswith('"""')):
            opening = re.sub(r"\s+(?:\* ?)?", " ", match[0]).strip("/*# ")
            yield match.start(), opening.removeprefix('"""')


def words_of(path, text):
    """The text with all that is not prose, comment or string blanked; lines stay."""
    if path == LIST:
        return re.sub(r"[^\n]", " ", text)
    tokens = C_TOKENS if path.suffix in C else PYTHON_TOKENS if path.suffix in PYTHON else None
    if tokens is None:
        return text
    blank = re.sub(r"[^\n]", " ", text)
    parts, at = [], 0
    for match in tokens.finditer(text):
        parts += blank[at : match.start()], match[0]
        at = match.end()
    return "".join(parts) + blank[at:]


def width(path, line):
    """Columns, as an editor shows them; 0 for what cannot be broken: a row of a table in Markdown,
    a checksum with its file's name."""
    if path.suffix == ".sha256" or (path.suffix == ".md" and line.startswith("|")):
        return 0
    return len(line.expandtabs(TAB))


def check(path, text):
    """[(line number, rule, what is there)]"""
    lines = text.split("\n")
    words = words_of(path, text)
    found = [
        (number, LONG, f"{columns} columns")
        for number, line in enumerate(lines, 1)
        if (columns := width(path, line)) > COLUMNS
    ]
    for rule, pattern in PATTERNS.items():
        for match in pattern.finditer(words):
            number = words.count("\n", 0, match.start()) + 1
            if OK not in lines[number - 1]:
                found.append((number, rule, match[0]))
    for at, opening in openings(path, text) if path != LIST else ():
        number = text.count("\n", 0, at) + 1
        if OPENS.match(opening) and OK not in lines[number - 1]:
            found.append((number, OPENING, opening[:40]))
    return sorted(found)


def is_text(path):
    try:
        return "\0" not in sources.read(path)
    except UnicodeDecodeError:
        return False


def ours(names):
    paths = [pathlib.PurePosixPath(name) for name in names] or sources.files()
    return [path for path in paths if not str(path).startswith(NOT_OURS) and is_text(path)]


def advice(rule):
    return ADVICE[rule] if rule in ADVICE else RULES[rule][1]


def print_counts(found):
    """A row per folder, a column per rule, rules that found nothing left out."""
    rules = [rule for rule in (*RULES, *ADVICE) if any(rule == r for _, _, r, _ in found)]
    table = collections.Counter((path.parts[0], rule) for path, _, rule, _ in found)
    folders = sorted({folder for folder, _ in table})
    for rule in rules:
        row = ", ".join(f"{f} {table[f, rule]}" for f in folders if table[f, rule])
        print(f"{rule}: {sum(table[f, rule] for f in folders)} ({row})")


def main(arguments):
    count = "--count" in arguments
    paths = ours([a for a in arguments if not a.startswith("--")])
    found = [(path, *one) for path in paths for one in check(path, sources.read(path))]
    if count:
        print_counts(found)
    else:
        for path, line, rule, what in found:
            print(f"{path}:{line}: {what!r} ({rule}): {advice(rule)}")
    print(f"words: {len(paths)} files, {len(found)} complaints")
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
