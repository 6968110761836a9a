# SPDX-License-Identifier: BSD-2-Clause
"""
Sessions, as people have them: which pieces, in which order, with what around. One row each; the
text is made of it. `pieces` is what it is to be read as; with `refused`, the reason.
"""
import dataclasses
import re

import dress
from pieces import (
    KNOWN, OWN, PEERS, cut, cyclictest, cyclictest_histogram, hwlat_trace, hwlatdetect, oslat,
    osnoise_top, osnoise_trace, sysjitter, timerlat_top)

PROMPT = "root@rack7:~# "
KERNEL_A = "Linux rack7 6.1.0-56-rt-amd64 #1 SMP PREEMPT_RT Debian 6.1.1 x86_64 GNU/Linux\n"
KERNEL_B = "Linux rack7 6.12.9-rt11 #2 SMP PREEMPT_RT Sat Nov 21 x86_64 GNU/Linux\n"
BOOT = ("[    0.000000] Linux version 6.1.0-56-rt-amd64 (debian-kernel@lists.debian.org)\n"
        "[    1.264812] e1000e: eth0 NIC Link is Up 1000 Mbps Full Duplex\n")
SIGNATURE = "-- \nAda\n"


@dataclasses.dataclass
class Session:
    name: str
    text: str | bytes
    pieces: list
    commands: list | None = None  # of each; None: not looked at
    refused: str = ""  # the reason; no piece is read then
    remark: str = ""   # what is missing, and reported
    damaged: bool = False  # so that the pieces are not read as they are alone


def run(command, piece, prompt=PROMPT):
    return f"{prompt}{command}\n{piece.text}"


SESSIONS = []


def session(name, text, *pieces, **more):
    SESSIONS.append(Session(name, text, list(pieces), **more))


def refuse(name, text, reason):
    SESSIONS.append(Session(name, text, [], refused=reason))


def dressed(name, how, *pieces, between="\n", **more):
    session(name, how(between.join(piece.text for piece in pieces)), *pieces, **more)


K = KNOWN

# ---- A shell: one after another ----

idle, loaded = cyclictest(12, 14), cyclictest(61, 9885, pid=1300)
session("cyclictest idle, then with load",
        run("cyclictest -m -Sp90 -i1000 -q", idle) + PROMPT + "stress-ng --cpu 4 &\n"
        + "[1] 1299\n" + run("cyclictest -m -Sp90 -i1000 -q", loaded) + PROMPT + "exit\n",
        idle, loaded, commands=["cyclictest -m -Sp90 -i1000 -q"] * 2)
aborted = cyclictest(8, 9, cycles=1700, pid=1250)
session("cyclictest aborted, and repeated",
        run("cyclictest -m -Sp90", aborted) + "^C\n" + run("!!", idle), aborted, idle)
session("cyclictest aborted, ^C in its last line",
        PROMPT + "cyclictest -m -Sp90\n" + aborted.text[:-1] + "^C\n"
        + run("cyclictest -m -Sp90", idle), aborted, idle)
a, b = timerlat_top(17, 23), timerlat_top(61102, 40)
session("timerlat on two kernels",
        PROMPT + "uname -a\n" + KERNEL_A + run("rtla timerlat top -q -d 1m", a)
        + PROMPT + "reboot\n" + PROMPT + "uname -a\n" + KERNEL_B
        + run("rtla timerlat top -q -d 1m", b), a, b)
c = timerlat_top(19, 31)
n1, n2 = osnoise_top(13, 9), osnoise_top(211, 9, seconds=600, noise=40000)
session("osnoise for a minute and for ten",
        run("rtla osnoise top -q -d 1m", n1) + run("rtla osnoise top -q -d 10m", n2), n1, n2)
h1, h2 = hwlatdetect(48, 12, 30), hwlatdetect()
session("hwlatdetect, and without USB",
        run("hwlatdetect --duration=120", h1) + PROMPT + "modprobe -r xhci_pci\n"
        + run("hwlatdetect --duration=120", h2), h1, h2)
h3 = hwlatdetect(48, 12, 30, 47, 29, listed=2, longest=61)
session("hwlatdetect, its list cut, and the next one",
        run("hwlatdetect --duration=120", h3) + "  ...\n" + run("hwlatdetect", h1), h3, h1)
o1, o2 = oslat(9, 11), oslat(18, 61, seconds=3600)
session("oslat for ten seconds and for an hour",
        run("oslat -D 10s -c 2,3", o1) + run("oslat -D 1h -c 2,3", o2), o1, o2)
s1 = sysjitter(31, 44)
session("sysjitter, and verbose", run("./sysjitter 300", s1)
        + run("sysjitter --verbose 1000", K["sysjitter"]), s1, K["sysjitter"])
session("all of rt-tests in a row",
        run("cyclictest -q", K["cyclictest"]) + run("oslat -D 3", K["oslat"])
        + run("hwlatdetect", h1), K["cyclictest"], K["oslat"], h1)
session("JSON of two tools by cat",
        PROMPT + "cat *.json\n" + K["cyclictest --json"].text + K["oslat --json"].text,
        K["cyclictest --json"], K["oslat --json"])
session("rteval in both forms", run("rteval -D", K["rteval"]) + "\n"
        + run("cat summary.xml", K["rteval xml"]), K["rteval"], K["rteval xml"])
session("FTQ and FWQ", run("./t_ftq", K["ftq"]) + run("netgauge -x noise", K["fwq"]),
        K["ftq"], K["fwq"])
session("FWQ by journald, FTQ", dress.journalctl(K["fwq"].text) + run("./t_ftq", K["ftq"]),
        K["fwq"], K["ftq"])
session("jHiccup, quoted", dress.quoted(K["hlog"].text) + "\nwith percentiles:\n\n"
        + K["hgrm"].text, K["hlog"], K["hgrm"])
session("jHiccup's log, and its percentiles", run("cat hiccup.hlog", K["hlog"])
        + run("cat hiccup.hgrm", K["hgrm"]), K["hlog"], K["hgrm"])
session("detours of two thresholds", K["detour"].text + K["detour --invol"].text,
        K["detour"], K["detour --invol"])
t1, t2 = osnoise_trace((40, 17), (90, 61)), osnoise_trace((4000, 3100))
session("traces of osnoise, idle and loaded",
        run("cat /sys/kernel/tracing/trace", t1) + run("cat /sys/kernel/tracing/trace", t2),
        t1, t2)
w1, w2 = hwlat_trace((12, 15), (11, 211)), hwlat_trace((17, 9))
session("a trace of hwlat, and one of osnoise without its head",
        w1.text + "...\n" + K["osnoise stopped"].text, w1, K["osnoise stopped"])
session("traces of hwlat, before and after the BIOS's update",
        run("cat trace", w1) + PROMPT + "reboot\n" + BOOT + run("cat trace", w2), w1, w2)
session("osnoise hist without a sample, and with",
        K["rtla osnoise hist quiet"].text + run("./measure", K["rtla osnoise hist"]),
        K["rtla osnoise hist quiet"], K["rtla osnoise hist"])
refuse("rows of timerlat without a title",
       "".join(dress.lines(a.text)[3:]) + "\nvs\n\n" + "".join(dress.lines(b.text)[3:]),
       "no known output")

# ---- Screens ----

growing = [timerlat_top(17, 20 + n, seconds=n) for n in range(1, 6)]
session("timerlat printed five times, each a run",
        "".join(piece.text for piece in growing), *growing)
AGAIN = "a screen is drawn again here"
refuse("osnoise drawn again and again, by a terminal",
       (PEERS / "rtla-osnoise-top-redraw.txt").read_text() + PROMPT + "\n"
       + run("rtla osnoise top", K["rtla osnoise top"]), AGAIN)
refuse("watch of a growing cyclictest",
       dress.watch(*(cyclictest(9, 10 + n, cycles=1000 * n + 100).text for n in range(1, 5))),
       AGAIN)
dressed("tmux: cyclictest and oslat", dress.tmux, idle, o1, between=PROMPT + "oslat -q\n")
dressed("screen: osnoise twice", dress.screen, n1, n2, between=PROMPT + "rtla osnoise top -q\n")
dressed("script with CR LF: sysjitter, traces", dress.crlf, s1, t1, w1)
session("a terminal of 80 columns: traces of hwlat",
        dress.terminal(run("cat trace", K["hwlat per-cpu"]) + run("cat trace", w2)),
        K["hwlat per-cpu"], w2)

# ---- In front of each line ----

for label, how in (("ts", dress.ts), ("journalctl", dress.journalctl),
                   ("container", dress.container), ("Jenkins", dress.jenkins),
                   ("LAVA", dress.lava)):
    dressed(f"{label}: cyclictest idle and loaded", how, idle, loaded,
            between="root@rack7:~# cyclictest -q\n")
    dressed(f"{label}: oslat, hwlatdetect", how, o1, h1)
    dressed(f"{label}: two of timerlat", how, a, b)
    dressed(f"{label}: traces", how, t1, w1)
    dressed(f"{label}: two of hwlatdetect, the first cut", how, h3, h1)
for label, how in ("container", dress.container), ("pdsh", lambda text: dress.behind("n1: ", text)):
    dressed(f"{label}: detours of two thresholds", how, K["detour --invol"], K["detour"])
session("journalctl around rteval", BOOT + dress.journalctl(K["rteval"].text)
        + "Nov 22 21:59:59 rack7 systemd[1]: rteval.service: Deactivated successfully.\n",
        K["rteval"])

# ---- Mail ----

session("mail: quoted, and the answer's own",
        dress.quoted(idle.text) + "\nHere it is worse:\n\n" + loaded.text + SIGNATURE,
        idle, loaded)
session("mail: broken at 72, quoted", dress.HEADERS + "\n"
        + dress.folded(dress.quoted(loaded.text)) + "\nOk.\n", loaded)
session("mail with two attachments", dress.attached("Hi,\nsee there.\n", o1.text, h1.text), o1, h1)
session("mail in base64", dress.mail(idle.text, "base64"), idle)
session("mail, quoted-printable, torn", dress.mail(loaded.text, "quoted-printable")[:-9], loaded,
        damaged=True, remark="cyclictest: not understood")

# ---- Pages ----

dressed("a page: cyclictest, two", dress.page, idle, loaded, between="\n&\n")
session("an issue: fences", dress.fenced(idle.text) + "With load:\n\n" + dress.fenced(loaded.text),
        idle, loaded)
session("indented by four", dress.behind("    ", idle.text) + "\nand\n\n"
        + dress.behind("    ", loaded.text), idle, loaded)

# ---- Consoles ----

session("console: boot, hwlat", BOOT + PROMPT + "cat trace\n" + w1.text
        + "[   99.100000] reboot: Power down\n", w1)
nmi = "[   35.814714] Uhhuh. NMI received for unknown reason 31 on CPU 0.\n"
session("console: the kernel between the rows of two",
        nmi.join(dress.lines(t1.text)) + nmi + nmi.join(dress.lines(w1.text)), t1, w1)
session("console: the kernel between the rows of cyclictest",
        nmi.join(dress.lines(idle.text)) + PROMPT + "cyclictest\n" + loaded.text, idle, loaded)
KLOG = "I0908 15:25:27.160830       1 node.go:46] "
session("cnf-tests: hwlatdetect in the middle of a line",
        KLOG + "Environment information: kernel version 5.14.0-284.rt14\n"
        "F0908 15:27:10.603523       1 main.go:53] failed to run hwlatdetect command; out: "
        + h1.text[:-1] + "; err: exit status 1\ngoroutine 1 [running]:\nmain.main()\n", h1)
session("our own records, and a tool's output", OWN.text + run("oslat -D 3", K["oslat"]),
        OWN, K["oslat"])
session("a tool's output, and our own records", n1.text + OWN.text + run("cyclictest -q", idle),
        n1, OWN, idle)

# ---- Cut, torn, packed ----

session("cut before the maxima of oslat", run("oslat", cut(o1, "     Minimum"))
        + run("oslat -D 1h", o2), o2, remark="oslat: truncated")
session("JSON, torn, and the next", K["cyclictest --json"].text[:400] + "\n" + PROMPT + "oslat\n"
        + o1.text, o1, remark="JSON")
torn = dataclasses.replace(K["rteval xml"], text=K["rteval xml"].text[:500] + "\n", cores=1,
                           missing=frozenset({"cut-off"}))
session("rteval's XML, torn, and its text", torn.text + K["rteval"].text, torn, K["rteval"],
        remark='rteval: truncated before its "</rteval>"')
session("histogram cut in the middle", run("cyclictest -h 5 -q", cut(
    cyclictest_histogram(17, 20), "# Total")) + run("cyclictest -q", loaded), loaded)
session("gz: trace and table", dress.packed(t1.text + n1.text), t1, n1)
session("tar of two", dress.tar(idle=idle.text, loaded=o1.text), idle, o1)
refuse("shar of two", "".join(f"sed 's/^X//' > {name} << 'EOF'\n" + dress.behind("X", piece.text)
                              + "EOF\n" for name, piece in (("a", h1), ("b", h3))),
       "no known output")
session("two files by grep", "".join(
    dress.behind(f"{name}:", piece.text) for name, piece in (("idle.txt", idle),
                                                             ("load.txt", loaded))), idle, loaded)

# ---- What people do to a list ----

for label, piece, row in (
        ("cyclictest", loaded, "Max:    9885"), ("hwlatdetect", h1, "outer:45"),
        ("timerlat top", b, " 61102"), ("osnoise top", n1, " 7"), ("hwlat", w1, "280109106"),
        ("osnoise", t1, " 2"), ("oslat", o1, "9 11 (us)"), ("sysjitter", s1, "31000 44000"),
        ("timerlat", K["timerlat"], "11700 ns"), ("timerlat hist", K["rtla timerlat hist"],
                                                  "11        15"),
        ("osnoise hist", K["rtla osnoise hist"], "8750      2750 ")):
    for mark in "  <-- there!", "    # bad":
        session(f"{label}: a remark behind a row,{mark}",
                piece.text.replace(row + "\n", row + mark + "\n", 1), piece)
    at = piece.text.rindex("\n", 0, piece.text.index(row)) + 1
    session(f"{label}: emphasis around a row", piece.text[:at] + "**" + piece.text[at:].replace(
        row + "\n", row + "**\n", 1), piece)

PARTLY = frozenset({"partly-listed"})


def without(piece, mark, **more):
    """Lines with that mark are cut; what is missing is on some core."""
    return dataclasses.replace(
        piece, text="".join(line for line in dress.lines(piece.text) if mark not in line),
        cores=piece.cores + 1, missing=PARTLY, **more)


for label, rest in (
        ("hwlat: the list's begin", without(K["hwlat"], "#1 ", unit_us=None)),
        ("hwlat: the list's middle", without(K["hwlat"], "#5 ", unit_us=None)),
        ("hwlat per-cpu: the longest", without(K["hwlat per-cpu"], "#8 ", unit_us=None))):
    session(f"{label} cut", run("cat trace", rest) + "[...]\n" + run("cat trace", w2), rest, w2)
rest = dataclasses.replace(without(K["rtla timerlat top"], "  3 #"), cores=4)
session("timerlat: the worst row cut, and the next", rest.text + "\n" + a.text, rest, a)


def in_ns(piece, command=None):
    return dataclasses.replace(piece, longest_us=piece.longest_us / 1000, unit_us=.001,
                               text=run(command, piece) if command else piece.text)


ns = in_ns(cyclictest(12000, 88000), "cyclictest -mN -Sp90 -q")
ns = in_ns(cyclictest(12000, 88000), "sudo cyclictest --nsecs -q")
session("cyclictest --nsecs, and in us", ns.text + run("sudo cyclictest -q", idle), ns, idle)
ns = in_ns(timerlat_top(12000, 88000, unit="ns"))
ns = in_ns(dataclasses.replace(K["rtla timerlat hist"], text=K["rtla timerlat hist"].text.replace(
    "microseconds (us)", "nanoseconds (ns)")))
session("timerlat hist in ns, and in us", ns.text + K["rtla timerlat hist"].text,
        ns, K["rtla timerlat hist"])

# ---- Several at once ----

def interleaved(*texts):
    rows = [dress.lines(text) for text in texts]
    return "".join("".join(row) for row in zip(*rows))

session("pdsh: two nodes, line by line", interleaved(
    dress.behind("node-1: ", idle.text), dress.behind("node-2: ", loaded.text)), idle, loaded)
session("compose: two of timerlat, line by line", interleaved(
    dress.behind("rt_1  | ", a.text), dress.behind("rt_2  | ", b.text)), a, b)
session("ansible: two nodes", "".join(
    f"node{n} | CHANGED | rc=0 >>\n{piece.text}" for n, piece in enumerate((o1, o2))), o1, o2)

# ---- What programs for text do to it ----

session("blanks that do not break", idle.text.replace("  ", "\u00a0 "), idle)
session("a page with <br>", "<div>" + dress.markup.escape(loaded.text).replace("\n", "<br>\n")
        + "</div>\n", loaded)
session("UTF-16, of PowerShell", idle.text.encode("utf-16"), idle)
refuse("CR alone", loaded.text.replace("\n", "\r"), "cyclictest: not understood")
session("blanks run together", " ".join(loaded.text.replace("\n", " \n").split(" ")), loaded)
session("one blank each", re.sub(" +", " ", loaded.text), loaded)
refuse("a table in a report", "".join("| " + line.rstrip("\n") + " |\n" for line in dress.lines(
    loaded.text)), "cyclictest: not understood")
refuse("cat -A", "".join(line[:-1] + "$\n" for line in dress.lines(loaded.text)),
       "cyclictest: not understood")

# ---- What nobody can know ----

refuse("an ftrace excerpt of functions",
       "# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n"
       " 1)   0.450 us    |  _raw_spin_lock();\n 1) ! 211.300 us  |  }\n",
       "it does not measure gaps")
refuse("dmesg alone", BOOT + nmi, "no known output")
refuse("a mail without figures", dress.HEADERS + "\nI see latencies up to 900 us. Why?\n",
       "no known output")
for piece, bytes_lost in ((K["cyclictest"], 12), (K["hwlat"], 24), (K["timerlat"], 12),
                          (K["osnoise"], 12), (a, 12), (n1, 12)):
    session(f"{piece.tool}: the last row torn", piece.text.rstrip("\n")[:-bytes_lost], piece,
            damaged=True, remark="not understood")
for name, missing in (("oslat", "maximum or duration"), ("sysjitter", "int_max(ns):"),
                      ("rtla timerlat hist", '"max:"'), ("hwlatdetect", '"Max Latency:"')):
    refuse(f"{name}: the end torn off", K[name].text[: K[name].text.lower().index("max")], missing)
refuse("nothing", "", "empty")
refuse("a picture of it", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0",
       "binary data")
refuse("command alone", PROMPT + "cyclictest -m -Sp90 -q\n" + PROMPT + "oslat -q\n",
       "no known output")
