/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: everything noisefloor reports to machines, as JSON Lines. One struct per type, and one
 * field table (record_field.h) that both the writer (here) and the reader (host/) walk.
 *
 *   {"nf":1,"sid":"<16 hex>","seq":<n>,"type":"<type>", ... ,"crc":"<8 hex>"}
 *
 * crc is the CRC-32C of the line's bytes before `,"crc"`. seq counts from 0 per link. A line is at
 * most RECORD_LINE_MAX bytes with its newline; a record that needs more is written as several lines
 * of its type, each with the record's key fields, "part":<n from 0>, and "more":true on all but the
 * last. A reader joins parts by merging objects and appending arrays; their seq are consecutive.
 *
 * Strings are bytes: outside printable ASCII each is written as \u00XX, so a reader sees them as
 * Latin-1.
 */
#pragma once

#include "core/cause/cause.h"
#include "core/lib/sha256.h"
#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_VERSION  1
#define RECORD_LINE_MAX 1136 /* what a datagram of 1,216 bytes holds: datagram.h */
#define RECORD_KEY_MAX  64   /* a key string on a line, with its quotes */

enum record_type {
#define RECORD_TYPE(id, name) RECORD_##id,
#include "record_types.h"
	RECORD_TYPES
};

/* "begin", "stage", ... */
const char *record_type_name(enum record_type type);

/* Pairs of numbers, [[a, b], ...]. */
struct record_pairs {
	const uint64_t (*at)[2];
	size_t count;
};

#define RECORD_STRINGS 16

/* As SMBIOS names it. */
struct record_machine {
	const char *vendor, *product, *board;
	const char *bios_vendor, *bios_version, *bios_date;
	const char *uuid;
};

struct record_begin {
	const char *version;
	const char *arch; /* "x86_64" "aarch64"; NULL, in old records: the former */
	const char *door; /* "uefi" "pvh" "linux" (kexec); NULL: run under an OS */
	struct record_machine machine;
	struct {
		const char *vendor, *brand;
		uint32_t family, model, stepping;
		struct maybe microcode;
	} cpu;
	const char *hypervisor; /* its name, or NULL */
	const char *serial;     /* the port of its output, as serial_port_print(); NULL: none */
	const char *os; /* measured from inside this OS, "Linux 6.1.0 ..."; NULL: none runs */
	struct {
		uint32_t found;          /* enabled in the MADT and chosen by `cpus` */
		uint32_t started;        /* answered */
		uint32_t measured;       /* take part in the windows */
		const char *apic_ids;    /* list, "0-3,8"; NULL where it would be too long */
		struct maybe bringup_ns; /* first INIT to last core ready */
	} cpus;
	struct {
		uint64_t hz;
		const char *source; /* "cpuid15" "cpuid16" "hpet" "pmtimer" "monotonic-raw" */
		bool invariant;
		struct maybe quantum;   /* smallest step seen, ticks */
		const char *audited_by; /* the second clock, or NULL */
		struct maybe audit_ppm; /* |difference| of the two, parts per million */
	} clock;
	const char *evidence[RECORD_STRINGS]; /* which kinds exist */
	const char *config; /* "key=value key=value ...", the configuration in force */
	uint64_t begin_tsc; /* the zero of all times in ns */
	const char *began;  /* begin_tsc in wall time, ISO 8601; NULL: the clock was not set */
};

#define RECORD_TIMERS 4

/* The state of the platform that the stage was measured in. Lists are names separated by spaces. */
struct record_stage {
	const char *stage;
	struct maybe sci_en;   /* 1: ACPI mode, events are SCIs; 0: they are SMIs */
	const char *usb_owner; /* of all USB controllers: "bios" owns one, else "os", else "none" */
	const char *usb;       /* "xhci 0000:00:14.0 os, ehci 0000:00:1d.0 none" */
	const char *chipset;   /* what the SMI registers below are decoded as; NULL: not known */
	struct maybe smi_en, smi_sts;         /* Intel: the registers as they are */
	const char *smi_enabled, *smi_status; /* sources, by the chipset's names; "": none */
	const char *tsc_adjust; /* per core, as tsc_adjust.h prints it; NULL: it does not differ */
	const char *firmware_first; /* acpi.h; "": none; NULL: no HEST */
	/* Timers that raise SMIs, up to the first without a name: possible origins of sources. */
	struct period_timer timers[RECORD_TIMERS];
};

/* One window; or, in long runs, `windows` neighbours taken together. */
struct record_window {
	const char *stage;
	uint64_t n; /* number of the first window, from 1 */
	uint64_t windows;
	uint64_t start_ns, len_ns;
	uint64_t gaps, noise_ns, max_ns; /* all cores together */
	struct maybe smi, nmi;           /* inside the window, all cores */
	struct maybe smi_out, nmi_out;   /* since the window before, all cores */
};

struct record_gap {
	const char *stage;
	uint32_t cpu;
	uint64_t start_tsc, ticks;
	uint64_t t_ns, len_ns;
	enum cause cause_id; /* not a field of its own; `cause` is */
	const char *cause;
	struct maybe smi, nmi, mce;
	const char *why; /* a sentence: the evidence, or what is missing */
};

/* Gaps that overlap, of one or several cores: event.h. */
struct record_event {
	const char *stage;
	uint64_t of;           /* events of the stage, with or without a record */
	uint64_t t_ns, len_ns; /* first gap's start; to the last gap's end */
	uint64_t gaps;
	uint32_t cpus;                 /* how many cores */
	const char *list;              /* which, "0-3,8"; NULL where it would be too long */
	uint32_t first, last;          /* first in, last out */
	uint64_t skew_ns, end_skew_ns; /* between the first and the last core to enter, to leave */
	const char *cause; /* that of more than half of the gaps' time, else "unknown" */
	struct cause_sum causes[CAUSES]; /* of its gaps; more than one where they disagree */
	const char *scope;               /* "cpu" "core" "package" "machine"; NULL: not known */
	bool partial;                    /* gaps may be missing: more cores may have been hit */
};

struct record_cpu {
	const char *stage;
	uint32_t cpu, apic_id;
	struct maybe package, core, thread; /* as the processor numbers them */
	const char *core_type;              /* "P" "E"; NULL where all are of one type */
	/*
	 * "nmi, delay": the core counted its test NMI and found its test delay; else what failed.
	 * NULL: no self-test.
	 */
	const char *proved;
	struct maybe tsc_offset_bound; /* ticks: error bound of tsc_offset */
	int64_t tsc_offset;            /* ticks against the boot core */
	uint64_t exposure_ns, noise_ns, max_ns;
	uint64_t gaps, dropped;
	struct maybe smi, nmi, mce;    /* inside windows */
	struct maybe smi_out, nmi_out; /* between windows of this stage */
	struct cause_sum cause[CAUSES];
	uint64_t interval_p50, interval_p999; /* sample interval, ticks */
	struct record_pairs histogram;        /* [low_ns, count] */
};

/* Events that recur with a period: period.h. */
struct record_source {
	const char *stage;
	const char *cause; /* of the gaps that were searched, without those of other causes */
	uint64_t period_ns, jitter_ns;
	uint32_t fill_ppm; /* share of the train's visible slots that have an event */
	uint64_t events;
	int64_t chance_milli; /* log10 of the false-alarm probability, in thousandths */
	const char *origin;   /* the enabled timer it is likely to be, or NULL */
	const char *hint;     /* what else has this period, or NULL */
};

/* Time that the TSC did not count, or counted in excess: clockwatch.h. */
struct record_pause {
	const char *stage;
	uint64_t from_ns, until_ns; /* between these */
	uint64_t least_ns, most_ns; /* total length */
	uint64_t pauses;            /* number of pauses; 0 (in old records): one */
	uint64_t worst_ns;          /* the longest of several, at least */
	bool forward;               /* the TSC ran ahead; else it stood still or was set back */
	const char *clock;          /* that saw it */
};

struct record_log {
	const char *level; /* "info" "warning" "error" */
	const char *text;
};

struct record_end {
	const char *verdict; /* "pass" "fail" "none" "incomplete" "error" */
	const char *reasons[RECORD_STRINGS];
	const char *remark;       /* of a "pass": what it lacks; NULL: nothing */
	struct maybe sampled_ns;  /* windows of the stage that had the least, added up */
	struct maybe watched_ppm; /* exposure as a share of the time from first to last window */
	uint64_t records[RECORD_TYPES]; /* sent on this link, this one included */
	uint64_t gaps_unsent;           /* gap records left out by `gaps` or dropped */
	struct maybe events_unsent;     /* event records left out by `gaps` */
};

/* Quanta of a core, a kernel and a phase: core/kinds/stretch/stretch.h. */
struct record_stretch {
	const char *stage, *kernel, *phase;
	uint32_t cpu;
	uint64_t quanta, work;
	uint64_t best;                           /* ticks */
	struct maybe min;                        /* ticks */
	uint64_t p50, p90, p99, p999, max, mean; /* ppm above the best */
	struct maybe gaps, clock, cpi, rest;     /* factors of the mean, ppm: 1000000 is 1 */
	struct record_pairs hist;                /* [ppm above the best, count] */
	struct record_pairs course;              /* [ns, clock in ppm of MPERF's], of turns */
	struct record_pairs throttled;           /* [ns, enum evidence_throttle] */
};

/* A victim beside an aggressor: core/kinds/interfere/interfere.h. */
struct record_interfere {
	const char *stage, *kernel;
	uint32_t victim, aggressor;
	const char *group;
	uint64_t ratio, bound; /* ppm: 1000000 is 1 */
};

/* A piece of a survey: core/modes/survey/survey_parts.h. */
struct record_survey {
	const char *stage, *area, *name;
	uint32_t piece, pieces;
	uint64_t bytes;
	const char *data;
};

/* The last words of a core that cannot go on: core/kinds/fault/fault.h. */
struct record_fault {
	const char *stage; /* NULL: none has begun */
	const char *kind;  /* "exception" "wait" */
	const char *what;
	struct maybe cpu, vector, syndrome;
	struct maybe pc, image; /* where it was, and where the image begins */
	struct maybe address;   /* that it faulted on */
	const char *doing;
	const char *steps[RECORD_STRINGS]; /* before that, the last first */
};

/* Calls of a service of firmware: core/kinds/service/service.h. */
struct record_service {
	const char *stage, *service;
	const char *why; /* it was not called, or no further */
	uint32_t cpu, others;
	uint64_t calls, failed;
	struct maybe status; /* the first error */
	struct maybe min_ns, p50_ns, p99_ns, max_ns;
	struct maybe smi, smi_quiet, smi_others;
	bool stops;
	uint32_t stopped;
	uint64_t overlaps;
	struct maybe least_ns, longest_ns; /* of the gaps beside calls */
	const char *cause;                 /* of the longest */
	uint64_t controls, control_overlaps;
	struct maybe control_longest_ns;
	int64_t chance_milli;
	uint64_t unseen;
};

/* What the machine's TPM attests: core/kinds/attest/attest.h. All but two are hex digits. */
struct record_attest {
	const char *tpm; /* "crb" "fifo" */
	const char *config;
	const char *lines[RECORD_STRINGS], *started[RECORD_STRINGS];
	const char *pcrs;
	const char *values[RECORD_STRINGS];
	const char *key, *quote, *signature;
};

/* The run in one record, for a reader who has nothing else of it: core/report/summary.h. */
struct record_summary {
	const char *version, *arch, *began;
	struct record_machine machine;
	const char *cpu; /* the processor's brand */
	struct maybe microcode;
	const char *hypervisor, *os;
	uint32_t found, measured; /* cores */
	const char *stages;       /* that were measured, "bare,handoff" */
	const char *limits;       /* "max=20us max_smi=0"; NULL: none was set */
	uint64_t threshold_ns;
	const char *verdict, *remark; /* and what a pass lacks; NULL: nothing */
	struct maybe sampled_ns;      /* record_end.sampled_ns */
	/* All cores in all stages; not known where none was measured: then 0 would be a claim. */
	struct maybe exposure_ns, gaps, noise_ns;
	struct maybe smi, nmi, mce;
	struct maybe longest_ns, longest_cpu; /* the longest gap, and where it was, if any was */
	const char *longest_stage, *longest_cause;
	struct cause_sum cause[CAUSES];
	struct maybe longest[CAUSES]; /* ns; not known where gaps found no place in the list */
	struct maybe stretch;         /* with mode=stretch: the worst p99.9, ppm: 1000000 is 1 */
};

/*
 * Whether the run's processor has neither SMIs nor NMIs: then no record has the fields of these, no
 * table their columns.
 */
bool record_no_smi(const struct record_begin *begin);

/* A record of any type that has a struct. */
union record {
#define RECORD_TYPE(id, name) struct record_##name name;
#include "record_types.h"
};

/* One output: serial, UDP, file. Each counts its own records. */
struct record_link {
	bool no_smi; /* record_no_smi() of the run */
	/* A line of JSON, with its newline. NULL with `take`. */
	void (*write)(struct record_link *link, const char *line, size_t bytes);
	/* For links of other formats, instead of lines: the record itself. NULL: lines. */
	void (*take)(struct record_link *link, enum record_type type, const void *data);
	uint64_t sid;
	uint64_t seq;                /* of the next line */
	uint64_t sent[RECORD_TYPES]; /* records, not lines */
	bool hashed;                 /* `lines` is kept up */
	struct sha256 lines;         /* of all lines, also of a link that takes records */
};

/* From now on; before the first line. */
void record_hash(struct record_link *link);

/*
 * Write one record of `type` to the link, or pass it on if the link takes records. `data` is the
 * type's struct. For RECORD_END the link's own totals (this record included) replace data's. A
 * single string longer than fits a line is cut, a key string to RECORD_KEY_MAX bytes as written.
 * Allocates nothing; one core at a time.
 */
void record_send(struct record_link *link, enum record_type type, const void *data);
