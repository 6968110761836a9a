/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration: key=value, the same keys everywhere. core/config/config_keys.c has the table
 * of keys.
 */
#pragma once

#include "core/firmware/serial_port.h"
#include "core/lib/cpulist.h"
#include "core/lib/ipaddr.h"
#include "limit.h"
#include "preset.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest configuration text accepted, bytes. */
#define CONFIG_TEXT_MAX 65536

/* The longest sentence of a complaint, bytes with the NUL. */
#define CONFIG_COMPLAINT_MAX 512

/* The number of keys. */
enum {
	CONFIG_KEYS = 0
#define KEY(...) +1
#include "config_rows.h"
};

#define CONFIG_REPORT_PORT   5514                /* the collector's port, if none is given */
#define CONFIG_VLAN_MAX      4094                /* IEEE 802.1Q reserves 0 and 4095 */
#define CONFIG_SECRET_BYTES  16                  /* length of `key` */
#define CONFIG_RECORDS_LIMIT (UINT64_C(1) << 24) /* largest `records` */
#define CONFIG_GAPS_LIMIT    32768               /* largest count of `gaps` */

/* The program that runs: the probe on the bare machine, or `noisefloor measure` under Linux. */
enum config_platform { CONFIG_PROBE, CONFIG_LINUX };

/* An enum of one byte, so that a key of any choice is stored as one that is yes or no. */
#define CONFIG_BYTE __attribute__((packed))

enum config_then {
	THEN_AUTO,
	THEN_RESET,
	THEN_SHUTDOWN,
	THEN_HALT,
	THEN_EXIT,
	THEN_QEMU_EXIT,
} CONFIG_BYTE;

enum config_serial { SERIAL_AUTO, SERIAL_OFF, SERIAL_IO, SERIAL_MMIO32 };

enum config_save { SAVE_AUTO, SAVE_FILE, SAVE_NVRAM, SAVE_NONE } CONFIG_BYTE;

enum config_switch { SWITCH_AUTO, SWITCH_YES, SWITCH_NO } CONFIG_BYTE;

enum config_report {
	REPORT_NONE,
	REPORT_AUTO, /* REPORT_UDP to the boot server, if the machine was booted by one */
	REPORT_UDP,
};

enum config_mode {
#define MODE(id, name) MODE_##id,
#include "mode_rows.h"
	MODES
} CONFIG_BYTE;

/* Bits of `kernel`: what a quantum of fixed work is made of. */
enum config_kernel { KERNEL_ADDS, KERNEL_L2, KERNEL_LLC, KERNEL_DRAM, KERNEL_FMA, KERNELS };

/* "adds" "l2" "llc" "dram" "fma" */
const char *config_kernel_name(enum config_kernel kernel);

/* Bits of `services`: what is called. */
enum config_service {
#define SERVICE(id, name, kind) SERVICE_##id,
#include "service_rows.h"
	SERVICES
};

/* "get_time" */
const char *config_service_name(enum config_service service);

/*
 * Bits of `stages`. Each stage includes the ones before, but for STAGE_LINUX: a run that is started
 * by a running Linux has that one alone.
 */
enum config_stage { STAGE_FIRMWARE, STAGE_BARE, STAGE_ACPI, STAGE_HANDOFF, STAGE_LINUX, STAGES };

/* "firmware" "bare" "acpi" "handoff" "linux"; stage < STAGES. */
const char *config_stage_name(enum config_stage stage);

/* A limit that may be absent. */
struct config_limit {
	bool set;
	uint64_t value;
};

/* The place of a key in the configuration. */
struct config_place {
	const char *source; /* name of the config_source; NULL: nowhere, the default is in force */
	unsigned line;      /* from 1; 0: the source has no lines */
	bool by_preset;     /* set by `preset`, which was given there */
};

struct config {
	enum config_platform platform; /* keys of the other are refused and not printed */
	bool no_smi;                   /* keys on SMIs alone are refused, too */
	uint32_t no_modes;             /* modes this machine lacks: bits 1 << enum config_mode */
	enum config_mode mode;
	uint32_t kernels;  /* bit mask, 1 << enum config_kernel */
	bool kernels_auto; /* all that the machine has: none was requested by name */
	uint32_t services; /* bit mask, 1 << enum config_service, without SERVICE_SMI */
	bool services_all; /* all that are harmless: none was requested by name */
	struct config_limit service_calls;  /* per service and stage; always set */
	struct config_limit service_writes; /* calls of set_variable per stage; always set */
	struct config_limit smi;            /* value for the SMI port; unset: nothing is written */
	const char *(*why_not)(const char *key); /* the reason, for a complaint; may be NULL */
	uint64_t duration_ns;
	uint64_t window_ns;
	bool quiet;
	uint64_t threshold_ns;
	struct cpulist cpus;               /* empty: all */
	uint32_t stages;                   /* bit mask, 1 << enum config_stage; never 0 */
	struct config_limit limit[LIMITS]; /* ns, count or ppm; a factor in ppm: 1050000 is 1.05 */
	const struct preset *preset; /* NULL: none; its settings are in the other fields already */
	struct config_limit stop_ns;
	struct config_limit stop_total_ns;
	struct config_limit records; /* ring size in gaps per core; unset: auto */
	struct config_limit gaps;    /* unset: default of the link; UINT64_MAX: all */
	struct {
		enum config_serial kind;
		uint64_t base; /* SERIAL_IO: port, its 8 registers below 0x10000; SERIAL_MMIO32:
				  address */
	} serial;
	uint64_t baud;
	struct {
		enum config_report kind;
		struct ipaddr host; /* IPADDR_NONE: the boot server */
		uint16_t port;
	} report;
	struct ipaddr_setup ip;   /* address IPADDR_NONE: by DHCP */
	uint64_t linger_ns;       /* time to wait for acknowledgement at the end */
	struct config_limit vlan; /* 1 to CONFIG_VLAN_MAX */
	struct {
		bool set; /* false: any card that works */
		uint8_t mac[MACADDR_BYTES];
	} nic;
	struct {
		bool set;
		uint8_t bytes[CONFIG_SECRET_BYTES];
	} key; /* signs records; never printed */
	enum config_save save;
	enum config_switch attest;
	bool selftest;
	bool clear_logs;
	bool live;
	bool lava;
	uint64_t countdown_ns; /* before the run starts automatically; 0: none */
	enum config_then then;

	struct config_place place[CONFIG_KEYS]; /* by row of the table; see config_where() */
};

/* The source of a piece of configuration, for error messages. */
struct config_source {
	const char *name; /* "noisefloor.conf", "load options"; must outlive the configuration */
	bool one_line;    /* load options: no line numbers; the image's name in front is dropped */
};

/*
 * Called once per mistake: line from 1 (0: no lines), and one sentence with what was found and what
 * is accepted.
 */
typedef void config_complaint(void *ctx, const char *source, unsigned line, const char *text);

/* Set the probe's defaults. For another platform, change `platform` afterwards. */
void config_defaults(struct config *c);

/*
 * Apply `bytes` bytes of configuration text (UTF-8; keys and values in ASCII; LF or CRLF; '#'
 * starts a comment; several key=value may share a line, blanks around '=' are allowed). Later
 * values replace earlier ones, but keys override `preset` even if they are given before it. Returns
 * the number of mistakes, each reported to `complain`; keys without a mistake are applied in any
 * case. Binary input (a control character other than tab, CR, LF) and input over CONFIG_TEXT_MAX
 * are one mistake and nothing is applied; `text` is not read when `bytes` is over CONFIG_TEXT_MAX.
 */
unsigned config_apply(struct config *c, const struct config_source *source, const char *text,
		      size_t bytes, config_complaint *complain, void *ctx);

/*
 * Checks between keys and against the machine, once all sources are applied. Mistakes: a core
 * number at or past `cpus_found` (at least 1); `max` or `stop` below `threshold`, since shorter
 * gaps are not recorded; `threshold` not below the window; limits on values that the mode does not
 * measure, and a mode for which the processor has no kernels. Not a mistake: a window longer than
 * the duration is shortened to it, and `quiet` makes the window as long as the duration. Returns
 * the number of mistakes.
 */
unsigned config_check(struct config *c, uint32_t cpus_found, config_complaint *complain, void *ctx);

/* Set keys for which the mode leaves no choice, after all questions. */
void config_settle(struct config *c);

/* Get the port that `serial` names. False: it names none. */
bool config_serial(const struct config *c, struct serial_port *p);

/*
 * True if `serial` is an address other than those of COM1 to COM4. With Secure Boot, which verifies
 * images and no configuration, such an address is refused.
 */
bool config_serial_is_chosen(const struct config *c);

#define CONFIG_SERIAL_UNCHOSEN "auto, off, 0x3f8, 0x2f8, 0x3e8, 0x2e8"

/* The place of the current value of `key`, for complaints after config_check(). */
struct config_place config_where(const struct config *c, const char *key);

/*
 * Mask everything that is or may be the value of a secret key with stars, so that the text can be
 * shown. For a line that is being typed, which may be incomplete or wrong: after such a key,
 * everything is masked up to the next assignment to another key.
 */
void config_mask_secrets(char *text, size_t bytes);

/*
 * The configuration in force, "key=value key=value ...", of the keys of its platform, in the
 * table's order; config_apply() reads it back, except for `key`, which is printed as <set>.
 */
void config_print(const struct config *c, struct text *out);

/* Print only the limits that are set, and the preset that set them, into an empty text. */
void config_print_limits(const struct config *c, struct text *out);
