/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and changing boot entries by efibootmgr. */
#include "boot.h"

#include "efivars.h"
#include "esp.h"

#include "core/firmware/boot_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS_MAX 12
#define OPTION_MAX    4096 /* a boot entry, with its optional data */
#define NEEDS         "boot entries take efibootmgr, of the package of that name"

static bool run(const char *const *argv)
{
	return boot_child_run(argv, NEEDS);
}

int boot_entry_parse(const char *line)
{
	static const char label[] = BOOT_ENTRY_LABEL;
	unsigned number;
	int used = 0;

	/* "Boot0003* noisefloor", from version 18 on with a tab and the device path behind it. */
	if (sscanf(line, "Boot%4x%n", &number, &used) != 1 || used != 8)
		return BOOT_ENTRY_NONE;
	line += used;
	if ((*line != '*' && *line != ' ') || line[1] != ' ' ||
	    strncmp(line + 2, label, sizeof(label) - 1) != 0)
		return BOOT_ENTRY_NONE;
	line += 2 + sizeof(label) - 1;
	return *line == '\0' || *line == '\n' || *line == '\t' ? (int)number : BOOT_ENTRY_NONE;
}

/* efibootmgr prints only a label: read the entry itself to see where it leads. */
static void classify_entry(struct boot_entry *e, int number, const char *efivars,
			   const uint8_t *partition)
{
	uint8_t option[OPTION_MAX];
	size_t bytes = efivars_boot_entry(efivars, number, option, sizeof(option));

	if (!boot_option_names(option, bytes, partition, ESP_LOADER))
		e->stale = number;
	else if (e->number == BOOT_ENTRY_NONE)
		e->number = number;
}

static void take_line(struct boot_entry *e, const char *line, const char *efivars,
		      const uint8_t *partition)
{
	int number = boot_entry_parse(line);

	if (number != BOOT_ENTRY_NONE)
		classify_entry(e, number, efivars, partition);
}

bool boot_entry_find(const char *program, const char *efivars, const uint8_t *partition,
		     struct boot_entry *entry)
{
	const char *const argv[] = { program, NULL };
	char *line = NULL;
	size_t room = 0;
	pid_t child;
	FILE *from;
	int ends[2];

	*entry = (struct boot_entry){ .number = BOOT_ENTRY_NONE, .stale = BOOT_ENTRY_NONE };
	if (pipe(ends) != 0) {
		perror("pipe");
		return false;
	}
	child = boot_child_start(argv, NEEDS, ends[1]);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	while (from && getline(&line, &room, from) > 0)
		take_line(entry, line, efivars, partition);
	free(line);
	if (from)
		fclose(from);
	return child > 0 && from && boot_child_finish(program, child);
}

bool boot_entry_create(const char *program, const char *disk, const char *part, const char *loader)
{
	const char *const argv[ARGUMENTS_MAX] = { program,    "--quiet", "--create-only",
						  "--disk",   disk,      "--part",
						  part,       "--label", BOOT_ENTRY_LABEL,
						  "--loader", loader,    NULL };

	return run(argv);
}

static const char *digits(char text[8], int number)
{
	snprintf(text, 8, "%04X", (unsigned)number & 0xffff);
	return text;
}

bool boot_entry_remove(const char *program, int number)
{
	char text[8];
	const char *const argv[] = {
		program, "--quiet", "--bootnum", digits(text, number), "--delete-bootnum", NULL
	};

	return run(argv);
}

bool boot_entry_next(const char *program, int number)
{
	char text[8];
	const char *const argv[] = { program, "--quiet", "--bootnext", digits(text, number), NULL };

	return run(argv);
}
