# SPDX-License-Identifier: BSD-2-Clause
"""The result of `make install`: manual and completions agree with the program."""
import os
import pathlib
import re
import shutil

import pytest
from collecting import program
from ran import ran as run

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAN = ROOT / "host" / "man"
COMPLETION = ROOT / "host" / "completion"
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()


def subcommands():
    """By the program's own word. At collection there may be no program: then none."""
    tool = BUILD / "noisefloor"
    printed = run(tool, "--help").stdout if tool.is_file() else ""
    return re.findall(r"^  ([a-z]+) +\S", printed, re.M)


def options_of_help(tool, *subcommand):
    """Names of options, "-o" and "--output", from a usage text."""
    printed = run(tool, *subcommand, "--help").stdout
    lines = re.findall(r"^  ((?:-[a-zA-Z], )?--[a-z-]+(?:, --[a-z-]+)*)(?=\s)", printed, re.M)
    names = {name for line in lines for name in line.split(", ")}
    return names | set(re.findall(r"\[?(--(?:help|version))\b", printed))


def group_of(tool, subcommand):
    """Its own subcommands, if it has any."""
    printed = run(tool, subcommand, "--help").stdout
    listed = "SUBCOMMAND" in printed.partition("\n")[0]
    return re.findall(r"^  ([a-z]+) +\S", printed, re.M) if listed else []


SUBCOMMANDS = subcommands()


def test_subcommands_are_known():
    assert len(SUBCOMMANDS) >= 5


# ---- Completion ----


def completed_by_bash(tool, *words):
    """Completions by bash for the last of these words."""
    script = f"""
        source {COMPLETION}/{tool.name}.bash
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _{tool.name.replace("-", "_")}
        [ ${{#COMPREPLY[@]}} = 0 ] || printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = run("bash", "-c", script, "bash", tool, *words)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return set(done.stdout.split())


# zsh's own helpers, which need its line editor, print here what they are given.
ZSH = """
    _files() { print FILES }
    compadd() { shift 3; print -l -- "$@" }
    words=("$@")
    CURRENT=$#
    source %s/_%s
"""


def completed_by_zsh(tool, *words):
    """Completions by zsh, which itself selects those with the right beginning."""
    done = run("zsh", "-f", "-c", ZSH % (COMPLETION, tool.name), "zsh", tool, *words)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return {word for word in done.stdout.split() if word.startswith(words[-1]) or word == "FILES"}


SHELLS = pytest.mark.parametrize("completed", [completed_by_bash, completed_by_zsh])


@SHELLS
def test_completes_the_collector(tool, completed):
    collector = program(tool)
    own = {name for name in options_of_help(collector) if name.startswith("--")}
    assert completed(collector, "") == own
    assert completed(collector, "--dir", "x", "--") == own
    assert completed(collector, "--dir", "") in (set(), {"FILES"})


@SHELLS
def test_completes_a_group(tool, completed):
    for group, some in (("fleet", {"list", "status"}), ("boot", {"stick", "fetch"})):
        names = set(group_of(tool, group))
        assert some < names == completed(tool, group, "")
        for name in sorted(names):
            wanted = {name for name in options_of_help(tool, group, name) if name.startswith("--")}
            assert completed(tool, group, name, "--") == wanted
    assert completed(tool, "fleet", "list", "--format", "") == {"text", "json"}


@SHELLS
def test_completes_subcommands(tool, completed):
    assert set(SUBCOMMANDS) <= completed(tool, "")
    assert completed(tool, "sh") == {"show"}


@SHELLS
@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_completes_options(tool, completed, subcommand):
    wanted = {name for name in options_of_help(tool, subcommand) if name.startswith("--")}
    assert completed(tool, subcommand, "--") == wanted


def keys_of_help(tool, *subcommand):
    printed = run(tool, *subcommand, "--help").stdout
    listed = re.search(r"Keys and their defaults:(.*?)\n\n", printed, re.S)
    return set(re.findall(r"(\w+=)\S", listed[1]))


@SHELLS
@pytest.mark.parametrize("subcommand,found", [
    (("measure",), set()), (("boot", "once"), {"countdown="}), (("boot", "stick"), {"countdown="})])
def test_completes_keys(tool, completed, subcommand, found):
    """Keys that only the probe accepts are not completed for measure."""
    keys = completed(tool, *subcommand, "")
    assert keys == keys_of_help(tool, *subcommand)
    assert "stop_total=" in keys and keys & {"countdown="} == found
    assert completed(tool, *subcommand, "cou") == found
    assert completed(tool, *subcommand, "stop_") == {"stop_total="}


def test_completes_values_that_are_accepted(tool, tmp_path):
    """Beside cores that do not exist nothing is refused."""
    for key in completed_by_bash(tool, "measure", ""):
        for word in completed_by_bash(tool, "measure", key[:-1], "="):
            done = run(tool, "measure", "-o", tmp_path / "run", key + word, "cpus=4000")
            (mistake,) = done.stderr.splitlines()
            assert "cpus=4000 names cores" in mistake
    assert completed_by_bash(tool, "measure", "mode", "=") == {"gaps", "services"}


def test_completes_values_of_keys(tool):
    # bash takes key=value for three words, zsh for one.
    assert completed_by_bash(tool, "boot", "once", "then", "=", "re") == {"reset"}
    assert completed_by_bash(tool, "boot", "once", "quiet", "=") == {"yes", "no"}
    assert completed_by_zsh(tool, "boot", "once", "then=re") == {"then=reset"}
    assert completed_by_zsh(tool, "boot", "once", "quiet=") == {"quiet=yes", "quiet=no"}


# ---- Installation ----


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def make(target, folder):
    done = run(
        "make", "-j1", target, f"BUILD={BUILD}", f"DESTDIR={folder}", "PREFIX=/opt/nf",
        "AARCH64=no", cwd=ROOT
    )
    assert done.returncode == 0, done.stderr


def test_install(tool, app, tmp_path):
    make("install", tmp_path)
    pages = {f"opt/nf/share/man/man1/{page.name}" for page in MAN.glob("*.1")}
    docs = {f"opt/nf/share/doc/noisefloor/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    docs |= {f"opt/nf/share/doc/noisefloor/examples/{file.name}"
             for file in (ROOT / "docs/examples").iterdir()}
    filters = {f"opt/nf/share/noisefloor/jq/{file.name}" for file in (ROOT / "host/jq").iterdir()}
    assert files_below(tmp_path) == pages | docs | filters | {
        "opt/nf/bin/noisefloor",
        "opt/nf/bin/noisefloor-collect",
        "opt/nf/lib/noisefloor/medium.sh",
        "opt/nf/lib/noisefloor/noisefloor-oneway.bzimage",
        "opt/nf/lib/noisefloor/noisefloor.bzimage",
        "opt/nf/lib/noisefloor/noisefloor.efi",
        "opt/nf/share/noisefloor/noisefloor.conf",
        "opt/nf/share/noisefloor/README.txt",
        "opt/nf/share/noisefloor/schema.json",
        "opt/nf/share/bash-completion/completions/noisefloor",
        "opt/nf/share/bash-completion/completions/noisefloor-collect",
        "opt/nf/share/zsh/site-functions/_noisefloor",
        "opt/nf/share/zsh/site-functions/_noisefloor-collect",
    }
    installed = tmp_path / "opt/nf"
    assert run(installed / "bin/noisefloor", "--version").stdout.startswith("noisefloor ")
    printed = run(installed / "bin/noisefloor-collect", "--version").stdout
    assert printed.startswith("noisefloor-collect ")
    assert (installed / "lib/noisefloor/noisefloor.efi").read_bytes() == app.read_bytes()
    made = run(installed / "bin/noisefloor", "boot", "stick", tmp_path / "stick.img")
    assert made.returncode == 0, made.stderr
    (tmp_path / "stick.img").unlink()
    if shutil.which("man"):
        found = run("man", "-M", installed / "share/man", "-w", "noisefloor-show")
        assert found.stdout.strip().endswith("noisefloor-show.1")
    other = tmp_path / "opt/nf/bin/other"
    other.write_text("somebody else's")
    make("uninstall", tmp_path)
    assert files_below(tmp_path) == {"opt/nf/bin/other"}
    # A second time there is nothing to remove.
    make("uninstall", tmp_path)
