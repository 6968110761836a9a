#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names that more than one file sees carry the prefix of the file that they are from.

What is checked: functions, objects, types and tags that a header declares, and functions and
objects of C sources with external linkage. A prefix is the file's stem (`gaplist.h`: gaplist_), its
singular, the part before one of its underscores (`config_keys.h`: config_), or the name of its
folder. What else goes is in FAMILIES, each with its reason. Static functions of one word may stand
in two files.
"""
import collections
import fnmatch
import pathlib
import re
import sys

import sources

ROOTS = ("arch", "core", "drivers", "efi", "host", "probe", "pvh")

# Too plain for a name that all can see, whatever file it is from.
BARE = frozenset("cut check search split place kept piece found part find take keep".split())

# Prefixes, or patterns, that the field's own words demand, by file or by folder, and why.
FAMILIES = {
    "arch/x86_64/asm": (
        "cpuid rdmsr wrmsr read write pause",
        "instructions and registers are called as in the manuals",
    ),
    "arch/aarch64/asm": ("isb current own sysreg", "instructions, by their names in the manuals"),
    "arch/aarch64/counters/pmu": ("stolen", "what a hypervisor takes, which is counted, too"),
    "arch/aarch64/isa": ("arch", "a type of arch.h that each architecture has"),
    "arch/aarch64/percpu": ("trap start", "what lies in a core's block, as on x86_64"),
    "arch/probe": ("calibrate", "the pieces of the loop, as calibrate.c measures them"),
    "arch/work": ("caches", "by whose sizes the work is laid out"),
    "arch/x86_64/isa": ("arch", "a type of arch.h that each architecture has"),
    "arch/x86_64/percpu": ("trap tss", "what lies in a core's block, by its name in the manuals"),
    "core/cause": ("evidence", "what a cause is concluded from; the contract's word"),
    "core/lib/mem": (
        "memcpy memmove memset memcmp memchr strlen strcmp strchr",
        "the C library's functions, which compilers call by these names",
    ),
    "core/modes": ("mode screen_mode", "rows of mode_rows.h, by the mode's name"),
    "core/lib/value": ("maybe cause_sum period_timer", "types that records and others share"),
    "drivers/net/arch/cc": ("net", "what lwIP's port needs of net.c"),
    "core/records/record_field": ("*_record_kind", "types without text, by their names"),
    "host/capture/reader": ("seqset", "the numbers of lines that were seen"),
    "host/capture/result": ("quantile spread", "statistics of stages"),
    "host/collect": ("rx", "what is received, as network drivers call it"),
    "host/boot/boot": ("device", "block devices, by the word for them in Linux"),
    "host/summary/summary": (
        "facts figures figure",
        "what policies and fleets take of a summary",
    ),
    "host/html/html": ("plot", "drawings within a page"),
    "host/kinds": ("host_kind", "rows of host_kind.c, by the record type's name"),
    "host/measure/linux": ("system", "files and calls of Linux; tests replace the calls"),
    "host/statistics/chance": (
        "dispersion hypergeometric poisson ratetest student rate",
        "distributions and tests by their names",
    ),
    "host/program/options": ("form", "an output format, which an option chooses"),
    "host/subcommands": ("*_subcommand", "what other files have, each by its own prefix"),
    "drivers/nic/nic": ("nics", "all cards of a machine"),
    "drivers/nic/virtio": ("virtq", "a queue, by its name in the specification"),
    "probe/app": (
        "clocks cores describe keys last_words leave output stage stages",
        "the parts that the application alone has, by their names",
    ),
}

# Names that others look for: the linker, lwIP, the C library.
GIVEN = frozenset("_start main ssize_t sys_now".split())

IDENTIFIER = r"[A-Za-z_]\w*"
TAG = re.compile(rf"\b(struct|union|enum)\s+({IDENTIFIER})\s*\{{")
QUEUE = re.compile(rf"S?(?:TAILQ|LIST)_HEAD\s*\(\s*({IDENTIFIER})?")  # macros of <sys/queue.h>
FUNCTION = re.compile(rf"({IDENTIFIER})\s*\((?!\s*\*)")
POINTER = re.compile(rf"\(\s*\*\s*(?:const\s+)?({IDENTIFIER})")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__asm__\s*\([^()]*\)")

Name = collections.namedtuple("Name", "line kind text")


def statements(text):
    """(line, text) of what stands at file scope; bodies are `{}`."""
    depth = line = at = counted = 0
    current = ""
    for token in re.finditer(r"[{};]", text):
        if not depth:
            between = text[at : token.start()]
            if not current:
                between = between.lstrip()
                start = token.start() - len(between)
            current += between
        at = token.end()
        depth += (token[0] == "{") - (token[0] == "}")
        if token[0] != ";" and depth == (token[0] == "{"):
            current += token[0]
        if depth or token[0] == "{" or (token[0] == "}" and not is_function(current)):
            continue
        line += text.count("\n", counted, start)
        counted = start
        yield line + 1, current
        current = ""


def is_function(statement):
    """A definition, and not a type or an object with its values?"""
    head = statement.split("{")[0]
    return "(" in head and "=" not in head and not head.startswith("typedef")


def declarations(statement):
    """`extern int a, b` is two of them."""
    if "(" in statement or "{" in statement:
        return [statement]
    first, *more = statement.split(",")
    kind = re.match(rf"((?:{IDENTIFIER}\s+)+)", first)
    return [first] + [(kind[1] if kind else "") + name for name in more]


def declarator(statement):
    """The name that a function's or an object's declaration is about; None: it has none."""
    head = ATTRIBUTE.sub("", statement).split("=")[0].strip()
    head = re.sub(rf"^((?:\w+\s+)*)(struct|union|enum)\s+({IDENTIFIER})?\s*\{{\}}", r"\1int", head)
    head = head.split("{")[0].strip()
    if not re.search(r"[\s*]", head):
        return None
    if re.fullmatch(rf"(?:const\s+)?(struct|union|enum)\s+{IDENTIFIER}", head):
        return None
    pointer = POINTER.search(head)
    function = FUNCTION.search(head)
    if pointer and (not function or pointer.start() <= function.start()):
        return pointer[1]
    if function:
        return function[1]
    found = re.search(rf"({IDENTIFIER})(\s*\[[^\]]*\])*$", head)
    return found[1] if found else None


def without_directives(text):
    """Preprocessor lines blanked, with their continuations."""
    directive = r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*"
    return re.sub(directive, lambda m: "\n" * m[0].count("\n"), text, flags=re.M)


def exported(path, text):
    """The names of a file that others can see."""
    is_header = path.suffix == ".h"
    text = without_directives(sources.without_comments(text, keep_strings=False))
    if is_header:
        for tag in TAG.finditer(text):
            yield Name(text.count("\n", 0, tag.start()) + 1, tag[1], tag[2])
    for line, statement in statements(text):
        statement = statement.strip()
        words = re.findall(r"\w+", statement)
        if not words or words[0] == "_Static_assert":
            continue
        if queue := QUEUE.match(statement):
            if is_header and queue[1]:
                yield Name(line, "struct", queue[1])
            continue
        if words[0] == "typedef":
            name = declarator(statement[len("typedef") :].strip())
            if is_header and name:
                yield Name(line, "typedef", name)
        elif is_header or not re.match(r"(?:\w+\s+)?(?:static|extern)\b", statement):
            for one in declarations(statement):
                name = declarator(one)
                is_pointer = name and re.search(rf"\(\s*\*[^()]*\b{name}\b", one)
                if name:
                    kind = "function" if is_function(one) and not is_pointer else "object"
                    yield Name(line, kind, name)


# Static functions of one word: gdb, perf and cscope print them without their file.
PLAIN = re.compile(r"^static\s[^;={}]*?[\s*]([a-z0-9]+)\((?!\*)", re.M)
PLAIN_FILES = 3


def plain_statics(texts):
    """(path, name) for each static function of one word that stands in PLAIN_FILES or more."""
    files = collections.defaultdict(set)
    for path, text in texts.items():
        for name in PLAIN.findall(sources.without_comments(text, keep_strings=False)):
            files[name].add(path)
    return sorted((path, name) for name, where in files.items() if len(where) >= PLAIN_FILES
                  for path in where)


def prefixes(path):
    """Prefixes that a name from this file may have."""
    stem = path.stem
    words = stem.split("_")
    own = {"_".join(words[:n]) for n in range(1, len(words) + 1)}
    own.add(path.parent.name)
    own |= {p[:-1] for p in own if p.endswith("s")}
    for key in map(str, (path.with_suffix(""), path.parent, path.parent.parent)):
        own |= set(FAMILIES.get(key, ("", ""))[0].split())
    return own


def is_carried(name, prefix):
    if "*" in prefix:
        return fnmatch.fnmatchcase(name, prefix)
    lower = name.lower()
    return lower == prefix or lower.startswith(prefix + "_")


def check_file(path, text, declared):
    """(line, what) for each name that breaks the rule, and how many were looked at."""
    wrong, count = [], 0
    for name in exported(path, text):
        if name.text in GIVEN or (path.suffix == ".c" and name.text in declared):
            continue
        count += 1
        if name.text in BARE:
            wrong.append((name.line, f"{name.kind} {name.text}: a bare word"))
        elif not any(is_carried(name.text, prefix) for prefix in prefixes(path)):
            wrong.append((name.line, f"{name.kind} {name.text}: without its file's prefix"))
    return wrong, count


def main():
    texts = {
        path: sources.read(path)
        for path in sources.files(".c", ".h")
        if path.parts[0] in ROOTS
    }
    declared = {
        name.text
        for path, text in texts.items()
        if path.suffix == ".h"
        for name in exported(path, text)
    }
    names, wrong = 0, 0
    for path, text in texts.items():
        errors, count = check_file(pathlib.PurePosixPath(path), text, declared)
        names += count
        wrong += len(errors)
        for line, what in errors:
            print(f"{path}:{line}: {what}")
    for path, name in plain_statics({p: t for p, t in texts.items() if p.suffix == ".c"}):
        wrong += 1
        print(f"{path}: static {name}(): a plain word that stands in {PLAIN_FILES} files or more")
    print(f"names: {names} exported, {wrong} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
