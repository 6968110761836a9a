/* SPDX-License-Identifier: BSD-2-Clause */
/* "forward SID STATE NEXT WHY". */
#include "index_forward.h"

#include "host/lib/text_sanitize.h"

#include <inttypes.h>
#include <string.h>

#define PREFIX "forward "

static const char *const names[INDEX_FORWARD_STATES] = {
	[INDEX_FORWARD_WAITING] = "waiting",
	[INDEX_FORWARD_ACCEPTED] = "accepted",
	[INDEX_FORWARD_REFUSED] = "refused",
	[INDEX_FORWARD_EMPTY] = "empty",
};

const char *index_forward_name(enum index_forward_state state)
{
	return names[state];
}

enum index_forward_state index_forward_named(const char *name)
{
	unsigned n = 0;

	while (n < INDEX_FORWARD_STATES && strcmp(names[n], name) != 0)
		n++;
	return (enum index_forward_state)n;
}

void index_forward_print(const struct index_forward *f, FILE *to)
{
	fprintf(to, PREFIX "%016" PRIx64 " %s %" PRIu64 " %s\n", f->sid, names[f->state], f->next,
		f->why);
}

bool index_forward_parse(const char *line, struct index_forward *f)
{
	char state[16], why[INDEX_FORWARD_WHY] = "";

	if (sscanf(line, PREFIX "%16" SCNx64 " %15s %" SCNu64 " %199[^\n]", &f->sid, state,
		   &f->next, why) < 3)
		return false;
	f->state = index_forward_named(state);
	text_sanitize_ascii(f->why, sizeof(f->why), why);
	return f->state != INDEX_FORWARD_STATES;
}
