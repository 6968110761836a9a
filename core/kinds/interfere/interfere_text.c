/* SPDX-License-Identifier: BSD-2-Clause */
/* A pair of cores in a sentence. */
#include "interfere_text.h"

void interfere_text(struct text *out, const struct record_interfere *r)
{
	text_add(out, "cpu %u beside %s%scpu %u: ", (unsigned)r->victim, r->group ? r->group : "",
		 r->group ? " of " : "", (unsigned)r->aggressor);
	text_fixed(out, r->ratio, 6, 0);
	text_add(out, " times (%s; chance: up to ", r->kernel);
	text_fixed(out, r->bound, 6, 0);
	text_char(out, ')');
}
