/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prometheus' text format: families, each followed by its samples. In the values of labels quotes
 * and backslashes are escaped, and control characters become '?'.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void prom_family(FILE *to, const char *name, const char *type, const char *help);

/* A sample: its name, labels one by one, and a value, which ends its line. */
struct prom_sample {
	FILE *to;
	bool labelled;
};

struct prom_sample prom_open(FILE *to, const char *name);
void prom_label(struct prom_sample *s, const char *name, const char *value); /* NULL: empty */
void prom_number(struct prom_sample *s, uint64_t value);
void prom_seconds(struct prom_sample *s, uint64_t ns);
