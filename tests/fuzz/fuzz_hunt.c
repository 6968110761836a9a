/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder of runs and BIOS dumps as anybody may have left it. The first byte selects what two of
 * the files are: a file, a folder, a link, a FIFO. Its top bit asks for lines that are signed. Then
 * their contents follow, which form feeds part: a run, its dump, the next run.
 */
#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX ((size_t)1 << 16)
#define PAIRS     6
#define FILE_NAME 24

static void name_of(char name[FILE_NAME], unsigned file)
{
	snprintf(name, FILE_NAME, "%u.%s", file / 2, file % 2 ? "bios.json" : "jsonl");
}

static void remove_folder(void)
{
	rmdir(folder);
}

/* How many: a run without a dump is one, too. */
static unsigned make_all(uint8_t kinds, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	unsigned files = 0;

	for (; files < 2 * PAIRS && text < end; files++) {
		size_t count;
		const char *at = folder_part(&text, end, &count);
		char name[FILE_NAME];

		name_of(name, files);
		folder_make_run(name, files / 2 ? A_FILE : (kinds >> 2 * files) % FOLDER_KINDS,
				kinds & 0x80 && files % 2 == 0, at, count);
	}
	return files;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char form[] = "--format", word[5], name[FILE_NAME];
	char *hunt[] = { "hunt", form, word, folder, NULL };
	json_t *json;
	unsigned files;
	int code;

	if (!bytes || bytes > INPUT_MAX)
		return 0;
	if (dir < 0) {
		folder_start("fuzz_hunt");
		atexit(remove_folder);
	}
	files = make_all(data[0], (const char *)data + 1, bytes - 1);
	strcpy(word, "text");
	code = folder_run(&hunt_subcommand, 4, hunt, NULL);
	strcpy(word, "json");
	insist(folder_run(&hunt_subcommand, 4, hunt, &json) == code);
	json_decref(json);
	while (files-- > 0) {
		name_of(name, files);
		folder_remove(name);
	}
	return 0;
}
