/* SPDX-License-Identifier: BSD-2-Clause */
/* The form is that of `show`. */
#include "points.h"

#include "host/forms/show_form.h"
#include "host/lib/exit.h"
#include "host/lib/progress.h"
#include "host/store/policy.h"

#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of the folder; NULL: it has none. */
static struct policy *policy;
static uint64_t sid;
static int dir;

static void judge(struct summary *s)
{
	policy_read_attest(policy, dir, sid, s);
	policy_judge(policy, s);
}

int points_print(const char *began, const char *path)
{
	const struct show_form *form = &show_form_influx;
	const struct capture_want want = { .keep = form->keep };
	struct show_options o = { .has_began = true, .judge = judge };
	struct capture c;
	uint64_t seconds;
	char folder[4096], *place;
	int code = EXIT_ERROR;

	if (units_parse_u64(began, strlen(began), &seconds) != UNITS_OK ||
	    seconds > UINT64_MAX / NS_PER_S)
		return EXIT_ERROR;
	o.began_ns = seconds * NS_PER_S;
	snprintf(folder, sizeof(folder), "%s", path);
	store_is_run(basename(folder), &sid);
	snprintf(folder, sizeof(folder), "%s", path);
	place = dirname(folder);
	if (!policy_of_folder("noisefloor-collect", place, &policy))
		return EXIT_ERROR;
	dir = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	progress_forbid();
	capture_open(&c, path, &want);
	if (show_form_capture(form, &o, &c))
		code = capture_judge(&c, form->flaws_apart);
	capture_close(&c);
	policy_free(policy);
	if (dir >= 0)
		close(dir);
	return code;
}
