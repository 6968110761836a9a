/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor compare`: the floor is read, then each file of the OS's side, then set against it. */
#include "compare.h"

#include "compare_json.h"
#include "compare_text.h"
#include "exit.h"
#include "floor.h"
#include "measured.h"
#include "peer.h"
#include "shown.h"
#include "split.h"

#include "core/text.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: noisefloor compare [--stage NAME] [--force] [--json] FLOOR INOS...\n"
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
	"  --json        one JSON document\n"
	"  --help        this text\n"
	"\n"
	"What an output does not say, a line before it can:\n"
	"  # noisefloor: threshold=1us exposure=60s cpus=0-3 mode=per-cpu window=1s width=500ms\n"
	"\n"
	"Exit code: 0 all compared, 2 error (also: refused, or a file that cannot be read),\n"
	"3 incomplete (the floor's run was cut short, or parts of an output are missing).\n";

struct options {
	const char *stage;
	bool force, json;
};

static void complain(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx;
	if (line)
		fprintf(stderr, "%s:%llu: %s\n", file, (unsigned long long)line, text);
	else
		fprintf(stderr, "%s: %s\n", file, text);
}

static int compare_peers(const struct floor *floor, const struct peers *peers,
			 const struct options *options)
{
	json_t *compared = json_array();
	int code = peers->failed ? EXIT_ERROR : EXIT_PASS;

	if (!options->json)
		compare_text_floor(floor);
	for (size_t i = 0; i < peers->count; i++) {
		struct split split;

		split_make(&split, floor, &peers->at[i], options->force);
		if (options->json)
			json_array_append_new(compared, compare_json(&split));
		else
			compare_text(&split);
		code = shown_worst(code, split_exit_code(&split));
		split_free(&split);
	}
	if (options->json) {
		json_t *root = json_pack("{s:o,s:O}", "floor", compare_json_floor(floor),
					 "compared", compared);

		json_dumpf(root, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(root);
	}
	json_decref(compared);
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

int compare_main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "stage", required_argument, NULL, 's' },
		{ "force", no_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options options = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return EXIT_PASS;
		}
		if (option == '?')
			return usage_error("wrong option");
		if (option == 's')
			options.stage = optarg;
		options.force = options.force || option == 'f';
		options.json = options.json || option == 'j';
	}
	if (argc - optind < 2)
		return usage_error("it needs a floor and at least one file of the OS's side");
	return compare_files(argv + optind, argc - optind, &options);
}
