/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A prediction from runs, arbitrary bytes, of gaps or of fixed work. The first bytes select its
 * form, kernel, phase, step and number of nodes; then the runs follow, which form feeds part. Lines
 * are signed on their way in.
 */
#include "host/predict/predict.h"

#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 15)
#define RUNS      3
#define CHOICES   4
#define FILE_NAME 24
#define ROUNDING  1e-6

static const char *const forms[] = { "json", "text", "influx", "prom" };
static const char *const kernels[] = { NULL, "adds", "l2", "" };
static const char *const phases[] = { NULL, "alone", "all", "" };

/* As from the command line, where a time is from 1 ns to an hour. */
static void choose(const uint8_t *choice)
{
	*(struct predict_options *)predict_subcommand.options = (struct predict_options){
		.kernel = kernels[choice[0] >> 2 & 3],
		.phase = phases[choice[0] >> 4 & 3],
		.cores = choice[0] >> 6 ? PROFILE_AUTO : (enum predict_cores)(choice[0] >> 4 & 3),
		.grain_ns = UINT64_C(1) << choice[1] % 42,
		.unseen_ns = choice[2] & 0x80 ? UINT64_C(1) << choice[2] % 42 : 0,
		.nodes = choice[3],
	};
}

static void name_of(char name[FILE_NAME], unsigned n)
{
	snprintf(name, FILE_NAME, "%u.jsonl", n);
}

static unsigned make_all(const char *text, size_t bytes)
{
	const char *end = text + bytes;
	unsigned files = 0;
	char name[FILE_NAME];

	do {
		size_t count;
		const char *at = folder_part(&text, end, &count);

		name_of(name, files++);
		folder_make_run(name, A_FILE, true, at, count);
	} while (files < RUNS && text < end);
	return files;
}

/* What is there, and not unbounded: noise slows down, and more nodes do not make it less. */
static void check_curve(const json_t *curve, const char *column)
{
	double least = 1;
	const json_t *row;
	size_t i;

	json_array_foreach(curve, i, row)
	{
		const json_t *slower = json_object_get(row, column);

		if (!slower || json_is_null(slower))
			continue;
		insist(json_is_real(slower) && json_real_value(slower) >= least * (1 - ROUNDING));
		least = json_real_value(slower);
	}
}

static void check(const json_t *document)
{
	static const char *const columns[] = { "slowdown",       "bound",     "slowdown_low",
					       "slowdown_bound", "allreduce", "allreduce_low",
					       "allreduce_bound" };
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		check_curve(json_object_get(document, "curve"), columns[i]);
}

static void remove_folder(void)
{
	rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[RUNS][sizeof(folder) + FILE_NAME], name[FILE_NAME], form[] = "--format", word[8];
	char *predict[RUNS + 4] = { "predict", form, word };
	json_t *json = NULL;
	unsigned files;

	if (bytes < CHOICES || bytes > INPUT_MAX)
		return 0;
	if (dir < 0) {
		folder_start("fuzz_predict");
		atexit(remove_folder);
	}
	choose(data);
	files = make_all((const char *)data + CHOICES, bytes - CHOICES);
	for (unsigned n = 0; n < files; n++) {
		name_of(name, n);
		snprintf(path[n], sizeof(path[n]), "%s/%s", folder, name);
		predict[3 + n] = path[n];
	}
	strcpy(word, forms[data[0] & 3]);
	folder_run(&predict_subcommand, (int)files + 3, predict, data[0] & 3 ? NULL : &json);
	check(json);
	json_decref(json);
	while (files-- > 0) {
		name_of(name, files);
		folder_remove(name);
	}
	return 0;
}
