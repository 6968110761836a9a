# SPDX-License-Identifier: BSD-2-Clause
"""The project's source files, as git sees them, and C text without its comments."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def files(*suffixes):
    """Paths below ROOT, sorted; with `suffixes`, only files that end so."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
    )
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
        paths = [pathlib.PurePosixPath(name) for name in names if name]
    else:
        paths = list(_walk())
    paths = [p for p in paths if (ROOT / p).is_file() and not p.parts[0].startswith("build")]
    return sorted(path for path in paths if not suffixes or path.suffix in suffixes)


def _walk():
    """Without git: everything but hidden folders and caches."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f != "__pycache__" and (f == ".ci" or f[0] != ".")]
        for name in names:
            yield pathlib.PurePosixPath(os.path.relpath(os.path.join(folder, name), ROOT))


def changed(stamp, paths, *rules):
    """Paths that are newer than the stamp, a file of a check that found nothing; all of them if a
    rule is newer, or there is no stamp."""

    def is_new(path):
        return not stamp.exists() or (ROOT / path).stat().st_mtime >= stamp.stat().st_mtime

    return paths if any(map(is_new, rules)) else list(filter(is_new, paths))


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def interpreter(path):
    """The program a script's first line names, or ""."""
    with open(ROOT / path, "rb") as file:
        first = file.readline(200)
    return first[2:].decode(errors="replace").strip() if first.startswith(b"#!") else ""


def shell_scripts():
    shell = re.compile(r"\b(ba)?sh$")
    return [p for p in files() if p.suffix in (".sh", ".bash") or shell.search(interpreter(p))]


def python_scripts():
    return [p for p in files() if p.suffix == ".py" or "python" in interpreter(p)]


TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def without_comments(text, keep_strings=True):
    """C text with comments (and strings, on request) blanked; line numbers stay."""

    def blank(match):
        token = match[0]
        if token[0] in "\"'":
            return token if keep_strings else token[0] * 2
        return re.sub(r"[^\n]", " ", token)

    return TOKENS.sub(blank, text)
