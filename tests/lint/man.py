#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual is well-formed, in mandoc's eyes and in groff's, and names what the program accepts:
man.py TABLES."""
import json
import re
import subprocess
import sys

import sources

MANDOC = ("mandoc", "-Tlint", "-W", "warning")
MAN = ("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z")


def complaints(path):
    """Output of either program about a page, line by line."""
    linted = subprocess.run([*MANDOC, path], cwd=sources.ROOT, capture_output=True, text=True)
    shown = subprocess.run([*MAN, path], cwd=sources.ROOT, capture_output=True, text=True)
    return (linted.stdout + linted.stderr + shown.stderr).splitlines()


def options_of(text):
    """Names of options that have an entry in a page, "-o" and "--output"."""
    items = re.findall(r"^\.It (Fl .*)$", text, re.M)
    return {"-" + name for item in items for name in re.findall(r"Fl (-?[\w-]+)", item)}


def differences(subcommand, keys, text):
    """How a page and the tables differ."""
    options = subcommand["options"]
    wanted = {f"--{o['name']}" for o in options}
    wanted |= {f"-{o['letter']}" for o in options if o["letter"]}
    words = {word for o in options for word in o["words"]}
    if subcommand["linux"]:
        words |= {key["name"] for key in keys if key.get("linux")}
    for name in sorted(wanted ^ options_of(text)):
        yield f"{name} has {'no' if name in wanted else 'an'} entry"
    for word in sorted(words):
        if not re.search(rf"(?<![\w-]){word}(?![\w-])", text):
            yield f"{word} is not named"


def page_of(subcommand):
    name = subcommand["name"]
    return name if name.startswith("noisefloor-") else f"noisefloor-{name}"


def main():
    paths = [path for path in sources.files(".1") if path.parent.name == "man"]
    wrong = [line for path in paths for line in complaints(path)]
    done = subprocess.run([sys.argv[1]], check=True, capture_output=True)
    tables = json.loads(done.stdout)
    for subcommand in [*tables["subcommands"], *tables["collector"]]:
        # The subcommands of a group have one page.
        group = subcommand.get("group", [])
        subcommand = {**subcommand, "options": subcommand["options"] + [
            option for one in group for option in one["options"]]}
        path = f"host/man/{page_of(subcommand)}.1"
        text = sources.read(path) if (sources.ROOT / path).is_file() else ""
        wrong += [f"{path}: {what}" for what in differences(subcommand, tables["keys"], text)]
    for line in wrong:
        print(line)
    print(f"man: {len(paths)} pages, {len(wrong)} complaints")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
