/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON of oslat and cyclictest (rt-tests, file_version 1), and of jitterdebugger 0.3: an object
 * per thread. Two of rt-tests' keys end in a colon: "cmdline:" and "rt_test_version:".
 */
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "oslat.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 512
#define S_MAX      1e9 /* a longer run is none */

/* `count`: the member with a thread's number of latencies; NULL: a thread has a histogram. */
static const struct kind {
	const char *tool, *threads, *count;
} oslat = { "oslat", "thread", NULL }, cyclictest = { "cyclictest", "thread", "cycles" },
  jitterdebugger = { "jitterdebugger", "cpu", "count" };

struct document {
	char *text;
	size_t bytes; /* its length; what exceeds TOOL_JSON_MAX is counted, but not kept */
	uint64_t first_line;
	size_t depth; /* nesting of brackets */
	bool in_string, escaped;
	const struct kind *kind;
	struct oslat_version version;
	uint64_t unit_ns; /* unit of latencies */
	bool has_each;    /* a thread on each core that is online */
};

/* ---- Lines ---- */

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

static void rt_json_parse(struct tool_parse *p, const char *line)
{
	struct document *d = p->state;
	size_t bytes;

	if (!d->text) {
		d->first_line = p->line;
		d->depth = 1;
		append(d, "{", 1);
	}
	bytes = find_end(d, line);
	append(d, line, bytes);
	if (!d->depth)
		p->rest = line + bytes;
	else
		append(d, "\n", 1);
}

/* ---- Values ---- */

/* Refuse the member `key` of what `path` names: it is not as the tool prints it. */
static void refuse_value(struct tool_parse *p, const char *path, const char *key, json_t *value)
{
	char *text = memory_need(json_dumps(value, JSON_ENCODE_ANY)), line[PATH_BYTES];

	snprintf(line, sizeof(line), "%s.%s %s", path, key, text);
	tool_wrong(p, line);
	free(text);
}

/* A whole number; TOOL_NONE: there is none. */
static uint64_t number_of(struct tool_parse *p, const char *path, json_t *of, const char *key)
{
	json_t *value = json_object_get(of, key);

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return (uint64_t)json_integer_value(value);
	if (value)
		refuse_value(p, path, key, value);
	return TOOL_NONE;
}

/* ---- Threads ---- */

static ORDER_BY(by_label, struct tool_bucket, label);

/* Buckets by label, in us: keys of an object are in any order. False if two have one label. */
static bool read_buckets(struct tool_parse *p, const char *path, json_t *histogram,
			 struct oslat_table *of)
{
	struct tool_table *t = &of->table;
	const char *label;
	json_t *value;
	bool whole = true;

	json_object_foreach(histogram, label, value)
	{
		uint64_t *count = memory_new(1, sizeof(*count)), ns = 0;
		const char *at = label;

		if (!scan_fixed(&at, 3, &ns) || !scan_end(at))
			refuse_value(p, path, label, value);
		*count = number_of(p, path, histogram, label);
		of->decimals = of->decimals || strchr(label, '.');
		*MEMORY_ADD(t->row, t->rows) = (struct tool_bucket){ ns, count };
	}
	ORDER_SORT(t->row, t->rows, by_label);
	for (size_t i = 1; i < t->rows; i++)
		whole = whole && t->row[i].label != t->row[i - 1].label;
	return whole && t->rows;
}

/*
 * Up to 2.10 at least, with buckets of other than whole us min and max are in ns where
 * all else is in us. Newer versions may have fixed that.
 */
static struct range longest_of(const struct tool *tool, const struct oslat_table *of, uint64_t max)
{
	if (!of->decimals)
		return oslat_unround(of->version, max);
	return range_of(max, tool->notes & TOOL_NEWER ? range_cut(max, NS_PER_US).high
						      : arith_sum(max, 1));
}

static bool add_oslat(struct tool_parse *p, const char *path, json_t *thread, uint64_t cpu,
		      uint64_t max)
{
	struct oslat_table of = { .version = ((struct document *)p->state)->version };
	json_t *duration = json_object_get(thread, "duration");
	double s = json_number_value(duration);
	bool whole = read_buckets(p, path, json_object_get(thread, "histogram"), &of) &&
		     cpu != TOOL_NONE && max != TOOL_NONE && json_is_number(duration) && s >= 0 &&
		     s < S_MAX && !p->refused;
	uint64_t mhz = tool_or(number_of(p, path, thread, "freq"), 0);
	struct tool_core *core = tool_core(p, cpu);

	if (whole) {
		oslat_fill(p->tool, core, &of, 0, longest_of(p->tool, &of, max));
		tool_exposure(core, range_exact((uint64_t)llround(s * NS_PER_S)), TOOL_STATED);
	}
	if (mhz)
		oslat_rate(p->tool, mhz);
	tool_table_free(&of.table);
	return whole;
}

/*
 * A thread, by its number. For one that is not pinned, cyclictest 2.6 has the core -1; 2.4 had the
 * thread's number. jitterdebugger's numbers are those of the cores if each core has a thread.
 */
static void take_thread(struct tool_parse *p, const char *key, json_t *thread)
{
	const struct document *d = p->state;
	uint64_t number, cpu, max, count;
	char path[PATH_BYTES];
	const char *at = key;
	bool whole;

	if (!scan_u64(&at, &number) || !scan_end(at) || !json_is_object(thread)) {
		refuse_value(p, d->kind->threads, key, thread);
		return;
	}
	snprintf(path, sizeof(path), "%s.%s", d->kind->threads, key);
	if (json_integer_value(json_object_get(thread, "cpu")) == -1)
		json_object_del(thread, "cpu");
	cpu = d->has_each ? number : number_of(p, path, thread, "cpu");
	max = number_of(p, path, thread, "max");
	tool_new_core(p, cpu);
	if (d->kind->count) {
		count = number_of(p, path, thread, d->kind->count);
		whole = max != TOOL_NONE && count != TOOL_NONE;
		tool_latency(tool_core(p, cpu), count, max, d->unit_ns);
	} else {
		whole = add_oslat(p, path, thread, cpu, max);
	}
	if (!whole)
		refuse_value(p, d->kind->threads, key, thread);
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

/* Where a version may be two, a time of 0 shows the newer: only that prints it. */
static void take_version(struct tool_parse *p, json_t *root, json_t *threads)
{
	struct oslat_version *version = &((struct document *)p->state)->version;
	const char *text = json_string_value(json_object_get(root, "rt_test_version:"));
	const char *key;
	json_t *thread;

	*version = oslat_version_read(p->tool, text ? text : "");
	json_object_foreach(threads, key, thread)
	{
		json_t *min = json_object_get(thread, "min");

		if (json_is_integer(min) && !json_integer_value(min))
			oslat_version_settle(p->tool, version);
	}
}

/* Take the threads of a document of rt-tests, which has a command line, or of jitterdebugger. */
static void take_root(struct tool_parse *p, json_t *root, const char *command)
{
	struct document *d = p->state;
	json_t *sysinfo = json_object_get(root, "sysinfo"), *of = command ? root : sysinfo;
	json_t *threads = json_object_get(root, d->kind->threads), *thread;
	size_t size = json_object_size(threads);
	const char *key;

	p->tool->tool = d->kind->tool;
	take_version(p, root, threads);
	d->unit_ns = tool_or(number_of(p, "sysinfo", of, "resolution_in_ns"), 0);
	if (!command && (!d->unit_ns || d->unit_ns > NS_PER_S))
		refuse_value(p, "sysinfo", "resolution_in_ns",
			     json_object_get(sysinfo, "resolution_in_ns"));
	d->unit_ns = d->unit_ns ?: NS_PER_US;
	d->has_each = !command && number_of(p, "sysinfo", sysinfo, "cpus_online") == size;
	if (d->kind->count) {
		p->tool->notes &= ~(uint32_t)TOOL_VERSION;
		p->tool->notes |= TOOL_WAKEUP;
		if (command && !is_pinned(command))
			p->tool->notes |= TOOL_UNPINNED;
	}
	json_object_foreach(threads, key, thread)
	{
		if (!p->refused)
			take_thread(p, key, thread);
	}
	if (tool_or(number_of(p, "", root, "num_threads"), size) != size)
		tool_cut(p, "other threads");
}

/* Find out which tool's document it is. */
static void take_document(struct tool_parse *p, json_t *root)
{
	const char *command = json_string_value(json_object_get(root, "cmdline:"));
	struct document *d = p->state;

	if (!command)
		d->kind = json_object_get(json_object_get(root, "sysinfo"), "resolution_in_ns")
				  ? &jitterdebugger
				  : NULL;
	else if (is_run_of(command, oslat.tool))
		d->kind = &oslat;
	else if (is_run_of(command, cyclictest.tool))
		d->kind = &cyclictest;
	if (!d->kind && command)
		tool_report(p, "JSON of \"%.60s\": only oslat's and cyclictest's is known",
			    command);
	else if (!d->kind)
		tool_report(p, "JSON, but neither rt-tests' (wanted: \"cmdline:\" of oslat or "
			       "cyclictest, and \"thread\") nor jitterdebugger's");
	else if (command && json_integer_value(json_object_get(root, "file_version")) != 1)
		tool_report(p, "\"file_version\" is not 1, the version that is known");
	else
		take_root(p, root, command);
}

static void rt_json_finish(struct tool_parse *p)
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
			take_document(p, root);
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
	.parse = rt_json_parse,
	.finish = rt_json_finish,
};
