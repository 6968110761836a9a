/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor compare`: the floor is read, then each file of the OS's side, then set against it. */
#include "compare.h"

#include "compare_forms.h"
#include "compare_json.h"
#include "compare_text.h"
#include "host/lib/exit.h"
#include "floor.h"
#include "host/lib/form.h"
#include "host/capture/intake.h"
#include "host/capture/measured.h"
#include "host/lib/memory.h"
#include "host/lib/options.h"
#include "host/tools/peer.h"
#include "host/lib/progress.h"
#include "host/capture/shown.h"
#include "split.h"

#include "core/lib/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: noisefloor compare [OPTION...] FLOOR INOS...\n"
	"\n"
	"Sets what an OS saw of noise against the floor of the machine: who owns each\n"
	"microsecond. FLOOR is a capture or record file of noisefloor; INOS is what was\n"
	"measured from inside, in any of these formats, told apart by content: hwlat and\n"
	"osnoise traces (tracefs, trace-cmd), rtla osnoise top and hist, rtla hwnoise,\n"
	"hwlatdetect, oslat, cyclictest, sysjitter (summary and raw), detect-detour, and\n"
	"noisefloor's own records of stage os. A file may hold several outputs; - is\n"
	"standard input.\n"
	"\n"
	"  --stage NAME  the stage to take for the floor (default: handoff, else the last)\n"
	"  --force       compare what is refused as unsound\n"
	"  --format FORM text (the default), json (one document); junit, tap: a test per core,\n"
	"                which passes where it could be compared; influx, prom: the parts\n"
	"  --json        the same as --format json\n"
	"  --progress    say on standard error how far it is, even if that is no terminal\n"
	"  --help        this text\n"
	"\n"
	"What an output does not say, a line before it can:\n"
	"  # noisefloor: threshold=1us exposure=60s cpus=0-3 mode=per-cpu window=1s width=500ms\n"
	"\n"
	"Exit code: 0 all compared, 2 error (also: refused, or a file that cannot be read),\n"
	"3 incomplete (the floor's run was cut short, or parts of an output are missing).\n";

#define COMPARE_FORMS                                                            \
	(1u << FORM_TEXT | 1u << FORM_JSON | 1u << FORM_JUNIT | 1u << FORM_TAP | \
	 1u << FORM_INFLUX | 1u << FORM_PROM)

struct options {
	const char *stage;
	bool force;
	struct form_choice form;
};

static void complain(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx;
	progress_hide();
	if (line)
		fprintf(stderr, "%s:%llu: %s\n", file, (unsigned long long)line, text);
	else
		fprintf(stderr, "%s: %s\n", file, text);
}

static void tell_text(const struct floor *floor, const struct split *split, size_t count)
{
	compare_text_floor(floor);
	for (size_t i = 0; i < count; i++)
		compare_text(&split[i]);
}

static void tell_json(const struct floor *floor, const struct split *split, size_t count)
{
	json_t *compared = json_array(), *root;

	for (size_t i = 0; i < count; i++)
		json_array_append_new(compared, compare_json(&split[i]));
	root = json_pack("{s:o,s:o}", "floor", compare_json_floor(floor), "compared", compared);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

static void tell(enum form form, const struct floor *floor, const struct split *split, size_t count)
{
	static void (*const tellers[FORMS])(const struct floor *floor, const struct split *split,
					    size_t count) = {
		[FORM_TEXT] = tell_text,        [FORM_JSON] = tell_json,
		[FORM_JUNIT] = compare_junit,   [FORM_TAP] = compare_tap,
		[FORM_INFLUX] = compare_influx, [FORM_PROM] = compare_prom,
	};

	tellers[form](floor, split, count);
}

static int compare_peers(const struct floor *floor, const struct peers *peers,
			 const struct options *options)
{
	struct split *split = memory_new(peers->count, sizeof(*split));
	int code = peers->failed ? EXIT_ERROR : EXIT_PASS;

	for (size_t i = 0; i < peers->count; i++) {
		split_make(&split[i], floor, &peers->at[i], options->force);
		code = shown_worst(code, split_exit_code(&split[i]));
	}
	tell(options->form.form, floor, split, peers->count);
	for (size_t i = 0; i < peers->count; i++)
		split_free(&split[i]);
	free(split);
	return code;
}

static int compare_floor(const char *file, const struct measured *measured, char **paths, int count,
			 const struct options *options)
{
	struct peers peers = { 0 };
	struct floor floor;
	char reason[400];
	struct text why;
	int code;

	text_init(&why, reason, sizeof(reason));
	if (!floor_choose(measured, file, options->stage, &floor, &why)) {
		shown_clean(reason);
		complain(NULL, file, 0, reason);
		return EXIT_ERROR;
	}
	for (int i = 0; i < count; i++)
		peers_read(&peers, paths[i], complain, NULL);
	code = compare_peers(&floor, &peers, options);
	peers_free(&peers);
	return code;
}

static int compare_files(char **paths, int count, const struct options *options)
{
	struct measured measured;
	int code = EXIT_ERROR;

	if (measured_read(paths[0], &measured, complain, NULL))
		code = compare_floor(strcmp(paths[0], "-") == 0 ? "standard input" : paths[0],
				     &measured, paths + 1, count - 1, options);
	measured_free(&measured);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("standard output");
		return EXIT_ERROR;
	}
	return code;
}

static int usage_error(const char *wrong)
{
	fprintf(stderr, "compare: %s\n%s", wrong, usage);
	return EXIT_ERROR;
}

static bool read_option(void *ctx, int option, const char *value)
{
	struct options *o = ctx;

	switch (option) {
	case 's':
		o->stage = value;
		return true;
	case 'f':
		o->force = true;
		return true;
	case 'F':
		return form_choose(&o->form, value);
	case 'P':
		progress_ask();
		return true;
	case 'j':
		return form_choose(&o->form, "json");
	default:
		return false;
	}
}

int compare_main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "stage", required_argument, NULL, 's' },
		{ "force", no_argument, NULL, 'f' },
		{ "format", required_argument, NULL, 'F' },
		{ "json", no_argument, NULL, 'j' },
		{ "progress", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options options = { .form = { .subcommand = "compare", .accepted = COMPARE_FORMS } };
	const struct options_set set = { usage, "", long_options, read_option, &options };
	int code = options_read(&set, argc, argv);

	if (code != OPTIONS_READ)
		return code;
	if (argc - optind < 2)
		return usage_error("it needs a floor and at least one file of the OS's side");
	if (!intake_check("compare", argc - optind, (const char *const *)(argv + optind)))
		return EXIT_ERROR;
	return compare_files(argv + optind, argc - optind, &options);
}
