# SPDX-License-Identifier: BSD-2-Clause
"""The probe in Bochs: each of its machines, and the same twice."""
import os
import re
import subprocess

import pytest

import bochs
import esp
import machine_rows
import machine_seen
from marked import marked

KEYS = "duration=1s window=500ms save=none gaps=all"
RATE = ("100 MHz", bochs.IPS)
PERIOD = 100 * 10**6  # ns, of the SMIs that the spare core sends
LEAST = 6  # least number in the seconds measured


def files_of(row, app, config):
    files = {esp.CONFIG_PATH: esp.config_text(config)}
    if row.machine["quirks"] is None:
        return files | {esp.BOOT_PATH: app}
    return files | {
        esp.BOOT_PATH: machine_rows.QUIRKS, "noisefloor.efi": app,
        "quirks.txt": row.machine["quirks"].encode(),
    }


def events_of(found):
    """The causes of all gaps, with their period where they have one."""
    gaps = machine_seen.of_type(found, "gap")
    if not gaps:
        return machine_seen.NOTHING
    causes = ", ".join(sorted({gap["cause"] for gap in gaps}))
    starts = sorted(gap["t_ns"] for gap in gaps)
    steps = [(b - a) / PERIOD for a, b in zip(starts, starts[1:])]
    # One that fell between two windows is missing.
    periodic = all(0.98 < step / max(round(step), 1) < 1.02 for step in steps)
    if periodic and len(steps) >= LEAST:
        return f"{causes} each 100 ms"
    return f"{causes} at {starts} ns"


@pytest.fixture
def boot(app, out):
    def boot(row, folder="run", keys=None):
        why = bochs.why_not()
        if why:
            pytest.skip(why)
        config = f"{keys or f'{KEYS} {row.config}'} then={row.then}"
        return bochs.run(
            out / folder, files_of(row, app, config), row.machine["model"],
            row.machine["cores"], row.machine["msrs"], row.then,
        )

    return boot


def columns(row, ended):
    seen = machine_seen.columns(ended.records, RATE, wanted_logs=row.logs)
    return seen | {"events": events_of(ended.records), "leaving": ended.leaving}


@pytest.mark.parametrize("row", marked(machine_rows.BOCHS))
def test_machine(row, boot):
    """The first one twice: the same."""
    ended = boot(row)
    assert columns(row, ended) == row.expected()
    if row is machine_rows.BOCHS[0]:
        first, second = (bochs.without_identity(e.records) for e in (ended, boot(row, "again")))
        assert first == second


@pytest.mark.parametrize("row", marked(machine_rows.BOCHS))
def test_survey(row, boot, tool):
    """A processor refuses missing registers: each fault is a reading, on each core."""
    ended = boot(row, keys="mode=survey save=none")
    found = ended.records
    (end,) = machine_seen.of_type(found, "end")
    assert end["verdict"] == "none" and end["reasons"] == []
    assert not [log for log in machine_seen.of_type(found, "log") if log["level"] == "error"]
    parts = machine_seen.survey_parts(found)
    registers = dict(line.split()[:2] for line in parts["msr", None].decode().splitlines())
    assert int(registers["1b"], 16) & 0x800, "the local APIC is on"
    intel = row.machine["model"].startswith("corei7")
    # The model's own, and what no model of Bochs has.
    assert (registers["1fc"] if intel else registers["c0010015"]) == "fault"
    cores = {line.split()[6] for line in parts["cpuid", None].decode().splitlines()}
    assert cores == {"0-1" if row.cores.startswith("2 of 2") else "0"}
    # Nothing is ready whose register faults.
    shown = subprocess.run([tool, "show", ended.out / "serial.log"], capture_output=True, text=True,
                           check=True).stdout
    for setting in ("package-c-state-limit", "c1e"):
        assert re.search(rf"^{setting} +n/a +rhel-rt +unknown", shown, re.MULTILINE)


# Services that quirks.efi hooks. Bochs' time is exact for each core.
OWN = "get_time takes up to {} on its own core only, confine it: no other was seen to be stopped"
NEVER = "port_80 takes up to {} on its own core: no other was seen to be stopped"
CORES = 3  # the fewest with which a call can stop some of the others, but not all
HOOKED = b"tables another-core another-core hooked-services"
EVERY = f"query_variables stops all {CORES} cores, "
SOME = f"query_capsule stops 1 of {CORES - 1} other cores, "
SERVICES = ("mode=services stages=handoff services=get_time,query_variables,query_capsule,port_80 "
            "service_calls=30 selftest=no save=none")
HOOKED_NS = 50_000
SEEDS = int(os.environ.get("BOCHS_SEEDS", 1))


def sentences(records, tool):
    shown = subprocess.run([tool, "show", records], capture_output=True, text=True, check=True)
    return [line for line in shown.stdout.splitlines() if re.match(r"\w+ (stops|takes) ", line)]


@pytest.mark.full
@pytest.mark.long
@pytest.mark.parametrize("seed", range(SEEDS))
def test_services(seed, app, tool, out):
    """Calls stop no core, all others, or one of them, as planned."""
    why = bochs.why_not()
    if why:
        pytest.skip(why)
    # The lot is drawn of the TSC, which a longer file moves on.
    files = {
        esp.CONFIG_PATH: esp.config_text(f"{SERVICES} then=shutdown") + b"#" * seed + b"\n",
        esp.BOOT_PATH: machine_rows.QUIRKS, "noisefloor.efi": app, "quirks.txt": HOOKED,
    }
    ended = bochs.run(out / "run", files, "corei7_haswell_4770", CORES,
                      (machine_rows.PLATFORM_ID, machine_rows.BIOS_SIGN_ID))
    of = {r["service"]: r for r in machine_seen.of_type(ended.records, "service")}
    assert all(r["calls"] == 30 and not r["failed"] and r["others"] == CORES - 1
               for r in of.values())
    assert HOOKED_NS <= of["get_time"]["min_ns"] <= of["get_time"]["max_ns"] < HOOKED_NS + 1000
    stopped = [of[name]["stopped"] for name in
               ("get_time", "query_variables", "query_capsule", "port_80")]
    assert stopped == [0, CORES - 1, 1, 0]
    assert of["query_variables"]["overlaps"] == of["query_capsule"]["overlaps"] == 30
    own, every, some, never = sentences(ended.out / "serial.log", tool)
    assert re.match(OWN.format(r"\S+ us"), own)
    assert every.startswith(EVERY) and some.startswith(SOME)
    assert re.match(NEVER.format(r"\S+ [nu]s"), never)
