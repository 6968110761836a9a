# SPDX-License-Identifier: BSD-2-Clause
"""set_variable of mode=services writes to flash memory: nothing but its own variable, within the
room there is, and whatever the power does meanwhile."""
import pathlib
import random
import uuid

import flashlog
import flashvars
import machine as machines
import pytest
import varstore

NAME = "NoisefloorService"
QUIET = "mode=services selftest=no save=none live=no stages=handoff"
WRITES = 10
STARTS = 1  # moments of a power cut that are tried, of all there are
RUNTIME = varstore.NON_VOLATILE | varstore.BOOT_SERVICE | varstore.RUNTIME
KEPT = 4  # one part in so many of a store stays free: core/keep/saved_run.c
REFUSED = "there is no room for a variable, or it is not known"
FILLER = 8000  # bytes of a variable
FILLER_GUID = uuid.UUID("6e6f6973-6566-4c6f-8f72-000000000002")
FOR_SOME = 12000  # bytes: for what the firmware writes as it starts, and ten writes, and no hundred
CHANGES = {"MTC"}  # the firmware's count of its starts


def service(run, store, config="", **machine):
    """A run that writes the variable, or does not."""
    result = run(config=f"{QUIET} services=set_variable {config}", smp=1, store=str(store),
                 **machine)
    (record,) = result.of_type("service")
    return result, record


def own(image):
    return [v for v in flashvars.variables(image) if v.name == NAME]


def there(image):
    """All others, as the firmware has them at its next start."""
    found = [v for v in flashvars.variables(image) if v.name not in (NAME, *CHANGES)]
    return {(v.guid, v.name): (v.attributes, v.data) for v in found if v.is_there}


@pytest.fixture
def logged(monkeypatch):
    """Machines that log what is written to their flash."""
    monkeypatch.setattr(machines, "Machine", flashlog.Machine)


def is_behind(now, at, offset, data):
    """Whether a write is behind the last variable, which ends at `at`."""
    behind = max(at, offset)
    return (data[behind - offset :] != now[behind : offset + len(data)]
            and flashvars.variables(bytes(now))[-1].end == at)


def own_moments(out, store):
    """Contents of the flash when the first of our writes began, and after each of those, to the end
    of the run; and the log's end in each."""
    final = (out / "vars.fd").read_bytes()
    at = own(final)[0].at
    now, before, found = bytearray(pathlib.Path(store).read_bytes()), None, []
    for offset, data in flashlog.changes(now, (out / flashlog.NAME).read_bytes()):
        if before is None and is_behind(now, at, offset, data):
            before = bytes(now)
        if before is not None:
            found.append(flashlog.changed(now, offset, data))
    assert found[-1] == final
    return before, at, found


def check_again(run, store, before, **machine):
    """A run after the power is back: as the first, and what was there is. Returns what it left."""
    result, record = service(run, store, **machine)
    assert record["calls"] == WRITES and not record["failed"] and record["why"] is None, record
    after = (result.out / "vars.fd").read_bytes()
    assert there(after) == there(before)
    assert not any(v.is_there for v in own(after))
    return after


@pytest.mark.full
def test_what_another_run_has_left_is_deleted(run, out):
    """Its value is the first that would be written: as it is, the firmware would not write it."""
    image = bytearray(pathlib.Path(machines.Machine().variables).read_bytes())
    varstore.add(image, NAME, flashvars.REPORT_GUID, (1).to_bytes(8, "little"), attributes=RUNTIME)
    store = out.with_name("left.fd")
    store.write_bytes(image)
    values = [v.data[0] for v in own(check_again(run, store, bytes(image)))]
    assert values == [1, *range(1, WRITES + 1)]


def check_moments(before, at, images):
    """Only bytes after the log's old end change. They all belong to our own variable, and none of
    its values is valid at the end."""
    after = own(images[-1])
    assert len(after) == WRITES and not any(v.is_there for v in after)
    assert [int.from_bytes(v.data, "little") for v in after] == list(range(1, WRITES + 1))
    for image in images:
        assert image[:at] == before[:at] and image[after[-1].end :] == before[after[-1].end :]
    assert there(images[-1]) == there(before)
    return after[-1].end - at


@pytest.mark.full
def test_power_cut_at_any_moment(run, out, figure, logged):
    """All other bytes of the store are unchanged at each write to the flash. Whatever was half
    written, the next start finds the others' variables, and the next run deletes ours."""
    store = machines.Machine().variables
    _, record = service(run, store, out=out)
    assert record["calls"] == WRITES and not record["failed"] and record["why"] is None, record
    before, at, images = own_moments(out, store)
    used = check_moments(before, at, images)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")  # for whoever sees it fail
    for n, image in enumerate(random.Random(seed).sample(images, STARTS)):
        store = out.with_name(f"cut{n}.fd")
        store.write_bytes(image)
        check_again(run, store, before, out=out.with_name(f"again{n}"))
    figure(f"set_variable: {len(images)} writes to flash memory for {WRITES} values, "
           f"{used} bytes of log, and no other byte changed; power cut at {STARTS} of these "
           f"moments, seed {seed}")


def filled(out, left):
    """A store in whose log so many bytes are left."""
    image = bytearray(pathlib.Path(machines.Machine().variables).read_bytes())
    while varstore.free(image) > left + FILLER:
        varstore.add(image, f"Filler{varstore.free(image)}", FILLER_GUID, bytes(FILLER))
    varstore.add(image, "Filler", FILLER_GUID, bytes(varstore.free(image) - left))
    path = out.with_name("filled.fd")
    path.write_bytes(image)
    return path


@pytest.mark.full
@pytest.mark.parametrize("spare,writes,refused", [
    (-FILLER, WRITES, True), (FOR_SOME, 100, True), (FOR_SOME, WRITES, False),
])
def test_no_write_without_room_for_all(run, out, spare, writes, refused):
    """The store's reserve is not written to, nor any variable if there is no room for all."""
    size = flashvars.size(pathlib.Path(machines.Machine().variables).read_bytes())
    store = filled(out, size // KEPT + spare)
    result, record = service(run, store, f"service_writes={writes}")
    (end,) = result.of_type("end")
    left = own((out / "vars.fd").read_bytes())
    assert len(left) == (0 if refused else writes) and not any(v.is_there for v in left)
    assert record["calls"] == (0 if refused else writes)
    assert record["why"] == (REFUSED if refused else None)
    assert end["verdict"] == ("incomplete" if refused else "none")
    assert (b"NoisefloorService is written" in result.serial) == (not refused)
