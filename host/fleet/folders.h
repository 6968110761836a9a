/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folders of one or several collectors as if they were one. A run whose node moved from one
 * collector to another has a part in each: its lines are merged by their seq, and a line that
 * several have counts once.
 */
#pragma once

#include "folder_index.h"

#include "host/capture/line.h"
#include "host/store/index_order.h"
#include "host/store/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct folders_dir {
	const char *path;
	int fd;
};

/* A run, or its part, in one folder. */
struct folders_part {
	struct index_entry entry;
	size_t dir;
	uint64_t when; /* entry.began, but never before that of a run that has a lower rank */
};

struct folders_run {
	struct index_entry entry; /* `rank` and `place` over all folders */
	size_t part, parts;       /* in one folder each */
};

struct folders {
	struct policy *policy; /* what judges; NULL: the nodes themselves */
	struct folders_dir *dir;
	size_t dirs;
	struct folders_part *part;
	struct folders_run *run; /* by sid */
	size_t parts, runs;
	struct folder_index_machine machine; /* that was asked for */
	struct folder_index_latest *latest;
	bool is_one; /* it has not all runs, but what was asked for */
};

/* For the rows of options. */
#define FOLDERS_POLICY_HELP \
	"judge by the policy in this file, instead of the one that the collector had"

struct folders_from {
	size_t count;
	const char *const *paths;
	const char *policy;
	const char *uuid; /* of the only machine that is needed; NULL: all are */
	/* Where one folder has no policy: those take what needs no runs; NULL: they are all needed.
	 */
	struct folder_index_latest *latest;
};

/*
 * False, with the reason on standard error; folders_close() in any case. A policy in the file
 * `policy`, NULL: the first that a folder has, judges all runs.
 */
bool folders_open(struct folders *f, const char *subcommand, const struct folders_from *from);
void folders_close(struct folders *f);

struct folders_sink {
	/* A line of the run with its newline, in order of seq. */
	void (*line)(void *ctx, const struct line *line, const char *text, size_t bytes);
	/* Optional: two folders have different lines of this number; the first one's is taken. */
	void (*conflict)(void *ctx, const char *path, const char *other, uint64_t seq);
	void *ctx;
	const char *failed; /* the path of the folder where an error was; NULL: none */
	uint64_t again;     /* lines that a further folder has, too */
	uint64_t damaged;   /* lines that are none of the run's */
};

/* 0 or an errno. */
int folders_read(const struct folders *f, const struct folders_run *run, struct folders_sink *sink);

/* Its summary, from its file or files. 0 or an errno, then *failed is as in a sink. */
int folders_summary(const struct folders *f, const struct folders_run *run, struct summary *s,
		    const char **failed);

/* The file of a run that has one part only. -1 with errno. */
int folders_open_run(const struct folders *f, const struct folders_run *run);
