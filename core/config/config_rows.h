/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration keys, a row each, in groups. config_keys.c uses the columns for reading and
 * printing values; host/program/config_words.c why `measure` refuses some, and mk/tables.c those
 * that only documentation needs, which are not in the EFI image. Hence no include guard: each
 * defines the macros.
 *
 * GROUP(title) KEY(name, default, platforms, accepted, help, values...)
 *  *	accepted ends a complaint; words of it that stand alone between commas can be completed.
 *	For a choice these are all its words, in the order of its enum.
 *  *	help is one or more sentences, with values and keys in backquotes.
 *  *	values is how the key is parsed and printed, see config_keys.c.
 *
 * platforms is BOTH, or PROBE(why), `why` being the reason why `measure` refuses it.
 */
#ifndef GROUP
#define GROUP(title)
#endif
#ifndef KEY
#define KEY(...)
#endif

#define TIME     "a time above 0 in ns us ms s m h d, as in "
#define YES_NO   "no, yes"
#define TO_FILE  PROBE("records go to the file of -o")
#define NO_WORK  "fixed work is measured below Linux"
#define FIRMWARE "firmware's services are the kernel's to call"

GROUP("What to measure")
KEY("mode", "gaps", BOTH, "gaps, stretch, survey, services",
    "`gaps`: when a core is away. `stretch`: how much longer a fixed piece of work takes than at "
    "best, on each core alone and beside others. `survey`: what the machine is and how it is set; "
    "nothing is changed or measured. `services`: what calls of firmware's services take, and whom "
    "they stop. `noisefloor measure` has `gaps` and `services`.",
    IS(choice, mode))
KEY("kernel", "all", PROBE(NO_WORK),
    "all, or a list of adds l2 llc dram fma, as in kernel=adds,dram",
    "With `mode=stretch`: dependent additions, loads from the L2 and the last-level cache, reads "
    "of memory, vector multiplications. `all`: those that the machine has.",
    IS(set, kernels), .detail = &kernel_set)
KEY("duration", "60s", BOTH, TIME "duration=60s",
    "Sampling time per stage. A short run that finds nothing proves little about rare events.",
    IS(number, duration_ns), .detail = &plain_time)
KEY("window", "1s", BOTH, TIME "window=1s",
    "An uninterrupted span of sampling on all cores. The run reports between two of them.",
    IS(number, window_ns), .detail = &plain_time)
KEY("quiet", "no", BOTH, YES_NO,
    "`yes`: one window for the whole duration. Until its end nothing is reported, and the network "
    "is not serviced unless no buffer is left for a record.",
    IS(choice, quiet))
KEY("threshold", "1us", BOTH, TIME "threshold=1us",
    "Shortest gap recorded. It must be above the sampling loop's own interval.",
    IS(number, threshold_ns), .detail = &plain_time)
KEY("cpus", "all", BOTH, "all, or core numbers below 4096 as in cpus=0-3,8",
    "Cores to measure. 0 is the core that booted. Under Linux `all` means those that the process "
    "may use.",
    IS(cpus, cpus))
KEY("stages", "handoff", PROBE("what is measured here is stage os"),
    "a list of firmware bare acpi handoff linux, as in stages=bare,handoff",
    "States of the machine to measure in: `firmware` (as the firmware left it), `bare` (boot "
    "services ended), `acpi` (ACPI mode on), `handoff` (USB taken over: what an operating "
    "system inherits). All four show what each step changes. A run that kexec starts has `linux` "
    "alone (what the running Linux has left), by default.",
    IS(set, stages), .detail = &stage_set)

GROUP("With mode=services: what is called")
KEY("services", "all", BOTH,
    "all, or a list of get_time get_variable_absent get_variable_small get_variable_large "
    "next_variable query_variables query_capsule rtc keyboard pm_timer hpet pci_cf8 pci_ecam "
    "port_80 psci_version smccc_version trng set_variable, as in services=get_time,rtc",
    "Services of firmware, and devices that it may emulate. `all`: those that only read. "
    "`set_variable` writes a variable of its own, `NoisefloorService`, to flash memory, and "
    "deletes it. For `noisefloor measure` this key implies `mode=services`.",
    IS(set, services), .detail = &service_set)
KEY("service_calls", "100", BOTH, "1 to 10000", "Calls of each service per stage.",
    IS(number, service_calls), .detail = &service_calls)
KEY("service_writes", "10", PROBE(FIRMWARE), "1 to 100",
    "Writes of `set_variable` per stage, at most. Flash memory wears.", IS(number, service_writes),
    .detail = &service_writes)
KEY("smi", "none", PROBE(FIRMWARE), "none, or 0 to 255, as in smi=0x42",
    "Also raise software SMIs, by this value to the port that the FADT names. What firmware then "
    "does is not known. Refused with Secure Boot.",
    IS(number, smi), .detail = &smi_value, .on_smi = true)

GROUP("Limits, which make the verdict pass or fail")
#define LIMIT(id, name, where, accepted, help, what, unit, of, record, core, ...) \
	KEY(name, "none", where, accepted, help, LIMIT_IS_##unit(id), .limit = true, __VA_ARGS__)
#include "limit_rows.h"
KEY("preset", "none", BOTH, "none, openshift, rhel-rt, rhel-rt-virt, bits, hft",
    "Published limits. A limit that is given as well overrides the preset's. A pass that is "
    "shorter than its publisher requires has a remark.",
    IS(preset, preset))
KEY("stop", "none", BOTH, "none, or " TIME "stop=1ms",
    "End sampling at the first gap this long, and keep it.", IS(number, stop_ns),
    .detail = &limit_ns, .modes = 1u << MODE_GAPS)
KEY("stop_total", "none", BOTH, "none, or " TIME "stop_total=1ms",
    "End sampling when the noise of one window on one core is this long.",
    IS(number, stop_total_ns), .detail = &limit_ns, .modes = 1u << MODE_GAPS)

GROUP("What is kept and where it goes")
KEY("records", "auto", BOTH, "auto, or gaps per core, 1 to 16777216",
    "Gaps kept per core. `auto`: up to 65536 each, within 256 MiB in all.", IS(number, records),
    .detail = &ring_size)
KEY("gaps", "auto", BOTH, "auto, all, or a count up to 32768",
    "Gap and event records sent per stage: of each the longest, in time order. `auto`: 200 on the "
    "serial port, all elsewhere.",
    IS(number, gaps), .detail = &gap_count)
KEY("serial", "auto", TO_FILE,
    "auto, off, a port 0x1 to 0xfff8 as in serial=0x3f8, or serial=mmio32:0xfe032000",
    "The serial port. `auto`: SPCR's, or else COM1. One that does not answer is named, and the "
    "next is tried, also after one that is given here. Memory is refused; with Secure Boot, so is "
    "all but `auto`, `off` and COM1 to COM4.",
    IS(serial, serial))
KEY("baud", "115200", TO_FILE,
    "1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600",
    "Speed of the serial port.", .parse = parse_baud, .print = print_number,
    .offset = offsetof(struct config, baud), .detail = &plain_count)
KEY("report", "none", TO_FILE,
    "none; auto or udp for the boot server; udp://10.0.0.5:5514 or udp://[fd00::1]:5514",
    "Where records go over the network. `udp`: the boot server of PXE or HTTP, port 5514; "
    "`auto`: the same if booted so, else none. Host names are not resolved.",
    .parse = config_parse_report, .print = config_print_report)
KEY("ip", "dhcp", TO_FILE,
    "dhcp, or address/len[,gateway] as in ip=10.0.0.2/24,10.0.0.1 or ip=fd00::2/64",
    "This machine's address.", .parse = config_parse_ip, .print = config_print_ip)
KEY("vlan", "none", TO_FILE, "none, or 1 to 4094", "The VLAN tag of all frames.", IS(number, vlan),
    .detail = &vlan_id)
KEY("nic", "auto", TO_FILE, "auto, or a card's address as in nic=52:54:00:12:34:56",
    "The network card; no other is reset. `auto`: the one booted from, else the first with a link.",
    .parse = config_parse_nic, .print = config_print_nic)
KEY("key", "none", TO_FILE, "none, or 32 hex digits",
    "A secret that signs records; the collector has the same. It is never printed.",
    .parse = config_parse_secret, .print = config_print_secret, .secret = true)
KEY("linger", "30s", TO_FILE, TIME "linger=30s",
    "How long to wait for acknowledgement: at the end, and when no buffer is left.",
    IS(number, linger_ns), .detail = &plain_time)
KEY("save", "auto", TO_FILE, "auto, file, nvram, none",
    "Where results are kept: `file` (on this medium), `nvram` (variables of the firmware). "
    "`auto`: a file where that is possible. After ExitBootServices a file takes a reset.",
    IS(choice, save))

KEY("attest", "auto", PROBE("what a TPM knows of the firmware proves nothing about Linux"),
    "auto, yes, no",
    "Have the machine's TPM attest image, configuration and records: `noisefloor fleet attest` "
    "checks that. `auto`: where there is a TPM 2.0, but not with `mode=survey`; `yes`: without one "
    "the run does not start. PCR 15 is extended.",
    IS(choice, attest))

GROUP("Course of the run")
KEY("selftest", "yes", BOTH, YES_NO,
    "First prove on each core that an NMI is counted and a delay of 20 us is found.",
    IS(choice, selftest))
KEY("clear_logs", "no", PROBE("the processor's logs are the kernel's to clear"), YES_NO,
    "`yes`: clear the processors' thermal and power-limit logs at the start, for good, so that new "
    "entries show.",
    IS(choice, clear_logs))
KEY("live", "yes", BOTH, YES_NO,
    "A line, and the page on the screen, after each window. Start and end are always shown.",
    IS(choice, live))
KEY("lava", "no", PROBE("`show --format lava` prints the same of the file"), YES_NO,
    "`yes`: a LAVA test case on the serial line per stage and core, and one for the run.",
    IS(choice, lava))
KEY("countdown", "5s", PROBE("the command starts at once"), "0, or " TIME "countdown=5s",
    "Time to change something, or to leave, before the run starts. None with `then=qemu-exit`.",
    IS(number, countdown_ns), .detail = &time_or_0)
KEY("then", "auto", PROBE("the command ends when it is done"),
    "auto, reset, shutdown, halt, exit, qemu-exit",
    "What to do at the end. `exit`: back to the firmware or shell. `auto`: `exit`, or `halt` "
    "once the firmware is gone. `qemu-exit`: the verdict becomes QEMU's exit code.",
    IS(choice, then))

#undef GROUP
#undef KEY
#undef TIME
#undef YES_NO
#undef TO_FILE
#undef NO_WORK
#undef FIRMWARE
