/* SPDX-License-Identifier: BSD-2-Clause */
/* What all forms have in common. */
#include "show_form.h"

bool show_form_capture(const struct show_form *form, const struct show_options *o,
		       const struct capture *c)
{
	for (size_t n = 0; form->run && n < c->runs; n++)
		form->run(o, c, c->run[n]);
	if (form->without_runs && !c->runs)
		form->run(o, c, NULL);
	return !form->capture || form->capture(o, c);
}
