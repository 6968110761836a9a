# SPDX-License-Identifier: BSD-2-Clause
"""kexec from a Linux that Secure Boot has locked down: Debian's kernel, signed by a key in db, and
images that it verifies by the same key."""
import pathlib
import struct

import debian_kernel
import machine as machines
import pytest
import varstore
from guest import Guest
from records import find, join
from signing import new_key

INIT = pathlib.Path(__file__).with_name("lockdown.init")
SECONDS = 900
ENTRY, ACTIVE = 0x4E46, 1
FILE_NODE, END_NODE = 0x0404, 0xFF7F
ATTRIBUTES = varstore.NON_VOLATILE | varstore.BOOT_SERVICE | varstore.RUNTIME


def text(words):
    return (words + "\0").encode("utf-16-le")


def booting(path, options, store):
    """A copy of the firmware's variables that has this file started once, with these options."""
    path = text(path)
    path = struct.pack("<HH", FILE_NODE, 4 + len(path)) + path + struct.pack("<HH", END_NODE, 4)
    option = struct.pack("<IH", ACTIVE, len(path)) + text("Linux") + path + text(options)
    flash = bytearray(pathlib.Path(machines.FIRMWARE["secure"].variables).read_bytes())
    for name, value in ((f"Boot{ENTRY:04X}", option), ("BootNext", struct.pack("<H", ENTRY))):
        varstore.add(flash, name, varstore.GLOBAL_GUID, value, attributes=ATTRIBUTES)
    store.write_bytes(flash)
    return str(store)


def changed(signed):
    """One bit of what the signature covers."""
    image = bytearray(signed.read_bytes())
    image[len(image) // 2] ^= 1
    return bytes(image)


@pytest.mark.full
def test_only_a_signed_image_is_loaded(bzimage, static_tool, db_key, out, tmp_path):
    """There is no way back: the run ends by a reset."""
    linux = debian_kernel.fetched("busybox", "cpio", "kexec")
    one_way = bzimage.with_stem("noisefloor-oneway")
    out.mkdir()
    signed = db_key.sign(one_way, tmp_path / "signed")
    files = {
        **debian_kernel.disk(linux, out, INIT, {"noisefloor": static_tool}),
        "vmlinuz.efi": db_key.sign(linux / "vmlinuz", tmp_path / "vmlinuz"),
        "signed.bzimage": signed,
        "unsigned.bzimage": one_way,
        "changed.bzimage": changed(signed),
        "stranger.bzimage": new_key(tmp_path, "stranger").sign(one_way, tmp_path / "strangers"),
    }
    store = booting("\\vmlinuz.efi", debian_kernel.OPTIONS, tmp_path / "vars.fd")
    machine = machines.Machine(firmware="secure", memory="2G", store=store)
    with Guest(machine, out, files) as guest:
        assert guest.wait_exit(SECONDS) == 0
        serial = guest.serial()
    steps = {name: found[-1] for name, found in debian_kernel.steps_of(serial).items()}
    codes = {name: code for name, (_, code) in steps.items()}
    assert codes.pop("by-linux") != 0
    assert codes == {"locked": 0, "back": 2, "unsigned": 2, "changed": 2, "stranger": 2,
                     "signed": 0}, serial.decode(errors="replace")[-6000:]
    assert "[integrity]" in steps["locked"][0]
    assert "--one-way ends the run by a reset" in steps["back"][0]
    assert "/boot/unsigned.bzimage has no signature" in steps["unsigned"][0]
    for name in ("changed", "stranger"):
        assert "kexec failed" in steps[name][0]

    debian_kernel.assert_measured(join(find(serial)), 2)
