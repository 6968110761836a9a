/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end page of a run, kept over a reset: a struct without pointers has all that the page shows,
 * so that another start can draw the page again. It has numbers of the modes `gaps` and `stretch`
 * only.
 */
#pragma once

#include "screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define END_KEPT_NAMES     7
#define END_KEPT_NAME_MAX  96
#define END_KEPT_FACTS_MAX 2048
#define END_KEPT_CODE_MAX  1280
#define END_KEPT_CORES_MAX 4096 /* more than a machine has; each takes some 22 KiB again */

struct end_kept_core {
	uint64_t length, gaps, noise, max; /* ticks; `gaps` is a count */
	uint64_t smi;
	struct maybe tail;
	uint32_t index;
	bool smi_moved;
};

struct end_kept {
	uint64_t sid, hz;
	char name[END_KEPT_NAMES][END_KEPT_NAME_MAX]; /* version, machine, processor */
	uint32_t found, measured;
	bool no_smi;
	uint32_t mode; /* enum config_mode */
	uint64_t threshold_ns;
	struct config_limit limit[LIMITS];
	struct verdict_reasons reasons;
	/* Members of struct screen_end. */
	char about[END_KEPT_FACTS_MAX], facts[END_KEPT_FACTS_MAX];
	char code[END_KEPT_CODE_MAX]; /* the text of the QR code; "": none */
	struct hist hist;             /* sum of all cores */
	uint32_t cores;
	struct end_kept_core core[];
};

/* Bytes of a struct end_kept with this number of cores. */
size_t end_kept_bytes(uint32_t cores);

/* Fill in *k, which has room for all cores of the report's platform. Returns the bytes used. */
size_t end_kept_make(struct end_kept *k, const struct record_begin *begin, const struct report *r,
		     const struct screen_end *end, const char *code);

/* The state that the page is drawn from. Its strings stay in the struct end_kept. */
struct end_kept_state {
	struct config config;
	struct record_begin begin;
	struct platform platform;
	struct report report; /* its summary is in `facts` */
};

/*
 * Check hostile input: true if the `bytes` at `k` are such a struct, with numbers that the page can
 * have. Texts in it are made printable.
 */
bool end_kept_check(struct end_kept *k, size_t bytes);

/* Fill in *s from a struct that end_kept_check() accepted. `cpu` has k->cores zeroed cores. */
void end_kept_restore(const struct end_kept *k, struct cpu *cpu, struct end_kept_state *s);
