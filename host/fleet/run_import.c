/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines are gathered until they make up a chunk. */
#include "run_import.h"

#include "store_judge.h"

#include "host/lib/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)128 << 10)

void run_import_begin(struct run_import *i, const struct store_run *as)
{
	i->error = store_find(i->store, as->sid, &i->before);
	i->run = i->before;
	i->stored = i->again = i->gaps = i->bytes = i->lines = 0;
	if (i->error != ENOENT)
		return;
	i->run = *as;
	i->run.id = i->run.next = i->run.bytes = 0;
	i->run.summary = (struct summary){ .lines = 0 };
	i->error = store_insert(i->store, &i->run);
	i->before = i->run;
}

static void store_chunk(struct run_import *i)
{
	const struct store_lines lines = { i->seq, i->lines, i->text, i->bytes };

	if (!i->error && i->lines)
		i->error = store_append(i->store, i->run.id, &lines);
	i->stored += i->lines;
	i->bytes = i->lines = 0;
}

void run_import_line(struct run_import *i, const struct line *line, const char *text, size_t bytes)
{
	struct store_run *run = &i->run;

	if (line->seq < run->next) {
		i->again++;
		return;
	}
	if (i->bytes + bytes > CHUNK_BYTES)
		store_chunk(i);
	if (i->bytes + bytes > i->room) {
		i->room = i->bytes + bytes + CHUNK_BYTES;
		i->text = memory_resize(i->text, i->room);
	}
	i->seq = i->lines ? i->seq : line->seq;
	memcpy(i->text + i->bytes, text, bytes);
	i->bytes += bytes;
	i->lines++;
	i->gaps += line->seq > run->next;
	run->summary.lost += line->seq - run->next;
	run->next = line->seq + 1;
	run->bytes += bytes;
	summary_line(&run->summary, line, NULL);
}

int run_import_end(struct run_import *i)
{
	struct store_run *run = &i->run;

	store_chunk(i);
	if (!i->error && run->summary.ended && !i->before.summary.ended) {
		run->ended_s = run->ended_s ? run->ended_s : run->heard_s;
		store_judge(i->policy, i->store, run);
	}
	i->error = i->error ? i->error : store_advance(i->store, &i->before, run);
	return i->error ? i->error : store_put(i->store, run);
}
