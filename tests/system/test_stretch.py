# SPDX-License-Identifier: BSD-2-Clause
"""mode=stretch. Where an instruction is a nanosecond is a tick, all that is slow was injected."""
import re

import pytest
import schedule
from schedule import MS, US
from stretching import (KERNELS, ONE, core_1_was_slowed, cores_met, gaps_alone,
                        no_core_was_slowed, nothing_is_slow)

pytestmark = pytest.mark.exact

INTEL = "max,vendor=GenuineIntel"  # CPUID describes its caches
SECONDS = 600


@pytest.fixture
def measure(run):
    """measure("kernel=adds", ...): all phases of a machine that has all kernels."""
    return lambda keys, **machine: run(
        config=f"mode=stretch selftest=no {keys}", timeout=SECONDS,
        **{"smp": 1, "cpu": INTEL, "memory": "256M", **machine})


def is_calm(record):
    """Each quantum took as long as the best."""
    assert record["quanta"] >= 80, record
    assert [record[p] for p in ("p50", "p90", "p99", "p999", "max", "mean")] == [0] * 6, record
    assert (record["gaps"], record["rest"]) == (ONE, ONE), record
    assert record["hist"] == [[0, record["quanta"]]], record


def is_unexplained(record):
    """TCG has no counters: nothing is made of what is not known."""
    assert record["clock"] is None and record["cpi"] is None, record


def test_smis_are_gaps_and_nothing_else(saved, out):
    smis = [(10 * MS + n * 7 * US, (5 + n % 40) * US) for n in range(150)]
    length = sum(pause + took for pause, took in smis)
    keys = "mode=stretch kernel=adds threshold=1us max_stretch=1.01 then=halt"
    plan = schedule.Plan(smis, 300 * MS, options=f"{keys} duration={length // MS + 400}ms")
    done = saved.run(out, plan, SECONDS)
    record = gaps_alone(done, [end - begin for begin, end in done.spans()])
    assert record["mean"] + ONE == pytest.approx(record["gaps"], abs=1)
    assert record["p50"] == 0
    is_unexplained(record)


@pytest.mark.full
def test_nothing_is_slow(measure):
    """Each kernel, on a processor that has them all."""
    result = measure(f"duration=60ms kernel={','.join(KERNELS)} max_stretch=1", icount=0)
    nothing_is_slow(result, is_calm, is_unexplained)


@pytest.mark.full
def test_cores_meet(measure):
    """On a host with other work to do."""
    result = measure("duration=1s kernel=adds,dram", smp=2)
    cores_met(result, ("adds", "dram"))
    for record in result.of_type("stretch"):
        is_unexplained(record)
    ((text, places),) = memory_of(result)
    assert text.startswith("memory in one block for all cores, no SRAT: dram, "), text
    assert [node for _, node in places.values()] == [None, None], text


MIB = 1 << 20
PLACE = re.compile(r"(dram|l2 and llc)(?:, \d+ MiB,)? at (0x[0-9a-f]+)(?: of node (\d+))?")


def numa(*nodes):
    """QEMU's options for nodes of (MiB, cores); q35 has less than 2 GiB in one piece from 0 on."""
    options = []
    for n, (mib, cores) in enumerate(nodes):
        cpus = f",cpus={cores}" if cores else ""
        options += ["-object", f"memory-backend-ram,id=m{n},size={mib}M"] if mib else []
        options += ["-numa", f"node,nodeid={n}{cpus}" + (f",memdev=m{n}" if mib else "")]
    return tuple(options)


def memory_of(result):
    """Logs about the kernels' memory: [(text, {what: (address, node)})]."""
    texts = [r["text"] for r in result.of_type("log") if r["text"].startswith("memory")]
    return [
        (text, {m[1]: (int(m[2], 16), m[3] and int(m[3])) for m in PLACE.finditer(text)})
        for text in texts
        if "KiB" not in text
    ]


def two_sockets(measure, first, second):
    """A run on nodes of so many MiB, two cores each, and what was logged of the memory."""
    result = measure("duration=100ms kernel=llc,dram", smp=4, topology="sockets=2,cores=2",
                     memory=f"{first + second}M", extra=numa((first, "0-1"), (second, "2-3")))
    assert {r["kernel"] for r in result.of_type("stretch")} == {"llc", "dram"}
    assert result.of_type("end")[0]["verdict"] == "none"
    logged = memory_of(result)
    assert len(logged) == 2, logged
    for node, (text, places) in enumerate(logged):
        assert text.startswith(f"memory of node {node}: dram, "), text
        assert text.endswith(f"; cpus {2 * node}-{2 * node + 1}"), text
        for address, printed in places.values():
            assert printed == address // (first * MIB), text
    return [places for _, places in logged]


@pytest.mark.full
def test_each_node_has_its_memory(measure):
    """Where QEMU has put each address is known from its options."""
    for node, places in enumerate(two_sockets(measure, 256, 256)):
        assert [(what, printed) for what, (_, printed) in places.items()] == [
            ("dram", node), ("l2 and llc", node)
        ]


@pytest.mark.full
@pytest.mark.long
def test_a_node_without_memory_uses_another(measure):
    """A ring needs more memory than the second node has."""
    boot, other = two_sockets(measure, 256, 16)
    assert boot["dram"] == other["dram"] and boot["dram"][1] == 0, (boot, other)
    assert set(boot) == {"dram", "l2 and llc"} and set(other) == {"dram"}, (boot, other)


@pytest.mark.full
def test_a_small_machine_keeps_its_memory(measure):
    """A ring of 32 MiB would be more than a quarter of what is free."""
    result = measure("duration=60ms kernel=adds,dram max_stretch=100", icount=0, memory="128M")
    assert {r["kernel"] for r in result.of_type("stretch")} == {"adds"}
    (log,) = (r for r in result.of_type("log") if "kernel dram" in r["text"])
    assert log["level"] == "warning" and "too little memory" in log["text"], log
    (end,) = result.of_type("end")
    assert (end["verdict"], end["reasons"]) == ("incomplete", ["kernel dram was not measured"])


def taking_turns(measure, keys, **more):
    """Two processors under icount: PAUSE, which is between two quanta, hands over to the other. A
    timer may end a turn before, in the middle of a quantum; what the other then does is a gap."""
    return measure(f"duration=10ms max_stretch=3 {keys}", icount=0, extra=("-smp", "2"), **more)


@pytest.mark.full
def test_no_core_slows_another(measure):
    """No pair is significant; the next test shows that a slow core would be seen."""
    kernels = ("adds", "llc", "dram")
    result = taking_turns(measure, f"kernel={','.join(kernels)}")
    no_core_was_slowed(result, kernels, lambda record: ONE / record["best"], is_unexplained)
    best = {(r["kernel"], r["best"]) for r in result.of_type("stretch")}
    assert len(best) == len(kernels), best


@pytest.mark.full
def test_a_core_slows_another(variant, measure):
    result = taking_turns(measure, "kernel=adds", app=variant("beside"))
    core_1_was_slowed(result)
