/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON of oslat and cyclictest (rt-tests, file_version 1). Two of its keys end in
 * a colon: "cmdline:" and "rt_test_version:". The JSON of jitterdebugger 0.3 is read, too: it is
 * detected by "cpus_online" within "sysinfo", the first key that no other tool's JSON has.
 */
#include "rt_tests.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define NS_MAX      9.2e18
#define BUCKETS_MAX 1000000
#define THREADS_MAX 4096

struct document {
	char *text;
	size_t bytes, room;
	bool too_long, has_format;
	uint64_t first_line;
	size_t depth; /* of brackets */
	bool in_string, escaped;
	struct rt_version version;
};

static const char format_key[] = "\"file_version\"", sysinfo[] = "\"sysinfo\": {";

static void append(struct document *d, const char *text, size_t bytes)
{
	if (d->bytes + bytes + 1 > TOOL_JSON_MAX) {
		d->too_long = true;
		return;
	}
	if (d->bytes + bytes + 1 > d->room)
		d->text = memory_resize(d->text, d->room = 2 * (d->bytes + bytes + 1));
	memcpy(d->text + d->bytes, text, bytes);
	d->bytes += bytes;
}

static void start(struct tool_parse *p)
{
	struct document *d = p->state;

	d->first_line = p->line;
	d->depth = 1;
	append(d, "{", 1);
}

/* Up to the bracket that closes the document; the whole line where none does. */
static size_t find_end(struct document *d, const char *line)
{
	const char *at = line;

	for (; *at && d->depth; at++) {
		if (d->escaped || (d->in_string && *at == '\\'))
			d->escaped = !d->escaped;
		else if (*at == '"')
			d->in_string = !d->in_string;
		else if (!d->in_string && (*at == '{' || *at == '['))
			d->depth++;
		else if (!d->in_string && (*at == '}' || *at == ']'))
			d->depth--;
	}
	return (size_t)(at - line);
}

static void parse(struct tool_parse *p, const char *line)
{
	struct document *d = p->state;
	const char *again = strstr(line, format_key);
	size_t bytes;

	if (d->bytes == 1 && strncmp(line, "\"cpus_online\"", 13) == 0) {
		d->depth++;
		append(d, sysinfo, sizeof(sysinfo) - 1);
	}
	/* A second document, though the first has not ended. */
	if (again && d->has_format && !d->in_string) {
		p->rest = again;
		return;
	}
	d->has_format = d->has_format || again;
	bytes = find_end(d, line);
	append(d, line, bytes);
	if (!d->depth)
		p->rest = line + bytes;
	else
		append(d, "\n", 1);
}

/* A number that is a time in units of `unit_ns`, to ns; false for what is none. */
static bool get_ns(const json_t *value, double unit_ns, uint64_t *ns)
{
	double number = json_number_value(value);

	if (!json_is_number(value) || !(number >= 0) || number * unit_ns > NS_MAX)
		return false;
	*ns = (uint64_t)(number * unit_ns + 0.5);
	return true;
}

static bool get_u64(const json_t *value, uint64_t *number)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*number = (uint64_t)json_integer_value(value);
	return true;
}

/* Of a thread that is not pinned, cyclictest 2.6 prints -1; 2.4 printed the thread's number. */
static bool has_no_cpu(const json_t *thread)
{
	const json_t *cpu = json_object_get(thread, "cpu");

	return json_is_integer(cpu) && json_integer_value(cpu) == -1;
}

static bool get_cpu(struct tool_parse *p, const json_t *thread, struct tool_core **core)
{
	uint64_t cpu;

	*core = NULL;
	if (!get_u64(json_object_get(thread, "cpu"), &cpu) || cpu > UINT32_MAX)
		return false;
	if (tool_find(p->tool, (uint32_t)cpu)) {
		tool_report(p, "core %llu is listed twice", (unsigned long long)cpu);
		return false;
	}
	*core = tool_core(p, (uint32_t)cpu);
	return *core != NULL;
}

static ORDER_BY(by_label, struct rt_oslat_bucket, label_ns);

/* Labels are keys, in us; false where one is none. */
static bool read_buckets(json_t *histogram, struct rt_oslat_bucket *bucket, bool *fractions)
{
	const char *key;
	json_t *value;
	size_t n = 0;

	json_object_foreach(histogram, key, value)
	{
		const char *at = key;

		if (!scan_fixed(&at, 3, &bucket[n].label_ns) || !scan_end(at) ||
		    !get_u64(value, &bucket[n].count))
			return false;
		*fractions = *fractions || strchr(key, '.');
		n++;
	}
	qsort(bucket, n, sizeof(*bucket), by_label);
	return true;
}

/*
 * Up to 2.10 at least, with buckets of other than whole us min and max are in ns where
 * all else is in us. Newer versions may have fixed that.
 */
static struct range oslat_max(const struct tool *tool, const struct document *d, uint64_t max,
			      bool fractions)
{
	if (!fractions)
		return rt_version_unround(d->version, max, NS_PER_US);
	if (tool->notes & TOOL_NEWER)
		return range_of(max, range_cut(max, NS_PER_US).high);
	return range_of(max, arith_sum(max, 1));
}

static bool fill_oslat(struct tool_core *core, json_t *thread, struct tool *tool,
		       const struct document *d)
{
	json_t *histogram = json_object_get(thread, "histogram");
	size_t count = json_object_size(histogram);
	struct rt_oslat_bucket *bucket = memory_new(count + 1, sizeof(*bucket));
	uint64_t max, duration_ns, mhz;
	bool good, fractions = false;
	struct rt_oslat oslat;

	good = json_is_object(histogram) && count && count <= BUCKETS_MAX &&
	       read_buckets(histogram, bucket, &fractions) &&
	       get_u64(json_object_get(thread, "max"), &max) &&
	       get_ns(json_object_get(thread, "duration"), 1e9, &duration_ns);
	if (good) {
		oslat = (struct rt_oslat){ bucket, count, fractions ? 1 : NS_PER_US, d->version };
		rt_oslat_fill(tool, core, &oslat, oslat_max(tool, d, max, fractions));
		if (get_u64(json_object_get(thread, "freq"), &mhz) && mhz)
			rt_oslat_rate(tool, mhz);
		tool_exposure(core, range_exact(duration_ns), TOOL_STATED);
	}
	free(bucket);
	return good;
}

/* "min": 0 is only printed where times are rounded down: it distinguishes 2.1 from 2.10. */
static void settle_version(struct tool *tool, struct document *d, json_t *threads)
{
	const char *key;
	json_t *thread;

	json_object_foreach(threads, key, thread)
	{
		uint64_t min;

		if (get_u64(json_object_get(thread, "min"), &min) && !min)
			rt_version_settle(tool, &d->version);
	}
}

static void take_oslat(struct tool_parse *p, struct document *d, json_t *threads)
{
	const char *key;
	json_t *thread;

	settle_version(p->tool, d, threads);
	json_object_foreach(threads, key, thread)
	{
		struct tool_core *core;

		if (!get_cpu(p, thread, &core) || !fill_oslat(core, thread, p->tool, d))
			tool_wrong(p, key, "a thread with cpu, max, duration and histogram");
		else
			p->tool->rows++;
	}
}

/* Threads of no core are one together, as in the text. */
static bool add_latency(struct tool_core *core, json_t *thread, const char *count, uint64_t unit_ns)
{
	uint64_t max, cycles;

	if (!core || !get_u64(json_object_get(thread, "max"), &max) ||
	    !get_u64(json_object_get(thread, count), &cycles))
		return false;
	tool_latency(core, cycles, max, unit_ns);
	return true;
}

/* Options that bind threads to cores. */
static bool is_pinned(const char *command)
{
	return command && (strstr(command, " -a") || strstr(command, " --affinity") ||
			   strstr(command, " -S") || strstr(command, " --smp"));
}

static bool take_thread(struct tool_parse *p, json_t *thread, uint64_t unit_ns)
{
	struct tool_core *core;

	if (has_no_cpu(thread))
		core = tool_core(p, TOOL_ANY_CPU);
	else if (!get_cpu(p, thread, &core))
		return false;
	return add_latency(core, thread, "cycles", unit_ns);
}

static void take_cyclictest(struct tool_parse *p, json_t *root, json_t *threads)
{
	uint64_t ns = 0;
	const char *key;
	json_t *thread;

	get_u64(json_object_get(root, "resolution_in_ns"), &ns);
	p->tool->notes |= TOOL_WAKEUP;
	p->tool->notes &= ~(uint32_t)TOOL_VERSION;
	if (!is_pinned(json_string_value(json_object_get(root, "cmdline:"))))
		p->tool->notes |= TOOL_UNPINNED;
	json_object_foreach(threads, key, thread)
	{
		if (!take_thread(p, thread, ns ? 1 : NS_PER_US))
			tool_wrong(p, key, "a thread with cpu, max and cycles");
		else
			p->tool->rows++;
	}
}

/* Its keys number threads. They are the numbers of cores if each core that is online has a thread.
 */
static void take_jitterdebugger(struct tool_parse *p, json_t *info, json_t *cpus)
{
	uint64_t online = 0, unit_ns = 0;
	const char *key;
	json_t *cpu;

	p->tool->tool = "jitterdebugger";
	p->tool->notes |= TOOL_WAKEUP;
	if (!get_u64(json_object_get(info, "resolution_in_ns"), &unit_ns) || !unit_ns ||
	    unit_ns > NS_PER_S || !get_u64(json_object_get(info, "cpus_online"), &online)) {
		tool_report(p, "jitterdebugger: wanted: \"cpus_online\" and \"resolution_in_ns\"");
		return;
	}
	json_object_foreach(cpus, key, cpu)
	{
		const char *at = key;
		uint32_t number;

		if (!scan_u32(&at, &number) || !scan_end(at) ||
		    !add_latency(
			    tool_core(p, json_object_size(cpus) == online ? number : TOOL_ANY_CPU),
			    cpu, "count", unit_ns))
			tool_wrong(p, key, "a thread with max and count");
		else
			p->tool->rows++;
	}
}

/* The name of the program a command line begins with. */
static bool is_run_of(const char *command, const char *tool)
{
	size_t bytes = strcspn(command, " "), name = strlen(tool);

	return bytes >= name && strncmp(command + bytes - name, tool, name) == 0 &&
	       (bytes == name || command[bytes - name - 1] == '/');
}

static void take_root(struct tool_parse *p, struct document *d, json_t *root)
{
	const char *command = json_string_value(json_object_get(root, "cmdline:"));
	const char *version = json_string_value(json_object_get(root, "rt_test_version:"));
	json_t *threads = json_object_get(root, "thread"), *cpus = json_object_get(root, "cpu");
	uint64_t format = 0;

	if (!command && json_is_object(cpus)) {
		take_jitterdebugger(p, json_object_get(root, "sysinfo"), cpus);
		return;
	}
	get_u64(json_object_get(root, "file_version"), &format);
	if (!command || !json_is_object(threads) || json_object_size(threads) > THREADS_MAX) {
		tool_report(p, "JSON, but neither rt-tests' (wanted: \"cmdline:\" of oslat or "
			       "cyclictest, and \"thread\") nor jitterdebugger's");
		return;
	}
	if (format != 1) {
		tool_report(p, "\"file_version\" is not 1, the version that is known");
		return;
	}
	d->version = rt_version_read(p->tool, version ? version : "");
	if (is_run_of(command, "oslat")) {
		p->tool->tool = "oslat";
		take_oslat(p, d, threads);
	} else if (is_run_of(command, "cyclictest")) {
		p->tool->tool = "cyclictest";
		take_cyclictest(p, root, threads);
	} else {
		tool_report(p, "JSON of \"%.60s\": only oslat's and cyclictest's is known",
			    command);
	}
}

static void finish(struct tool_parse *p)
{
	struct document *d = p->state;
	json_error_t error;
	json_t *root;

	if (d->too_long) {
		tool_report(p, "JSON of more than %zu bytes", TOOL_JSON_MAX);
		free(d->text);
		return;
	}
	root = json_loadb(d->text ? d->text : "", d->bytes, JSON_REJECT_DUPLICATES, &error);
	p->line = d->first_line + (uint64_t)(!root && error.line > 0 ? error.line - 1 : 0);
	if (!root)
		tool_report(p, "not JSON: %.200s", error.text);
	else
		take_root(p, d, root);
	json_decref(root);
	free(d->text);
}

const struct tool_format tool_rt_json = {
	.name = "rt-tests JSON",
	.body = { "\"file_version\"", "\"cmdline:\"", "\"cpus_online\"" },
	.markup = TOOL_JSON,
	.state_bytes = sizeof(struct document),
	.start = start,
	.parse = parse,
	.finish = finish,
};
