/* SPDX-License-Identifier: BSD-2-Clause */
/* What the evidence of a run suggests: settings, the surest first. */
#pragma once

#include "advise_evidence.h"
#include "advise_settings.h"

#include "host/capture/capture.h"
#include "host/bios/bios_dump.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define ADVISE_FOUND_MAX 4

struct advise_proposal {
	const struct advise_setting *setting;
	enum advise_sure sure;
	unsigned calls; /* which of setting->call hold, as bits */
	/* What the dump has of it: several for several processors. */
	const struct bios_dump_attribute *found[ADVISE_FOUND_MAX];
	size_t founds;
	bool set; /* already so, by the dump: no proposal */
};

/* An attribute whose value in the dump is not in force on the machine. */
struct advise_unmet {
	const struct bios_dump_attribute *attribute;
	char text[ADVISE_EVIDENCE_TEXT]; /* what the run shows instead, safe for a terminal */
};

struct advise {
	const struct capture_select *selected;
	const struct result_stage *stage;
	const struct bios_dump *dump; /* NULL: none */
	const char *vendor;           /* NULL: none that has rows */
	const char *arch;             /* as in `begin`; NULL: not known */
	unsigned kernel;              /* ADVISE_KERNEL(); 0: not known, and all are advised for */
	struct advise_evidence evidence;
	struct advise_proposal proposal[ADVISE_ROWS_MAX]; /* those already set come last */
	size_t count, set;                                /* with these, and of these */
	struct advise_unmet *unmet;
	size_t unmets;
};

/* Choose for a->vendor, a->arch, a->kernel, a->dump and a->evidence. */
void advise_choose(struct advise *a);

/* Find the attributes of a->dump that the run contradicts. Call it before advise_choose(). */
void advise_find_unmet(struct advise *a);

/* True if advise_find_unmet() found this attribute of a->dump. */
bool advise_is_unmet(const struct advise *a, const struct bios_dump_attribute *attribute);

/* "7.4 or newer", "before 6.19": the kernels that a row is for; nothing if for all. */
void advise_kernels(const struct advise_setting *s, struct text *t);

/* What a person is to run next. */
void advise_next(const struct advise *a, const struct advise_setting *s, struct text *t);

void advise_text(const struct advise *a);
json_t *advise_json(const struct advise *a);
