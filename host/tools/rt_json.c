/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON of oslat and cyclictest (rt-tests, file_version 1). Two of its keys end in
 * a colon: "cmdline:" and "rt_test_version:". The JSON of jitterdebugger 0.3 is read, too, which
 * begins with "version" and "sysinfo".
 */
#include "rt_tests.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 9.2e9
#define BUCKETS_MAX 1000000
#define THREADS_MAX 4096

struct document {
	char *text;
	size_t bytes; /* its length; what exceeds TOOL_JSON_MAX is counted, but not kept */
	bool has_format;
	uint64_t first_line;
	size_t depth; /* of brackets */
	bool in_string, escaped;
	struct rt_version version;
	uint64_t unit_ns, online; /* of latencies; cores of jitterdebugger's machine */
};

static const char format_key[] = "\"file_version\"";

static void append(struct document *d, const char *text, size_t bytes)
{
	d->bytes += bytes;
	if (d->bytes > TOOL_JSON_MAX)
		return;
	d->text = memory_resize(d->text, d->bytes);
	memcpy(d->text + d->bytes - bytes, text, bytes);
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
		else if (!d->in_string && strchr("{[", *at))
			d->depth++;
		else if (!d->in_string && strchr("}]", *at))
			d->depth--;
	}
	return (size_t)(at - line);
}

static void parse(struct tool_parse *p, const char *line)
{
	struct document *d = p->state;
	const char *again = strstr(line, format_key);
	size_t bytes;

	if (!d->text) {
		d->first_line = p->line;
		d->depth = 1;
		append(d, "{", 1);
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

static bool get(const json_t *object, const char *key, uint64_t *number)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*number = (uint64_t)json_integer_value(value);
	return true;
}

/* Of a thread that is not pinned, cyclictest 2.6 prints -1; 2.4 printed the thread's number. */
static struct tool_core *core_of(struct tool_parse *p, const json_t *thread, bool unpinned)
{
	const json_t *value = json_object_get(thread, "cpu");
	uint64_t cpu;

	if (unpinned && json_is_integer(value) && json_integer_value(value) == -1)
		return tool_core(p, TOOL_ANY_CPU);
	if (!get(thread, "cpu", &cpu) || cpu > UINT32_MAX)
		return NULL;
	if (!tool_find(p->tool, (uint32_t)cpu))
		return tool_core(p, cpu);
	tool_report(p, "core %llu is listed twice", (unsigned long long)cpu);
	return NULL;
}

/* Take each thread, or report what it lacks. */
static void take_threads(struct tool_parse *p, json_t *threads,
			 bool (*take)(struct tool_parse *p, const char *key, json_t *thread),
			 const char *wanted)
{
	const char *key;
	json_t *thread;

	json_object_foreach(threads, key, thread)
	{
		if (take(p, key, thread))
			p->tool->rows++;
		else
			tool_wrong(p, key, wanted);
	}
}

/* ---- oslat ---- */

static ORDER_BY(by_label, struct tool_bucket, label);

/* A table of one column. Labels are keys, in us; false where one is none. */
static bool read_buckets(struct rt_table *of, json_t *histogram)
{
	struct tool_table *t = &of->table;
	const char *key;
	json_t *value;

	json_object_foreach(histogram, key, value)
	{
		const char *at = key;
		struct tool_bucket *row = MEMORY_ADD(t->row, t->rows);

		row->count = memory_new(1, sizeof(*row->count));
		if (!scan_fixed(&at, 3, &row->label) || !scan_end(at) ||
		    !get(histogram, key, row->count))
			return false;
		of->decimals = of->decimals || strchr(key, '.');
	}
	ORDER_SORT(t->row, t->rows, by_label);
	return t->rows;
}

/*
 * Up to 2.10 at least, with buckets of other than whole us min and max are in ns where
 * all else is in us. Newer versions may have fixed that.
 */
static struct range oslat_max(const struct tool *tool, const struct rt_table *of, uint64_t max)
{
	if (!of->decimals)
		return rt_version_unround(of->version, max, NS_PER_US);
	return range_of(max, tool->notes & TOOL_NEWER ? range_cut(max, NS_PER_US).high
						      : arith_sum(max, 1));
}

static bool take_oslat(struct tool_parse *p, const char *key, json_t *thread)
{
	struct tool_core *core = core_of(p, thread, false);
	struct rt_table of = { .version = ((const struct document *)p->state)->version };
	uint64_t max, mhz;
	json_t *histogram;
	bool good;
	double s;

	(void)key;
	if (!core || !get(thread, "max", &max) ||
	    json_unpack(thread, "{s:F,s:o}", "duration", &s, "histogram", &histogram))
		return false;
	if (json_object_size(histogram) > BUCKETS_MAX || !(s >= 0 && s <= SECONDS_MAX))
		return false;
	good = read_buckets(&of, histogram);
	if (good) {
		rt_oslat_fill(p->tool, core, &of, 0, oslat_max(p->tool, &of, max));
		if (get(thread, "freq", &mhz) && mhz)
			rt_oslat_rate(p->tool, mhz);
		tool_exposure(core, range_exact((uint64_t)(s * 1e9 + 0.5)), TOOL_STATED);
	}
	tool_table_free(&of.table);
	return good;
}

/* "min": 0 is only printed where times are rounded down: it distinguishes 2.1 from 2.10. */
static void settle_version(struct tool *tool, struct document *d, json_t *threads)
{
	const char *key;
	json_t *thread;
	uint64_t min;

	json_object_foreach(threads, key, thread)
	{
		if (get(thread, "min", &min) && !min)
			rt_version_settle(tool, &d->version);
	}
}

/* ---- Latencies. All threads without a core are one, as in the text output ---- */

static bool add_latency(const struct document *d, struct tool_core *core, json_t *thread,
			const char *count)
{
	uint64_t max, cycles;

	if (!core || !get(thread, "max", &max) || !get(thread, count, &cycles))
		return false;
	tool_latency(core, cycles, max, d->unit_ns);
	return true;
}

static bool take_cyclictest(struct tool_parse *p, const char *key, json_t *thread)
{
	(void)key;
	return add_latency(p->state, core_of(p, thread, true), thread, "cycles");
}

/* Its keys number threads. They are the numbers of cores if each core that is online has a thread.
 */
static bool take_jitterdebugger(struct tool_parse *p, const char *key, json_t *thread)
{
	const struct document *d = p->state;
	uint32_t number;

	return scan_u32(&key, &number) && scan_end(key) &&
	       add_latency(d, tool_core(p, d->online ? number : TOOL_ANY_CPU), thread, "count");
}

/* ---- Documents ---- */

/* The name of the program a command line begins with. */
static bool is_run_of(const char *command, const char *tool)
{
	size_t bytes = strcspn(command, " "), name = strlen(tool);

	return bytes >= name && strncmp(command + bytes - name, tool, name) == 0 &&
	       (bytes == name || command[bytes - name - 1] == '/');
}

/* Options that bind threads to cores. */
static bool is_pinned(const char *command)
{
	return strstr(command, " -a") || strstr(command, " --affinity") || strstr(command, " -S") ||
	       strstr(command, " --smp");
}

static void take_info(struct tool_parse *p, const json_t *info, json_t *cpus)
{
	struct document *d = p->state;

	p->tool->tool = "jitterdebugger";
	p->tool->notes |= TOOL_WAKEUP;
	if (!get(info, "resolution_in_ns", &d->unit_ns) || !d->unit_ns || d->unit_ns > NS_PER_S ||
	    !get(info, "cpus_online", &d->online)) {
		tool_report(p, "jitterdebugger: wanted: \"cpus_online\" and \"resolution_in_ns\"");
		return;
	}
	d->online = d->online == json_object_size(cpus);
	take_threads(p, cpus, take_jitterdebugger, "a thread with max and count");
}

static void take_rt_tests(struct tool_parse *p, json_t *root, const char *command, json_t *threads)
{
	const char *version = json_string_value(json_object_get(root, "rt_test_version:"));
	struct document *d = p->state;
	uint64_t format = 0, ns = 0;

	get(root, "file_version", &format);
	get(root, "resolution_in_ns", &ns);
	if (format != 1) {
		tool_report(p, "\"file_version\" is not 1, the version that is known");
		return;
	}
	d->version = rt_version_read(p->tool, version ? version : "");
	d->unit_ns = ns ? 1 : NS_PER_US;
	if (is_run_of(command, "oslat")) {
		p->tool->tool = "oslat";
		settle_version(p->tool, d, threads);
		take_threads(p, threads, take_oslat,
			     "a thread with cpu, max, duration and histogram");
	} else if (is_run_of(command, "cyclictest")) {
		p->tool->tool = "cyclictest";
		p->tool->notes |= TOOL_WAKEUP | (is_pinned(command) ? 0 : TOOL_UNPINNED);
		p->tool->notes &= ~(uint32_t)TOOL_VERSION;
		take_threads(p, threads, take_cyclictest, "a thread with cpu, max and cycles");
	} else {
		tool_report(p, "JSON of \"%.60s\": only oslat's and cyclictest's is known",
			    command);
	}
}

static void take_root(struct tool_parse *p, json_t *root)
{
	const char *command = json_string_value(json_object_get(root, "cmdline:"));
	json_t *threads = json_object_get(root, "thread"), *cpus = json_object_get(root, "cpu");

	if (!command && json_is_object(cpus))
		take_info(p, json_object_get(root, "sysinfo"), cpus);
	else if (command && json_is_object(threads) && json_object_size(threads) <= THREADS_MAX)
		take_rt_tests(p, root, command, threads);
	else
		tool_report(p, "JSON, but neither rt-tests' (wanted: \"cmdline:\" of oslat or "
			       "cyclictest, and \"thread\") nor jitterdebugger's");
}

static void finish(struct tool_parse *p)
{
	struct document *d = p->state;
	json_error_t error;
	json_t *root = NULL;

	if (d->bytes > TOOL_JSON_MAX) {
		tool_report(p, "JSON of more than %zu bytes", TOOL_JSON_MAX);
	} else {
		root = json_loadb(d->text, d->bytes, JSON_REJECT_DUPLICATES, &error);
		p->line = d->first_line + (uint64_t)(!root && error.line > 0 ? error.line - 1 : 0);
		if (root)
			take_root(p, root);
		else
			tool_report(p, "not JSON: %.200s", error.text);
	}
	json_decref(root);
	free(d->text);
}

const struct tool_format tool_rt_json = {
	.name = "rt-tests JSON",
	.body = { "\"file_version\"", "\"cmdline:\"", "\"sysinfo\":" },
	.markup = TOOL_JSON,
	.state_bytes = sizeof(struct document),
	.parse = parse,
	.finish = finish,
};
