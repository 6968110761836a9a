# SPDX-License-Identifier: BSD-2-Clause
"""Secure Boot on: what is signed boots, by a key in db or by one of shim's, and nothing else."""
import os
import pathlib
import re

import pytest

import esp
import limits
import machine as machines
import varstore
from environment import without_make
from guest import Guest
from signing import command, new_key
from tiers import full_but

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIM = pathlib.Path("/usr/lib/shim/shimx64.efi")
BEHIND_SHIM = "EFI/BOOT/grubx64.efi"
SHORT = "duration=300ms window=100ms live=no gaps=3"
# Messages of a firmware that refuses an image, and then tries its next option.
REFUSED = r"BdsDxe: failed to load Boot[0-9A-F]{4} [^\r\n]*: Access Denied"
REFUSED_BY_SHIM = r"Verification failed: \(0x1A\) Security Violation"


@pytest.fixture(scope="module")
def owner_key(tmp_path_factory):
    """One that the firmware has never heard of."""
    return new_key(tmp_path_factory.mktemp("owner"), "owner")


def enrolled(variables, owner_key, folder):
    """The firmware's variables once shim's MokManager has enrolled the owner's key."""
    der = folder / "owner.der"
    command("openssl", "x509", "-in", owner_key.cert, "-outform", "der", "-out", der)
    flash = bytearray(pathlib.Path(variables).read_bytes())
    varstore.add(flash, "MokList", varstore.SHIM_GUID, varstore.signature_list(der.read_bytes()))
    store = folder / "mok.fd"
    store.write_bytes(flash)
    return str(store)


@pytest.fixture
def mok_store(owner_key, tmp_path):
    return enrolled(machines.FIRMWARE["secure"].variables, owner_key, tmp_path)


@pytest.fixture
def boot(run, medium):
    """Boot the stick with these files in place of its own."""
    return lambda files, store=None, config=SHORT: run(
        medium=medium("img"), files=files, firmware="secure", disk="usb", smp=1, store=store,
        config=config,
    )


@pytest.fixture
def refused(medium, out):
    """Boot these files, and see `pattern` and nothing of the probe."""

    def refused(pattern, files, store=None):
        machine = machines.Machine(firmware="secure", disk="usb", smp=1, store=store)
        files = {esp.CONFIG_PATH: esp.config_text(SHORT), **files}
        with Guest(machine, out, esp.Medium(medium("img"), files)) as guest:
            guest.wait_for(pattern, limits.boot(machine))
            assert b'{"nf":' not in guest.serial() and b"noisefloor" not in guest.serial()

    return refused


# By a key in db


def test_signed_boots(boot, app, db_key, tmp_path):
    result = boot({esp.BOOT_PATH: db_key.sign(app, tmp_path / "signed.efi")})
    assert result.code == 0
    assert result.of_type("end")[0]["verdict"] == "none"


@pytest.mark.full
@pytest.mark.parametrize("key, why", [
    ("serial=0xb2", "serial= is an address of an unsigned configuration"),
    pytest.param("smi=0x55", "smi= is a command of an unsigned configuration",
                 marks=pytest.mark.full),
])
def test_unsigned_configuration_chooses_no_address(boot, app, db_key, tmp_path, key, why):
    """0x3e8 is a PC's serial port, 0xb2 the port that makes an SMI."""
    signed = {esp.BOOT_PATH: db_key.sign(app, tmp_path / "signed.efi")}
    result = boot(signed, config=f"{SHORT} {key}")
    logs = result.logs()
    assert result.code == 2 and not result.of_type("window")
    assert any(why in text for text in logs)


@pytest.mark.full
def test_changed_after_signing_is_refused(refused, app, db_key, tmp_path):
    signed = db_key.sign(app, tmp_path / "signed.efi").read_bytes()
    changed = signed.replace(b"smallest step", b"greatest step")
    assert changed != signed and len(changed) == len(signed)
    refused(REFUSED, {esp.BOOT_PATH: changed})


# Through shim, which db trusts, by a key of the owner's


def behind_shim(image, db_key, tmp_path):
    return {esp.BOOT_PATH: db_key.sign(SHIM, tmp_path / "shim.efi"), BEHIND_SHIM: image}


@pytest.mark.full
def test_shim_with_mok(boot, app, db_key, owner_key, mok_store, tmp_path):
    signed = owner_key.sign(app, tmp_path / "signed.efi")
    result = boot(behind_shim(signed, db_key, tmp_path), mok_store)
    assert result.code == 0


@pytest.mark.full
def test_shim_with_unsigned(refused, app, db_key, mok_store, tmp_path):
    refused(REFUSED_BY_SHIM, behind_shim(app, db_key, tmp_path), mok_store)


@pytest.mark.full
def test_shim_wants_sbat(refused, app, db_key, owner_key, mok_store, tmp_path):
    """Without its section the image is refused: SBAT is checked."""
    data = app.read_bytes()
    assert data.count(b".sbat\0\0\0") == 1
    without = tmp_path / "without.efi"
    without.write_bytes(data.replace(b".sbat\0\0\0", b".none\0\0\0"))
    signed = owner_key.sign(without, tmp_path / "signed.efi")
    refused(REFUSED_BY_SHIM, behind_shim(signed, db_key, tmp_path), mok_store)


# make sign


def make_sign(*words, code=0):
    build = os.path.relpath(machines.BUILD, ROOT)
    arguments = "make", f"BUILD={build}", "sign", *words
    return command(*arguments, code=code, cwd=ROOT, env=without_make())


@pytest.mark.parametrize("aarch64", full_but(["no"], ["no", "yes"]))
@pytest.mark.full
def test_make_sign(app, db_key, owner_key, tmp_path, aarch64):
    """For each processor that the media are for."""
    words = f"CERT={db_key.cert}", f"SIGNED={tmp_path}", f"AARCH64={aarch64}"
    printed = make_sign(f"KEY={db_key.key}", *words)
    signed = sorted(tmp_path.glob("**/*-signed.*"))
    assert [image.name for image in signed] == [
        *["noisefloor-signed.efi"] * (aarch64 == "yes"), "noisefloor-oneway-signed.bzimage",
        "noisefloor-signed.efi"]
    assert len(signed) == printed.count("Signature verification OK")
    for image in signed:
        command("sbverify", "--cert", db_key.cert, image)
        command("sbverify", "--cert", owner_key.cert, image, code=1)
    assert re.search(r"make sign KEY=", make_sign(f"KEY={db_key.key}", code=2))
    assert re.search(r"make sign KEY=", make_sign(code=2))


def test_make_image_signs_what_is_on_it(db_key):
    """Only named: the media of other tests stay as they are."""
    words = f"KEY={db_key.key}", f"CERT={db_key.cert}", "AARCH64=yes"
    printed = command("make", "-n", "image", *words, cwd=ROOT, env=without_make())
    assert re.search(r"medium.sh \S+\.iso .*BOOTX64.EFI=build/noisefloor-signed.efi "
                     r"BOOTAA64.EFI=build/aarch64/noisefloor-signed.efi\n", printed)
