/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What jHiccup writes, or HdrHistogram's log processor prints of it: by how much a thread that
 * slept overslept, in ms. Like cyclictest's, the longest bounds the longest gap from above. Either
 * percentiles, with the longest below them, or a log, with the longest of each interval, of whose
 * histogram only the head is read. A value stands for a bucket, which ends there.
 */
#include "hdr_histogram.h"
#include "tool_format.h"
#include "tool_frame.h"

#include <string.h>

#define NS_DIGITS 6 /* of a ms */
#define LOG_MARK  "#[Logged with jHiccup version"
/* Of percentiles without a head. */
#define LEGEND "Value     Percentile TotalCount 1/(1-Percentile)"

/* It counts from 20 us on, so this is the width of its narrowest buckets. */
#define UNIT_NS 16384

struct jhiccup {
	bool log;
	struct maybe max_ns, count;
	uint64_t ulp_ns;
	struct hdr_histogram buckets; /* of the longest, ns */
};

static enum tool_match find(const char *line, const char **at)
{
	static const char *const openings[] = { "#[Overall percentile distribution between",
						"jHiccup histogram report,", LOG_MARK };

	for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		*at = tool_frame_word(line, openings[i]);
		if (*at)
			return TOOL_OPENING;
	}
	*at = tool_frame_title(line, LEGEND);
	return tool_match_at(*at, TOOL_TITLE);
}

/* What its decimals leave open. */
static uint64_t ulp_of(const char *at)
{
	size_t digits = strspn(at += strcspn(at, ".,"), ".") ? strspn(at + 1, "0123456789") : 0;
	uint64_t ns = 1000000;

	for (; digits && ns > 1; digits--)
		ns /= 10;
	return ns;
}

static bool take_max(struct jhiccup *j, const char **at)
{
	uint64_t ulp = ulp_of(*at), ns;

	if (!scan_fixed(at, NS_DIGITS, &ns))
		return false;
	if (!j->max_ns.known || ns > j->max_ns.value) {
		j->max_ns = (struct maybe){ ns, true };
		j->ulp_ns = ulp;
	}
	return true;
}

/* #[Max     =       26.080, Total count    =         1070] */
static void parse_percentiles(struct tool_parse *p, const char *line)
{
	struct jhiccup *j = p->state;
	const char *at = line;

	if (scan_literal(&at, "#[Max ") && scan_literal(&at, "=")) {
		p->tool->rows++;
		if (!take_max(j, &at) || !scan_past(&at, "=") || !scan_maybe(&at, &j->count))
			tool_wrong(p, line, "#[Max = N, Total count = N]");
	} else if (scan_literal(&at, "#[Buckets ") && scan_past(&at, "SubBuckets") &&
		   scan_literal(&at, "=")) {
		scan_u64(&at, &j->buckets.sub_buckets);
	}
}

/* [Tag=NAME,]start,length,max,histogram; nothing but base64 is behind it. */
static bool take_interval(struct jhiccup *j, const char *at)
{
	static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/=";
	const struct maybe before = j->max_ns;
	const char *max;
	uint64_t ns;

	if (scan_literal(&at, "Tag=") && !scan_past(&at, ","))
		return false;
	if (!scan_fixed(&at, 0, &ns) || !scan_literal(&at, ",") || !scan_fixed(&at, 0, &ns) ||
	    !scan_literal(&at, ","))
		return false;
	max = at;
	if (!scan_fixed(&at, 0, &ns) || !scan_literal(&at, ",") || at[strspn(at, base64)] ||
	    !take_max(j, &max))
		return false;
	if (!before.known || j->max_ns.value > before.value)
		hdr_histogram_read(at, &j->buckets);
	return true;
}

/* 1.127: I:980 (  1.2 1.9 2.769 ) T:980 ( ... ): of the interval and so far, the longest last. */
static bool take_old_interval(struct jhiccup *j, const char *at)
{
	const char *max;
	uint64_t n;

	if (!scan_fixed(&at, 0, &n) || !scan_literal(&at, ":") || !tool_take(&at, "I:", &n) ||
	    !scan_literal(&at, "(") || !scan_fixed(&at, 0, &n) || !scan_fixed(&at, 0, &n))
		return false;
	max = at;
	return scan_fixed(&at, 0, &n) && scan_literal(&at, ")") && take_max(j, &max);
}

/* Or what is left of it: "0.127," */
static bool is_interval(const char *at)
{
	static const char digits[] = "0123456789";

	if (strncmp(at, "Tag=", 4) == 0)
		return true;
	at += strspn(at, digits);
	if (*at != '.')
		return false;
	at += 1 + strspn(at + 1, digits);
	return *at == ',' || *at == ':';
}

static void parse_log(struct tool_parse *p, const char *line)
{
	if (take_interval(p->state, line) || take_old_interval(p->state, line))
		p->tool->rows++;
	else if (is_interval(line))
		tool_wrong(p, line, "[Tag=NAME,]START,LENGTH,MAX,HISTOGRAM");
}

static void parse(struct tool_parse *p, const char *line)
{
	struct jhiccup *j = p->state;

	j->log = j->log || strstr(line, LOG_MARK);
	if (j->log)
		parse_log(p, line);
	else if (j->max_ns.known && tool_frame_title(line, LEGEND))
		p->rest = line;
	else
		parse_percentiles(p, line);
}

static void finish(struct tool_parse *p)
{
	struct jhiccup *j = p->state;
	uint64_t width, max = j->max_ns.value;
	struct tool_core *core;

	if (!j->max_ns.known || (!j->log && !j->count.known)) {
		tool_cut(p, j->log ? "first interval" : "\"#[Max =\"");
		return;
	}
	j->buckets.unit = j->buckets.unit ? j->buckets.unit : UNIT_NS;
	width = hdr_histogram_width(&j->buckets, max);
	core = tool_core(p, TOOL_ANY_CPU);
	if (j->count.known)
		core->events = range_exact(j->count.value);
	core->max_ns = range_of(arith_less(max, arith_sum(width, j->ulp_ns)),
				arith_sum(max, j->ulp_ns));
}

const struct tool_format tool_jhiccup = {
	.name = "jHiccup",
	.encoded = true,
	.find = find,
	.state_bytes = sizeof(struct jhiccup),
	.notes = TOOL_WAKEUP | TOOL_UNPINNED,
	.parse = parse,
	.finish = finish,
};
