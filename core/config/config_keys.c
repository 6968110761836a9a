/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of configuration keys, one row per key, and the parsers and printers its rows share. */
#include "config_keys.h"

#include "core/lib/mem.h"
#include "core/lib/units.h"

const struct config_key *config_key_find(struct span name)
{
	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++)
		if (span_is(name, key->name))
			return key;
	return NULL;
}

static void *field(struct config *c, const struct config_key *key)
{
	return (char *)c + key->offset;
}

static const void *const_field(const struct config *c, const struct config_key *key)
{
	return (const char *)c + key->offset;
}

/* Numbers, by their unit. */

static const char *parse_ns(struct span value, uint64_t *ns)
{
	const char *problem = units_parse_ns(value.s, value.bytes, ns);

	return problem || *ns ? problem : "is zero";
}

static const char *parse_count(struct span value, uint64_t *count)
{
	return units_parse_u64(value.s, value.bytes, count);
}

static void print_count(struct text *out, uint64_t count)
{
	text_add(out, "%llu", (unsigned long long)count);
}

/* Parsed as a time in ms, since a factor has as many ppm as that time has ns. */
static const char *parse_factor(struct span value, uint64_t *ppm)
{
	TEXT_DEFINE(ms, 24);

	text_bytes(&ms, value.s, value.bytes);
	text_add(&ms, "ms");
	if (ms.overflow || units_parse_ns(ms.buf, ms.len, ppm))
		return "is not a number of at most six decimals";
	return NULL;
}

static void print_factor(struct text *out, uint64_t ppm)
{
	text_fixed(out, ppm, 6, 0);
}

const struct config_unit config_in_ns = { parse_ns, units_print_ns, text_duration, "is too short" };
const struct config_unit config_in_counts = { parse_count, print_count, print_count,
					      "is out of range" };
const struct config_unit config_in_factors = { parse_factor, print_factor, print_factor,
					       "is below 1" };

struct number_detail {
	const struct config_unit *unit;
	const char *unset; /* the word for no number; NULL: the field is no struct config_limit */
	const char *word;  /* stands for `value`; NULL: there is none */
	uint64_t value, min, max;
};

static const struct number_detail plain_time = { &config_in_ns, NULL, NULL, 0, 1, UINT64_MAX };
static const struct number_detail time_or_0 = { &config_in_ns, NULL, "0", 0, 1, UINT64_MAX };
static const struct number_detail plain_count = { &config_in_counts, NULL, NULL, 0, 0, UINT64_MAX };
static const struct number_detail limit_ns = { &config_in_ns, "none", NULL, 0, 1, UINT64_MAX };
static const struct number_detail limit_count = {
	&config_in_counts, "none", NULL, 0, 0, UINT64_MAX
};
static const struct number_detail limit_ppm = { &config_in_counts, "none", NULL, 0, 0, 1000000 };
static const struct number_detail limit_factor = { &config_in_factors, "none", NULL, 0, 1000000,
						   UINT64_MAX };
static const struct number_detail ring_size = { &config_in_counts,   "auto", NULL, 0, 1,
						CONFIG_RECORDS_LIMIT };
static const struct number_detail vlan_id = {
	&config_in_counts, "none", NULL, 0, 1, CONFIG_VLAN_MAX
};
static const struct number_detail service_calls = { &config_in_counts, "", NULL, 0, 1, 10000 };
static const struct number_detail service_writes = { &config_in_counts, "", NULL, 0, 1, 100 };
static const struct number_detail smi_value = { &config_in_counts, "none", NULL, 0, 0, 255 };
static const struct number_detail gap_count = { &config_in_counts, "auto", "all",
						UINT64_MAX,        0,      CONFIG_GAPS_LIMIT };

static const char *parse_number(struct config *c, const struct config_key *key, struct span value)
{
	const struct number_detail *detail = key->detail;
	struct config_limit number = { .set = true };
	const char *problem;

	if (detail->unset && span_is(value, detail->unset)) {
		number.set = false;
	} else if (detail->word && span_is(value, detail->word)) {
		number.value = detail->value;
	} else {
		problem = detail->unit->parse(value, &number.value);
		if (problem)
			return problem;
		if (number.value < detail->min)
			return detail->unit->too_small;
		if (number.value > detail->max)
			return "is out of range";
	}
	if (detail->unset)
		*(struct config_limit *)field(c, key) = number;
	else
		*(uint64_t *)field(c, key) = number.value;
	return NULL;
}

static void print_number(const struct config *c, const struct config_key *key, struct text *out)
{
	const struct number_detail *detail = key->detail;
	struct config_limit number = { .set = true };

	if (detail->unset)
		number = *(const struct config_limit *)const_field(c, key);
	else
		number.value = *(const uint64_t *)const_field(c, key);
	if (!number.set)
		text_add(out, "%s", detail->unset);
	else if (detail->word && number.value == detail->value)
		text_add(out, "%s", detail->word);
	else
		detail->unit->print(out, number.value);
}

/* Choices: an enum, or a bool, whose values index the words that the key accepts. */

/* The n-th word, from 0, of "auto, file, nvram, none"; empty past the last. */
static struct span accepted_word(const struct config_key *key, unsigned n)
{
	struct span rest = span_of(key->accepted), word;

	do {
		word = span_until(&rest, ',');
		span_skip(&word, " ");
	} while (n--);
	return word;
}

/* True if the value is a word that the key accepts, the *n-th. */
static bool is_accepted(const struct config_key *key, struct span value, uint8_t *n)
{
	struct span word;

	for (*n = 0; (word = accepted_word(key, *n)).bytes; ++*n)
		if (word.bytes == value.bytes && memcmp(word.s, value.s, word.bytes) == 0)
			return true;
	return false;
}

static const char *parse_choice(struct config *c, const struct config_key *key, struct span value)
{
	uint8_t n;

	if (!is_accepted(key, value, &n))
		return "is not known";
	*(uint8_t *)field(c, key) = n;
	return NULL;
}

static void print_choice(const struct config *c, const struct config_key *key, struct text *out)
{
	struct span word = accepted_word(key, *(const uint8_t *)const_field(c, key));

	text_bytes(out, word.s, word.bytes);
}

/* baud: a number, of those that the key accepts. */

static const char *parse_baud(struct config *c, const struct config_key *key, struct span value)
{
	uint8_t n;

	return is_accepted(key, value, &n) ? parse_number(c, key, value) : "is not a standard rate";
}

_Static_assert(sizeof(enum config_mode) == 1, "parse_choice() stores a byte");
_Static_assert(sizeof(enum config_then) == 1, "parse_choice() stores a byte");
_Static_assert(sizeof(enum config_switch) == 1, "parse_choice() stores a byte");
_Static_assert(sizeof(enum config_save) == 1, "parse_choice() stores a byte");
_Static_assert(sizeof(bool) == 1, "parse_choice() stores a byte");

/* cpus */

static const char *parse_cpus(struct config *c, const struct config_key *key, struct span value)
{
	struct cpulist list;

	(void)key;
	if (span_is(value, "all"))
		cpulist_clear(&list);
	else if (!cpulist_parse(&list, value.s, value.bytes))
		return "is not a list of cores";
	c->cpus = list;
	return NULL;
}

static void print_cpus(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	if (cpulist_empty(&c->cpus))
		text_add(out, "all");
	else
		cpulist_print(&c->cpus, out);
}

/* Sets: a list of names, as bits by their position; or `all`. */

struct set_detail {
	const char *const *names;
	unsigned count;
	const char *problem;
	uint32_t all;  /* value of the word `all`; 0: there is no such word */
	size_t is_all; /* offset of the flag that is set if `all` was given */
};

/* The names as bits; 0 if one is unknown. */
static uint32_t parse_names(struct span value, const struct set_detail *detail)
{
	uint32_t bits = 0;
	bool more;

	do {
		more = memchr(value.s, ',', value.bytes) != NULL;
		struct span name = span_until(&value, ',');
		unsigned i = 0;

		while (i < detail->count && !span_is(name, detail->names[i]))
			i++;
		if (i == detail->count)
			return 0;
		bits |= UINT32_C(1) << i;
	} while (more);
	return bits;
}

static const char *parse_set(struct config *c, const struct config_key *key, struct span value)
{
	const struct set_detail *detail = key->detail;
	bool all = detail->all && span_is(value, "all");
	uint32_t bits = all ? detail->all : parse_names(value, detail);

	if (!bits)
		return detail->problem;
	*(uint32_t *)field(c, key) = bits;
	if (detail->all)
		*(bool *)((char *)c + detail->is_all) = all;
	return NULL;
}

static void print_set(const struct config *c, const struct config_key *key, struct text *out)
{
	const struct set_detail *detail = key->detail;
	uint32_t bits = *(const uint32_t *)const_field(c, key);
	const char *comma = "";

	if (detail->all && *(const bool *)((const char *)c + detail->is_all)) {
		text_add(out, "all");
		return;
	}
	for (unsigned i = 0; bits >> i; i++) {
		if (bits >> i & 1) {
			text_add(out, "%s%s", comma, detail->names[i]);
			comma = ",";
		}
	}
}

static const char *const stage_names[STAGES] = {
	[STAGE_FIRMWARE] = "firmware", [STAGE_BARE] = "bare",   [STAGE_ACPI] = "acpi",
	[STAGE_HANDOFF] = "handoff",   [STAGE_LINUX] = "linux",
};

static const struct set_detail stage_set = { stage_names, STAGES, "has an unknown stage", 0, 0 };

const char *config_stage_name(enum config_stage stage)
{
	return stage_names[stage];
}

static const char *const kernel_names[KERNELS] = {
	[KERNEL_ADDS] = "adds", [KERNEL_L2] = "l2",   [KERNEL_LLC] = "llc",
	[KERNEL_DRAM] = "dram", [KERNEL_FMA] = "fma",
};

static const struct set_detail kernel_set = {
	kernel_names,
	KERNELS,
	"has an unknown kernel",
	(1u << KERNELS) - 1,
	offsetof(struct config, kernels_auto),
};

const char *config_kernel_name(enum config_kernel kernel)
{
	return kernel_names[kernel];
}

static const char *const service_names[SERVICES] = {
#define SERVICE(id, name, kind) #name,
#include "service_rows.h"
};

#define HARMLESS   1u
#define NAMED_ONLY 0u

_Static_assert(SERVICE_SMI == SERVICES - 1, "it is called by `smi`, and no name of `services`");

static const struct set_detail service_set = {
	service_names,
	SERVICE_SMI,
	"has an unknown service",
#define SERVICE(id, name, kind) kind << SERVICE_##id |
#include "service_rows.h"
	0,
	offsetof(struct config, services_all),
};

const char *config_service_name(enum config_service service)
{
	return service_names[service];
}

/* preset: its settings are applied once the whole text is read, see config.c. */

static const char *parse_preset(struct config *c, const struct config_key *key, struct span value)
{
	const struct preset *preset = preset_find(value.s, value.bytes);

	(void)key;
	if (!preset && !span_is(value, "none"))
		return "is not known";
	c->preset = preset;
	return NULL;
}

static void print_preset(const struct config *c, const struct config_key *key, struct text *out)
{
	(void)key;
	text_add(out, "%s", c->preset ? c->preset->name : "none");
}

/* serial */

/* A 16550 has 8 registers: one byte apart as ports, four bytes apart as mmio32. */
#define UART_PORT_LAST 0xfff8u
#define UART_MMIO_LAST (UINT64_MAX - 31)

static const char *parse_serial(struct config *c, const struct config_key *key, struct span value)
{
	bool mmio = span_skip(&value, "mmio32:");
	const char *problem;
	uint64_t base;

	(void)key;
	if (!mmio && (span_is(value, "auto") || span_is(value, "off"))) {
		c->serial.kind = span_is(value, "off") ? SERIAL_OFF : SERIAL_AUTO;
		c->serial.base = 0;
		return NULL;
	}
	if (!mmio)
		span_skip(&value, "io:");
	problem = units_parse_u64(value.s, value.bytes, &base);
	if (problem)
		return problem;
	if (base == 0 || base > (mmio ? UART_MMIO_LAST : UART_PORT_LAST))
		return "is out of range";
	if (mmio && base % 4)
		return "is not a multiple of 4";
	c->serial.kind = mmio ? SERIAL_MMIO32 : SERIAL_IO;
	c->serial.base = base;
	return NULL;
}

static void print_serial(const struct config *c, const struct config_key *key, struct text *out)
{
	static const char *const form[] = {
		[SERIAL_AUTO] = "auto",
		[SERIAL_OFF] = "off",
		[SERIAL_IO] = "0x",
		[SERIAL_MMIO32] = "mmio32:0x",
	};

	(void)key;
	text_add(out, "%s", form[c->serial.kind]);
	if (c->serial.kind == SERIAL_IO || c->serial.kind == SERIAL_MMIO32)
		text_add(out, "%llx", (unsigned long long)c->serial.base);
}

/* The type of a row's values, and their offset. */
#define IS(kind, field) \
	.parse = parse_##kind, .print = print_##kind, .offset = offsetof(struct config, field)

/* IS() for limits, by their unit. */
#define LIMIT_IS_NS(id)     IS(number, limit[LIMIT_##id]), .detail = &limit_ns
#define LIMIT_IS_COUNT(id)  IS(number, limit[LIMIT_##id]), .detail = &limit_count
#define LIMIT_IS_PPM(id)    IS(number, limit[LIMIT_##id]), .detail = &limit_ppm
#define LIMIT_IS_FACTOR(id) IS(number, limit[LIMIT_##id]), .detail = &limit_factor

#define BOTH       (1u << CONFIG_PROBE | 1u << CONFIG_LINUX)
#define PROBE(why) (1u << CONFIG_PROBE)

#define KEY(name, fallback, where, accepted, help, ...) \
	{ name, fallback, accepted, .platforms = (where), __VA_ARGS__ },

const struct config_key config_keys[CONFIG_KEYS] = {
#include "config_rows.h"
};
