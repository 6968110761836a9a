#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-2-Clause
"""The probe and the tools of Linux in one machine, while SMIs of known number arrive.

    tests/peers/peers.py --build build --tool build/noisefloor --out build/peers [--readme FILE]

Debian's real-time kernel runs one tool after the other; then the probe runs in the same
machine, under SMIs from the same schedule. On AArch64 it is a monitor at exception level 3 that
takes the core, which is called SMI here, too. QEMU counts instructions, so nothing but these
and the kernel itself holds the processor. Each machine runs once more without SMIs: what a
tool reports then is not of them, and is taken off. Prints a table, and per tool what
`noisefloor compare` makes of it; --readme puts the table between two marks of that file.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("qemu", "qemu/linux", "tests/inject", "tests/lint")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]

import initramfs  # noqa: E402
import injection  # noqa: E402
import pe  # noqa: E402
import qmp  # noqa: E402
import records  # noqa: E402
import truth  # noqa: E402
from guest import Guest, GuestError  # noqa: E402
from schedule import MS, S, US, Plan  # noqa: E402

SHIFT = 1  # 2 ns per instruction: Linux's own noise stays below THRESHOLD
SECONDS = 10  # each tool
THRESHOLD = 15 * US
COUNT = 7000  # SMIs: more than come until the guest is done
PAUSE = (5 * MS, 35 * MS)
LENGTH = (20 * US, 200 * US)
KERNEL = "initrd=\\initrd quiet panic=1 nokaslr rdinit=/init nowatchdog "


@dataclasses.dataclass(frozen=True)
class Processor:
    """The machine on which a tool of Linux and the probe run."""

    emulator: str
    firmware: str  # firmware that the injector needs
    console: str
    kernel: str  # its command line
    cause: str  # cause of the injected gaps
    made_by: str = "make peers"
    tick_ns: int = 1
    tail: int = truth.TAIL


PROCESSORS = {
    pe.MACHINE_X86_64: Processor(
        "system", "plain", "ttyS0",
        # The injector's HPET is not Linux's; nothing else may look at the clock.
        KERNEL + "console=ttyS0,115200 hpet=disable tsc=reliable clocksource=tsc nmi_watchdog=0 "
        # Emulated as it is, the UART looks as if nobody had cared for its interrupt.
        "noirqdebug", "smi",
    ),
    pe.MACHINE_AARCH64: Processor(
        "aarch64", "uboot-monitor", "ttyAMA0", KERNEL + "console=ttyAMA0", "el3",
        "make peers ARCH=aarch64", 16, 0,
    ),
}
PROBE = f"gaps=all live=no quiet=yes then=halt duration={SECONDS}s threshold={THRESHOLD // US}us"
GUEST_SECONDS = 1500
MARK = re.compile(rb"@@ (begin|end|over) (\S+)(?: (\d+))?\r?\n")


@dataclasses.dataclass
class Part:
    """One tool's run in the guest."""

    name: str
    begin: int = 0  # ns of the clock
    end: int = 0
    text: bytes = b""

    def lines(self):
        """The text as the tool wrote it, before the terminal."""
        return self.text.replace(b"\r\n", b"\n")


@dataclasses.dataclass
class Linux:
    parts: dict
    spans: list


def schedule(smis):
    rng = random.Random("peers")
    drawn = ((rng.randint(*PAUSE), rng.randint(*LENGTH)) for _ in range(COUNT))
    return tuple(drawn) if smis else ()


def parts_of(serial, tick_ns=1):
    """Parts of the guest's output, by the marks of its init."""
    parts = {}
    marks = list(MARK.finditer(serial))
    for mark, after in zip(marks, marks[1:] + [None]):
        what, name, now = mark[1].decode(), mark[2].decode(), int(mark[3] or 0) * tick_ns
        part = parts.setdefault(name, Part(name))
        if what == "begin":
            part.begin = now
        elif what == "end":
            part.end = now
        if what != "over" and after:
            part.text += serial[mark.end() : after.start()]
    return parts


def run_linux(args, smis):
    """The kernel, started by the injector as the probe would be."""
    out = args.out / ("linux" if smis else "linux-calm")
    plan = Plan(smis=schedule(smis), start=1 * S, options=args.on.kernel)
    kernel = args.out / "kernel" / "vmlinuz"
    wanted = injection.options(
        kernel, args.build / "inject.efi", out, plan, SHIFT, 1, args.on.firmware, (),
        args.on.emulator,
    )
    wanted.files = {"initrd": args.out / "initrd"}
    with Guest(wanted.machine, out, wanted.volume()) as guest:
        guest.wait_for("@@ done", GUEST_SECONDS)
        log = truth.read(guest.pmemsave, wanted.machine.processor)
        serial = guest.serial()
    (core,) = log.cores
    if smis and core.started == core.planned:
        raise GuestError(f"{core.planned} SMIs were over before the guest was done")
    return Linux(parts_of(serial, args.on.tick_ns), spans_ns(args, core.spans))


def spans_ns(args, spans):
    """When a core was taken, from ticks."""
    tick = args.on.tick_ns
    return [(a * tick, b * tick + args.on.tail) for a, b in spans]


def run_probe(args, smis):
    out = args.out / ("probe" if smis else "probe-calm")
    plan = Plan(smis=schedule(smis)[: SECONDS * S // PAUSE[0]], start=300 * MS, options=PROBE)
    done = injection.run(
        args.build / "noisefloor.efi", args.build / "inject.efi", out, plan, icount=SHIFT,
        timeout=GUEST_SECONDS, firmware=args.on.firmware, emulator=args.on.emulator,
    )
    if done.result.problem:
        raise GuestError(f"the probe: {done.result.problem}")
    return done


# The number of SMIs in each tool's own report; if it does not distinguish causes, all that is
# THRESHOLD and longer.


def count_hwlat(text):
    return sum(int(n) for n in re.findall(r"inner/outer.* count:(\d+)", text))


# RUNTIME NOISE AVAILABLE MAX HW NMI IRQ SIRQ THREAD
OSNOISE_ROW = re.compile(r": +\d+ +(?P<noise>\d+) +\d+\.\d+ +\d+ +(?P<hw>\d+)(?: +\d+){4}$", re.M)


def count_osnoise(text):
    """The column HW: noise with no interrupt or thread in it."""
    return sum(int(row["hw"]) for row in OSNOISE_ROW.finditer(text))


def count_rtla_top(text):
    rows = re.findall(r"^ *0 #\d+ +\d+ +\d+ +[\d.]+ +\d+ +\d+ +(\d+)", text, re.M)
    return int(rows[-1])


def count_rtla_hist(text):
    return int(re.search(r"^count: +(\d+)", text, re.M)[1])


def count_oslat(text):
    """A bucket's number is its upper edge; in 2.5 and 2.6 it is one more."""
    more = 1 if re.search(r"^oslat V 2\.[56]0", text, re.M) else 0
    rows = re.findall(r"^ *(\d+) \(us\):\s+(\d+)", text, re.M)
    return sum(int(n) for us, n in rows if (int(us) - more) * US > THRESHOLD)


def count_cyclictest(text):
    rows = re.findall(r"^(\d{6}) (\d{6,})", text, re.M)
    return sum(int(n) for us, n in rows if int(us) * US >= THRESHOLD)


def count_records(text):
    found = records.join(records.find(text.encode()))
    return sum(r["gaps"] for r in found if r["type"] == "cpu")


@dataclasses.dataclass(frozen=True)
class Tool:
    """A row of the table. `part` is where its output is, if not under its own name; `stated`
    is what it does not print itself, as `noisefloor compare` takes it."""

    name: str
    count: callable
    stated: str = ""
    part: str = ""


TOOLS = (
    Tool("hwlat", count_hwlat, "exposure={half}ns cpus=0"),
    Tool("osnoise", count_osnoise, "cpus=0"),
    Tool("rtla-osnoise-top", count_rtla_top),
    Tool("rtla-osnoise-hist", count_rtla_hist, f"exposure={SECONDS}s"),
    Tool("oslat", count_oslat),
    Tool("cyclictest", count_cyclictest),
    Tool("measure", count_records, part="measure-file"),
)
SELF_STATED = ("oslat", "cyclictest", "measure")


def capture(args, folder, linux, tool):
    """The tool's output in a file of its own, ready to be compared."""
    ran = linux.parts[tool.name]
    text = linux.parts[tool.part or tool.name].lines()
    if tool.name not in SELF_STATED:
        more = tool.stated.format(half=(ran.end - ran.begin) // 2)
        stated = f"# noisefloor: threshold={THRESHOLD // US}us {more}".rstrip()
        text = stated.encode() + b"\n" + text
    path = args.out / folder / f"{tool.name}.txt"
    path.write_bytes(text)
    return path


@dataclasses.dataclass
class Row:
    """The fate of the SMIs that came while a tool ran."""

    name: str
    ran: float  # s
    injected: int
    injected_us: float
    found: int
    watched: float | None = None  # share of `ran`
    bounds_us: tuple | None = None  # bounds of the floor's part, by `noisefloor compare`

    @property
    def recall(self):
        return self.found / self.injected

    @property
    def expected_us(self):
        """Injected while it watched, about: SMIs do not know when it does."""
        return self.injected_us * self.watched if self.watched else None

    @property
    def encloses(self):
        return self.bounds_us[0] <= self.expected_us <= self.bounds_us[1]

    def cells(self):
        bounds = "n/a"
        if self.bounds_us:
            bounds = f"{self.expected_us:.0f} in {self.bounds_us[0]:.0f} to {self.bounds_us[1]:.0f}"
        watched = f"{100 * self.watched:.1f} %" if self.watched else "n/a"
        return (self.name, f"{self.ran:.2f} s", watched, str(self.injected), str(self.found),
                f"{100 * self.recall:.1f} %", bounds)


HEAD = ("tool", "ran", "watched", "SMIs", "found", "recall", "us of SMIs in compare's bounds")


def inside(spans, begin, end):
    return [(a, b) for a, b in spans if a >= begin and b <= end]


def compared_tools(args, floor, path):
    """The result of `noisefloor compare` for each output in a file."""
    done = subprocess.run(
        [args.tool, "compare", "--json", floor, path], capture_output=True
    )
    if done.returncode:
        raise GuestError(f"compare {path.name}: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)["compared"]


def bounds(of):
    """(low, high) of a range; nothing is 0."""
    return (of["low"], of["high"]) if of else (0, 0)


def compared(args, floor, path):
    """The core in the one output of a file; fails where its sums do not match."""
    (tool,) = compared_tools(args, floor, path)
    for core in tool["cores"]:
        if not core["floor_ns"]:
            continue
        low, high = (sum(ends) for ends in zip(*(bounds(core[f"{who}_ns"]) for who in OWNERS)))
        if not (low <= core["noise_ns"]["high"] and core["noise_ns"]["low"] <= high):
            raise GuestError(f"{path.name}: parts of {low} to {high} ns, of {core['noise_ns']}")
    return tool["cores"][0]


def check_stop(args, linux):
    """`noisefloor measure` stopped at a tick of the kernel, and at an SMI."""
    for stop in (2, 100):
        part = linux.parts[f"measure-stop-{stop}us"]
        found = records.join(records.find(part.lines()))
        gap = max((r for r in found if r["type"] == "gap"), key=lambda r: r["start_tsc"])
        start, end = (args.on.tick_ns * at for at in (
            gap["start_tsc"], gap["start_tsc"] + gap["ticks"]))
        smi = bool(inside(linux.spans, start, end))
        if gap["len_ns"] < stop * US or (stop == 100) != smi:
            raise GuestError(f"stop={stop}us: {gap}, SMI inside: {smi}")


def check_osnoise(core, path):
    """The noise is that of the trace's rows, each of which is cut to whole us."""
    rows = [int(row["noise"]) for row in OSNOISE_ROW.finditer(path.read_text(errors="replace"))]
    low, high = (core["noise_ns"][end] / US for end in ("low", "high"))
    if not sum(rows) <= low <= high <= sum(rows) + len(rows):
        raise GuestError(f"{path.name}: compare has {low} to {high} us, the rows {sum(rows)}")


OWNERS = ("floor", "nmi", "irq", "softirq", "thread", "unexplained")


def row_of(args, tool, with_smis, calm, floor):
    part = with_smis.parts[tool.name]
    path = capture(args, "linux", with_smis, tool)
    calm_path = capture(args, "linux-calm", calm, tool)
    spans = inside(with_smis.spans, part.begin, part.end)
    found = tool.count(path.read_text(errors="replace"))
    found -= tool.count(calm_path.read_text(errors="replace"))
    row = Row(tool.name, (part.end - part.begin) / S, len(spans),
              sum(b - a for a, b in spans) / US, found)
    core = compared(args, floor, path)
    if tool.name == "osnoise":
        check_osnoise(core, path)
    if core["exposure_ns"]:
        row.watched = core["exposure_ns"]["low"] / (part.end - part.begin)
        row.bounds_us = tuple(core["floor_ns"][end] / US for end in ("low", "high"))
    return row


def probe_row(args, done, calm):
    """One window: what came in it was to be found."""
    (window,) = done.result.of_type("window")
    begin = done.result.of_type("begin")[0]["begin_tsc"] * args.on.tick_ns + window["start_ns"]
    spans = spans_ns(args, done.truth.cores[0].spans)
    spans = inside(spans, begin, begin + window["len_ns"])
    gaps = [gap for gap in done.result.of_type("gap") if gap["cause"] == args.on.cause]
    false = len(calm.result.of_type("gap"))
    (cpu,) = done.result.of_type("cpu")
    row = Row("noisefloor", window["len_ns"] / S, len(spans),
              sum(b - a for a, b in spans) / US, len(gaps) - false)
    row.watched = cpu["exposure_ns"] / window["len_ns"]
    return row


def table(rows):
    lines = [HEAD] + [("---",) * len(HEAD)] + [row.cells() for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def marks(made_by):
    return f"<!-- {made_by} -->\n", f"<!-- end of {made_by} -->\n"


def put(readme, text, made_by):
    begin, end = marks(made_by)
    before, rest = readme.read_text().split(begin)
    _, after = rest.split(end)
    readme.write_text(before + begin + text + end + after)


def machines(args):
    """All four, two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = {
            (run, smis): pool.submit(run, args, smis)
            for run in (run_linux, run_probe)
            for smis in (True, False)
        }
        return {key: future.result() for key, future in runs.items()}


def wrong(rows):
    """Required properties that do not hold."""
    by_name = {row.name: row for row in rows}
    if by_name["noisefloor"].found != by_name["noisefloor"].injected:
        yield "the probe did not find every SMI, or found what was none"
    if not by_name["osnoise"].encloses:
        yield "the bounds of the floor in osnoise's noise do not enclose what was injected"
    for row in rows:
        if not row.injected:
            yield f"no SMI came while {row.name} ran"


def tools_of(args):
    """Where the tools are unpacked; "": they are installed."""
    tools = args.out / "kernel" / "tools"
    return tools if tools.is_dir() else ""


def add_options(parser):
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--tool", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)


def resolved(args):
    """The arguments, with what is in the machine, as the image has it."""
    args.build, args.out, args.tool = (
        path.resolve() for path in (args.build, args.out, args.tool)
    )
    args.on = PROCESSORS[pe.Image((args.build / "noisefloor.efi").read_bytes()).machine]
    return args


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    parser.add_argument("--readme", type=pathlib.Path)
    args = resolved(parser.parse_args())
    try:
        initramfs.make(
            args.out / "initrd", args.out / "root",
            {"noisefloor": args.build / "noisefloor-static", "stamp": args.out / "stamp"},
            list((args.out / "kernel").glob("msr.ko")),
            {
                "CONSOLE": args.on.console,
                "PARTS": f'"{" ".join(tool.name for tool in TOOLS)} measure-stop"',
                "RUN_SECONDS": SECONDS,
                "THRESHOLD_US": THRESHOLD // US,
            },
            tools_root=tools_of(args),
        )
        done = machines(args)
        floor = args.out / "probe" / "serial.log"
        rows = [probe_row(args, done[run_probe, True], done[run_probe, False])]
        check_stop(args, done[run_linux, True])
        rows += [
            row_of(args, tool, done[run_linux, True], done[run_linux, False], floor)
            for tool in TOOLS
        ]
    except (GuestError, qmp.QmpError, initramfs.InitramfsError, truth.TruthError, OSError) as error:
        print(f"peers: {error}", file=sys.stderr)
        return 2
    text = table(rows)
    print(text, end="")
    if args.readme:
        put(args.readme, text, args.on.made_by)
    faults = list(wrong(rows))
    for fault in faults:
        print(f"peers: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
