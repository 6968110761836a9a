#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Schedules of SMIs, from seeds, and the plan file inject.efi reads (plan.h).

    schedule.py OUT kind=bursts seed=7 count=2000 start=2s [options="..."]

A schedule is a list of (pause, length) in ns: the pause from the end of the SMI before, and
how long the SMI holds the core. A pause of 0 is the shortest there is: the next SMI is
already pending when the core leaves SMM.
"""
import dataclasses
import math
import random
import re
import struct
import sys

HEAD = struct.Struct("<QIIIIQIIII16x448s")
SMI = struct.Struct("<II")
MAGIC = 0x4E414C50464E0A0D
VERSION = 1
MODES = {"handler": 0, "tco": 1, "wait": 2, "legacy": 3, "swsmi": 4, "idle": 5}
# Further effects of the level below, on AArch64: bits of layout.h.
EFFECTS = ("kvm", "pv_time", "steals", "serror", "hides", "prohibits", "slow_trng", "power_on")
COUNT_MAX = 200_000
OPTIONS_MAX = 447
ALL_CORES = 0xFFFFFFFF

US = 1000
MS = 1000 * US
S = 1000 * MS
SHORTEST = 300  # ns; below this the handler's own work shows


@dataclasses.dataclass(frozen=True)
class Plan:
    """What to inject. Times in ns; `start` counts from the start of the probe."""

    smis: tuple = ()
    start: int = 0
    mode: str = "handler"
    target: int = 0
    nmi_target: int = 0
    nmi_period: int = 0
    swsmi_rate: int = 0  # 0 to 3: 1.5, 16, 32, 64 ms
    effects: tuple = ()
    options: str = ""

    def pack(self):
        options = self.options.encode("ascii")
        if len(options) > OPTIONS_MAX:
            raise ValueError(f"load options are up to {OPTIONS_MAX} characters")
        if len(self.smis) > COUNT_MAX:
            raise ValueError(f"a plan has up to {COUNT_MAX} SMIs, not {len(self.smis)}")
        head = HEAD.pack(
            MAGIC,
            VERSION,
            MODES[self.mode],
            len(self.smis),
            self.target,
            self.start,
            self.nmi_target,
            self.nmi_period,
            self.swsmi_rate,
            sum(1 << EFFECTS.index(effect) for effect in self.effects),
            options,
        )
        return head + b"".join(SMI.pack(*smi) for smi in self.smis)

    def length(self):
        """From the start of the probe to the end of the last SMI, about, ns."""
        return self.start + sum(pause + length for pause, length in self.smis)


def _log_uniform(rng, low, high):
    """Every factor of ten as likely as the next."""
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def uniform(rng, count):
    """All over the place: a tenth of a ms to 5 ms apart, up to 2 ms long."""
    return [(rng.randint(100 * US, 5 * MS), rng.randint(SHORTEST, 2 * MS)) for _ in range(count)]


def lengths(rng, count):
    """Every order of magnitude, from the shortest to 50 ms."""
    return [
        (rng.randint(20 * US, 2 * MS), _log_uniform(rng, SHORTEST, 50 * MS)) for _ in range(count)
    ]


def pauses(rng, count):
    """Every order of magnitude in between: many hit the slow path of the one before."""
    return [(_log_uniform(rng, 20, 200 * US), rng.randint(1200, 20 * US)) for _ in range(count)]


def tiny(rng, count):
    """Around and below a threshold of 1 us."""
    return [(rng.randint(5 * US, 100 * US), rng.randint(SHORTEST, 1300)) for _ in range(count)]


def long(rng, count):
    """1 to 50 ms each."""
    return [(rng.randint(1 * MS, 20 * MS), rng.randint(1 * MS, 50 * MS)) for _ in range(count)]


def back_to_back(rng, count):
    """Chains of 2 to 20 without an instruction in between."""
    smis = []
    while len(smis) < count:
        smis.append((rng.randint(50 * US, 500 * US), rng.randint(SHORTEST, 5 * US)))
        smis += [(0, rng.randint(SHORTEST, 5 * US)) for _ in range(rng.randint(1, 19))]
    return smis[:count]


def bursts(rng, count):
    """2 to 5 SMIs 20 to 200 ns apart: the later ones hit the probe while it records the first."""
    smis = []
    while len(smis) < count:
        smis.append((rng.randint(20 * US, 300 * US), rng.randint(1200, 10 * US)))
        for _ in range(rng.randint(1, 4)):
            smis.append((rng.randint(20, 200), rng.randint(1200, 10 * US)))
    return smis[:count]


def trains(rng, count):
    """100 SMIs 20 to 500 ns apart, then a rest: more than the slow path can put off."""
    smis = []
    while len(smis) < count:
        smis.append((rng.randint(200 * US, 1 * MS), rng.randint(1200, 3 * US)))
        smis += [(rng.randint(20, 500), rng.randint(1200, 3 * US)) for _ in range(99)]
    return smis[:count]


def edges(rng, count):
    """Half of the time in SMM: with short windows many SMIs lie astride a window's begin or end."""
    low, high = 100 * US, 400 * US
    return [(rng.randint(low, high), rng.randint(low, high)) for _ in range(count)]


def periodic(rng, count):
    """One period, one length."""
    length = rng.randint(2 * US, 100 * US)
    return [(rng.randint(100 * US, 1 * MS), length)] * count


def storm(rng, count):
    """As many as fit."""
    return [(rng.randint(2 * US, 20 * US), rng.randint(1200, 8 * US)) for _ in range(count)]


def rare(rng, count):
    """SMIs as of firmware: some ms apart, and every order of magnitude up to 4 ms."""
    return [
        (rng.randint(4 * MS, 5 * MS), _log_uniform(rng, SHORTEST, 4 * MS)) for _ in range(count)
    ]


def mixed(rng, count):
    """A bit of everything, in a random order of runs."""
    kinds = [uniform, pauses, tiny, back_to_back, bursts, storm]
    smis = []
    while len(smis) < count:
        smis += rng.choice(kinds)(rng, rng.randint(1, 50))
    return smis[:count]


def demo(rng, count):
    """Few enough to look at."""
    return [
        (rng.randint(30 * MS, 300 * MS), _log_uniform(rng, 100 * US, 10 * MS))
        for _ in range(count)
    ]


def none(_rng, _count):
    """Nothing at all."""
    return []


KINDS = {
    kind.__name__: kind
    for kind in (
        uniform,
        lengths,
        pauses,
        tiny,
        long,
        back_to_back,
        bursts,
        trains,
        edges,
        periodic,
        storm,
        rare,
        mixed,
        demo,
        none,
    )
}


def generate(kind, seed, count):
    """The schedule of this kind: the same for the same arguments, always."""
    if kind not in KINDS:
        raise ValueError(f"no kind {kind}; there are {', '.join(KINDS)}")
    return tuple(KINDS[kind](random.Random(f"{kind} {seed}"), count))


UNITS = {"ns": 1, "us": US, "ms": MS, "s": S}


def _time(text):
    match = re.fullmatch(r"(\d+)(ns|us|ms|s)", text)
    if not match:
        raise ValueError(f"a time is a whole number and ns, us, ms or s, not {text!r}")
    return int(match[1]) * UNITS[match[2]]


def _core(text):
    return ALL_CORES if text == "all" else int(text)


def plan_of(words):
    """A plan from key=value words."""
    given = dict(word.split("=", 1) for word in words)
    smis = generate(given.pop("kind", "none"), given.pop("seed", "1"), int(given.pop("count", "0")))
    fields = {
        "start": _time,
        "mode": str,
        "target": _core,
        "nmi_target": _core,
        "nmi_period": _time,
        "options": str,
    }
    unknown = sorted(set(given) - set(fields))
    if unknown:
        there = ", ".join([*fields, "kind", "seed", "count"])
        raise ValueError(f"no key {', '.join(unknown)}; there are {there}")
    return Plan(smis, **{key: fields[key](value) for key, value in given.items()})


def main(argv):
    if len(argv) < 2 or not all("=" in word for word in argv[2:]):
        sys.exit(__doc__)
    try:
        data = plan_of(argv[2:]).pack()
    except ValueError as error:
        sys.exit(f"{argv[0]}: {error}")
    with open(argv[1], "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main(sys.argv)
