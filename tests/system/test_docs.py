# SPDX-License-Identifier: BSD-2-Clause
"""The documentation: its commands run, its links lead somewhere.

The commands of a page are run in the order of the page, in a copy of this tree with files of
tests/data where runs leave theirs. What make has made for one page is not made again for another.
In the short tier, commands that start a machine are left out.
"""
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess

import pages
import pytest
import sources
from environment import without_make
from ran import ran

ROOT = pages.ROOT
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
README_LINES = 100
# Folders of the build that a command of a page may write to, and so may not be there by a link:
# what the build has made in them is copied; they are made anew.
COPIED = ("image", "aarch64")
WRITTEN = ("run", "peers", "screens")
BLOCK_SECONDS = 1800  # only so that a command that hangs ends
PORTS = ("5514", "9464")  # ports on the pages; others are taken here
# Shorter values for examples that make runs.
SHORT = {"CONFIG": "duration=200ms",
         "LADDER_CONFIG": "stages=firmware,bare,acpi,handoff duration=200ms"}
# Few cores do for examples with many: test-machines has 300.
SHORTER = (
    (r"\bSMP=300\b", "SMP=3"),
    (r"\bduration=[1-9]s\b", "duration=200ms"),
    (r"\bmake demo\b", "make demo CONFIG=duration=300ms"),
    (r"\bservice_calls=30\b", "service_calls=3"),
    (r"\bmake services\b", "make services CONFIG='mode=services stages=handoff service_calls=3 "
                           "services=get_time,get_variable_small'"),
)

# Verdicts are exit statuses, too; a command that cannot run has another one. What follows each
# line sees what the trap does not: all but the last of a list with &&.
PROLOGUE = """
check() {
    case $1 in 0 | 1 | 3) ;; *) echo "$2: exit status $1" >&2; exit 99 ;; esac
}
trap 'check $? "$BASH_COMMAND"' ERR
declare -A background
"""
AS_LEFT = "mkdir -p build/run && cp tests/data/runs/smis.log build/run/serial.log"
# Bash forgets a job that has ended.
CHECK = "check $? 'line {}'; [[ -z $! ]] || background[$!]=1\n"
# Background jobs still run, and have ended before the next block.
EPILOGUE = """
for job in "${!background[@]}"; do sleep 1; kill -TERM "$job" || exit 99; done
wait "${!background[@]}" || true
"""


def copy_sources(target):
    """By links, as nothing writes to them; make finds the build up to date."""
    for path in sources.files():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(ROOT / path, target / path)
        except OSError:  # from one file system to another, for example
            shutil.copy2(ROOT / path, target / path)


def copy_build(target, build=BUILD):
    """Objects by links: nothing writes to them that is up to date; nor to what was fetched."""
    target.mkdir()
    for path in build.iterdir():
        if path.name in COPIED:
            copy_build(target / path.name, path)
        elif path.is_dir() and path.name not in WRITTEN:
            (target / path.name).symlink_to(path)
        elif path.is_file() and path.suffix != ".log":
            shutil.copy2(path, target / path.name)


def capture(name):
    return (ROOT / "tests/data/runs" / name).read_bytes()


def fixtures(tool):
    """path: content; what other pages' commands would have written."""
    osnoise = b"# noisefloor: threshold=1us exposure=5s\n"
    osnoise += (ROOT / "tests/data/peers/osnoise.trace").read_bytes()
    records = subprocess.run(
        [tool, "show", "--jsonl", ROOT / "tests/data/runs/smis.log"], capture_output=True
    ).stdout
    return {
        "build/before.log": capture("quiet.log"),
        "build/run/serial.log": capture("smis.log"),
        "build/peers/probe/serial.log": capture("smis.log"),
        "build/peers/linux/osnoise.txt": osnoise,
        "records.jsonl": records,
    }


@pytest.fixture
def tree(tool, tmp_path):
    tree = tmp_path / "tree"
    copy_sources(tree)
    copy_build(tree / "build")
    for path, content in fixtures(tool).items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(content)
    subprocess.run([tool, "fleet", "import", "--dir", tree / "runs", tree / "records.jsonl"],
                   stdout=subprocess.DEVNULL, check=True)
    yield tree
    shutil.rmtree(tree)


def is_free(port):
    try:
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            with socket.socket(socket.AF_INET6, kind) as taken:
                taken.bind(("::", port))
    except OSError:
        return False
    return True


def free_port():
    """A free port for UDP and TCP, and none that Linux gives to the next program that asks for
    any."""
    while not is_free(port := random.randrange(20000, 32000)):
        pass
    return str(port)


def lines_of(block):
    return block.commands().replace("\\\n", " ").splitlines()


def lines_to_run(block):
    """At the block's beginning a line of make that a page has run before is not run again: a
    capture as it leaves one takes its place."""
    before, repeated = set(), True
    for other in (other for page in pages.PAGES for other in runnable(page)):
        if (other.page, other.line) == (block.page, block.line):
            break
        before.update(lines_of(other))
    for line in lines_of(block):
        repeated = repeated and line.startswith("make ") and line in before
        yield AS_LEFT if repeated else line


def script_of(block):
    return PROLOGUE + "".join(f"{line}\n{CHECK.format(n)}"
                              for n, line in enumerate(lines_to_run(block), 1))


def run_block(block, tree):
    """(exit status, output). Whatever the block started has ended after it."""
    script = script_of(block) + EPILOGUE
    for long, short in SHORTER:
        script = re.sub(long, short, script)
    for port in PORTS:
        script = re.sub(rf"\b{port}\b", free_port(), script)
    log = tree / "block.log"
    with open(log, "wb") as out:
        bash = subprocess.Popen(
            ["bash", "-c", script],
            cwd=tree,
            env=without_make("BUILD", **SHORT),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = bash.wait(BLOCK_SECONDS)
        finally:
            try:
                os.killpg(bash.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            bash.wait()
    return status, log.read_text(errors="replace")


def run_blocks(blocks, tree):
    for block in blocks:
        status, output = run_block(block, tree)
        assert status in (0, 1, 3), f"{block}: exit status {status}\n{output[-4000:]}"


def runnable(page):
    return [b for b in pages.blocks(page) if b.commands() and b.reason is None]


def with_commands(short):
    """Pages with commands to run in this tier."""
    wanted = lambda block: not short or not block.is_long()  # noqa: E731
    found = [page for page in pages.PAGES if any(wanted(b) for b in runnable(page))]
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in found]


@pytest.mark.parametrize("page", with_commands(short=True))
def test_short_commands_run(page, tree):
    run_blocks([block for block in runnable(page) if not block.is_long()], tree)


@pytest.mark.full
@pytest.mark.parametrize("page", with_commands(short=False))
def test_all_commands_run(page, tree):
    run_blocks(runnable(page), tree)


@pytest.mark.parametrize("text,status", [
    ("true\n", 0),
    ("false\n", 0),
    ("sh -c 'exit 3'\n", 0),
    ("sh -c 'exit 2'\n", 99),
    ("sh -c 'exit 2' && true\n", 99),
    ("sh -c 'exit 2' \\\n  && true || true\n", 0),
    ("no-such-command\ntrue\n", 99),
    ("sleep 1000 &\n", 0),
    ("true & while kill -0 $!; do sleep 0.1; done\n", 99),
    ("true & while kill -0 $!; do sleep 0.1; done\n" + "true\n" * 9, 99),
])
def test_a_command_that_fails_is_seen(text, status, tmp_path):
    block = pages.Block(ROOT / "README.md", 1, pages.COMMANDS, text, None)
    assert run_block(block, tmp_path)[0] == status


def test_a_block_is_read():
    text = (
        "# a\n```sh\nmake run\n```\n\n"
        "<!-- not run: costs money -->\n\n   ```sh\n   one\n     two\n   ```\n"
        "```console\n$ make demo\nout\n$ b\n```\n```text\nx\n```\n"
    )
    found = pages.blocks(ROOT / "README.md", text)
    commands = ["make run\n", "one\n  two\n", "make demo\nb\n", ""]
    assert [block.commands() for block in found] == commands
    assert [block.reason for block in found] == [None, "costs money", None, None]
    assert [block.line for block in found] == [2, 8, 12, 17]
    assert [block.is_long() for block in found] == [True, False, True, False]


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_every_block_has_a_language(page):
    text = page.read_text()
    assert [b.language for b in pages.blocks(page) if b.language not in pages.LANGUAGES] == []
    assert text.count("```") == 2 * len(pages.blocks(page))


def make_targets():
    listed = ran("make", "-pRrnq", ":", cwd=ROOT).stdout
    return set(re.findall(r"^([a-z][\w-]*):", listed, re.M))


def test_targets_of_make_exist():
    targets = make_targets()
    assert "run" in targets and "no-such" not in targets
    for page in pages.PAGES:
        text = "\n".join([*pages.spans(page), *(b.commands() for b in pages.blocks(page))])
        for named in re.findall(r"^(?:sudo )?make ((?:[a-z][\w-]*(?: |$))+)", text, re.M):
            missing = set(named.split()) - targets
            assert not missing, f"{page.name}: make {missing}"


def usage(tool, *words):
    return ran(tool, *words, "--help").stdout


def test_options_in_sentences_exist(tool):
    subcommands = re.findall(r"^  ([a-z]+) +\S", usage(tool), re.M)
    known = "".join(usage(tool, word) for word in subcommands)
    for group in "fleet", "boot":
        known += "".join(usage(tool, group, word) for word in
                         re.findall(r"^  ([a-z]+) +\S", usage(tool, group), re.M))
    known += usage(tool.with_name("noisefloor-collect"))
    known += ran(ROOT / "qemu/run", "--help").stdout
    for page in pages.PAGES:
        for span in pages.spans(page):
            if re.match(r"noisefloor [a-z]", span):
                assert span.split()[1] in subcommands, f"{page.name}: {span}"
            if span.startswith(("--", "noisefloor ", "qemu/run ")):
                for option in re.findall(r"(?:^| )(--[a-z]+)", span):
                    assert re.search(rf"{option}\b", known), f"{page.name}: {span}"


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in pages.links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.is_file(), f"{page.name}: {link}"
        assert not anchor or anchor in pages.anchors(target), f"{page.name}: {link}"


def test_every_picture_is_linked():
    linked = {(page.parent / link).resolve() for page in pages.PAGES for link in pages.links(page)}
    pictures = [path for path in ROOT.glob("docs/**/*") if path.suffix in (".png", ".svg")]
    assert pictures and not set(pictures) - linked


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES
