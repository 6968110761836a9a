# SPDX-License-Identifier: BSD-2-Clause
"""A minimal root of a Debian release, with make and git and nothing else, to run commands in.

debootstrap makes it once, and a tarball keeps it. Each command has a mount and a process
namespace of its own: what is mounted in the root is seen by nobody else, and goes with the
command's last process, however that ends.
"""
import os
import pathlib
import resource
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
USER = "newcomer"
FOLDER = {"root": "/root/noisefloor", USER: f"/home/{USER}/noisefloor"}
PROGRAMS = ("debootstrap", "git", "setpriv", "unshare", "wget")
NAMESPACES = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork",
              "--kill-child=KILL")
# Runs as process 1 of the namespace.
ENTER = """
set -e
mount -t proc proc "$1/proc"
mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
mkdir -p "$1/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 pts "$1/dev/pts"
exec chroot --userspec="$2" "$1" /usr/bin/env -i HOME="$3" USER="$2" TERM=dumb LC_ALL=C.UTF-8 \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "$4"
"""


class Failed(Exception):
    """A command did not do what it must; the text has the end of its output."""


def _call(*command):
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)


def _is_mounted_in(folder):
    mounts = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return any(f"{line.split()[4]}/".startswith(f"{folder}/") for line in mounts)


def _processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stopwatch():
    """A function that gives the time since, and what children used of it: "20 s, CPU 9 s"."""
    start, used = time.monotonic(), _processor_seconds()
    return lambda: f"{time.monotonic() - start:.0f} s, CPU {_processor_seconds() - used:.0f} s"


def _succeeds(*command):
    return not subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode


def _mirror():
    return subprocess.run(
        [ROOT / "mk" / "apt.sh", "--mirror"], capture_output=True, text=True, check=True
    ).stdout.strip().rstrip("/")


def remove(folder):
    if _is_mounted_in(folder):
        raise Failed(f"something is mounted in {folder}; not removed")
    if folder.exists():
        shutil.rmtree(folder)


class Minimal:
    """`out` keeps SUITE.tar, the root as it is fresh; SUITE, the root in use; SUITE.log."""

    def __init__(self, suite, out):
        self.suite, self.out = suite, out.resolve()
        self.root, self.tarball = self.out / suite, self.out / f"{suite}.tar"
        self.log = self.out / f"{suite}.log"
        self.took = ""  # by create()

    def obstacle(self):
        """Why such a root cannot be made or entered on this machine; None where it can."""
        if os.geteuid():
            return "a root of its own takes root: debootstrap, chroot and namespaces"
        for program in PROGRAMS:
            if not shutil.which(program):
                return f"there is no {program}"
        if not _succeeds("git", "-C", ROOT, "rev-parse", "HEAD"):
            return f"{ROOT} is no clone that git takes"
        if not _succeeds(*NAMESPACES, "true"):
            return "mount and process namespaces of one's own are not permitted here"
        # By debootstrap's own client, and so its proxies.
        release = f"{_mirror()}/dists/{self.suite}/InRelease"
        if not _succeeds("wget", "-q", "--tries=2", "--timeout=20", "-O", "/dev/null", release):
            return f"{release} cannot be fetched"
        return None

    def create(self):
        took = stopwatch()
        self.out.mkdir(parents=True, exist_ok=True)
        if not self.tarball.exists():
            self._bootstrap()
        remove(self.root)
        self.root.mkdir()
        _call("tar", "-xf", self.tarball, "-C", self.root)
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", self.root / "etc" / name)
        self._trust_mirror_as_here()
        self.log.write_text("")
        self.run(f"useradd -m {USER}", folder="/")
        for user, folder in FOLDER.items():
            # Clone the commit: a newcomer has a clone.
            to = self.root / folder.lstrip("/")
            _call("git", "clone", "-q", "--no-hardlinks", ROOT, to)
            self.run(f"chown -R {user}: {folder}", folder="/")
        self.took = took()

    def _trust_mirror_as_here(self):
        """A mirror may be a snapshot, older than its dates allow; whether such a one is accepted
        is configured as in the machine's own apt."""
        dates = subprocess.run(
            ["apt-config", "dump", "Acquire::Check-Valid-Until", "Acquire::Check-Date"],
            capture_output=True, text=True,
        ).stdout if shutil.which("apt-config") else ""
        (self.root / "etc/apt/apt.conf.d/90mirror").write_text(dates)

    def _bootstrap(self):
        fresh = self.out / f"{self.suite}.new"
        remove(fresh)
        # Run debootstrap in a namespace: its mounts end with it if it is killed.
        _call(*NAMESPACES, "debootstrap", "--variant=minbase", "--include=make,git", self.suite,
              fresh, _mirror())
        remove(fresh / "var" / "cache" / "apt" / "archives")
        (fresh / "var/cache/apt/archives/partial").mkdir(parents=True)
        part = self.tarball.with_suffix(".part")
        _call("tar", "-cf", part, "-C", fresh, ".")
        part.rename(self.tarball)
        remove(fresh)

    def run(self, command, user="root", folder=None):
        """(exit status, output, time it took) of a shell command in the user's clone."""
        argv = [*NAMESPACES, "sh", "-c", ENTER, "enter", self.root, user,
                os.path.dirname(FOLDER[user]), f"cd {folder or FOLDER[user]} && {command}"]
        took, at = stopwatch(), self.log.stat().st_size
        with open(self.log, "ab") as log:
            status = subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            ).returncode
        with open(self.log, "rb") as log:
            log.seek(at)
            text = log.read().decode(errors="replace")
        return status, text, took()

    def must(self, command, user="root"):
        """(output, time it took) of a command that succeeds."""
        status, text, took = self.run(command, user)
        if status:
            end = "\n".join(text.splitlines()[-40:])
            raise Failed(f"{self.suite}, {user}: {command}: exit status {status}\n{end}")
        return text, took
