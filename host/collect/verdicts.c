/* SPDX-License-Identifier: BSD-2-Clause */
/* The index is read by a connection of its own each time, as SQLite lets readers pass writers. */
#include "verdicts.h"

#include "index/index_db.h"
#include "index/index_whole.h"

#include "host/store/index_order.h"

void verdicts_set_policy(struct verdicts *v, const struct policy *policy)
{
	pthread_mutex_lock(&v->mutex);
	v->policy = policy;
	pthread_mutex_unlock(&v->mutex);
}

static struct index_entry *latest_ended(const struct index_table *t)
{
	struct index_entry *latest = NULL;

	for (size_t i = 0; i < t->count; i++) {
		struct index_entry *e = &t->entry[i];

		if (e->summary.ended && (!latest || e->rank > latest->rank))
			latest = e;
	}
	return latest;
}

/* The run's file, which may be large, is not read for who asks. */
static bool judge(struct verdicts *v, struct index_entry *e)
{
	bool lacks;

	pthread_mutex_lock(&v->mutex);
	lacks = policy_lacks(v->policy, &e->summary);
	policy_judge(v->policy, &e->summary);
	pthread_mutex_unlock(&v->mutex);
	return !lacks;
}

static enum verdicts_result find_in(struct verdicts *v, struct index_table *t,
				    struct nodes_run *run, const char **why)
{
	struct index_entry *e = latest_ended(t);

	if (!e)
		return VERDICTS_NONE;
	*why = "the index lacks what the policy asks for: a restart has it read";
	if (!judge(v, e))
		return VERDICTS_LACKS;
	*run = nodes_run_of(e);
	return VERDICTS_FOUND;
}

/* What has not come into the index yet may be a run of this machine. */
static enum verdicts_result find_in_index(struct verdicts *v, const char *uuid,
					  struct nodes_run *run, const char **why)
{
	enum verdicts_result result = VERDICTS_LACKS;
	struct index_table t;
	int error;

	if (index_whole_is(v->dir) != INDEX_WHOLE_CLAIMED)
		return VERDICTS_BUSY;
	error = index_db_read_machine(v->dir, uuid, &t);
	error = error ? error : index_order(&t, -1);
	if (error)
		*why = index_db_why(error);
	else
		result = find_in(v, &t, run, why);
	index_free(&t);
	return result;
}

enum verdicts_result verdicts_find(struct verdicts *v, const char *uuid, struct nodes_run *run,
				   const char **why)
{
	if (nodes_find(&v->nodes, uuid, run))
		return VERDICTS_FOUND;
	return nodes_is_full(&v->nodes) ? find_in_index(v, uuid, run, why) : VERDICTS_NONE;
}
