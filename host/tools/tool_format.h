/* SPDX-License-Identifier: BSD-2-Clause */
/* What a parser of a tool's format is given and gives: a row each of the table in tool_piece.c. */
#pragma once

#include "host/lib/scan.h"
#include "tool.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

/* What a line has of a format. */
enum tool_match {
	TOOL_NO,
	TOOL_BODY,    /* one of its lines: detects it, unless in a trace that may have it */
	TOOL_TITLE,   /* a new piece begins, unless a piece of this format is being read */
	TOOL_OPENING, /* a new piece begins */
};

/* Of a line in which a word begins at `at`, if at all. */
static inline enum tool_match tool_match_at(const char *at, enum tool_match match)
{
	return at ? match : TOOL_NO;
}

/* One piece while it is read. */
struct tool_parse {
	struct tool *tool;
	const struct tool_format *format;
	void *state;      /* `state_bytes` of the parser's own, zero at first */
	uint64_t line;    /* number of the line in hand */
	const char *rest; /* set by parse(): the output ended before this, be it all of the line */
	uint64_t reports; /* complaints */
	char before[TOOL_COMMAND_MAX]; /* the previous line that is not empty, truncated */
	tool_complain *complain;
	void *ctx;
	const struct tool_given *given; /* what the user states */
};

struct tool_format {
	const char *name;
	const char *opening; /* the word that begins each piece; NULL: find() */
	/* Anywhere in the line; *at: where the format's part of it begins. */
	enum tool_match (*find)(const char *line, const char **at);
	bool trace;
	bool mixed;   /* a trace, in which lines of another such may stand */
	bool bare;    /* a command line ends it: other lines are enough to begin the next */
	bool sums;    /* its tables may be drawn again: tool_redraw.h. Each is a piece at first */
	bool encoded; /* JSON or XML: what looks like an escape may stand in its rows */
	size_t state_bytes;
	uint32_t notes; /* on all its figures: enum tool_note */
	/* Before the first line. Optional. */
	void (*start)(struct tool_parse *p);
	/*
	 * One line, without control characters; tabs are blanks. One that gives figures is
	 * counted in the tool's `rows`; one that is refused leaves no trace.
	 */
	void (*parse)(struct tool_parse *p, const char *line);
	/* After the last. Optional; frees what `state` and `more` point to. */
	void (*finish)(struct tool_parse *p);
};

/* How long a core was watched, and the shortest event that counts; and who states it. */
static inline void tool_exposure(struct tool_core *core, struct range ns, enum tool_origin from)
{
	core->exposure_ns = ns;
	core->exposure_from = from;
}

/*
 * The likely time, where a core's is concluded from its first and last noise, or from defaults; its
 * noise is known. It watched at least as long as that took, and nothing bounds it.
 */
static inline void tool_exposure_assume(struct tool_core *core, uint64_t ns)
{
	const struct maybe likely = { ns, true };

	tool_exposure(core, range_around(arith_min(core->sum_ns.low, ns), likely, RANGE_OPEN),
		      TOOL_ASSUMED);
}

static inline void tool_threshold(struct tool *tool, struct range ns, enum tool_origin from)
{
	tool->threshold_ns = ns;
	tool->threshold_from = from;
}

/* tracing_thresh 0 means this to osnoise; older kernels, and rtla's documents, have 5 us. */
#define OSNOISE_THRESHOLD_NS     UINT64_C(1000)
#define OSNOISE_THRESHOLD_OLD_NS UINT64_C(5000)

/* `name`, and the number behind it. */
static inline bool tool_take(const char **at, const char *name, uint64_t *value)
{
	return scan_literal(at, name) && scan_u64(at, value);
}

/* The line cannot be read: report that, with what is accepted. */
void tool_wrong(struct tool_parse *p, const char *line, const char *wanted);

/* Something else is wrong at this line. */
void tool_report(struct tool_parse *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The output ends before what is named. */
void tool_cut(struct tool_parse *p, const char *before);

/*
 * The core, made at first use; NULL, with a complaint, for a number no machine has. The
 * pointer is good until the next call.
 */
struct tool_core *tool_core(struct tool_parse *p, uint32_t cpu);

/* "raw.07": core 7; TOOL_ANY_CPU where the name does not end so. */
uint32_t tool_cpu_of_file(const char *file);

/* A line of nothing but whole numbers: how many, up to `max`; 0: another line. */
size_t tool_numbers(const char *line, uint64_t *number, size_t max);

/* A table with a column per core. */
#define TOOL_COLUMNS_MAX 4096
struct tool_columns {
	size_t count;
	uint32_t cpu[TOOL_COLUMNS_MAX];
};

/* Its head, "0 1 2" or "CPU-000 CPU-001": one of the words, which NULL ends, before each core. */
bool tool_columns_read(struct tool_columns *c, const char *at, const char *const *words);

/*
 * Set up columns without a head, from the first row: one for each number after the bucket's. Their
 * cores are not known.
 */
bool tool_columns_unnamed(struct tool_columns *c, const char *row);

/* A row of it: a whole number per column. */
bool tool_columns_numbers(const struct tool_columns *c, const char *at, uint64_t *number);

/* Count events of a length from `low` to `high` ns: bins, events, sum and maximum. */
void tool_count(struct tool_core *core, uint64_t low, uint64_t high, uint64_t count);

/* Where nothing was counted, there was nothing. */
void tool_count_none(struct tool_core *core);

/* Add so many events, of so many ns in all, to a cause's sum. */
void tool_charge(struct tool_sum *sum, struct range events, struct range ns);

/* "0 00:01:00", days and hours that rtla prints, in s. */
bool tool_take_days(const char **at, uint64_t *s);

/*
 * Where a row of rtla's tables begins that could stand without its title, "1 #12322 ..."; what
 * follows that; NULL: none.
 */
const char *tool_find_row(const char *line, const char **rest);

/* How often each cause interfered: one that did not took no time. */
void tool_count_causes(struct tool_core *core, const uint64_t count[TOOL_CAUSES]);

/* Add one event of exactly `ns` to a cause that has a name. */
void tool_name(struct tool_core *core, enum tool_cause cause, const char *name, uint64_t ns);

/* By the cores' numbers, and what they name by its sum. */
void tool_sort_cores(struct tool *tool);

/* noisefloor's own records, which may be among a file's lines: `file` lives as long as `c`. */
struct capture;
void tool_records_begin(struct capture *c, const char *file, tool_complain *complain, void *ctx);

/*
 * Append a piece for each run that was measured from inside an OS; the others are
 * complained of. True when there was any run.
 */
bool tool_records_add(struct tool_list *tools, const struct capture *c);

/* `# noisefloor:` lines, which state what a tool's output leaves out. */
#define TOOL_STATED_MARK "# noisefloor:"

/* Take up what the line states. False, with a complaint, where it cannot be read. */
bool tool_stated_read(struct tool_parse *p, const char *line, struct tool_stated *stated);

/* Give what was stated to the figures that lack it; for a piece that was read to its end. */
void tool_stated_apply(struct tool_parse *p, const struct tool_given *given);

extern const struct tool_format tool_hwlat, tool_osnoise, tool_rtla_top, tool_rtla_hist,
	tool_hwlatdetect, tool_oslat, tool_rt_json, tool_cyclictest, tool_sysjitter,
	tool_sysjitter_raw, tool_detour, tool_timerlat_top, tool_timerlat_hist, tool_fwq,
	tool_psnap, tool_ftq, tool_jhiccup, tool_timerlat, tool_rteval, tool_stress_ng,
	tool_turbostat;
