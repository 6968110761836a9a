# SPDX-License-Identifier: BSD-2-Clause
"""Results that survive: in files while boot services live, by way of the firmware's variables
after that, whatever the power does. The machine's flash and disk are kept from start to start.
"""
import html.parser
import random

import esp
import flashvars
import machine as machines
import pytest
from guest import Guest
from saving import (BEGIN, FOLDER, Cuts, check_clean, check_totals, files_on, of_type, one_file,
                    shown, whole)

LEAVE_SECONDS = 240  # a reset and a second start are between the end record and the end
SAVED_GAPS = 20
SHORT = "duration=300ms window=100ms"
GAPS = 1000  # at most, where a busy host would fill the volume


@pytest.fixture
def app(variant):
    """A host so busy that the loop's own interval exceeds 1 us is none of what is tested here."""
    return variant("any-threshold")


def longest(found, count):
    """The longest of each stage: their lengths, falling."""
    lengths = {}
    for record in found:
        lengths.setdefault(record["stage"], []).append(record["len_ns"])
    return {stage: sorted(ns, reverse=True)[:count] for stage, ns in lengths.items()}


def check_same(saved, printed):
    """A report in the variables has what the serial line has, but the shorter gaps and events."""
    for name in ("begin", "stage", "window", "cpu", "source", "pause"):
        assert of_type(saved, name) == of_type(printed, name), name
    for name in ("gap", "event"):
        mine, all_of_them = of_type(saved, name), of_type(printed, name)
        assert all(record in all_of_them for record in mine)
        assert longest(mine, SAVED_GAPS) == longest(all_of_them, SAVED_GAPS), name
    ends = ("records", "gaps_unsent", "events_unsent")
    assert of_type(saved, "end", *ends) == of_type(printed, "end", *ends)
    assert of_type(saved, "log") == of_type(printed, "log")
    unsent = {record["type"]: record for record in saved}["end"]["gaps_unsent"]
    gaps = sum(record["gaps"] for record in of_type(printed, "cpu"))
    assert unsent + len(of_type(saved, "gap")) == gaps


class Page(html.parser.HTMLParser):
    def __init__(self, data):
        super().__init__()
        self.texts = {}
        self.tag = None
        self.feed(data.decode("ascii"))

    def handle_starttag(self, tag, attrs):
        self.tag = tag

    def handle_data(self, data):
        self.texts[self.tag] = self.texts.get(self.tag, "") + data


def test_the_file_equals_the_serial_line(run, tool, out):
    config = f"{SHORT} stages=bare,handoff save=file"
    result = run(config=config, resets=True, leave_seconds=LEAVE_SECONDS)
    data = one_file(out / "esp.img")
    saved = whole(data)
    printed = result.records
    assert [r["type"] for r in printed].count("begin") == 1
    check_same(saved, printed)
    check_totals(saved)

    path = out / "saved.jsonl"
    path.write_bytes(data)
    code, text, complaints = shown(tool, path)
    assert (code, complaints) == (0, "")
    serial = (out / "serial.log").read_text(errors="replace").replace("\r\n", "\n")
    first, second = serial.split("restarting to write the file", 1)
    # The ladder is the host's alone.
    tables, ladder = text.split("ladder:")
    rows = [line for line in tables.split("\n") if "n/a" in line]
    rows += [line for line in ladder.split("\n") if "verdict" in line]
    assert len(rows) > 1
    for row in rows:
        assert row in second.split("\n")
    assert "harvest: the variable is removed" in second
    page = Page(one_file(out / "esp.img", ".html"))
    assert page.texts["h1"].strip() == "verdict: none"
    for row in text[text.index("stage handoff") :].split("\n"):
        if row.startswith("all") or row.startswith("  0 "):
            assert row in page.texts["pre"]

    store = (out / "vars.fd").read_bytes()
    check_clean(store)
    assert flashvars.writes(store) == 3
    assert "writes to its store in this run: 2;" in first


@pytest.mark.full
def test_stage_firmware_writes_its_file_as_it_goes(run, tool, out):
    result = run(config=f"{SHORT} stages=firmware gaps={GAPS}")
    saved = whole(one_file(out / "esp.img"))
    printed = result.records
    for name in ("begin", "stage", "window", "gap", "cpu", "event", "source", "log"):
        assert sorted(map(str, of_type(saved, name))) == sorted(map(str, of_type(printed, name)))
    assert of_type(saved, "end") == of_type(printed, "end")
    check_totals(saved)
    assert Page(one_file(out / "esp.img", ".html")).texts["h1"].strip() == "verdict: none"
    assert flashvars.ours((out / "vars.fd").read_bytes()) == []


def start(app, out, config, **machine):
    files = {esp.CONFIG_PATH: esp.config_text(config), esp.BOOT_PATH: app}
    return Guest(machines.Machine(resets=True, **machine), out, files)


def to_the_end(guest, seconds=300):
    """Until the guest leaves by debug-exit. What it printed."""
    with guest:
        guest.wait_exit(seconds)
        return guest.serial()


@pytest.mark.full
def test_a_stick_of_a_bmc_may_be_memory(quirks, app, out):
    """No file is written to it: the report stays in the variables, and the machine is not
    restarted, which is tested in tests/unit/whole/test_volatile.c."""
    files = {"quirks.txt": b"virtual-stick", "noisefloor.efi": app, esp.BOOT_PATH: quirks,
             esp.CONFIG_PATH: esp.config_text("duration=200ms window=100ms save=file")}
    machine = machines.Machine(resets=True, smp=1, disk="usb")
    first = to_the_end(Guest(machine, out, files))
    second = to_the_end(Guest(machine, out, None))
    assert len(BEGIN.findall(first)) == 1 and not BEGIN.findall(second)
    assert b"save: the volume may be memory, which a reset loses" in first
    assert b"harvest: no file: the volume may be memory" in second
    assert b"harvest: the variable stays" in second


STEPS = (b"verdict: none", b"restarting", b"harvest: the report", b"harvest: saved as",
         b"harvest: the variable is removed")


def check_cut(guest, tool):
    """When the power is back, all ends well by itself."""
    text = to_the_end(guest)
    assert len(BEGIN.findall(text)) <= 1
    check_clean((guest.out / "vars.fd").read_bytes())
    names = files_on(guest.out / "esp.img")
    runs = [name for name in names if name.endswith(".jsonl")]
    assert runs and all(name.endswith((".jsonl", ".html")) for name in names)
    for name in runs:
        path = guest.out / "saved.jsonl"
        path.write_bytes(esp.read(guest.out / "esp.img", f"{FOLDER}/{name}"))
        check_totals(whole(path.read_bytes()))
        assert shown(tool, path)[0] == 0


@pytest.mark.full
def test_power_cut_at_any_moment(app, tool, out, figure):
    """Behind a step that writes, and at one of the moments between; tests/unit/whole has each."""
    guest = start(app, out, f"{SHORT} save=file", smp=1)
    with guest:
        cuts = Cuts(guest)
        cuts.take_all(STEPS)
        guest.wait_exit(60)
        assert STEPS[-1] in guest.serial()
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")  # for whoever sees it fail
    between = sorted(set(cuts.folders.values()) - set(cuts.steps.values()))
    chosen = [random.Random(seed).choice(some)
              for some in (between, list(cuts.steps.values())[1:4])]
    figure(f"power cut at 2 of {len(cuts.folders)} moments that differ, seed {seed}")
    for folder in chosen:
        check_cut(Guest(guest.machine, folder, None), tool)
