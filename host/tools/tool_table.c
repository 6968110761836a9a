/* SPDX-License-Identifier: BSD-2-Clause */
/* One reader for all tables of cores: rtla's histograms, oslat's and sysjitter's. */
#include "tool_table.h"

#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* "0 1 2" or "CPU-000 CPU-001" */
static bool take_head(struct tool_table *t, const struct tool_table_form *form, const char *at)
{
	size_t count = 0;

	if (t->columns)
		return false;
	for (; count < TOOL_COLUMNS_MAX && !scan_end(at); count++) {
		const char *const *word = form->word;

		while (*word && !scan_literal(&at, *word))
			word++;
		if ((form->word[0] && !*word) || !scan_u32(&at, &t->cpu[count]))
			return false;
	}
	t->columns = count;
	return scan_end(at) && (count || form->quiet);
}

static bool take_number(const char **at, unsigned digits, uint64_t *number)
{
	if (scan_literal(at, "-")) {
		*number = TOOL_NONE;
		return true;
	}
	return digits ? scan_fixed(at, digits, number) : scan_u64(at, number);
}

/* Nothing else follows but a remark, "(including overflows)". */
static bool take_end(const char *at, const char *unit)
{
	return unit ? scan_literal(&at, unit) : scan_end(at) || scan_literal(&at, "(");
}

/* A number per column; NULL: there is not. `quiet`: as in the form. */
static uint64_t *take_numbers(const struct tool_table *t, bool quiet, const char *at,
			      unsigned digits, const char *unit)
{
	uint64_t *number = memory_new(t->columns + 1, sizeof(*number)), none = 0;
	const char *from = at;
	size_t i = 0;

	while (i < t->columns && take_number(&at, digits, &number[i]))
		i++;
	if (i == t->columns && (i || quiet) && take_end(at, unit))
		return number;
	memset(number, 0, t->columns * sizeof(*number));
	if (quiet && (scan_end(from) || (scan_u64(&from, &none) && !none && scan_end(from))))
		return number;
	free(number);
	return NULL;
}

/* A bucket without columns has nothing behind its label. */
static bool take_bucket(struct tool_table *t, const char *at, uint64_t label)
{
	uint64_t *count;

	if (!t->columns)
		return scan_end(at);
	if (t->rows && label <= t->row[t->rows - 1].label)
		return false;
	count = take_numbers(t, false, at, 0, NULL);
	if (count)
		*MEMORY_ADD(t->row, t->rows) = (struct tool_table_row){ label, count };
	return count;
}

/* It has the mark of a bucket, wherever; or begins with a number. */
static bool is_bucket(const struct tool_table_form *form, const char *line)
{
	uint64_t label;

	if (!form->bucket || form->bucket[0])
		return form->bucket && strstr(line, form->bucket);
	return scan_u64(&line, &label) && (!*line || *line == ' ');
}

bool tool_table_take(struct tool_parse *p, struct tool_table *t, const struct tool_table_form *form,
		     const char *line)
{
	const char *at = line;
	uint64_t label;
	bool good;

	if (scan_literal(&at, form->head)) {
		good = take_head(t, form, at);
	} else if (is_bucket(form, line)) {
		good = take_number(&at, form->digits, &label) && label != TOOL_NONE &&
		       scan_literal(&at, form->bucket) && take_bucket(t, at, label);
	} else {
		size_t i = 0;

		for (at = line; i < TOOL_FIGURES_MAX && form->figure[i].name; i++) {
			if (scan_literal(&at, form->figure[i].name))
				break;
		}
		if (i == TOOL_FIGURES_MAX || !form->figure[i].name)
			return false;
		t->decimals = t->decimals || (form->figure[i].digits == 3 && strchr(at, '.'));
		free(t->figure[i]);
		t->figure[i] = take_numbers(t, form->quiet && !t->rows, at, form->figure[i].digits,
					    form->figure[i].unit);
		good = t->figure[i];
	}
	p->tool->rows += good;
	if (!good)
		tool_wrong(p, line, "the row of that name, with a number for each column of cores");
	return true;
}

void tool_table_free(struct tool_table *t)
{
	for (size_t i = 0; i < t->rows; i++)
		free(t->row[i].count);
	free(t->row);
	for (size_t i = 0; i < TOOL_FIGURES_MAX; i++)
		free(t->figure[i]);
}
