# SPDX-License-Identifier: BSD-2-Clause
"""Results of a probe that runs from where a reset loses everything: they stay in the firmware's
variables until they are on something that lasts."""
import esp
import machine as machines
import pytest
import records
from guest import Guest
from saving import (BEGIN, check_clean, check_totals, files_on, harvested, of_type, one_file,
                    whole)

SHORT = "duration=300ms window=100ms"
ISO = "noisefloor.iso"
WHERE = b"fetched by `noisefloor boot fetch --delete` under Linux"
STAYS = b"harvest: the variables stay"


@pytest.fixture
def app(variant):
    """A host so busy that the loop's own interval exceeds 1 us is none of what is tested here."""
    return variant("any-threshold")


def by_http(medium, out, config):
    """A machine that boots the ISO by HTTP, with this configuration beside it, again and again."""
    machine = machines.Machine(boot="http", boot_file=ISO, resets=True)
    return Guest(machine, out, {ISO: medium("iso"), esp.CONFIG_PATH: esp.config_text(config)})


def fetch_by_stick(app, flash, out):
    """The machine with this flash starts from a stick, which harvests. Its records."""
    files = {esp.CONFIG_PATH: esp.config_text(SHORT), esp.BOOT_PATH: app}
    machine = machines.Machine(resets=True, store=str(flash))
    with Guest(machine, out, files) as guest:
        guest.wait_exit(300)
        text = guest.serial()
    assert b"harvest: the variables are removed" in text and not BEGIN.findall(text)
    check_clean((out / "vars.fd").read_bytes())
    return whole(one_file(out / "esp.img"))


def check_run(saved, printed):
    check_totals(saved)
    assert of_type(saved, "cpu") == of_type(printed, "cpu")


@pytest.mark.full
def test_an_iso_by_http_leaves_its_report_in_the_variables(app, medium, tool, out, tmp_path):
    """Its RAM disk takes a file, and the next start downloads another."""
    with by_http(medium, out, f"{SHORT} then=reset") as guest:
        guest.wait_for(b"they outlive a reset", 300)
        guest.wait_for(STAYS, 300)
        text = guest.serial()
    assert len(BEGIN.findall(text)) == 1
    assert b"harvest: saved as" not in text and b"the variables are removed" not in text
    assert b"save: it is on a RAM disk, which the next reset loses" in text
    assert text.count(WHERE) == 2
    flash = out / "vars.fd"
    printed = records.join(records.find(text))
    check_run(harvested(tool, flash.read_bytes(), tmp_path / "efivars"), printed)
    check_run(fetch_by_stick(app, flash, tmp_path / "stick"), printed)


# Disks that may be memory


def quirky(quirks, app, out, quirk, **machine):
    files = {
        "quirks.txt": quirk.encode(), "noisefloor.efi": app, esp.BOOT_PATH: quirks,
        esp.CONFIG_PATH: esp.config_text(f"{SHORT} save=file"),
    }
    return Guest(machines.Machine(resets=True, **machine), out, files)


def run_again(guest, times):
    """What each of so many starts printed."""
    texts = []
    for n in range(times):
        with guest if not n else Guest(guest.machine, guest.out, None) as started:
            started.wait_exit(300)
            texts.append(started.serial())
    return texts


@pytest.mark.full
def test_a_boot_loaders_disk_in_memory(quirks, app, tool, out, tmp_path):
    """As Ventoy's memdisk: the file is written at each start, and gone at the next."""
    first, *later = run_again(quirky(quirks, app, out, "memory-disk"), 3)
    printed = records.join(records.find(first))
    for text in later:
        assert b"harvest: saved as" in text and not BEGIN.findall(text)
        assert b"the variables stay until the file has outlived a reset" in text
        assert b"the variables are removed" not in text
    assert files_on(out / "esp.img") == []
    check_run(harvested(tool, (out / "vars.fd").read_bytes(), tmp_path / "efivars"), printed)


@pytest.mark.full
def test_a_disk_that_may_be_memory_and_is_not(quirks, app, out):
    """A BMC's virtual stick keeps the file: the next start finds it, deletes the variables, and
    measures."""
    first, second, third = run_again(quirky(quirks, app, out, "virtual-stick", disk="usb"), 3)
    assert b"harvest: saved as" in second and not BEGIN.findall(second)
    assert b"the variables stay until the file has outlived a reset" in second
    assert b".jsonl has outlived a reset" in third and b"the variables are removed" in third
    assert len(BEGIN.findall(third)) == 1
    names = [name for name in files_on(out / "esp.img") if name.endswith(".jsonl")]
    found = [whole(esp.read(out / "esp.img", f"noisefloor/{name}")) for name in names]
    assert len(found) == 1
    check_run(found[0], records.join(records.find(first)))
