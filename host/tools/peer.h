/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other tools measured from inside an OS, each brought to the same terms:
 * core, exposure, threshold, events, longest, sum, and what of it the tool itself
 * gives a cause. A file may hold the output of several tools, one after another:
 * each piece is one `struct peer`.
 *
 * A tool leaves out much of what is needed to judge its figures. A line
 *
 *   # noisefloor: threshold=1us exposure=5s cpus=0-3 mode=per-cpu window=1s width=500ms
 *
 * before its output says what is known otherwise (any of these; `mode` is hwlat's).
 */
#ifndef HOST_PEER_H
#define HOST_PEER_H

#include "host/lib/range.h"

#include "core/lib/cpulist.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer line holds nothing that any of the tools writes. */
#define PEER_LINE_MAX 65536
/* A JSON document is held in memory while it is read, up to this size. */
#define PEER_JSON_MAX ((size_t)64 << 20)
/* Pieces read from one file. */
#define PEER_PIECES_MAX 64
/* The stage of our own records that is measured from inside an OS. */
#define PEER_OS_STAGE "os"

/* As osnoise tells them apart. Hardware: time that no cause inside the OS lays claim to. */
enum peer_cause { PEER_NMI, PEER_IRQ, PEER_SOFTIRQ, PEER_THREAD, PEER_HARDWARE, PEER_CAUSES };

/* "nmi" "irq" "softirq" "thread" "hardware" */
const char *peer_cause_name(enum peer_cause cause);

enum peer_origin {
	PEER_UNKNOWN,
	PEER_ASSUMED, /* the tool's default, or worked out from its output */
	PEER_STATED,  /* by the tool, or in a `# noisefloor:` line */
};

/* "unknown" "assumed" "stated" */
const char *peer_origin_name(enum peer_origin origin);

/* What its reader should know about a peer's figures; bits. peer_note() has the sentences. */
enum peer_note {
	PEER_WAKEUP = 1 << 0,       /* latencies of wake-ups, not gaps */
	PEER_BLIND = 1 << 1,        /* sees only what the kernel does */
	PEER_TAINTED = 1 << 2,      /* says itself that it was disturbed */
	PEER_LOST = 1 << 3,         /* says itself that events were lost */
	PEER_NMI_ANYWHERE = 1 << 4, /* NMIs of any core are charged to the sampled one */
	PEER_ONE_THREAD = 1 << 5,   /* one core at a time is watched */
	PEER_UNPINNED = 1 << 6,     /* threads may have changed core */
	PEER_SMI_UNSURE = 1 << 7,   /* "0 SMIs" where the counter may not exist */
	PEER_VERSION = 1 << 8,      /* version not told, or ambiguous: bounds cover both */
	PEER_NEWER = 1 << 9,        /* version newer than those whose format is known */
	PEER_DAMAGED = 1 << 10,     /* lines could not be read, and are left out */
	PEER_CUT = 1 << 11,         /* ends before its end */
};

#define PEER_NOTES 12

/* Name ("wakeup-latency") and sentence of note number `n`, 0 to PEER_NOTES - 1. */
const char *peer_note_name(unsigned n);
const char *peer_note_text(unsigned n);

/* So many events of this length each, ns. */
struct peer_bin {
	uint64_t low, high; /* RANGE_OPEN: not bounded */
	uint64_t count;
};

struct peer_sum {
	struct range events;
	struct range ns;
};

#define PEER_ANY_CPU UINT32_MAX /* the tool does not say which core */

struct peer_core {
	uint32_t cpu;
	struct range exposure_ns;
	enum peer_origin exposure_from;
	struct range events, max_ns, sum_ns;
	struct peer_sum cause[PEER_CAUSES];
	struct maybe smi;
	/* All events by length, where the tool tells. Neighbours may be merged. */
	struct peer_bin *bin;
	size_t bins;
	void *more; /* the parser's */
};

/* What a `# noisefloor:` line says. */
struct peer_stated {
	struct maybe threshold_ns, exposure_ns, window_ns, width_ns;
	bool has_mode, per_cpu;
	bool has_cpus;
	struct cpulist cpus;
};

struct peer_format;

struct peer {
	char file[256];
	uint64_t line;             /* where it begins, from 1 */
	const char *tool;          /* "hwlat" "osnoise" "rtla osnoise top" ... */
	char version[24];          /* "" where it does not tell */
	struct range threshold_ns; /* shortest event that is counted */
	enum peer_origin threshold_from;
	uint32_t notes;
	uint64_t wrong;         /* lines complained of */
	uint64_t rows;          /* lines that gave figures */
	struct peer_core *core; /* in rising order of cpu once read */
	size_t cores;
	struct peer_stated stated;
	/* Exposure of all cores together, where one thread moves over them and it is not told how.
	 */
	struct range shared_ns;
	/* noisefloor's own records: who was measured, for comparing with the floor's. */
	char machine[160], uuid[40];
};

struct peers {
	struct peer *at;
	size_t count;
	bool failed; /* nothing usable, or not readable: complained of */
};

/* One sentence about a line of a file; 0: about the whole file. */
typedef void peer_complain(void *ctx, const char *file, uint64_t line, const char *text);

/*
 * Read a file ("-": standard input) and append its pieces. What is wrong with it is
 * said to `complain`. Ends the program when memory has run out.
 */
void peers_read(struct peers *peers, const char *path, peer_complain *complain, void *ctx);

/* The same of `bytes` in memory, as a file of that name. */
void peers_read_bytes(struct peers *peers, const char *name, const char *text, size_t bytes,
		      peer_complain *complain, void *ctx);

void peers_free(struct peers *peers);

/* The figures of that core; NULL where there are none. */
const struct peer_core *peer_find(const struct peer *peer, uint32_t cpu);

/* The sum, and the number, of a core's events of at least `shortest` ns. */
struct range peer_sum_from(const struct peer *peer, const struct peer_core *core,
			   uint64_t shortest);

#endif
