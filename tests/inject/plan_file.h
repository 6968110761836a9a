/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of injections, written by schedule.py. It comes from QEMU's fw_cfg file
 * opt/noisefloor/inject or, where there is none, from \inject.bin on the volume the injector was
 * started from.
 */
#pragma once

#include <stdint.h>

#define PLAN_FWCFG       "opt/noisefloor/inject"
#define PLAN_MAGIC       0x4e414c50464e0a0d /* "\r\nNFPLAN" */
#define PLAN_VERSION     1
#define PLAN_ALL         UINT32_MAX /* every core */
#define PLAN_OPTIONS     448
#define PLAN_SWSMI_RATES 4

/* The file: this head, then count times struct plan_smi. Little-endian. */
struct plan {
	uint64_t magic;
	uint32_t version;
	uint32_t mode;          /* enum plan_mode */
	uint32_t count;         /* SMIs, up to PLAN_MAX */
	uint32_t target;        /* number of the core that takes them: 0 is the boot core */
	uint64_t start_ns;      /* from arming, right before the probe is started, to the first */
	uint32_t nmi_target;    /* core that takes NMIs from the first SMI to the last */
	uint32_t nmi_period_ns; /* 0: no NMIs */
	uint32_t swsmi_rate;    /* below PLAN_SWSMI_RATES */
	uint32_t effects;       /* EFFECT_ of layout.h */
	uint8_t reserved[16];
	char options[PLAN_OPTIONS]; /* the probe's load options, ASCII, NUL-terminated; "": none */
};

enum plan_mode {
	PLAN_HANDLER, /* our own SMM handler, a schedule */
	PLAN_TCO,     /* the chipset's watchdog raises SMIs for the firmware's handler */
	PLAN_WAIT,    /* look again until there is another plan: for machines saved at this point */
	PLAN_LEGACY,  /* no SMIs: the platform is left as a BIOS with legacy support leaves it */
	PLAN_SWSMI,   /* PLAN_TCO by the chipset's software SMI timer */
	PLAN_IDLE,    /* nothing is done: the machine as the firmware left it */
};

struct plan_smi {
	uint32_t pause_ns;  /* from the end of the SMI before (the first: from start_ns) */
	uint32_t length_ns; /* from entry to exit */
};

static inline const struct plan_smi *plan_smis(const struct plan *plan)
{
	return (const struct plan_smi *)(plan + 1);
}
