/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A survey in a file, as tests/machines/survey_form.py makes it: leaves, registers and tables of
 * one machine, of its first core. A file that is not one ends the program, with its name.
 */
#pragma once

#include "arch/x86_64/asm.h"
#include "tests/unit/physical.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SURVEY_FILE_LEAVES 512
#define SURVEY_FILE_MSRS   512
#define SURVEY_FILE_LINE   512
#define SURVEY_FILE_TABLES 64
#define SURVEY_FILE_BYTES  (512u << 10) /* size of all tables */

struct survey_file {
	char name[128];
	struct {
		uint32_t leaf, sub;
		struct cpuid r;
	} leaf[SURVEY_FILE_LEAVES];
	unsigned leaves;
	struct {
		uint32_t number;
		uint64_t value;
	} msr[SURVEY_FILE_MSRS];
	unsigned msrs;
	struct {
		uint32_t at, bytes;
	} table[SURVEY_FILE_TABLES];
	unsigned tables;
	uint8_t bytes[SURVEY_FILE_BYTES];
	uint32_t used;
};

__attribute__((format(printf, 2, 3), noreturn)) static inline void
survey_file_fail(const struct survey_file *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "%s: ", s->name);
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(2);
}

/* CPUID with the leaves of core 0; zeros for missing ones. */
static inline struct cpuid survey_file_leaf(const struct survey_file *s, uint32_t leaf,
					    uint32_t sub)
{
	for (unsigned i = 0; i < s->leaves; i++)
		if (s->leaf[i].leaf == leaf && s->leaf[i].sub == sub)
			return s->leaf[i].r;
	return (struct cpuid){ 0 };
}

/* False: the survey has not this register. */
static inline bool survey_file_msr(const struct survey_file *s, uint32_t number, uint64_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < s->msrs; i++) {
		if (s->msr[i].number != number)
			continue;
		*value = s->msr[i].value;
		return true;
	}
	return false;
}

/* True if differing cores are shown by the first one's value. */
static inline bool survey_file_of_first(const char *of)
{
	return of[0] == '0' && (!of[1] || of[1] == '-' || of[1] == ',');
}

/* "00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-3 id" */
static inline void survey_file_take_leaf(struct survey_file *s, const char *line)
{
	unsigned n = s->leaves;
	char of[400] = "";
	struct cpuid *r;

	if (n == SURVEY_FILE_LEAVES)
		survey_file_fail(s, "more than %d leaves", SURVEY_FILE_LEAVES);
	r = &s->leaf[n].r;
	if (sscanf(line, "%8x %x %8x %8x %8x %8x %399s", &s->leaf[n].leaf, &s->leaf[n].sub, &r->eax,
		   &r->ebx, &r->ecx, &r->edx, of) != 7)
		survey_file_fail(s, "not a leaf: %s", line);
	s->leaves += survey_file_of_first(of);
}

/* "1a0 850089 0-3"; a counter that "moves" has the value 0, what is a "fault" is not there. */
static inline void survey_file_take_msr(struct survey_file *s, const char *line)
{
	char value[20] = "", of[400] = "", *end;
	unsigned n = s->msrs;

	if (n == SURVEY_FILE_MSRS)
		survey_file_fail(s, "more than %d registers", SURVEY_FILE_MSRS);
	if (sscanf(line, "%x %19s %399s", &s->msr[n].number, value, of) != 3)
		survey_file_fail(s, "not a register: %s", line);
	s->msr[n].value = strtoull(value, &end, 16);
	if (*end && strcmp(value, "fault") && strcmp(value, "moves"))
		survey_file_fail(s, "not a register's value: %s", line);
	s->msrs += strcmp(value, "fault") && survey_file_of_first(of);
}

/* "4150494392..." below "[acpi APIC]" */
static inline void survey_file_take_bytes(struct survey_file *s, const char *line)
{
	unsigned value;

	for (; line[0] && line[0] != '\n'; line += 2) {
		if (s->used == SURVEY_FILE_BYTES)
			survey_file_fail(s, "more than %u bytes of tables", SURVEY_FILE_BYTES);
		if (sscanf(line, "%2x", &value) != 1 || !line[1] || line[1] == '\n')
			survey_file_fail(s, "not a table's bytes: %s", line);
		s->bytes[s->used++] = (uint8_t)value;
		s->table[s->tables - 1].bytes++;
	}
}

typedef void survey_file_take(struct survey_file *s, const char *line);

/* Function for the lines below the heading; NULL: they are ignored. */
static inline survey_file_take *survey_file_begin(struct survey_file *s, const char *heading)
{
	if (!strcmp(heading, "[cpuid]\n"))
		return survey_file_take_leaf;
	if (!strcmp(heading, "[msr]\n"))
		return survey_file_take_msr;
	if (strncmp(heading, "[acpi ", 6) != 0)
		return NULL;
	if (s->tables == SURVEY_FILE_TABLES)
		survey_file_fail(s, "more than %d tables", SURVEY_FILE_TABLES);
	s->table[s->tables++].at = s->used;
	return survey_file_take_bytes;
}

/* Put its tables into memory; the RSDP's address, 0: it has none. */
static inline uint64_t survey_file_tables(const struct survey_file *s, struct physical *memory)
{
	uint64_t at[SURVEY_FILE_TABLES];

	physical_reset(memory);
	for (unsigned i = 0; i < s->tables; i++)
		at[i] = physical_add(memory, s->bytes + s->table[i].at, s->table[i].bytes);
	return s->tables ? physical_list(memory, at, s->tables) : 0;
}

static inline void survey_file_load(struct survey_file *s, const char *path)
{
	survey_file_take *take = NULL;
	char line[SURVEY_FILE_LINE];
	FILE *f = fopen(path, "r");

	memset(s, 0, sizeof(*s));
	snprintf(s->name, sizeof(s->name), "%s", path);
	if (!f)
		survey_file_fail(s, "it cannot be opened");
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '[')
			take = survey_file_begin(s, line);
		else if (take && line[0] != '#' && line[0] != '\n')
			take(s, line);
	}
	fclose(f);
}
