/* SPDX-License-Identifier: BSD-2-Clause */
/* One object, whatever is known. */
#include "answer.h"

#include "host/fleet/status.h"
#include "host/lib/json_name.h"

#include "core/lib/uuid.h"

#include <jansson.h>
#include <stdlib.h>
#include <time.h>

/* Takes the object. */
static char *dump(json_t *object)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

char *answer_reason(const char *reason)
{
	return dump(json_pack("{s:n, s:[s]}", "outcome", "reasons", reason));
}

static const char *name_of(struct maybe verdict)
{
	return verdict.known ? verdict_name((enum verdict)verdict.value) : NULL;
}

static char *answer_run(uint64_t max_age_ns, const char *uuid, const struct store_run *run,
			unsigned *status)
{
	enum verdict outcome = summary_outcome(&run->summary);
	const struct maybe judged = { outcome, run->summary.judged.set };
	const struct maybe own = { summary_own_outcome(&run->summary), true };
	const char *reason = summary_reason(&run->summary);
	uint64_t now = (uint64_t)time(NULL);
	json_t *reasons = json_array();
	char why[STATUS_WHY];

	if (*reason && outcome != VERDICT_PASS)
		json_array_append_new(reasons, json_string(reason));
	if (status_has_expired(outcome, run->ended_s, max_age_ns, why)) {
		outcome = VERDICT_INCOMPLETE;
		json_array_append_new(reasons, json_string(why));
	}
	*status = outcome == VERDICT_PASS ? 200 : 409;
	return dump(json_pack("{s:s, s:s, s:o, s:I, s:s?, s:s, s:o}", "uuid", uuid, "outcome",
			      verdict_name(outcome), "run", json_sid(run->sid), "age_s",
			      (json_int_t)(now > run->ended_s ? now - run->ended_s : 0),
			      "policy_verdict", name_of(judged), "node_verdict", name_of(own),
			      "reasons", reasons));
}

static int copy_run(void *ctx, const struct store_run *run)
{
	*(struct store_run *)ctx = *run;
	return 0;
}

char *answer_verdict(struct store *store, uint64_t max_age_ns, const char *uuid, unsigned *status)
{
	struct store_run run = { .id = 0 };
	uint8_t parsed[UUID_BYTES];
	int error;

	*status = 400;
	if (!uuid_parse(uuid, parsed))
		return answer_reason("not a UUID; accepted: /verdict/UUID");
	error = store_each(store, "WHERE latest AND uuid<>'' AND uuid=?1", uuid, copy_run, &run);
	if (!error && run.id)
		return answer_run(max_age_ns, uuid, &run, status);
	*status = error ? 503 : 404;
	if (!error)
		return answer_reason("no run of this machine has ended");
	return dump(
		json_pack("{s:n, s:[s+]}", "outcome", "reasons", "not known: ", store_why(error)));
}
