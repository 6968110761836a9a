# SPDX-License-Identifier: BSD-2-Clause
"""The probe on many machines, with what each is expected to show."""
import os
import pathlib
import subprocess

import pytest

import esp
import flashvars
import host_clock
import machine as machines
import machine_rows
import machine_seen
import records
import runner
from leaving import Leaving
from marked import marked
from strikes import Strikes

KEYS = "window=250ms threshold=500ns gaps=10"
# Else a machine that is to be reset is started again for the file first.
SAVE = {"serial": "save=none", "file": "save=file", "nvram": "save=nvram"}
# Seconds to measure: more where the host was too busy for the strikes to fall into the first.
DURATIONS = (2, 10, 60)
RUN_SECONDS = 900
FILES = "noisefloor"


def keys_of(row, seconds):
    return f"{KEYS} {SAVE[row.report]} duration={seconds}s {row.config} then={row.then}"


def options_of(row, app, out, medium, keys):
    argv = (*row.machine.get("extra", ()), *machine_rows.tables_of(row, out.parent))
    options = runner.Options(
        app=app,
        out=out,
        machine=machines.Machine(**{**row.machine, "extra": argv}),
        config=keys,
        medium=row.medium and medium(row.medium),
        files=dict(row.files),
        timeout=RUN_SECONDS,
    )
    if row.probe:
        options.files[row.probe] = app
    return options


def harvested(out, tool):
    """Records of the report that the probe left in the firmware's variables."""
    efivars = out / "efivars"
    efivars.mkdir()
    for report in flashvars.ours((out / "vars.fd").read_bytes()):
        path = efivars / f"{report.name}-{report.guid}"
        path.write_bytes(report.attributes.to_bytes(4, "little") + report.data)
    command = [tool, "boot", "fetch", "--efivars", efivars, "-o", out / "saved.jsonl"]
    subprocess.run(command, check=True, capture_output=True)
    return records.join(records.find((out / "saved.jsonl").read_bytes()))


def saved_records(out):
    """Records of the file that the probe left on the medium."""
    image = out / "esp.img"
    names = [name for name in esp.names(image, FILES) if name.endswith(".jsonl")]
    assert len(names) == 1, names
    return records.join(records.find(esp.read(image, f"{FILES}/{names[0]}")))


def records_of(row, result, tool):
    if row.report == "serial":
        assert result.problem is None, result.problem
        return result.records
    assert not result.records, "the serial line has records"
    return harvested(result.out, tool) if row.report == "nvram" else saved_records(result.out)


@pytest.fixture
def measure(app, out, medium, tool):
    """measure(row): its columns, as seen."""

    def measure(row):
        for seconds in DURATIONS if row.events else (1,):
            strikes = Strikes(row.events, machines.Machine(**row.machine).smp)
            leaving = Leaving(row.then)
            options = options_of(row, app, out, medium, keys_of(row, seconds))
            result = runner.run(options, (leaving.connect, strikes), leaving)
            found = records_of(row, result, tool)
            cpus = machine_seen.of_type(found, "cpu")
            if strikes.enough(cpus):
                break
        seen = machine_seen.columns(
            found, (machine_rows.RATE, host_clock.hz()), row.loader, row.options(), row.logs
        )
        return seen | {
            "events": strikes.seen(cpus) or machine_seen.NOTHING,
            "leaving": leaving.seen(result.status),
        }

    return measure


def missing(row):
    """Why the row cannot be run: what it needs was not fetched. Or None."""
    program = machines.EMULATORS[row.machine.get("emulator", "system")].program
    paths = [pathlib.Path(program)] if os.sep in program else []
    paths += [source for source in row.files.values() if isinstance(source, pathlib.Path)]
    for path in paths:
        if not path.exists():
            whys = [folder / "why" for folder in path.parents if (folder / "why").exists()]
            return whys[0].read_text().strip() if whys else f"{path} was not fetched"
    return None


@pytest.mark.parametrize("row", marked(machine_rows.ROWS))
def test_machine(row, measure):
    why = missing(row)
    if why:
        pytest.skip(why)
    assert measure(row) == row.expected()


@pytest.mark.parametrize("row", marked([r for r in machine_rows.ROWS if r.report == "serial"],
                                       ("q35", "max,-hypervisor", "tables of PowerEdge R820")))
def test_survey(row, app, out, medium):
    """A survey is read on any machine, and nothing more."""
    why = missing(row)
    if why:
        pytest.skip(why)
    keys = "mode=survey save=none then=qemu-exit"
    result = runner.run(options_of(row, app, out, medium, keys))
    assert result.problem is None, result.problem
    (end,) = result.of_type("end")
    assert end["verdict"] == "none" and end["reasons"] == []
    assert not [log for log in result.of_type("log") if log["level"] == "error"]
    parts = machine_seen.survey_parts(result.records)
    lines = parts["cpuid", None].decode().splitlines()
    assert lines[0].startswith("00000000 0 ") and all(len(x.split()) in (7, 8) for x in lines)
    listed = parts.get(("acpi", None), b"").decode().splitlines()
    for name, table in row.tables.items():
        assert any(line.startswith(f"{name} {len(table)} ") for line in listed), (name, listed)
    assert {"msr", "evidence", "pci", "memory", "timers"} <= {area for area, name in parts}
