/* SPDX-License-Identifier: BSD-2-Clause */
/* Prometheus' text: labels that are escaped, values in their units. */
#include "host/lib/prom.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

static char *text;
static size_t bytes;
static FILE *f;

static int start(void **state)
{
	(void)state;
	f = open_memstream(&text, &bytes);
	return !f;
}

static int teardown(void **state)
{
	(void)state;
	free(text);
	return 0;
}

static void assert_text(const char *wanted)
{
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, wanted);
}

TEST_F(start, teardown, test_family)
{
	prom_family(f, "a_total", "counter", "All of it.");
	assert_text("# HELP a_total All of it.\n# TYPE a_total counter\n");
}

TEST_F(start, teardown, test_values)
{
	struct prom_sample p;

	p = prom_open(f, "a", "_count");
	prom_number(&p, UINT64_MAX);
	p = prom_open(f, "a", "");
	prom_seconds(&p, 1);
	p = prom_open(f, "a", "");
	prom_millionths(&p, 998125);
	assert_text("a_count 18446744073709551615\na 0.000000001\na 0.998125\n");
}

TEST_F(start, teardown, test_labels)
{
	struct prom_sample p;

	p = prom_open(f, "a", "");
	prom_label(&p, "x", "a \"\\\"\n\x7f\xc3\xa4");
	prom_label(&p, "y", NULL);
	prom_label_number(&p, "z", 7);
	prom_number(&p, 0);
	assert_text("a{x=\"a \\\"\\\\\\\"??\xc3\xa4\",y=\"\",z=\"7\"} 0\n");
}
