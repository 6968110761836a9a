/* SPDX-License-Identifier: BSD-2-Clause */
/* Events, counted by their scope. */
#include "table_events.h"

static const char *const scope_words[SCOPES] = {
	[SCOPE_CPU] = "on one cpu",       [SCOPE_CORE] = "of a core",
	[SCOPE_PACKAGE] = "of a package", [SCOPE_MACHINE] = "of the machine",
	[SCOPE_UNKNOWN] = "of scope n/a",
};

void table_event_scopes(struct text *out, const uint64_t scope[SCOPES])
{
	const char *before = ": ";

	for (unsigned s = 0; s < SCOPES; s++) {
		if (!scope[s])
			continue;
		text_add(out, "%s%llu %s", before, (unsigned long long)scope[s], scope_words[s]);
		before = ", ";
	}
}

void table_events(uint64_t events, const uint64_t scope[SCOPES], uint32_t listed, lines_put *line,
		  void *ctx)
{
	struct lines p;

	lines_init(&p, line, ctx);
	text_add(&p.out, "%llu %s", (unsigned long long)events, events == 1 ? "event" : "events");
	if (scope)
		table_event_scopes(&p.out, scope);
	if (listed && listed < events)
		text_add(&p.out, "; the %u longest:", listed);
	else if (listed)
		text_char(&p.out, ':');
	lines_wrap(&p, LINES_CONTINUED);
}
