/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A format of an output: the lines that begin it, a pattern for each of its rows, and what becomes
 * of their numbers. Each format is one `struct tool_format`, which tool_formats.c lists.
 *
 * A pattern (tool_scan()) is the line itself, with marks for what varies:
 *
 *   %u  a whole number      %i  the same; below 0 is 0     %m  a number; "-", "-1": none
 *   %3  a decimal fraction, times 10^3 (any digit)         %%  a percent sign
 *   %!  1, without a number in the line                    $   the end of the line
 *   *   anything up to the text that follows
 *   @   numbers as %u, or @3, @m as %3, %m; a word may precede each: "IRQ-000 IRQ-001"
 *   {}  this part is optional, if its first text is absent; blanks match any number of blanks
 *
 * Behind a number may be the name of its member of struct tool_values: "%u(cpu)".
 */
#pragma once

#include "host/lib/scan.h"
#include "tool.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#define TOOL_BODY_MAX 8

#define TOOL_NONE UINT64_MAX /* a number that is not printed, or "-" */

/* Values of rows, each in the unit in which its format prints it. */
#define TOOL_VALUES                                                                                \
	unnamed, cpu, cpus, thread, pid, number, context, count, periods, first, second, last,     \
		min, max, max_noise, noise, inner, outer, s, ns, nmi_us, nmi, irq, softirq, task,  \
		user, smi, mhz, days, hours, minutes, threshold, window, width, duration, runtime, \
		recorded, exceeding, parts, quiet, hwnoise, in_ns, log

struct tool_values {
	uint64_t TOOL_VALUES;
	const uint64_t *list; /* numbers of the last @, until the next pattern is tried */
	size_t listed;
};

/* The number, or what stands for one that is not printed. */
static inline uint64_t tool_or(uint64_t number, uint64_t other)
{
	return number == TOOL_NONE ? other : number;
}

/* One piece while it is read. */
struct tool_parse {
	struct tool *tool;
	const struct tool_format *format;
	void *state;          /* `state_bytes` of the format's own, zero at first */
	struct tool_values v; /* the latest values */
	uint64_t line;        /* number of the current line */
	const char *row;      /* current row of a table; event of a trace */
	size_t arg;           /* argument of that row */
	/*
	 * Set by a row: the output ended before this part of the line. If it is the whole line, the
	 * row begins another run of the format.
	 */
	const char *rest;
	uint64_t entries;              /* entries of a trace's buffer that are still to come */
	bool reported;                 /* something was reported of the piece */
	uint64_t refused;              /* line for which the file is refused; 0: none */
	char before[TOOL_COMMAND_MAX]; /* the previous line that is not empty, truncated */
	tool_complain *complain;
	void *ctx;
	uint64_t floor_ns; /* the list's */
};

/*
 * A row: a line that begins with `key` must go on with `rest`, or the file is refused. take() may
 * be NULL.
 */
struct tool_row {
	const char *key, *rest;
	void (*take)(struct tool_parse *p);
	size_t arg; /* for take(), in p->arg */
};

/*
 * How much that looks like an encoding, or like a command, is valid in a format; outside outputs
 * more is, and some is nowhere.
 */
enum tool_markup { TOOL_PLAIN, TOOL_MARKUP, TOOL_JSON, TOOL_OUTSIDE, TOOL_NOWHERE };

struct tool_format {
	const char *name;
	const char *opens[TOOL_BODY_MAX]; /* patterns that begin an output, anywhere in a line */
	const char *body[TOOL_BODY_MAX];  /* patterns that do so unless one is being read */
	const char *command; /* tools and subcommands whose options are of this output */
	bool trace;          /* rows have a task and a core before them */
	bool mixed;          /* a trace in which rows of another such trace may stand */
	enum tool_markup markup;
	size_t state_bytes, core_bytes; /* bytes of p->state, and of each core's `more` */
	uint32_t notes;                 /* notes on all its outputs: enum tool_note */
	unsigned without;               /* bits of enum tool_cause: no time if not printed */
	bool complete;                  /* events that are not printed did not happen */
	const struct tool_row *row;     /* up to one without a key */
	void (*parse)(struct tool_parse *p, const char *line); /* in place of `row` */
	void (*finish)(struct tool_parse *p); /* after the last line; frees what it holds */
};

/* For `without`, if the tool measures with interrupts off, or prints each event of them. */
#define TOOL_INTERRUPTS (1u << TOOL_IRQ | 1u << TOOL_SOFTIRQ | 1u << TOOL_THREAD)

/*
 * Match the pattern at *at, step over it, and take its numbers. False: *at is unchanged, but *v may
 * not be. `v` may be NULL for a pattern without numbers.
 */
bool tool_scan(const char **at, const char *pattern, struct tool_values *v);

/* Position in the line of the pattern, which begins with a word; NULL: none. */
const char *tool_scan_word(const char *line, const char *pattern);

/* Take a line by the rows of a table. False: it is none of them. */
bool tool_take_row(struct tool_parse *p, const struct tool_row *row, const char *line);

/* A take() of rows: note what the row's `arg` has, of enum tool_note. */
void tool_take_note(struct tool_parse *p);

/*
 * Tables with a column per core, or per context of a core: a head that names the columns, rows of
 * counts that a number labels (buckets), and rows that a word labels (figures). The state of their
 * formats begins with it.
 */
#define TOOL_COLUMNS_MAX 4096
#define TOOL_FIGURES_MAX 8

struct tool_table {
	size_t columns;
	uint64_t *cpu; /* core of each column */
	struct tool_bucket {
		uint64_t label, *count; /* per column */
	} * row;
	size_t rows;
	uint64_t *figure[TOOL_FIGURES_MAX]; /* per column; NULL: there is no such row */
};

/* Takes of rows with @: a head; a figure, whose number is the row's arg; a bucket (first). */
void tool_take_head(struct tool_parse *p);
void tool_take_figure(struct tool_parse *p);
void tool_take_bucket(struct tool_parse *p);

/*
 * Bit in the arg of a head and of figures: there may be no column, as nothing happened; without a
 * bucket, a figure may have no number, or one 0 for a 0 in each column.
 */
#define TOOL_QUIET ((size_t)1 << 8)

void tool_table_free(struct tool_table *t);

/* A sentence about a line of the file, or about all of it: 0. */
void tool_remark(struct tool_parse *p, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A sentence about the current line. None follows the one for which the file is refused. */
#define tool_report(p, ...) \
	((p)->refused ? (void)0 : ((p)->reported = true, tool_remark(p, (p)->line, __VA_ARGS__)))

/* Report why nothing of the file can be read. */
#define tool_refuse(p, ...) \
	(tool_report(p, __VA_ARGS__), (void)((p)->refused = (p)->refused ?: (p)->line))

/* Refuse the line: it is not as the tool prints it. */
void tool_wrong(struct tool_parse *p, const char *line);

/* Report that the output ends before what is named. */
void tool_cut(struct tool_parse *p, const char *before);

/*
 * A parse() of traces, whose events are the rows of their format: of others' events only those
 * without a name are refused. Remarks about the trace itself are noted.
 */
void tool_trace_parse(struct tool_parse *p, const char *line);

/* ---- Figures of a core ---- */

/*
 * The core, made at first use; for TOOL_NONE, that without a number. A number that no machine has
 * is refused. The pointer is good until the next call.
 */
struct tool_core *tool_core(struct tool_parse *p, uint64_t cpu);

/* tool_core() for a core of which nothing was read yet. Another is refused. */
struct tool_core *tool_new_core(struct tool_parse *p, uint64_t cpu);

/* Make each core of the list. */
void tool_cores(struct tool_parse *p, const struct cpulist *list);

static inline void tool_exposure(struct tool_core *core, struct range ns, enum tool_origin from)
{
	core->exposure_ns = ns;
	core->exposure_from = from;
}

/*
 * Set the likely exposure of a core, if it follows only from its first and last noise, or from
 * defaults. The core was watched for at least the length of its noise, and there is no upper bound.
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

/* Set unknown counts to 0: nothing was counted. */
void tool_count_none(struct tool_core *core);

/* Get the interference counts of each cause from a row. */
void tool_causes(const struct tool_values *v, uint64_t count[TOOL_CAUSES]);

/* Set the interference counts of each cause. A cause with 0 took no time. */
void tool_count_causes(struct tool_core *core, const uint64_t count[TOOL_CAUSES]);

/*
 * Set a latency of waking up in units of `unit_ns`, which was rounded down to a whole unit, and the
 * number of latencies.
 */
void tool_latency(struct tool_core *core, uint64_t count, uint64_t max, uint64_t unit_ns);

/* ---- What is stated before an output ---- */

/* A `# noisefloor:` line, which states what a tool's output leaves out. */
#define TOOL_STATED_MARK "# noisefloor:"

/* Take up what follows the mark. False, with a complaint, where it cannot be read. */
bool tool_stated_read(struct tool_parse *p, const char *at, struct tool_stated *stated);

/*
 * Supply the figures that a piece lacks from what was stated, after the piece was read to its end.
 */
void tool_stated_apply(struct tool_parse *p);

/* A command line before an output. */
struct tool_command {
	char text[TOOL_COMMAND_MAX]; /* for people; "": a prompt alone */
	char name[40];               /* "osnoise hist", "cyclictest"; "": none of the tools' */
	bool odd;                    /* a value cannot be read: nothing is taken for granted */
	struct tool_stated stated;
};

/*
 * Read a command: any command after a prompt "user@host:~#", elsewhere one of the tools'. False:
 * there is none.
 */
bool tool_command_read(const char *line, struct tool_command *c);

/* Add the command's options to what is stated otherwise, which has precedence. */
void tool_command_apply(const struct tool_command *c, const struct tool_format *format,
			struct tool_stated *stated);

extern const struct tool_format *const tool_formats[]; /* up to NULL, in the order of trial */
