/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor advise`: read a run, look for evidence, choose settings by it. */
#include "advise.h"

#include "host/capture/capture.h"
#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"
#include "host/program/options.h"
#include "host/subcommands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Names are alike if their letters and digits are ---- */

/* The vendor, as named in the rows, for a manufacturer's name in SMBIOS; NULL: not listed. */
static const char *vendor_of(const char *manufacturer)
{
	/* First words of the manufacturer's name, and the vendor. */
	static const char *const known[][2] = {
		{ "Dell", "Dell" },        { "HPE", "HPE" },       { "HP", "HPE" },
		{ "Hewlett", "HPE" },      { "Lenovo", "Lenovo" }, { "Supermicro", "Supermicro" },
		{ "Super", "Supermicro" }, { "Intel", "Intel" },   { "RadiSys", "RadiSys" },
	};
	size_t bytes = manufacturer ? strcspn(manufacturer, " -,") : 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (bytes == strlen(known[i][0]) &&
		    strncasecmp(manufacturer, known[i][0], bytes) == 0)
			return known[i][1];
	return NULL;
}

/* True if the row is for machines of this vendor; NULL: an unknown one. */
static bool is_for_vendor(const struct advise_setting *setting, const char *vendor)
{
	const struct advise_setting *row;

	if (setting->vendor)
		return vendor && strcmp(setting->vendor, vendor) == 0;
	for (size_t n = 0; vendor && (row = advise_setting_at(n)); n++)
		if (row->vendor && strcmp(row->vendor, vendor) == 0 &&
		    strcmp(row->topic, setting->topic) == 0)
			return false;
	return true;
}

/*
 * Length of a name without the four hexadecimal digits that Supermicro appends: "QuietBoot_0027",
 * "IPv4HTTPSupport#00F7".
 */
static size_t stem(const char *name)
{
	size_t bytes = strlen(name), digits = 0;

	while (digits < bytes && isxdigit((unsigned char)name[bytes - 1 - digits]))
		digits++;
	if (digits != 4 || bytes < 6 || !strchr("_#", name[bytes - 5]))
		return bytes;
	return bytes - 5;
}

/* The next letter or digit from *at on, in lower case; 0 past the last. */
static int advise_next(const char *text, size_t bytes, size_t *at)
{
	while (*at < bytes && !isalnum((unsigned char)text[*at]))
		++*at;
	return *at < bytes ? tolower((unsigned char)text[(*at)++]) : 0;
}

bool advise_is_alike(const char *a, const char *b)
{
	size_t a_bytes = stem(a), b_bytes = stem(b), a_at = 0, b_at = 0;
	int c;

	do {
		c = advise_next(a, a_bytes, &a_at);
		if (c != advise_next(b, b_bytes, &b_at))
			return false;
	} while (c);
	return a_bytes && b_bytes;
}

static bool is_one_of(const char *const words[4], const char *value)
{
	for (size_t i = 0; i < 4; i++)
		if (advise_is_alike(words[i], value))
			return true;
	return false;
}

bool advise_is_off(const char *value)
{
	static const char *const words[] = { "Disabled", "Disable", "false", "Off" };

	return is_one_of(words, value);
}

bool advise_is_on(const char *value)
{
	static const char *const words[] = { "Enabled", "Enable", "true", "On" };

	return is_one_of(words, value);
}

/* True if this value is the one that the row recommends. */
static bool is_set(const struct advise_setting *setting, const char *value)
{
	return advise_is_alike(setting->to, value) ||
	       (strcmp(setting->to, "Disabled") == 0 && advise_is_off(value));
}

/* ---- Proposals ---- */

static struct asked {
	const char *bios, *stage, *run;
	struct form_choice form;
} asked;

static void find_values(struct advise_proposal *p, const struct advise *a)
{
	const struct advise_setting *s = p->setting;
	const char *name;
	json_t *value;

	if (!a->dump || s->is_linux)
		return;
	json_object_foreach(a->dump->values, name, value)
	{
		if (p->founds < ADVISE_FOUND_MAX &&
		    ((s->attribute && advise_is_alike(s->attribute, name)) ||
		     advise_is_alike(s->menu, name)))
			p->found[p->founds++] = (struct advise_attribute){ name, json_string_value(
											 value) };
	}
	p->set = p->founds;
	for (size_t i = 0; i < p->founds; i++)
		p->set = p->set && p->found[i].value && is_set(s, p->found[i].value) &&
			 !advise_is_unmet(a, p->found[i].name);
}

/* Returns false if no evidence supports the proposal. */
static bool is_called_for(struct advise_proposal *p, const struct advise_evidence *e)
{
	for (unsigned i = p->setting->calls; i-- > 0;) {
		if (!e->has[p->setting->call[i].evidence])
			continue;
		p->calls |= 1u << i;
		p->sure = p->setting->call[i].sure;
	}
	return p->calls;
}

/* True if `a` is listed before `b`. */
static bool is_before(const struct advise_proposal *a, const struct advise_proposal *b)
{
	return a->set == b->set ? a->sure > b->sure : b->set;
}

static void advise_add(struct advise *a, const struct advise_proposal *p)
{
	size_t at = a->count++;

	for (; at && is_before(p, &a->proposal[at - 1]); at--)
		a->proposal[at] = a->proposal[at - 1];
	a->proposal[at] = *p;
	a->set += p->set;
}

static bool fits(const struct advise_setting *s, const struct advise *a)
{
	if (s->arch && (!a->arch || strcmp(s->arch, a->arch) != 0))
		return false;
	return is_for_vendor(s, a->vendor);
}

void advise_choose(struct advise *a)
{
	const struct advise_setting *setting;

	a->count = a->set = 0;
	for (size_t n = 0; (setting = advise_setting_at(n)) && a->count < ADVISE_ROWS_MAX; n++) {
		struct advise_proposal p = { .setting = setting };

		if (!fits(setting, a) || !is_called_for(&p, &a->evidence))
			continue;
		find_values(&p, a);
		advise_add(a, &p);
	}
}

static void read_run(struct advise *a, struct result_stage *stage)
{
	const struct record_begin *begin = &a->selected->run->begin;

	a->stage = stage;
	a->vendor = vendor_of(begin->machine.vendor);
	a->arch = begin->arch;
	advise_evidence_read(&a->evidence, a->selected->run, stage);
	advise_find_unmet(a);
	advise_choose(a);
}

/* A survey or stretch gives no evidence for advice, but a dump can be compared with them. */
static bool has_evidence(const struct result_stage *stage, bool dump)
{
	return stage->cpus || stage->kept[RECORD_SERVICE].count ||
	       (dump && (stage->kept[RECORD_SURVEY].count || stage->kept[RECORD_STRETCH].count));
}

/* One file; its part of the document is added to the list. */
static int advise_file(const char *path, const struct bios_dump *dump, json_t *list)
{
	static struct advise a;
	struct capture_select selected;
	struct result_stage *stage = NULL;
	int code = EXIT_ERROR;

	a = (struct advise){ .selected = &selected, .dump = dump };
	if (capture_select(&selected, path, asked.run))
		stage = capture_select_stage(&selected, asked.stage);
	if (stage && !has_evidence(stage, dump)) {
		fprintf(stderr, "%s: nothing to advise by: neither gaps nor calls of services\n",
			selected.capture.name);
		stage = NULL;
	}
	if (stage) {
		read_run(&a, stage);
		if (asked.form.form == FORM_JSON)
			json_array_append_new(list, advise_json(&a));
		else
			advise_text(&a);
		code = exit_worst(a.count > a.set || a.unmets ? EXIT_FAIL : EXIT_PASS,
				  capture_select_code(&selected));
	}
	free(a.unmet);
	capture_close(&selected.capture);
	return code;
}

static int advise_all(int count, char **paths, const struct bios_dump *dump)
{
	json_t *list = json_array();
	int code = EXIT_PASS;

	for (int i = 0; i < count; i++) {
		if (i && asked.form.form == FORM_TEXT)
			putchar('\n');
		code = exit_worst(code, advise_file(paths[i], dump, list));
	}
	if (asked.form.form == FORM_JSON)
		json_print("advise/1", json_pack("{s:o}", "runs", list), JSON_COMPACT);
	else
		json_decref(list);
	return code;
}

/* Check the arguments: a dump describes one machine, so --bios takes one FILE. */
static bool check_bios(int count, char **paths)
{
	if (count > 1)
		fputs("advise: --bios is the dump of one machine, and takes one FILE\n", stderr);
	else if (strcmp(asked.bios, "-") == 0 && strcmp(paths[0], "-") == 0)
		fputs("advise: standard input cannot be both FILE and --bios\n", stderr);
	else
		return true;
	return false;
}

static int advise_with_bios(int count, char **paths)
{
	TEXT_DEFINE(why, 400);
	struct bios_dump dump;
	int code = EXIT_ERROR;

	if (!check_bios(count, paths))
		return EXIT_ERROR;
	if (bios_dump_read(&dump, asked.bios, &why)) {
		code = advise_all(count, paths, &dump);
		if (dump.not_scalar)
			fprintf(stderr,
				"%s: %zu attributes have no value, but an object or a "
				"list; ignored\n",
				text_sanitize_name(asked.bios), dump.not_scalar);
		code = exit_worst(code, dump.not_scalar ? EXIT_INCOMPLETE : EXIT_PASS);
	} else {
		fprintf(stderr, "%s: %s\n", text_sanitize_name(asked.bios), why.buf);
	}
	bios_dump_free(&dump);
	return code;
}

static int advise_run(int count, char **paths)
{
	if (!capture_check("advise", count, (const char *const *)paths))
		return EXIT_ERROR;
	return asked.bios ? advise_with_bios(count, paths) : advise_all(count, paths, NULL);
}

static const struct options_row rows[] = {
	{ "bios", "FILE",
	  "the BIOS's settings, from Redfish (GET /redfish/v1/Systems/ID/Bios), a Dell Server "
	  "Configuration Profile, fwupd or AMI's SCEWIN: to print what each is set to, and to "
	  "leave "
	  "out what is as advised already",
	  options_text, .offset = offsetof(struct asked, bios) },
	OPTIONS_STAGE(struct asked, stage, "the stage; by default the last on the ladder"),
	OPTIONS_RUN(struct asked, run, "the run, if a file has several"),
	OPTIONS_FORM(struct asked, form, form_is_text_or_json),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand advise_subcommand = {
	.name = "advise",
	.run = advise_run,
	.summary = "which settings of the BIOS the evidence of a run points at",
	.arguments = "FILE...",
	.least = 1,
	.reads_input = true,
	.most = OPTIONS_MANY,
	.about =
		"Each setting by its menu's and its Redfish name, with the evidence that calls for "
		"it, what it costs to change it, how sure that is, and its source; the surest "
		"first. Nothing is advised without evidence. Change one at a time: `noisefloor "
		"diff` is the proof.",
	.exit_code =
		"0 nothing to advise, 1 a setting is proposed, or not in force, 2 error, 3 records "
		"of a run are missing, or values of the dump are not known, and nothing is "
		"proposed.",
	.rows = rows,
	.options = &asked,
};
