/* SPDX-License-Identifier: BSD-2-Clause */
/* What the records of a run show that a setting of the BIOS, or of Linux, may be behind or end. */
#pragma once

#include "host/capture/result.h"
#include "host/capture/result_sources.h"

#include <stdbool.h>
#include <stdint.h>

enum advise_evidence_of {
	ADVISE_USB_STEP,     /* SMIs became fewer when USB was handed over */
	ADVISE_USB_KEPT,     /* after the handover the BIOS still owns a controller */
	ADVISE_USB_ENABLED,  /* SMIs, and USB is enabled as a source of them */
	ADVISE_EMULATION,    /* the same of ports 60h and 64h */
	ADVISE_TIMER,        /* SMIs with the period of an enabled timer of the chipset */
	ADVISE_PERIODIC,     /* SMIs with a period that no timer explains */
	ADVISE_SECOND,       /* of those: 30 ms about once a second */
	ADVISE_QUARTER_HOUR, /* of those: 30 ms every 15 minutes */
	ADVISE_TCO_TIMER,    /* SMIs with the period of the TCO timer */
	ADVISE_WATCHDOG,     /* the TCO watchdog runs */
	ADVISE_BUSY,         /* a performance counter was in use at boot */
	ADVISE_ERRORS_FIRST, /* SMIs without a period; the firmware handles errors first */
	ADVISE_PCIE_FIRST,   /* the same of PCI Express's */
	ADVISE_ERROR,        /* an error was logged, which the firmware handled first */
	ADVISE_STOPPED,      /* gaps in which the core's clock stood still */
	ADVISE_HOT,          /* throttled for its temperature */
	ADVISE_LIMITED,      /* throttled for its power or current */
	ADVISE_IOMMU,        /* left on by the firmware */
	ADVISE_EFI_STOPS,    /* calls of a runtime service stop other cores */
	ADVISE_EFI_LONG,     /* none does that, and calls of one hold their own core for long */
	ADVISE_EFI_CLOCK,    /* the same of GetTime, either way, where Linux calls it */
	ADVISE_KEYBOARD,     /* reading the keyboard controller's port does, either way */
	ADVISE_EVIDENCES
};

#define ADVISE_EVIDENCE_TEXT 200

struct advise_evidence {
	struct maybe smi;     /* in and between the windows of the stage, of the core with most */
	uint64_t exposure_ns; /* the mean of the cores */
	bool has[ADVISE_EVIDENCES];
	char text[ADVISE_EVIDENCES][ADVISE_EVIDENCE_TEXT]; /* safe for a terminal */
};

/* "usb-step" ... */
const char *advise_evidence_name(enum advise_evidence_of n);

/* Sorts the stage's gaps and windows. */
void advise_evidence_read(struct advise_evidence *e, const struct result *run,
			  struct result_stage *stage);
