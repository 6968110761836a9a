# SPDX-License-Identifier: BSD-2-Clause
"""mode=services: whom calls of firmware stop, with OVMF's variables in SMM and without."""
import re

import pytest

from ran import ran
from tiers import full

SPIN_TICKS = 200000  # ticks in tests/quirks/services.c
CLIMB_TICKS, CLIMB_STEPS = 5000, 100  # ticks in tests/quirks/services.c
BRIEF_GUARD_SECONDS = 3  # tests/variants/brief_guard.c
STAYS_SECONDS = 1  # without any further output
SHIFT = 2  # 4 ns per instruction: firmware's waits, most of its start, are a quarter as long
# A call that does nothing has some dozen instructions, a turn of its loop as well.
CALL_TICKS = 100 << SHIFT
QUIET = "selftest=no save=none live=no"
RUNTIME = ("get_time,get_variable_absent,get_variable_small,get_variable_large,next_variable,"
           "query_variables,query_capsule")
DEVICES = "rtc,keyboard,pm_timer,hpet,pci_cf8,pci_ecam,port_80"


def services(run, config, **machine):
    result = run(config=f"mode=services {QUIET} {config}", **machine)
    assert result.problem is None, result.problem
    return result, {r["service"]: r for r in result.of_type("service")}


@pytest.mark.parametrize("stage", [full("firmware"), "handoff"])
def test_all_that_is_harmless(run, stage):
    """Each is called, or there is a reason; and nothing is written."""
    result, of = services(run, f"stages={stage} service_calls=30", smp=2)
    assert {*RUNTIME.split(","), *DEVICES.split(",")} < set(of)
    for service in RUNTIME.split(",") + DEVICES.split(","):
        assert of[service]["calls"] == 30 and of[service]["why"] is None, of[service]
        assert of[service]["others"] == 1 and of[service]["controls"] >= 30
        assert 0 < of[service]["p50_ns"] <= of[service]["p99_ns"] <= of[service]["max_ns"]
    for service in ("psci_version", "smccc_version", "trng"):
        assert not of[service]["calls"] and of[service]["why"]
    failing = {service for service, r in of.items() if r["failed"]}
    assert failing <= {"query_capsule"}
    assert "set_variable" not in of and "smi" not in of
    assert b"NoisefloorService" not in result.serial


@pytest.mark.full
def test_variables_in_smm_bring_smis(run):
    """Each call is a real SMI, which is broadcast. Under TCG the other core's thread may wait for a
    processor of the host just then, and take its SMI when the call is over: that it is stopped
    counts in many calls, and is judged in test_services_run.c, where time is exact."""
    config = ("stages=handoff service_calls=30 service_writes=2 smi=0x42 "
              "services=get_variable_small,set_variable,pm_timer")
    _, of = services(run, config, smp=2, firmware="smm")
    for service in ("get_variable_small", "set_variable", "smi"):
        r = of[service]
        assert r["calls"] == (2 if service == "set_variable" else 30) and not r["failed"], r
        assert r["smi"] >= r["calls"] and not r["smi_quiet"], r
    assert of["get_variable_small"]["smi_others"] and of["smi"]["smi_others"]
    assert of["pm_timer"]["smi"] == 0


MARK = re.compile(r"serial_write write addr 0x07 val 0x(\w\w)")
TRACED = "int,trace:serial_write,trace:apm_io_write"


def marked_calls(log):
    """QEMU's log of SMM in each marked call, in their order: its letter, writes to port B2h, SMIs.
    And the same for the time between calls."""
    calls, between = [], []
    now = ["", 0, 0]
    for line in log.read_text(errors="replace").splitlines():
        mark = MARK.match(line)
        if mark:
            letter = chr(int(mark[1], 16)).strip("\0")
            now = [letter, 0, 0]
            (calls if letter else between).append(now)
        now[1] += line.startswith("apm_io_write write addr=0x0 ")
        now[2] += line.startswith("SMM: enter")
    return calls, between


@pytest.mark.exact
@pytest.mark.full
def test_smis_and_lengths_are_exact(run, quirks, out, figure):
    """One core under icount, where an instruction is four ticks: MSR 34h, which the record has,
    counts the SMIs that QEMU logs, call by call; and of a service that takes 100 different times,
    each once, the record has the median, the 99th and the last."""
    config = "stages=handoff service_calls=100 services=get_time,get_variable_small,set_variable"
    out.mkdir()
    log = out / "qemu-int.log"
    _, of = services(run, config, icount=SHIFT, firmware="smm", inject=quirks,
                     files={"quirks.txt": b"marked-variables get-time-climbs"},
                     extra=("-D", str(log), "-d", TRACED))
    calls, between = marked_calls(log)
    read, written = of["get_variable_small"], of["set_variable"]
    assert (read["calls"], written["calls"]) == (100, 10)
    # Ten writes between two deletions; what has looked for the smallest variable is before all
    # that, and between the two services the store was asked for its room.
    assert calls[-112:] == [["G", 1, 1]] * 100 + [["S", 1, 1]] * 12
    quiet = between[-112:]
    assert [b for i, b in enumerate(quiet) if i != 99] == [["", 0, 0]] * 111
    for r in (read, written):
        assert (r["smi"], r["smi_quiet"]) == (r["calls"], 0), r
    for percent, name in ((1, "min_ns"), (50, "p50_ns"), (99, "p99_ns"), (100, "max_ns")):
        more = of["get_time"][name] - CLIMB_TICKS * CLIMB_STEPS * percent // 100
        assert 0 <= more < CALL_TICKS, (name, of["get_time"][name])
    figure("services: of 110 calls of variable services each has one SMI by QEMU's log; a call "
           f"that takes {CLIMB_TICKS * CLIMB_STEPS} ticks is of {of['get_time']['max_ns']}")


@pytest.mark.full
def test_variables_without_smm_bring_no_smi(run):
    """The same calls, and nothing is counted."""
    result, of = services(run, "stages=handoff service_calls=40 "
                          "services=get_variable_small,set_variable", smp=2)
    assert not [r for r in of.values() if r["smi"] or r["smi_others"]]
    assert of["set_variable"]["calls"] == 10 and not of["set_variable"]["failed"]
    assert b"NoisefloorService is written 10 times" in result.serial


@pytest.mark.full
def test_a_service_that_spins_takes_time(run, quirks, tool, tmp_path):
    result, of = services(run, "stages=handoff services=get_time,rtc service_max=1ns", smp=2,
                          inject=quirks, files={"quirks.txt": b"get-time-spins"})
    (begin,), (end,) = result.of_type("begin"), result.of_type("end")
    ticks = of["get_time"]["p50_ns"] * begin["clock"]["hz"] / 1e9
    assert ticks > SPIN_TICKS * 0.999
    assert not of["get_time"]["smi"]
    assert end["verdict"] == "fail" and end["reasons"][0].startswith("service_max: longest call ")
    capture = tmp_path / "serial.log"
    capture.write_bytes(result.serial)
    for form, expected in (("text", "get_time takes up to "), ("junit", "service get_time"),
                           ("jsonl", '"service":"get_time"'), ("influx", "service=get_time")):
        done = ran(tool, "show", "--format", form, capture)
        assert expected in done.stdout, (form, done.stderr)


@pytest.mark.full
def test_an_exception_ends_the_service_and_no_more(run, quirks):
    """No further runtime service is called after it: its state is not known."""
    result, of = services(run, "stages=handoff services=query_capsule,set_variable,rtc", smp=2,
                          inject=quirks, files={"quirks.txt": b"query-capsule-faults"})
    r = of["query_capsule"]
    assert r["calls"] == r["failed"] == 1 and "an exception (invalid opcode), at 0x" in r["why"], r
    assert not of["set_variable"]["calls"]
    assert of["set_variable"]["why"].startswith("an exception ended an earlier call")
    assert of["rtc"]["calls"] == 100 and of["rtc"]["why"] is None
    (end,) = result.of_type("end")
    assert end["verdict"] == "incomplete" and len(end["reasons"]) == 2


@pytest.fixture
def lost_call(run, quirks, variant):
    """lost_call(keys): what is seen of a call that does not return. It is reported after a minute,
    by this test build after some seconds."""

    def lost_call(keys, **how):
        config = f"mode=services {QUIET} services=get_time,query_capsule {keys}"
        result = run(app=variant("brief-guard"), config=config, smp=2, inject=quirks,
                     files={"quirks.txt": b"query-capsule-hangs"}, timeout=600, **how)
        (fault,) = result.of_type("fault")
        assert (fault["kind"], fault["what"]) == ("wait", "a service of firmware")
        assert fault["cpu"] == 0 and keys.startswith(f"stages={fault['stage']} ")
        assert [r["service"] for r in result.of_type("service")] == ["get_time"]
        late = f'"text":"query_capsule has not returned for {BRIEF_GUARD_SECONDS} s"'
        assert late.encode() in result.serial
        return result

    return lost_call


@pytest.mark.full
def test_a_call_that_does_not_return_is_reported(lost_call):
    """By another core alone; what was measured before is there."""
    late = re.compile(rb'"text":"query_capsule has not returned for .*\n')

    def stop(guest):
        if late.search(guest.serial()) and guest.status() is None:
            guest.rest(STAYS_SECONDS)
            guest.stop()

    result = lost_call("stages=handoff then=auto", ticks=[stop], broken=True)
    assert not result.of_type("end")


@pytest.mark.full
def test_a_call_that_does_not_return_ends_the_run(lost_call):
    """Where `then` names an end that needs nobody."""
    result = lost_call("stages=firmware then=qemu-exit")
    (end,) = result.of_type("end")
    assert end["verdict"] == "incomplete"
    assert "query_capsule has not returned" in end["reasons"]


@pytest.mark.full
def test_aarch64(run, aarch64):
    """Runtime services by the firmware's page tables, and who is above by SMC or HVC."""
    _, of = services(run, "stages=handoff service_calls=30", smp=2, app=aarch64,
                     emulator="aarch64", board="virt", firmware="aarch64")
    for service in (*RUNTIME.split(","), "psci_version", "smccc_version", "trng"):
        assert of[service]["calls"] == 30 and of[service]["why"] is None, of[service]
    assert not of["psci_version"]["failed"] and not of["get_time"]["failed"]
    for service in DEVICES.split(","):
        assert not of[service]["calls"] and of[service]["why"], of[service]


def test_alone(run):
    result, of = services(run, "stages=handoff services=get_time,rtc max=1s", smp=1)
    assert not of["get_time"]["others"] and not of["get_time"]["stops"]
    (end,) = result.of_type("end")
    assert end["verdict"] == "incomplete"
    assert b"no other core sampled" in result.serial
