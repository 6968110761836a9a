/* SPDX-License-Identifier: BSD-2-Clause */
/* Phrases that programs look for: of log records, and the name of a test case. */
#pragma once

#define REPORT_BUSY      "is in use by the firmware"
#define REPORT_THROTTLED " throttled: "
#define REPORT_BANK      ": machine-check bank "
#define REPORT_IOMMU     "IOMMUs that the firmware has left on: "
#define REPORT_WATCHDOG  "the chipset's watchdog (TCO) is running"

/* The test case for a preset's duration; skipped if a pass has a remark. */
#define LAVA_LENGTH "long enough for preset %s"
