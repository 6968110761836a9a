/* SPDX-License-Identifier: BSD-2-Clause */
/* What a parser of one peer's format is given and gives: one row of the table in peer.c each. */
#ifndef HOST_PEER_FORMAT_H
#define HOST_PEER_FORMAT_H

#include "host/lib/scan.h"
#include "peer.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

/* What a line is to a format. */
enum peer_match {
	PEER_NO,
	PEER_BODY,    /* one of its lines: detects it where nothing was detected yet */
	PEER_TITLE,   /* a new piece begins, unless a piece of this format is being read */
	PEER_OPENING, /* a new piece begins */
};

/* One piece while it is read. */
struct peer_parse {
	struct peer *peer;
	const struct peer_format *format;
	void *state;   /* `state_bytes` of the parser's own, zero at first */
	uint64_t line; /* number of the line in hand */
	uint64_t said; /* complaints */
	peer_complain *complain;
	void *ctx;
};

struct peer_format {
	const char *name;
	enum peer_match (*match)(const char *line);
	size_t state_bytes;
	/* Before the first line. Optional. */
	void (*start)(struct peer_parse *p);
	/* One line, without control characters; tabs are blanks. */
	void (*parse)(struct peer_parse *p, const char *line);
	/* After the last. Optional; frees what `state` and `more` point to. */
	void (*finish)(struct peer_parse *p);
};

/* The line cannot be read: say so, with what is accepted. */
void peer_wrong(struct peer_parse *p, const char *line, const char *wanted);

/* Something else is wrong at this line. */
void peer_say(struct peer_parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * The core, made at first use; NULL, with a complaint, for a number no machine has. The
 * pointer is good until the next call.
 */
struct peer_core *peer_core(struct peer_parse *p, uint32_t cpu);

/* Count events of a length from `low` to `high` ns: bins, events, sum and maximum. */
void peer_count(struct peer_core *core, uint64_t low, uint64_t high, uint64_t count);

/* Add one event of exactly `ns` to a cause's sum. */
void peer_charge(struct peer_sum *sum, uint64_t ns);

/* By the cores' numbers. */
void peer_sort_cores(struct peer *peer);

/* noisefloor's own records, which may be among a file's lines: `file` lives as long as `c`. */
struct capture;
void peer_records_begin(struct capture *c, const char *file, peer_complain *complain, void *ctx);

/*
 * Append a piece for each run that was measured from inside an OS; the others are
 * complained of. True when there was any run.
 */
bool peer_records_add(struct peers *peers, const struct capture *c);

/* `# noisefloor:` lines, which state what a tool's output leaves out. */
bool peer_stated_is(const char *line);

/* Take up what the line states. False, with a complaint, where it cannot be read. */
bool peer_stated_read(struct peer_parse *p, const char *line, struct peer_stated *stated);

/* Give what was stated to the figures that lack it; for a piece that was read to its end. */
void peer_stated_apply(struct peer_parse *p);

extern const struct peer_format peer_hwlat, peer_osnoise, peer_rtla_top, peer_rtla_hist,
	peer_hwlatdetect, peer_oslat, peer_rt_json, peer_cyclictest, peer_sysjitter,
	peer_sysjitter_raw, peer_detour, peer_other_tracer;

#endif
