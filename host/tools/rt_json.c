/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON of oslat and cyclictest (rt-tests, file_version 1), and of jitterdebugger 0.3. A
 * document is read as rows, one for each of its values, "thread.0.max 208", and one where an object
 * ends: "thread.0 end". Two of rt-tests' keys end in a colon: "cmdline:" and "rt_test_version:".
 */
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "oslat.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_BYTES 512 /* rows that are longer have no figures */

struct document {
	struct oslat_table oslat; /* table of a thread */
	char *text;
	size_t bytes; /* its length; what exceeds TOOL_JSON_MAX is counted, but not kept */
	bool has_format;
	uint64_t first_line;
	size_t depth; /* nesting of brackets */
	bool in_string, escaped;
	enum { UNKNOWN, OSLAT, CYCLICTEST, JITTERDEBUGGER } kind;
	bool has_each; /* a thread on each core that is online */
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

static void rt_json_parse(struct tool_parse *p, const char *line)
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

/* ---- What a document is ---- */

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

static void take_command(struct tool_parse *p, const char *command)
{
	struct document *d = p->state;

	if (is_run_of(command, "oslat")) {
		p->tool->tool = "oslat";
		d->kind = OSLAT;
	} else if (is_run_of(command, "cyclictest")) {
		p->tool->tool = "cyclictest";
		p->tool->notes |= TOOL_WAKEUP | (is_pinned(command) ? 0 : TOOL_UNPINNED);
		d->kind = CYCLICTEST;
	} else {
		tool_report(p, "JSON of \"%.60s\": only oslat's and cyclictest's is known",
			    command);
	}
}

static void take_version(struct tool_parse *p)
{
	char text[16];

	snprintf(text, sizeof(text), "%s", strchr(p->row, '"') + 1);
	text[strcspn(text, "\"")] = '\0';
	p->tool->notes &= ~(uint32_t)TOOL_VERSION;
	((struct document *)p->state)->oslat.version = oslat_version_read(p->tool, text);
}

/* Resolution of jitterdebugger, ns. */
static void take_resolution(struct tool_parse *p)
{
	p->tool->tool = "jitterdebugger";
	p->tool->notes |= TOOL_WAKEUP;
	((struct document *)p->state)->kind = JITTERDEBUGGER;
	if (!p->v.in_ns || p->v.in_ns > NS_PER_S)
		tool_wrong(p, p->row);
}

/* 0 is only printed where times are rounded down: it distinguishes 2.1 from 2.10. */
static void take_min(struct tool_parse *p)
{
	if (!p->v.min)
		oslat_version_settle(p->tool, &((struct document *)p->state)->oslat.version);
}

static const struct tool_row heads[] = {
	{ "file_version ", "%u(number)$", NULL, 0 },
	{ "rt_test_version: \"", "", take_version, 0 },
	{ "resolution_in_ns ", "%u(in_ns)$", NULL, 0 },
	{ "thread.%u.min ", "%u(min)$", take_min, 0 },
	{ "sysinfo.cpus_online ", "%u(cpus)$", NULL, 0 },
	{ "sysinfo.resolution_in_ns ", "%u(in_ns)$", take_resolution, 0 },
	{ .key = NULL },
};

/* ---- Threads ---- */

static ORDER_BY(by_label, struct tool_bucket, label);

/* Labels are in us, and in any order: they are the keys of an object. */
static void take_bucket(struct tool_parse *p)
{
	struct document *d = p->state;
	struct tool_table *t = &d->oslat.table;
	uint64_t *count;

	if (d->kind != OSLAT)
		return;
	if (p->v.listed != 1) {
		tool_wrong(p, p->row);
		return;
	}
	d->oslat.decimals = d->oslat.decimals || strchr(strstr(p->row, "histogram.") + 10, '.');
	count = memory_new(1, sizeof(*count));
	*count = p->v.list[0];
	*MEMORY_ADD(t->row, t->rows) = (struct tool_bucket){ p->v.first, count };
}

/* Sort the buckets by label. False if there is none, or two have one label. */
static bool sort_buckets(struct tool_table *t)
{
	ORDER_SORT(t->row, t->rows, by_label);
	for (size_t i = 1; i < t->rows; i++) {
		if (t->row[i].label == t->row[i - 1].label)
			return false;
	}
	return t->rows;
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

static bool add_oslat(struct tool_parse *p, uint64_t cpu, struct oslat_table *of)
{
	const struct tool_values *v = &p->v;
	struct tool_core *core;

	if (cpu == TOOL_NONE || v->max == TOOL_NONE || v->runtime == TOOL_NONE ||
	    !sort_buckets(&of->table))
		return false;
	core = tool_core(p, cpu);
	oslat_fill(p->tool, core, of, 0, longest_of(p->tool, of, v->max));
	if (tool_or(v->mhz, 0))
		oslat_rate(p->tool, v->mhz);
	tool_exposure(core, range_exact(v->runtime), TOOL_STATED);
	return true;
}

/* All threads without a core are one, as in the text output. */
static bool add_latency(struct tool_parse *p, uint64_t cpu)
{
	const struct tool_values *v = &p->v;

	if (v->max == TOOL_NONE || v->count == TOOL_NONE)
		return false;
	tool_latency(tool_core(p, cpu), v->count, v->max, tool_or(v->in_ns, 0) ?: NS_PER_US);
	return true;
}

/*
 * For a thread that is not pinned, cyclictest 2.6 prints -1; 2.4 printed the thread's number.
 * jitterdebugger's threads have numbers only, those of their cores if each core has one.
 */
static void take_thread(struct tool_parse *p)
{
	struct document *d = p->state;
	struct tool_values *v = &p->v;
	uint64_t cpu = d->has_each ? v->thread : v->cpu;

	tool_new_core(p, cpu);
	if (!(d->kind == OSLAT ? add_oslat(p, cpu, &d->oslat) : add_latency(p, cpu)))
		tool_wrong(p, p->row);
	v->cpu = v->max = v->count = v->runtime = v->mhz = TOOL_NONE;
	tool_table_free(&d->oslat.table);
	d->oslat.table = (struct tool_table){ 0 };
	d->oslat.decimals = false;
}

/* Refuse a member that is no thread, in the place of threads. `arg`: jitterdebugger's place. */
static void take_stranger(struct tool_parse *p)
{
	bool jitterdebugger = ((const struct document *)p->state)->kind == JITTERDEBUGGER;

	if (jitterdebugger == (bool)p->arg)
		tool_wrong(p, p->row);
}

static const struct tool_row threads[] = {
	{ "thread.%u.cpu ", "%m(cpu)$", NULL, 0 },
	{ "thread.%u.freq ", "%u(mhz)", NULL, 0 },
	{ "thread.%u.max ", "%u(max)$", NULL, 0 },
	{ "thread.%u.cycles ", "%u(count)$", NULL, 0 },
	{ "thread.%u.duration ", "%9(runtime)$", NULL, 0 },
	{ "thread.%u.histogram.", "%3(first) @$", take_bucket, 0 },
	{ "thread.%u end", "$", take_thread, 0 },
	{ "thread.%u.", "", NULL, 0 },
	{ "thread.", "", take_stranger, false },
	{ "cpu.%u.max ", "%u(max)$", NULL, 0 },
	{ "cpu.%u.count ", "%u(count)$", NULL, 0 },
	{ "cpu.%u(thread) end", "$", take_thread, 0 },
	{ "cpu.%u.", "", NULL, 0 },
	{ "cpu.", "", take_stranger, true },
	{ .key = NULL },
};

/* ---- Documents ---- */

/* Take a value at this path as rows, up to one that cannot be read. No figure is a list or null. */
static void walk(struct tool_parse *p, const struct tool_row *rows, const char *path, json_t *value)
{
	char row[ROW_BYTES];
	const char *key;
	json_t *member;

	json_object_foreach(value, key, member)
	{
		snprintf(row, sizeof(row), "%s%s%s", path, *path ? "." : "", key);
		walk(p, rows, row, member);
	}
	if (json_is_object(value))
		snprintf(row, sizeof(row), "%s end", path);
	else if (json_is_integer(value))
		snprintf(row, sizeof(row), "%s %lld", path, (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(row, sizeof(row), "%s %.9f", path, json_real_value(value));
	else if (json_is_string(value))
		snprintf(row, sizeof(row), "%s \"%s\"", path, json_string_value(value));
	else
		snprintf(row, sizeof(row), "%s ...", path);
	if (!p->refused)
		tool_take_row(p, rows, row);
}

static void take_root(struct tool_parse *p, json_t *root)
{
	const char *command = json_string_value(json_object_get(root, "cmdline:"));
	struct document *d = p->state;

	d->oslat.version = oslat_version_read(p->tool, "");
	if (command)
		take_command(p, command);
	walk(p, heads, "", root);
	if (d->kind != OSLAT)
		p->tool->notes &= ~(uint32_t)TOOL_VERSION;
	d->has_each = p->v.cpus == json_object_size(json_object_get(root, "cpu"));
	if (d->kind && d->kind != JITTERDEBUGGER && p->v.number != 1)
		tool_report(p, "\"file_version\" is not 1, the version that is known");
	else if (d->kind)
		walk(p, threads, "", root);
	else if (!p->reported)
		tool_report(p, "JSON, but neither rt-tests' (wanted: \"cmdline:\" of oslat or "
			       "cyclictest, and \"thread\") nor jitterdebugger's");
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
			take_root(p, root);
		else
			tool_report(p, "not JSON: %.200s", error.text);
	}
	json_decref(root);
	/* Buckets of a thread whose row could not be read. */
	tool_table_free(&d->oslat.table);
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
