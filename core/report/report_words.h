/* SPDX-License-Identifier: BSD-2-Clause */
/* Phrases of log records that programs look for. */
#pragma once

#define REPORT_BUSY      "is in use by the firmware"
#define REPORT_THROTTLED " throttled: "
#define REPORT_BANK      ": machine-check bank "
#define REPORT_IOMMU     "IOMMUs that the firmware has left on: "
#define REPORT_WATCHDOG  "the chipset's watchdog (TCO) is running"
