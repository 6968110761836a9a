# SPDX-License-Identifier: BSD-2-Clause
"""The runner: its exit codes, its limits, and that it leaves no QEMU behind."""
import json
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import esp
import limits
import machine as machines
import patience
import records
import runner
from guest import Guest
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = patience.HANG_SECONDS

pytestmark = pytest.mark.full


def record(**fields):
    """One record line with its CRC, as bytes."""
    body = json.dumps({"nf": 1, "sid": "00" * 8, "seq": 0, **fields}, separators=(",", ":"))[:-1]
    return f'{body},"crc":"{records.crc32c(body.encode()):08x}"}}\n'.encode()


def end(verdict):
    return record(type="end", verdict=verdict)


def act(run, puppet, *lines, **options):
    """Let the puppet print and do these lines."""
    script = b"".join(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines)
    return run(app=puppet, config_bytes=script, broken=True, **options)


def gone(pid):
    """Whether the process ended; a zombie has."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


# Both witnesses, debug-exit value and end record


@pytest.mark.parametrize("status, verdict, code, problem", [
    *((2 * code + 1, verdict, code, None) for verdict, code in runner.EXIT_CODES.items()),
    (1, None, 2, "no end record"), (1, "splendid", 2, "splendid"), (3, "pass", 2, "value is 1"),
    (-9, "pass", 2, "signal 9"), (255, "pass", 2, "value is 127"), (0, "pass", 2, "without a"),
])
def test_both_witnesses_agree(status, verdict, code, problem):
    found, why = runner.judge(status, verdict, "qemu-exit")
    assert found == code and (problem in why if problem else why is None)
    if status == 2 * code + 1 and verdict:
        assert runner.judge(0, verdict, "shutdown") == (code, None)


# Limits


def test_halt_is_let_go_after_its_end_record(run, puppet):
    seen = []
    result = act(
        run, puppet, "then=halt", end("pass"), "!hang",
        at_end=lambda guest: seen.append(guest.pmemsave(0, 4096)),
    )
    assert (result.code, result.problem) == (0, None)
    assert [len(page) for page in seen] == [4096]


def test_time_limit_ends_a_run(run, puppet):
    pids = []
    result = act(
        run, puppet, record(type="begin"), "!hang",
        timeout=10, ticks=[lambda guest: pids.append(guest.pid)],
    )
    assert result.code == 2
    assert "time limit of 10 s" in result.problem
    looks = re.findall(r"\b[0-9a-f]{16}/[0-9a-f]{16}\b", result.problem)  # two cores
    assert len(looks) > 1, result.problem
    assert gone(pids[0])


def test_limit_grows_with_what_was_asked_for():
    assert limits.duration("threshold=1us duration=1.5h window=1s") == 5400
    assert limits.whole(machines.Machine(), "duration=1h stages=firmware,bare") > 7200


# Nothing stays behind


def start_cli(puppet, out, *lines):
    """qemu/run as a process of its own, and the pid of its QEMU once it speaks."""
    script = out.parent / "script"
    script.write_bytes(b"".join(lines))
    command = [sys.executable, ROOT / "qemu" / "run", "--accel", "tcg", "--app", puppet]
    command += ["--out", out, "--config-file", script]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    log = out / "serial.log"
    patience.wait_for(
        lambda: log.exists() and b"here" in log.read_bytes(), "the puppet's first line"
    )
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return process, [int(pid) for pid in children.split()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_signal_leaves_no_qemu(puppet, out, number):
    process, children = start_cli(puppet, out, b"here\n!hang\n")
    assert len(children) == 1
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    patience.wait_for(lambda: gone(children[0]), "end of QEMU")


def test_exception_in_a_test_leaves_no_qemu(puppet, out):
    with pytest.raises(ZeroDivisionError):
        with Guest(machines.Machine(), out, {esp.BOOT_PATH: puppet}) as guest:
            raise ZeroDivisionError
    assert gone(guest.pid)


# The command line


def cli(*arguments):
    command = [sys.executable, ROOT / "qemu" / "run", *arguments]
    return ran(*command, stdin=subprocess.DEVNULL, timeout=PATIENCE)


@pytest.mark.parametrize(
    "arguments,accepted",
    [
        (["--smp", "256"], "1 to 255"),
        (["--firmware", "bios"], "plain, smm"),
        (["--icount", "0", "--smp", "2"], "one CPU"),
        (["--memory", "lots"], "M or G"),
        (["--boot", "tape"], "disk, over pxe or http, or by pvh"),
        (["--boot", "pxe", "--nic", "ne2k"], "virtio-net-pci, e1000e"),
        (["--file", "nowhere"], "PATH=FILE"),
        (["--app", "/nowhere.efi"], "no /nowhere.efi"),
    ],
)
def test_bad_argument_is_named(arguments, accepted):
    done = cli(*arguments)
    assert done.returncode == 2
    assert accepted in done.stderr


@pytest.mark.full
def test_command_line_shows_text_and_gives_the_code(puppet, out, tmp_path):
    script = tmp_path / "script"
    script.write_bytes(b"people's text\n" + end("incomplete") + b"!exit 3\n")
    done = cli("--app", puppet, "--out", out, "--config-file", script)
    assert done.returncode == 3, done.stderr
    assert "`make demo`" not in done.stderr  # an incomplete run proves nothing of any computer
    assert "people's text\n" in done.stdout
    assert "\x1b" not in done.stdout and '{"nf"' not in done.stdout
    assert end("incomplete") in (out / "serial.log").read_bytes()


def test_records_are_found_between_chatter_and_damage():
    whole = record(type="log", text="x")
    torn = whole[:20] + b"\x1b[2Jchatter\r\n"
    damaged = whole.replace(b'"x"', b'"y"')
    found = records.find(b"noise" + whole + torn + damaged + whole.strip() + b"tail")
    assert [r["text"] for r in found] == ["x", "x"]
