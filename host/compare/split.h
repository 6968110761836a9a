/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The noise that an OS saw, compared with the floor: who owns it, per core and in total. All parts
 * are ranges. Floor, the four causes and unexplained sum up to the noise, and to what of the floor
 * occurred within handlers: that is part of the floor and of a cause.
 */
#pragma once

#include "floor.h"
#include "host/tools/tool.h"
#include "host/lib/range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The causes that are the OS's own: those before TOOL_HARDWARE. */
#define SPLIT_CAUSES TOOL_HARDWARE

struct split_row {
	uint32_t cpu; /* TOOL_ANY_CPU: not stated by the tool */
	struct range exposure_ns;
	enum tool_origin exposure_from;
	struct range noise_ns, max_ns; /* as the tool has them */
	bool has_floor;                /* the floor has this core */
	bool split;                    /* all fields below are known, but for causes */
	uint64_t floor_max_ns;
	struct range floor_ns;               /* its part, 95 %; the value is what was expected */
	struct range cause_ns[SPLIT_CAUSES]; /* as the tool has it, else not known */
	struct range unexplained_ns;
	struct range in_causes_ns; /* of the floor's part, what is in causes, too */
	struct range added_ns;     /* all but the floor */
};

/* Why figures should not be taken at face value. */
enum split_flag {
	SPLIT_NO_COMMON_CORE,
	SPLIT_OTHER_MACHINE,
	SPLIT_FLOOR_CUT,
	SPLIT_FLOOR_DAMAGED,
	SPLIT_FLOOR_CLOCK,
	SPLIT_STAGE,
	SPLIT_RUNS,
	SPLIT_HYPERVISOR,
	SPLIT_THRESHOLD_HIGHER,
	SPLIT_THRESHOLD_LOWER,
	SPLIT_THRESHOLD_ASSUMED,
	SPLIT_EXPOSURE_ASSUMED,
	SPLIT_EXPOSURE_UNKNOWN,
	SPLIT_SHORT_FLOOR,
	SPLIT_NOISE_BOUNDS,
	SPLIT_CAUSES_NOT_STATED,
	SPLIT_FLOOR_IN_CAUSES,
	SPLIT_FLOOR_ABOVE,
	SPLIT_OTHER_CONDITIONS,
	SPLIT_FLOOR_LONGER,
	SPLIT_CORES_APART,
	SPLIT_FLAGS
};

/* "no-common-core" ... */
const char *split_flag_name(enum split_flag flag);
/* One sentence. */
const char *split_flag_text(enum split_flag flag);
/* Such a comparison is refused unless forced. */
bool split_flag_refuses(enum split_flag flag);

struct split_result {
	const struct floor *floor;
	const struct tool *tool;
	struct split_row *row; /* like the tool's cores */
	size_t rows;
	struct split_row all; /* the sum of the rows that are split */
	bool has_all;
	uint32_t flags; /* 1 << enum split_flag */
	bool refused;
};

/* `force`: compare even what is refused otherwise. Ends the program when memory has run out. */
void split_make(struct split_result *split, const struct floor *floor, const struct tool *tool,
		bool force);
void split_free(struct split_result *split);

/* The same for all outputs: as many results; *code is the worst of their exit codes. */
struct split_result *split_make_all(const struct floor *floor, const struct tool_list *tools,
				    bool force, int *code);
void split_free_all(struct split_result *split, size_t count);

/* Its exit code: 0, 2 if it was refused, 3 if the floor or the tool's output is cut short. */
int split_exit_code(const struct split_result *split);
