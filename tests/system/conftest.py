# SPDX-License-Identifier: BSD-2-Clause
"""The machine that injected SMIs hit, and tables that tests fill: what was found, and why."""
import itertools
import json
import os
import ssl
import subprocess

import attribution_matrix
import collecting
import injection
import machine as machines
import pytest
import signing

SUMS = ("injected", "found", "missed", "false", "merged", "short", "outside", "edge")
ERRORS = ("start_error", "length_error")
PROPERTY = "exact"
COUNTED_SECONDS = 600
SAVED = {"saved", "saved10"}  # machines
# One worker has all of it; or it takes long.
WHOLE = {"test_attest.py", "test_linux.py", "test_schema.py", "test_tree.py"}
IMAGES = {  # booted
    "aarch64", "aarch64_image", "app", "bzimage", "injector", "medium", "puppet", "pvh",
    "quirks", "variant",
}
# Their tests wait, for time-outs and for what comes in pieces, more than they compute.
WAITING = {"test_bytes.py", "test_collect.py", "test_collect_fleet.py", "test_forwarding.py",
           "test_policy.py"}
# Tests that take more than half a minute each; so do programs of tests that go all rounds.
FIRST = tuple(f"tests/system/{name}" for name in (
    "test_docs.py::test_all_commands_run[docs/howto.md]",
    "test_image.py::test_two_builds_are_the_same",
    "test_kexec.py::test_a_source_that_linux_switches_off",
    "test_kexec.py::test_busy_devices_leave_memory_alone",
    "test_kexec.py::test_through_linux_and_back",
    "test_lockdown.py",
    "test_net.py::test_lies_on_the_wire",
    "test_services_flash.py::test_power_cut_at_any_moment",
))
# Tests in C whose programs take longest.
LONGEST = ("tests/unit/whole/", "tests/unit/host/capture/", "tests/unit/host/collect/")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Tests that may take long come first, and short ones at the end: no worker is left with a long
    test when the others are done. One test boots each saved machine before others want it. Tests
    that wait are dealt out among those that boot, which leave them no processor to spare."""
    first = {}
    for item in items:
        for name in SAVED.intersection(item.fixturenames):
            first.setdefault(name, item)

    def place(item):
        if item.nodeid.startswith(FIRST) or _all_rounds(item):
            return 0
        if item in first.values() or item.path.name in WHOLE:
            return 1
        if SAVED.intersection(item.fixturenames):
            return 3
        if IMAGES.intersection(item.fixturenames):
            return 4
        if item.nodeid.startswith(LONGEST):
            return 5
        return 2 if item.get_closest_marker("full") else 6

    waiting = [item for item in items if item.path.name in WAITING]
    others = [item for item in items if item.path.name not in WAITING]
    dealt = itertools.zip_longest(sorted(others, key=place), waiting)
    items[:] = [item for pair in dealt for item in pair if item]


def _all_rounds(item):
    return os.environ.get("TEST_ROUNDS") == "all" and item.get_closest_marker("rounds")


@pytest.fixture(scope="module")
def saved(common):
    """The machine all runs go on from, booted once for all workers."""
    return saved_machine(common, "plain")


@pytest.fixture(scope="module")
def saved10(common, qemu10):
    """A saved machine of QEMU 10, whose firmware has an SMM handler of its own."""
    return saved_machine(common, "qemu10", firmware="smm", emulator=qemu10)


def saved_machine(common, name, **machine):
    images = [machines.BUILD / image for image in ("noisefloor.efi", "inject.efi")]
    for image in images:
        assert image.is_file(), f"{image} is not built; run the tests with make"
    return injection.Saved(*images, common / name, **machine)


ARM = {2: "aarch64", 3: "uboot-monitor"}  # firmware, by the level that takes the core


@pytest.fixture
def inject_arm(aarch64, aarch64_injector, out):
    """inject_arm(plan, level): a run of AArch64 under the injector. Saving a machine of its memory
    takes longer than the firmware does."""
    return lambda plan, level, **more: injection.run(
        aarch64, aarch64_injector, out, plan, timeout=COUNTED_SECONDS,
        **{"firmware": ARM[level], "emulator": "aarch64", **more})


@pytest.fixture(scope="session")
def db_key(tmp_path_factory):
    """Signs what boots with Secure Boot."""
    return signing.db_key(tmp_path_factory.mktemp("db"))


@pytest.fixture(scope="session")
def arm_key(tmp_path_factory):
    return signing.db_key(tmp_path_factory.mktemp("db"), signing.ARM_CERT)


@pytest.fixture
def exact_figure(record_property):
    """exact_figure(name, match) puts a line into the table."""

    def add(name, found):
        figures = {key: getattr(found, key) for key in SUMS}
        figures |= {key: max(getattr(found, key).values()) for key in ERRORS}
        record_property(PROPERTY, json.dumps({"name": name, "line": found.line(), **figures}))

    return add


@pytest.fixture
def attributed(record_property):
    """attributed(injected, reported) puts a row into the matrix; `reported` counts by column."""

    def add(injected, reported):
        record_property(
            attribution_matrix.PROPERTY, attribution_matrix.entry(injected, reported)
        )

    return add


@pytest.fixture
def certificate(tmp_path):
    """A self-signed certificate of 127.0.0.1: the file that a client trusts, and the server's
    files."""
    key = signing.new_key(tmp_path, "nf", "-addext", "subjectAltName=IP:127.0.0.1")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(key.cert, key.key)
    return key.cert, tls


@pytest.fixture
def small_disk(request, tmp_path):
    """A file system for the collectors' folder, with a size as for mount(8)."""
    folder = tmp_path / "runs"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", folder],
        capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no tmpfs may be mounted: {done.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=False)


@pytest.fixture
def collect(tool, tmp_path):
    """Starts collectors, each on one folder. One that runs there ends first, and all end with the
    test: with exit status 0, unless the test has ended it otherwise."""
    on = {}

    def end(collector):
        return collector and collector.process.poll() is None and collector.end()

    def start(*options, folder="runs", **more):
        path = tmp_path / folder
        assert not end(on.get(path))
        on[path] = collecting.Collector(tool, path, *options, **more)
        return on[path]

    yield start
    assert not any([end(collector) for collector in on.values()])


def _values(terminalreporter, wanted):
    stats = terminalreporter.stats
    for report in stats.get("passed", []) + stats.get("failed", []):
        for name, value in getattr(report, "user_properties", ()):
            if name == wanted and report.when == "call":
                yield value


def pytest_terminal_summary(terminalreporter):
    entries = list(_values(terminalreporter, attribution_matrix.PROPERTY))
    for line in attribution_matrix.lines(entries) if entries else ():
        terminalreporter.write_line(line)
    _print_exact(terminalreporter)


def _print_exact(terminalreporter):
    rows = [json.loads(value) for value in _values(terminalreporter, PROPERTY)]
    if not rows:
        return
    for row in rows:
        terminalreporter.write_line(f"{row['name']}: {row['line']}")
    sums = ", ".join(f"{key} {sum(row[key] for row in rows)}" for key in SUMS)
    most = ", ".join(f"{key.replace('_', ' ')} {max(row[key] for row in rows)}" for key in ERRORS)
    terminalreporter.write_line(f"{len(rows)} schedules in all: {sums}; largest {most} ticks")
