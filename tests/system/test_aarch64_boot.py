# SPDX-License-Identifier: BSD-2-Clause
"""Runs on AArch64 and their surroundings: media, PXE, screens, saved results, lost cores, ways to
leave.

EDK2 starts the probe, as on most machines. Behaviour that is the same on each processor is tested
on x86.
"""
import re

import esp
import flashvars
import limits
import machine as machines
import pytest
import records
from guest import Guest
from leaving import Leaving
from saving import of_type
from test_screen import OVER, Once, shot, still
from test_secure_boot import REFUSED, REFUSED_BY_SHIM, enrolled, owner_key

assert owner_key  # a fixture

pytestmark = pytest.mark.full

SHORT = "duration=300ms window=100ms live=no gaps=3"
MAC_FILE = "noisefloor/01-52-54-00-12-34-56.conf"  # QEMU's first card
SAVE_SECONDS = 240  # a reset and a second start are between the end record and the end
MICROSOFT = "/usr/share/AAVMF/AAVMF_VARS.ms.fd"
BEHIND_SHIM = "EFI/BOOT/grubaa64.efi"


@pytest.fixture
def arm(run, aarch64):
    """arm(config=...): a run on AArch64."""
    return lambda **wanted: run(**{
        "app": aarch64, "emulator": "aarch64", "board": "virt", "firmware": "aarch64", "smp": 1,
        **wanted,
    })


def left(way):
    """Options of a run that is to leave so, and what has seen it."""
    leaving = Leaving(way)
    return leaving, {"ticks": [Leaving.connect], "at_end": leaving}


# Media, and where the results go


def test_stick_and_harvest(arm, medium, out):
    """Through the firmware's variables and a reset, to the stick; then the variables are empty."""
    config = f"{SHORT} threshold=2us max=2us stages=bare save=file"
    result = arm(medium=medium("img"), disk="usb", config=config, resets=True,
                 leave_seconds=SAVE_SECONDS)
    assert result.code == 1  # the configuration on the stick is in force: its limit fails the run
    assert b"harvest: the variable is removed" in result.serial
    assert not [v.name for v in flashvars.ours((out / "vars.fd").read_bytes()) if v.is_there]
    volume = esp.volume(out / "esp.img")
    (name,) = [name for name in esp.names(volume, "noisefloor") if name.endswith(".jsonl")]
    saved = records.join(records.find(esp.read(volume, f"noisefloor/{name}")))
    for kind in ("begin", "window", "cpu"):
        assert of_type(saved, kind) == of_type(result.records, kind)
    assert saved[-1]["verdict"] == "fail"


def test_iso_and_a_screen_without_memory(arm, medium, out):
    """QEMU's virtio-gpu draws what it is sent; after ExitBootServices there is nobody to send."""
    seen = []
    look = Once("  4/4 ", lambda guest: seen.append(shot(guest, "live")))
    config = "duration=1s window=250ms stages=firmware,bare"
    result = arm(medium=medium("iso"), disk="usb-cd", board="virt-gpu", config=config, ticks=[look])
    assert result.code == 0 and result.config()["duration"] == "1s"
    assert "screen cannot be written to after ExitBootServices" in "".join(result.logs())
    # The first line is painted first: on a busy machine there is no time for more.
    assert seen[0].lines()[0].split()[0] == "noisefloor"


def test_pxe_and_off(arm, collect):
    """The configuration comes from the boot server, records go out after ExitBootServices, by the
    probe's own driver, and ResetSystem switches the machine off."""
    leaving, watched = left("shutdown")
    report = f"report=udp://10.0.2.2:{collect(listen=':0').port}"
    result = arm(boot="pxe", config_path=MAC_FILE, extra=("-device", "virtio-rng-pci"),
                 config=f"{SHORT} {report} then=shutdown max=10s", **watched)
    assert result.code == 0 and result.of_type("end")[0]["verdict"] == "pass"
    size = (result.out / "tftp" / MAC_FILE).stat().st_size
    assert f"tftp 10.0.2.2: {MAC_FILE}: {size} bytes" in result.logs()
    assert re.search(rb"^delivered: \d+ records to udp://", result.serial, re.M)
    assert leaving.seen(result.status) == "power off"


# Cores


def test_a_core_that_is_not_there(arm, quirks_aarch64):
    """One of three cores in the MADT has an address that PSCI refuses. The screen reports it."""
    seen = []
    result = arm(inject=quirks_aarch64, files={"quirks.txt": b"core-missing"}, smp=3,
                 config=f"{SHORT} then=halt",
                 at_end=lambda guest: seen.append(still(guest, "end", OVER)))
    (begin,) = result.of_type("begin")
    assert (begin["cpus"]["found"], begin["cpus"]["started"]) == (3, 2)
    refused = "is refused by PSCI's CPU_ON: error -2; it is left out"
    assert [text for text in result.logs() if text.startswith("cpu 2 ") and refused in text]
    assert [cpu["cpu"] for cpu in result.of_type("cpu")] == [0, 1]
    text = "\n".join(seen[0].lines())
    assert "2 of 3 cores measured" in text and "Neoverse N1" in text
    assert seen[0].large("LONGEST GAP")


# Secure Boot


def test_signed_boots_and_exits(arm, aarch64, medium, arm_key, tmp_path):
    leaving, watched = left("exit")
    files = {esp.BOOT_PATH_AARCH64: arm_key.sign(aarch64, tmp_path / "signed.efi")}
    result = arm(medium=medium("img"), files=files, firmware="aarch64-secure",
                 config=f"{SHORT} stages=firmware then=exit", **watched)
    assert result.code == 0
    assert leaving.seen(result.status) == "to the firmware"


def assert_refused(pattern, volume, out, **wanted):
    machine = machines.Machine(emulator="aarch64", board="virt", firmware="aarch64-secure", smp=1,
                               **wanted)
    with Guest(machine, out, volume) as guest:
        guest.wait_for(pattern, limits.boot(machine))
        assert b'{"nf":' not in guest.serial() and b"noisefloor" not in guest.serial()


def test_unsigned_is_refused(medium, out):
    assert_refused(REFUSED, esp.Medium(medium("img"), {}), out)


@pytest.fixture
def shim():
    """Debian's, which Microsoft has signed."""
    path = machines.BUILD / "aarch64" / "shim" / "usr" / "lib" / "shim" / "shimaa64.efi.signed"
    if not path.exists():
        pytest.skip("shim-signed for arm64 was not fetched")
    return path


@pytest.fixture
def mok_store(owner_key, tmp_path):
    """Variables of a machine with Microsoft's keys in db, as sold, and the owner's in MokList."""
    return enrolled(MICROSOFT, owner_key, tmp_path)


def test_shim_with_mok(arm, aarch64, medium, shim, owner_key, mok_store, tmp_path):
    files = {esp.BOOT_PATH_AARCH64: shim,
             BEHIND_SHIM: owner_key.sign(aarch64, tmp_path / "signed.efi")}
    leaving, watched = left("reset")
    result = arm(medium=medium("img"), files=files, firmware="aarch64-secure", store=mok_store,
                 config=f"{SHORT} stages=firmware then=reset", **watched)
    assert result.code == 0 and leaving.seen(result.status) == "reset"


def test_shim_with_unsigned(aarch64, medium, shim, mok_store, out):
    files = {esp.BOOT_PATH_AARCH64: shim, BEHIND_SHIM: aarch64}
    assert_refused(REFUSED_BY_SHIM, esp.Medium(medium("img"), files), out, store=mok_store)
