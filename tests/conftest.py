# SPDX-License-Identifier: BSD-2-Clause
"""Shared by all Python tests: paths, and ways to run the probe."""
import dataclasses
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The assertions that pytest rewrites are cached in the build, and the tree stays as it is: to
# rewrite them takes each worker two thirds of the time in which it collects.
sys.pycache_prefix = str(pathlib.Path(os.environ.get("BUILD", ROOT / "build"), "pycache").resolve())
sys.dont_write_bytecode = False
for folder in ("qemu", "qemu/linux", "tests/lint", "tests/inject", "tests/machines"):
    sys.path.insert(0, str(ROOT / folder))

import launched  # noqa: E402
import machine as machines  # noqa: E402
import programs  # noqa: E402
import runner  # noqa: E402

machines.WARM = machines.BUILD / "warm"

# Files whose tests share what takes long to make: one worker has all of them.
SHARING = {"test_attest.py", "test_ci.py", "test_linux.py", "test_release.py", "test_schema.py",
           "test_sessions.py", "test_systemd.py"}


def pytest_collect_file(file_path, parent):
    return programs.collect_file(file_path, parent)


def pytest_runtest_protocol(item):
    return programs.run_item(item) or True if isinstance(item, programs.Test) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests one by one, in their order, to whichever worker is free: in pieces of dozens, as
    xdist hands them out, one worker has work left for a minute when the others have none."""
    from xdist.scheduler import LoadScopeScheduling

    class OneByOne(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            if program := programs.scope_of(nodeid):
                return program
            file = nodeid.partition("::")[0]
            return file if pathlib.Path(file).name in SHARING else nodeid

    return OneByOne(config, log)


def built(name):
    path = machines.BUILD / name
    assert path.is_file(), f"{path} is not built; run the tests with make"
    return path


# Files of the build, each a fixture.
BUILT = {
    "app": "noisefloor.efi",
    "pvh": "noisefloor.elf",
    "bzimage": "noisefloor.bzimage",  # as loaders of Linux start it
    "one_way": "noisefloor-oneway.elf",  # the image that may be signed: it starts no other kernel
    "aarch64": "aarch64/noisefloor.efi",
    "aarch64_image": "aarch64/noisefloor.image",  # as loaders of Linux start it
    "tool": "noisefloor",
    "static_tool": "noisefloor-static",  # for a system that has no libraries
    # EFI programs: what is in its configuration file is printed and done; SMIs are injected, or the
    # machine is made odd, before the probe is started.
    "puppet": "puppet.efi",
    "injector": "inject.efi",
    "aarch64_injector": "aarch64/inject.efi",
    "quirks": "quirks.efi",
    "quirks_aarch64": "aarch64/quirks.efi",
}
for fixture, file in BUILT.items():
    globals()[fixture] = pytest.fixture(lambda file=file: built(file), name=fixture)


@pytest.fixture
def variant():
    """variant("unmasked"): the image of a test build, see tests/variants/files.mk."""
    return lambda name: built(f"noisefloor-{name}.efi")


@pytest.fixture
def medium():
    """medium("img") or medium("iso"): what `make image` made."""
    return lambda kind: built(f"noisefloor.{kind}")


@pytest.fixture
def out(tmp_path):
    """A folder for the files of a run."""
    return tmp_path / "run"


@pytest.fixture(scope="session")
def common(tmp_path_factory):
    """A folder that all workers of the session have in common."""
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    base = tmp_path_factory.getbasetemp()
    return base.parent / f"{session}-common" if session else base / "common"


@pytest.fixture(scope="session", autouse=True)
def launched_folder(common):
    """All workers go on from the same saved machines."""
    launched.FOLDER = common / "launched"


@pytest.fixture
def run(app, out):
    """Run the probe: run(config=..., smp=..., firmware=...) -> runner.Result.

    Machine's fields and Options' fields go by their names; `ticks` and `at_end` as in
    runner.run(). A broken run (not the probe's own error) fails the test unless `broken`.
    """

    def run(ticks=(), at_end=None, broken=False, **wanted):
        machine_fields = {field.name for field in dataclasses.fields(machines.Machine)}
        machine = {key: wanted.pop(key) for key in machine_fields & wanted.keys()}
        if machine.get("icount") is not None:
            machine.setdefault("smp", 1)
        options = {"app": app, "out": out, "machine": machines.Machine(**machine), **wanted}
        options = runner.Options(**options)
        result = runner.run(launched.go_on(options), ticks, at_end)
        if not broken:
            assert result.problem is None, result.problem + "\n" + tail(result.serial)
        return result

    return run


def fetched(path, folder, goal):
    """Skip where `make GOAL` could not fetch it, or has not run."""
    if not os.path.exists(path):
        why = machines.BUILD / folder / "why"
        pytest.skip(why.read_text().strip() if why.exists() else f"make {goal} has not been run")


@pytest.fixture(scope="session")
def qemu10():
    """The emulator of this name."""
    fetched(machines.EMULATORS["qemu10"].program, "qemu10", "qemu10")
    return "qemu10"


@pytest.fixture(scope="session")
def tfa():
    """The firmware of this name."""
    fetched(machines.FIRMWARE["uboot-tfa"].code, "tfa", "tfa-if-possible")
    return "uboot-tfa"


@pytest.fixture(scope="session")
def ovmf13():
    """The firmware of this name."""
    fetched(machines.FIRMWARE["plain13"].code, "ovmf13", "ovmf13-if-possible")
    return "plain13"


@pytest.fixture
def figure(record_property):
    """figure("text") prints a line after the tests, by way of the results file."""
    return lambda text: record_property("figure", text)


def tail(serial, lines=30):
    return "\n".join(serial.decode(errors="replace").splitlines()[-lines:])
