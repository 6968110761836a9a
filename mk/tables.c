/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that documentation is printed from, as one JSON document: see mk/print_docs.py. */
#include "core/config/config_keys.h"
#include "core/config/mode.h"
#include "core/records/record_field.h"
#include "host/collect/collect.h"
#include "host/measure/linux.h"
#include "host/program/options.h"
#include "host/subcommands.h"
#include "host/tools/tool.h"

#include <err.h>
#include <jansson.h>
#include <stdio.h>

/* ---- Keys: the part of core/config/config_rows.h that programs do not need ---- */

struct key_doc {
	const char *title; /* title of the keys that follow; NULL: a key */
	const char *name;
	const char *help; /* sentences, with values and keys in backquotes */
};

#define GROUP(text)                                        { .title = text },
#define KEY(key, fallback, platforms, accepted, text, ...) { NULL, key, text },

static const struct key_doc keys[] = {
#include "core/config/config_rows.h"
};

static json_t *key_json(const struct key_doc *help, const struct config_key *key)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b}", "name", help->name, "help", help->help,
			 "default", key->fallback, "accepted", key->accepted, "probe",
			 (int)(key->platforms >> CONFIG_PROBE & 1), "linux",
			 (int)(key->platforms >> CONFIG_LINUX & 1));
}

/* Groups and keys in the table's order. */
static json_t *keys_json(void)
{
	json_t *list = json_array();
	size_t key = 0;

	for (size_t n = 0; n < sizeof(keys) / sizeof(keys[0]); n++)
		json_array_append_new(list, keys[n].title
						    ? json_pack("{s:s}", "title", keys[n].title)
						    : key_json(&keys[n], &config_keys[key++]));
	return list;
}

static json_t *words_json(const struct options_row *row)
{
	json_t *list = json_array();
	const char *word;

	for (unsigned n = 0; row->value && (word = options_word(row, &n));)
		json_array_append_new(list, json_string(word));
	return list;
}

static void add_options(json_t *list, const struct options_row *row)
{
	for (; row->name; row++)
		json_array_append_new(list, json_pack("{s:s, s:s#, s:o}", "name", row->name,
						      "letter", &row->letter, row->letter ? 1 : 0,
						      "words", words_json(row)));
}

/* Keys with a value that the subcommand refuses, as on its command line: Linux lacks modes. */
static json_t *refused_json(const struct options_subcommand *s)
{
	static struct config config;
	json_t *list = json_array();

	if (s->keys >> CONFIG_LINUX & 1)
		linux_options_read(&config, NULL, 0);
	for (unsigned n = 0; s->keys >> CONFIG_LINUX & 1 && mode_at(n); n++)
		if (config.no_modes >> n & 1)
			json_array_append_new(list, json_sprintf("mode=%s", mode_at(n)->name));
	return list;
}

static json_t *subcommands_json(program_list *at)
{
	json_t *list = json_array();
	const struct options_subcommand *s;

	for (size_t n = 0; (s = at(n)); n++) {
		json_t *options = json_array();

		add_options(options, s->rows);
		add_options(options, options_common);
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o}", "name", s->name, "summary",
				  s->summary, "probe", (int)(s->keys >> CONFIG_PROBE & 1), "linux",
				  (int)(s->keys >> CONFIG_LINUX & 1), "refused", refused_json(s),
				  "options", options, "group",
				  s->group ? subcommands_json(s->group) : json_array()));
	}
	return list;
}

/* ---- Records: the rows of core/records/record_field.c again, with their help ---- */

struct record_doc {
	const char *family; /* Prometheus family, after noisefloor_ and before the unit; or NULL */
	const char *help;   /* a sentence; NULL: brackets around fields */
};

/* clang-format off */
#define RECORD(id, name, about)                 static const struct record_doc name##_docs[] = {
#define RECORD_END(name)                        { .help = NULL } };
#define FIELD(kind, member, text, ...)          { .help = text },
#define NAMED(kind, member, name, text, ...)    { .help = text },
#define METRIC(kind, member, of, text, ...)     { .family = of, .help = text },
#define INNER(kind, outer, member, text, ...)   { .help = text },
#define OPEN(member)                            { .help = NULL },
#define CLOSE(member)                           { .help = NULL },
#include "core/records/record_table.h"
/* clang-format on */

static const struct {
	const char *help;
	const struct record_doc *docs;
} types[RECORD_TYPES] = {
#define RECORD(id, name, about) [RECORD_##id] = { about, name##_docs },
#include "core/records/record_table.h"
};

static const char *const kinds[] = {
	[FIELD_U64] = "number",      [FIELD_I64] = "number",
	[FIELD_U32] = "number",      [FIELD_BOOL] = "true or false",
	[FIELD_STRING] = "string",   [FIELD_MAYBE] = "number or null",
	[FIELD_PAIRS] = "pairs",     [FIELD_STRINGS] = "strings",
	[FIELD_CAUSES] = "by cause", [FIELD_TIMERS] = "by name",
	[FIELD_TOTALS] = "by type",  [FIELD_OPEN] = "object",
	[FIELD_CLOSE] = "end",
};
static const char *const units[FIELD_UNITS] = { "", "ns", "ns", "ticks", "Hz", "ppm", "date" };
static const char *const roles[] = { "", "tag", "count", "time", "value" };
static const char *const totals[] = { "", "sum", "max" };

static json_t *field_json(const struct record_field *f, const struct record_doc *doc)
{
	if ((f->kind == FIELD_OPEN || f->kind == FIELD_CLOSE) == (doc->help != NULL))
		errx(1, "%s: its help is missing or misplaced", f->name ? f->name : "");
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "name", f->name ? f->name : "",
			 "kind", kinds[f->kind], "unit", units[f->unit], "role", roles[f->role],
			 "total", totals[f->total], "label", f->label ? f->label : "", "family",
			 doc->family ? doc->family : "", "help", doc->help ? doc->help : "");
}

static json_t *records_json(void)
{
	json_t *list = json_array();

	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		const struct record_field *f = record_fields((enum record_type)type);
		const struct record_doc *doc = types[type].docs;
		json_t *fields = json_array();

		for (; f->kind != FIELD_END; f++, doc++)
			json_array_append_new(fields, field_json(f, doc));
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name",
						      record_type_name((enum record_type)type),
						      "help", types[type].help, "fields", fields));
	}
	return list;
}

static const struct options_subcommand *collector_at(size_t n)
{
	return n ? NULL : &collect_program;
}

int main(void)
{
	json_t *root = json_pack("{s:o, s:o, s:o, s:o, s:s}", "keys", keys_json(), "records",
				 records_json(), "subcommands", subcommands_json(subcommands_at),
				 "collector", subcommands_json(collector_at), "formats",
				 TOOL_KNOWN);

	if (!root || json_dumpf(root, stdout, JSON_INDENT(1)) != 0)
		return 1;
	json_decref(root);
	return fflush(stdout) != 0;
}
