/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps from stage to stage, and the state in which each leaves the platform. */
#pragma once

#include "core/gaps/tsc_adjust.h"
#include "core/records/record.h"
#include "drivers/chipset.h"
#include "drivers/pci.h"
#include "drivers/usb_legacy.h"

#include <stdbool.h>
#include <stdint.h>

#define STAGES_USB_MAX 480

/* The state of the platform in a stage. The stage record points into it. */
struct stage_state {
	char usb[STAGES_USB_MAX]; /* each controller and its owner */
	struct chipset_state chipset;
	char tsc_adjust[TSC_ADJUST_TEXT_MAX];
};

struct stages {
	struct pci pci;
	struct usb_controllers usb;
	struct chipset chipset;
	struct stage_state state;
	bool pci_open;
	bool looked;
	const char *name; /* name of the stage entered last; NULL: none was */
	uint32_t taken;   /* steps that are done, a bit per stage */
};

/* The functions for platform.enter and platform.left. */
void stages_enter(struct stages *s, struct record_stage *stage);
void stages_left(struct stages *s, const struct record_stage *stage);

/* Called between windows: log a watchdog that runs. */
void stages_between(struct stages *s);

/* PCI configuration space, which the first call opens. */
const struct pci *stages_pci(struct stages *s);
