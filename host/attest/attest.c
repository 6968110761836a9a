/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet attest`: what a machine's TPM confirms of a run. */
#include "attest.h"

#include "host/capture/capture.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <stdio.h>
#include <string.h>

static struct options {
	struct form_choice form;
	const char *run, *key, *enroll;
	struct options_list images, loaders, configs;
} options;

static const struct result *attest_choose(struct capture *c, const char *path)
{
	const struct capture_want want = attest_read_want(options.run);

	capture_open(c, path, &want);
	if (c->error || !c->runs) {
		capture_judge(c, false);
		return NULL;
	}
	if (c->runs > 1) {
		capture_list_runs(c, "has several runs; select one by its sid");
		return NULL;
	}
	return c->run[0];
}

/* ---- What is accepted ---- */

static bool attest_refuse(const char *option, const char *what, const char *why)
{
	fprintf(stderr, "fleet attest: --%s %s: %s\n", option, text_sanitize_name(what), why);
	return false;
}

static bool read_wanted(struct attest_want *want)
{
	struct options_list key = { .text = { options.key }, .count = options.key ? 1 : 0 };
	const struct {
		const char *option;
		const struct options_list *words;
	} of[ATTEST_LISTS] = { [ATTEST_CONFIGS] = { "config", &options.configs },
			       [ATTEST_KEYS] = { "key", &key },
			       [ATTEST_IMAGES] = { "image", &options.images },
			       [ATTEST_LOADERS] = { "loader", &options.loaders } };
	TEXT_DEFINE(why, ATTEST_WHY_MAX);

	for (unsigned list = 0; list < ATTEST_LISTS; list++)
		for (size_t i = 0; i < of[list].words->count; i++)
			if (!attest_want_add(want, (enum attest_list)list, of[list].words->text[i],
					     &why))
				return attest_refuse(of[list].option, of[list].words->text[i],
						     why.buf);
	return true;
}

/* ---- Forms ---- */

static void print_text(const char *path, const struct attest_run *run,
		       const struct attest_result *r, enum attest_state outcome)
{
	static const char *const outcomes[] = { [ATTEST_GOOD] = "attested",
						[ATTEST_BAD] = "not attested",
						[ATTEST_UNKNOWN] = "not attested: incomplete" };
	TEXT_DEFINE(t, 400);

	text_add(&t, "%s: run %016llx: %s", path, (unsigned long long)run->sid, outcomes[outcome]);
	text_sanitize_print(&t);
	for (unsigned i = 0; i < ATTEST_ITEMS; i++) {
		text_add(&t, "  %-9s  %-7s  %s", attest_item_name((enum attest_item)i),
			 attest_state_name(r->item[i].state), r->item[i].why);
		text_sanitize_print(&t);
	}
	if (run->summary && run->summary->verdict) {
		text_add(&t, "  verdict    %s", run->summary->verdict);
		text_sanitize_print(&t);
	}
}

static json_t *json_text(const char *text)
{
	return text ? json_name(text) : json_null();
}

static json_t *json_digest(const uint8_t digest[SHA256_BYTES])
{
	TEXT_DEFINE(t, ATTEST_DIGITS + 1);

	text_hex(&t, digest, SHA256_BYTES);
	return json_string(t.buf);
}

static json_t *make_pcr(const struct record_attest *a, size_t n)
{
	return json_pack("{s:o,s:o}", "pcr",
			 json_number(n == ATTEST_VALUES - 1 ? ATTEST_PCR_CONFIG : n), "value",
			 json_name(a->values[n]));
}

static json_t *make_check(const struct attest_result *r, size_t i)
{
	return json_pack("{s:s,s:s,s:o}", "name", attest_item_name((enum attest_item)i), "state",
			 attest_state_name(r->item[i].state), "text", json_name(r->item[i].why));
}

static void print_json(const char *path, const struct attest_run *run,
		       const struct attest_result *r, enum attest_state outcome)
{
	const struct record_attest *a = run->attest;

	json_print("attest/1",
		   json_pack("{s:o,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "file",
			     json_name(path), "sid", json_sid(run->sid), "outcome",
			     attest_state_name(outcome), "verdict",
			     json_text(run->summary ? run->summary->verdict : NULL), "tpm",
			     json_text(a->tpm), "key",
			     r->point[0] ? json_digest(r->name) : json_null(), "config",
			     json_text(a->config), "clock_ms", json_number(r->clock_ms), "resets",
			     json_number(r->resets), "restarts", json_number(r->restarts), "pcrs",
			     JSON_ARRAY(i, i < ATTEST_VALUES && a->values[i], make_pcr(a, i)),
			     "checks", JSON_ARRAY(i, i < ATTEST_ITEMS, make_check(r, i))),
		   JSON_INDENT(2));
}

/* ---- The subcommand ---- */

static int enroll(const struct attest_result *r)
{
	const char *why = attest_key_write(options.enroll, r->point);

	if (!why)
		return EXIT_PASS;
	attest_refuse("enroll", options.enroll, why);
	return EXIT_ERROR;
}

static int attest_check_file(const char *path, const struct result *received,
			     const struct attest_want *want)
{
	static const int code[] = { [ATTEST_GOOD] = EXIT_PASS,
				    [ATTEST_BAD] = EXIT_FAIL,
				    [ATTEST_UNKNOWN] = EXIT_INCOMPLETE };
	struct attest_run run;
	struct attest_result r;
	enum attest_state outcome;

	if (!received->has_attest) {
		fprintf(stderr, "fleet attest: %s: run %016llx has no attestation\n",
			text_sanitize_name(path), (unsigned long long)received->sid);
		return EXIT_INCOMPLETE;
	}
	run = attest_read_run(received);
	outcome = attest_check(&run, want, &r);
	if (options.form.form == FORM_JSON)
		print_json(path, &run, &r, outcome);
	else
		print_text(path, &run, &r, outcome);
	if (outcome == ATTEST_GOOD && options.enroll)
		return enroll(&r);
	return code[outcome];
}

static int attest_run_files(int count, char **paths)
{
	const char *why = attest_key_why_not();
	const struct result *received;
	struct attest_want want = { .list = { { NULL, 0 } } };
	struct capture c;
	int code = EXIT_ERROR;

	(void)count;
	if (why) {
		fprintf(stderr, "fleet attest: %s\n", why);
		return EXIT_ERROR;
	}
	if (!options.key == !options.enroll) {
		fputs("fleet attest: accepted: either --key FILE, with the machine's key, or "
		      "--enroll "
		      "FILE, "
		      "to keep it the first time\n",
		      stderr);
		return options_see_help(&attest_subcommand);
	}
	if (read_wanted(&want)) {
		received = attest_choose(&c, paths[0]);
		if (received)
			code = attest_check_file(paths[0], received, &want);
		attest_read_done();
		capture_close(&c);
	}
	attest_want_free(&want);
	return code;
}

static const struct options_row rows[] = {
	{ "image", "FILE",
	  "the image that the machine was to start, signed or not; more than once: any",
	  options_list, offsetof(struct options, images), .required = true },
	{ "key", "FILE", "the machine's key, as --enroll has written it", options_text,
	  .offset = offsetof(struct options, key) },
	{ "enroll", "FILE", "write the machine's key to this new file, if all else is good",
	  options_text, .offset = offsetof(struct options, enroll) },
	{ "loader", "FILE",
	  "an image that may have been started before, such as shim or a boot loader", options_list,
	  .offset = offsetof(struct options, loaders) },
	{ "config", "SHA256",
	  "of the configuration in force; more than once: any of these; else any", options_list,
	  .offset = offsetof(struct options, configs) },
	OPTIONS_RUN(struct options, run, "the run, if the file has several"),
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand attest_subcommand = {
	.name = "attest",
	.command = "noisefloor fleet attest",
	.run = attest_run_files,
	.summary = "what the machine's TPM confirms of a run",
	.arguments = "FILE",
	.least = 1,
	.reads_input = true,
	.most = 1,
	.about = "Checks the attestation that the probe had the machine's TPM make: that this "
		 "machine, "
		 "started with this image and this configuration, has measured these records. Each "
		 "machine's key is enrolled once, with --enroll.",
	.exit_code = "0 attested; 1 not; 2 error; 3 lines are missing, or there is no attestation.",
	.rows = rows,
	.options = &options,
};
