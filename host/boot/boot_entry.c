/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and changing boot entries by efibootmgr. */
#define _GNU_SOURCE /* strcasestr */
#include "boot.h"

#include "esp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 12
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

	/* "Boot0003* noisefloor", with a tab and the device path behind it. */
	if (sscanf(line, "Boot%4x%n", &number, &used) != 1 || used != 8)
		return BOOT_ENTRY_NONE;
	line += used;
	if ((*line != '*' && *line != ' ') || line[1] != ' ' ||
	    strncmp(line + 2, label, sizeof(label) - 1) != 0)
		return BOOT_ENTRY_NONE;
	line += 2 + sizeof(label) - 1;
	return *line == '\0' || *line == '\n' || *line == '\t' ? (int)number : BOOT_ENTRY_NONE;
}

/*
 * "HD(1,GPT,GUID,0x800,0x32000)/File(\EFI\...\x.efi)", behind which may be optional data; from
 * version 18 on without "File(" and its ")".
 */
static bool leads_here(const char *line, const char *partition)
{
	static const char loader[] = ESP_LOADER, gpt[] = ",GPT,";
	const char *disk = strstr(line, gpt), *file = disk ? strcasestr(disk, loader) : NULL;

	return file && strchr("(/", file[-1]) && strchr(")\n", file[sizeof(loader) - 1]) &&
	       (!partition ||
		strncasecmp(disk + sizeof(gpt) - 1, partition, strlen(partition)) == 0);
}

static void take_line(struct boot_entry *e, const char *line, const char *partition)
{
	int number = boot_entry_parse(line);

	if (number == BOOT_ENTRY_NONE)
		return;
	if (!leads_here(line, partition))
		e->stale = number;
	else if (e->number == BOOT_ENTRY_NONE)
		e->number = number;
}

bool boot_entry_find(const char *program, const char *partition, struct boot_entry *entry)
{
	const char *const argv[] = { program, "--verbose", NULL };
	char *line = NULL;
	size_t room = 0;
	pid_t child;
	FILE *from;

	*entry = (struct boot_entry){ .number = BOOT_ENTRY_NONE, .stale = BOOT_ENTRY_NONE };
	from = boot_child_open(argv, NEEDS, &child);
	while (from && getline(&line, &room, from) > 0)
		take_line(entry, line, partition);
	free(line);
	return boot_child_close(program, from, child);
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
