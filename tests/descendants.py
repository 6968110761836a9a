# SPDX-License-Identifier: BSD-2-Clause
"""Whatever a run starts ends with it: QEMU, collectors, engines, and what these started."""
import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import threading
import time

PR_SET_CHILD_SUBREAPER = 36
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE_SECONDS = 60  # killed processes are gone by then

ending = threading.Event()  # nothing more is to be started


def children():
    """{process: its children}, of all that are no zombies."""
    found = {}
    # Any may end meanwhile: not Path.glob(), which then fails as a whole (ESRCH).
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            # The name may have spaces and parentheses in it.
            text = pathlib.Path(f"/proc/{pid}/stat").read_text()
            state, parent = text.rsplit(")", 1)[1].split()[:2]
            if state != "Z":
                found.setdefault(int(parent), []).append(int(pid))
    return found


def below(pid):
    family = children()
    found, wanted = [], [pid]
    while wanted:
        some = family.get(wanted.pop(), [])
        found += some
        wanted += some
    return found


def kill():
    """All that are below this process. Returns how many there were."""
    killed = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (alive := below(os.getpid())) and time.monotonic() < deadline:
        for pid in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed.update(alive)
        time.sleep(0.01)
    return len(killed)


def reap():
    """The dead ones, whoever else may have wanted to know how they ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def unmount(folder):
    """What tests have mounted below and could not take away themselves."""
    mounts = pathlib.Path("/proc/self/mounts").read_text().splitlines()
    for path in (line.split()[1] for line in mounts):
        if path.startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", path], check=False)


@contextlib.contextmanager
def ended():
    """Around what starts them. A signal ends them and this process, at once; what outlives the
    end without one is killed, too."""
    # Who loses a parent is this process's child then.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def interrupt(number, _frame):
        ending.set()
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        count = kill()
        reap()
        print(f"\n{signal.Signals(number).name}: {count} processes were ended", flush=True)
        # Threads that wait for them are of no use any more.
        os._exit(128 + number)

    for number in SIGNALS:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        kill()
