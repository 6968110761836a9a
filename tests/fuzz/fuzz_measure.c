/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `noisefloor measure` is given: its arguments, a line each, or the text of
 * /proc/interrupts. The first byte selects which, and of which core.
 */
#include "host/measure/linux.h"
#include "tests/fuzz/complaints.h"

#define ARGUMENTS 0x80
#define ARGS_MAX  16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* What is accepted can be printed; every mistake was reported. */
static void read_arguments(char *text)
{
	static char buffer[32768];
	static struct config o;
	char *args[ARGS_MAX];
	struct text out;
	int count = 0;

	for (char *at = strtok(text, "\n"); at && count < ARGS_MAX; at = strtok(NULL, "\n"))
		args[count++] = at;
	reported = 0;
	if (linux_options_read(&o, args, count, complain, NULL) != reported)
		abort();
	text_init(&out, buffer, sizeof(buffer));
	config_print(&o, &out);
	input_assert_showable(buffer, sizeof(buffer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct linux_counts counts;
	char *text;

	if (bytes == 0)
		return 0;
	text = malloc(bytes);
	if (!text)
		abort();
	memcpy(text, data + 1, bytes - 1);
	text[bytes - 1] = '\0';
	if (data[0] & ARGUMENTS)
		read_arguments(text);
	else
		linux_counters_parse(text, data[0], &counts);
	free(text);
	return 0;
}
