/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps from stage to stage, and the state in which each leaves the platform. */
#pragma once

#include "complaints.h"
#include "describe.h"

#include "core/firmware/acpi.h"
#include "core/gaps/platform.h"
#include "core/report/report.h"
#include "drivers/chipset.h"
#include "drivers/pci.h"
#include "drivers/usb_legacy.h"

#include <stdbool.h>
#include <stdint.h>

struct arch_identity;

struct stages {
	const struct acpi_info *acpi;
	const struct arch_identity *identity;
	const struct platform *platform;
	struct report *report;
	struct complaints *complaints;
	struct pci pci;
	struct usb_controllers usb;
	struct chipset chipset;
	struct describe_stage state;
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
