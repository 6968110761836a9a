/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice from the evidence of a run: settings, the surest first. */
#pragma once

#include "host/bios/bios_dump.h"
#include "host/capture/result.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Evidence: what the records show that a setting may be behind or end ---- */

enum advise_evidence_of {
	ADVISE_USB_STEP,    /* SMIs became fewer when USB was handed over */
	ADVISE_USB_KEPT,    /* after the handover the BIOS still owns a controller */
	ADVISE_USB_ENABLED, /* SMIs, and USB is enabled as a source of them */
	ADVISE_EMULATION,   /* SMIs, and accesses to ports 60h and 64h are enabled */
	ADVISE_TIMER,       /* SMIs with the period of an enabled timer of the chipset */
	ADVISE_PERIODIC,    /* SMIs with a period that no timer explains */
	ADVISE_TCO_TIMER,   /* SMIs with the period of the TCO timer */
	ADVISE_WATCHDOG,    /* the TCO watchdog runs */
	ADVISE_BUSY,        /* a performance counter was in use at boot */
	ADVISE_ERROR,       /* SMIs, and an error was logged, which one of them may have handled */
	ADVISE_STOPPED,     /* gaps in which the core's clock stood still */
	ADVISE_HOT,         /* throttled for its temperature */
	ADVISE_LIMITED,     /* throttled for its power or current */
	ADVISE_IOMMU,       /* left on by the firmware */
	ADVISE_EFI_STOPS,   /* calls of a runtime service stop other cores */
	ADVISE_EFI_LONG,    /* none does that, and calls of one hold their own core for long */
	ADVISE_EFI_CLOCK,   /* GetTime stops other cores, or is slow, where Linux calls it */
	ADVISE_KEYBOARD,    /* reads of the keyboard controller do the same */
	ADVISE_EVIDENCES
};

#define ADVISE_EVIDENCE_TEXT 200

struct advise_evidence {
	struct maybe smi;     /* in and between windows, of the core that counted most */
	uint64_t exposure_ns; /* the mean of the cores */
	bool has[ADVISE_EVIDENCES];
	char text[ADVISE_EVIDENCES][ADVISE_EVIDENCE_TEXT]; /* safe for a terminal */
};

/* Name of a kind of evidence, such as "usb-step". */
const char *advise_evidence_name(enum advise_evidence_of n);

/* Sorts the stage's gaps and windows. */
void advise_evidence_read(struct advise_evidence *e, const struct result *run,
			  struct result_stage *stage);

/* ---- Settings that cost time: one table, a row for each vendor's name of one; some are Linux's
 * ---- */

enum advise_sure {
	ADVISE_MAYBE,  /* the setting is known to cost what was seen; others are, too */
	ADVISE_LIKELY, /* the setting is known to have the effect that was seen */
	ADVISE_SURE,   /* measured with and without the setting */
};

/* "sure" "likely" "maybe" */
const char *advise_sure_name(enum advise_sure sure);

#define ADVISE_CALLS    3
#define ADVISE_ROWS_MAX 64

struct advise_setting {
	/* Rows of one topic name the same setting. A vendor's own rows replace the generic ones. */
	const char *topic;
	const char *vendor;    /* NULL: any vendor without rows of its own for the topic */
	const char *menu;      /* name in the menus */
	const char *attribute; /* name by Redfish; NULL: not known */
	const char *to;        /* what to set it to */
	bool is_linux;         /* Linux has it: no dump shows it, nor does the probe */
	const char *arch;      /* the row's architecture, as in `begin`; NULL: any */
	const char *kernels;   /* versions of Linux: "before 7.4"; NULL: all */
	/*
	 * Evidence, any of which calls for the setting, the surest first; unused ones are at the
	 * end.
	 */
	struct {
		enum advise_evidence_of evidence;
		enum advise_sure sure;
	} call[ADVISE_CALLS];
	unsigned calls;
	const char *effect, *cost, *source;
};

/* The n-th row; NULL past the last. */
const struct advise_setting *advise_setting_at(size_t n);

/* ---- Which attributes a row means ---- */

/*
 * True if two names, or two values, differ only by case, spaces and a number that a BIOS appends.
 */
bool advise_is_alike(const char *a, const char *b);

/* True if the value is a word for "Disabled", or for "Enabled". Most values are neither. */
bool advise_is_off(const char *value);
bool advise_is_on(const char *value);

/* ---- Advice ---- */

#define ADVISE_FOUND_MAX 4

/* An attribute of the dump; `value` NULL: it is not known. */
struct advise_attribute {
	const char *name, *value;
};

struct advise_proposal {
	const struct advise_setting *setting;
	enum advise_sure sure;
	unsigned calls; /* entries of setting->call that hold, as bits */
	/* Matching attributes of the dump: several for several processors. */
	struct advise_attribute found[ADVISE_FOUND_MAX];
	size_t founds;
	bool set; /* by the dump, the setting already has this value: no proposal */
};

/* An attribute whose value in the dump is not in force on the machine. */
struct advise_unmet {
	struct advise_attribute attribute;
	char text[ADVISE_EVIDENCE_TEXT]; /* state that the run shows instead, safe for a terminal */
};

struct capture_select; /* host/capture/capture.h */

struct advise {
	const struct capture_select *selected;
	const struct result_stage *stage;
	const struct bios_dump *dump; /* NULL: none */
	const char *vendor;           /* NULL: none that has rows */
	const char *arch;             /* `arch` of `begin`; NULL: not known */
	struct advise_evidence evidence;
	struct advise_proposal proposal[ADVISE_ROWS_MAX]; /* settings already made come last */
	size_t count, set;                                /* proposals, and those already set */
	struct advise_unmet *unmet;
	size_t unmets;
};

/* Choose for a->vendor, a->arch, a->dump and a->evidence. */
void advise_choose(struct advise *a);

/* Find the attributes of a->dump that the run contradicts. Call it before advise_choose(). */
void advise_find_unmet(struct advise *a);

/* True if advise_find_unmet() found the attribute of a->dump with this name. */
bool advise_is_unmet(const struct advise *a, const char *name);

void advise_text(const struct advise *a);
json_t *advise_json(const struct advise *a);
