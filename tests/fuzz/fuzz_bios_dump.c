/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A BIOS dump, arbitrary bytes, and the advice on a machine on which everything is found. What is
 * printed must be fit for a terminal, and a proposal's values the dump's own.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "host/advise/advise.h"
#include "host/bios/bios_dump.h"
#include "host/capture/capture.h"

#include "tests/fuzz/take.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_text(const char *text)
{
	for (const char *at = text; at && *at; at++)
		insist((unsigned char)*at >= ' ' && *at != 0x7f);
}

static void check(const struct advise *a)
{
	size_t set = 0;

	for (size_t n = 0; n < a->count; n++) {
		const struct advise_proposal *p = &a->proposal[n];

		insist(p->calls && p->founds <= ADVISE_FOUND_MAX && (!p->set || p->founds));
		insist(!n || p->set > p[-1].set || (p->set == p[-1].set && p->sure <= p[-1].sure));
		set += p->set;
		for (size_t i = 0; i < p->founds; i++)
			insist(json_object_get(a->dump->values, p->found[i].name));
	}
	insist(set == a->set);
}

static void advise(const struct bios_dump *dump, const char *vendor)
{
	static const struct result run = { .has_begin = true };
	static const struct result_stage stage = { .name = "handoff" };
	static const struct capture_select selected = { .capture.name = "fuzz", .run = &run };
	static struct advise a;

	a = (struct advise){
		.selected = &selected, .stage = &stage, .dump = dump, .vendor = vendor
	};
	for (unsigned n = 0; n < ADVISE_EVIDENCES; n++)
		a.evidence.has[n] = true;
	advise_choose(&a);
	check(&a);
	advise_text(&a);
}

/* Read the dump as a file, which may be packed. */
static void read_and_advise(const char *path)
{
	static const char *const vendors[] = { NULL, "Dell", "HPE", "Lenovo", "Supermicro" };
	TEXT_DEFINE(why, 400);
	struct bios_dump dump;
	const char *name;
	json_t *value;

	if (!bios_dump_read(&dump, path, &why)) {
		insist(why.len);
		check_text(why.buf);
		bios_dump_free(&dump);
		return;
	}
	json_object_foreach(dump.values, name, value)
	{
		check_text(name);
		check_text(json_string_value(value));
	}
	advise(&dump,
	       vendors[json_object_size(dump.values) % (sizeof(vendors) / sizeof(vendors[0]))]);
	bios_dump_free(&dump);
}

FUZZ(0, 1 << 16)
{
	static bool quiet;
	char path[40];
	int fd;

	insist(quiet || freopen("/dev/null", "w", stdout));
	quiet = true;
	fd = memfd_create("bios.json", 0);
	insist(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_and_advise(path);
	close(fd);
}
