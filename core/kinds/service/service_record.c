/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `service`: rows and sentences. */
#include "service_record.h"

#include "core/lib/lines.h"
#include "core/records/record_kind.h"

#define HEAD                                                                           \
	"SERVICE               CALLS FAILED     MEDIAN        P99        MAX   SMIS  " \
	"STOPPED    LONGEST"

static void put_duration(struct text *out, struct maybe ns, int width)
{
	TEXT_DEFINE(t, 24);

	text_maybe_duration(&t, ns);
	text_add(out, " %*s", width, t.buf);
}

static void put_maybe(struct text *out, struct maybe m, int width)
{
	TEXT_DEFINE(t, 24);

	text_maybe(&t, m);
	text_add(out, " %*s", width, t.buf);
}

static const char *name_of(const struct record_service *r)
{
	return r->service ? r->service : "n/a";
}

static void put_row(struct text *out, const struct record_service *r)
{
	TEXT_DEFINE(stopped, 24);

	text_add(out, "%-21s", name_of(r));
	if (!r->calls) {
		text_add(out, "   n/a  %s", r->why ? r->why : "");
		return;
	}
	if (r->others)
		text_add(&stopped, "%u of %u", (unsigned)r->stopped, (unsigned)r->others);
	text_add(out, " %5llu %6llu", (unsigned long long)r->calls, (unsigned long long)r->failed);
	put_duration(out, r->p50_ns, 10);
	put_duration(out, r->p99_ns, 10);
	put_duration(out, r->max_ns, 10);
	put_maybe(out, r->smi, 6);
	text_add(out, " %8s", r->others ? stopped.buf : "n/a");
	put_duration(out, r->longest_ns, 10);
}

static void put_range(struct text *out, const struct record_service *r)
{
	text_duration(out, r->least_ns.value);
	if (r->least_ns.value == r->longest_ns.value)
		return;
	text_add(out, " to ");
	text_duration(out, r->longest_ns.value);
}

static void put_stops(struct text *out, const struct record_service *r)
{
	if (r->stopped == r->others)
		text_add(out, "stops all %u cores, ", (unsigned)r->others + 1);
	else if (r->stopped)
		text_add(out, "stops %u of %u other cores, ", (unsigned)r->stopped,
			 (unsigned)r->others);
	else
		text_add(out, "stops others, no core of %u each time, ", (unsigned)r->others);
	put_range(out, r);
	text_add(out, ": confining it to a housekeeping core does not help");
}

bool service_record_has_smis(const struct record_service *r)
{
	return r->smi.value > r->smi_quiet.value;
}

static void put_own(struct text *out, const struct record_service *r)
{
	text_add(out, "takes up to ");
	text_duration(out, r->max_ns.value);
	if (!r->others) {
		text_add(out, "; whom it stops is not known: no other core sampled");
		return;
	}
	if (service_record_has_smis(r))
		text_add(out, ", with %llu SMIs", (unsigned long long)r->smi.value);
	else
		text_add(out, " on its own core%s",
			 r->max_ns.value < SERVICE_RECORD_LONG_NS ? "" : " only, confine it");
	text_add(out, ": no other was seen to be stopped by %llu calls",
		 (unsigned long long)(r->calls - r->unseen));
}

void service_record_sentence(struct text *out, const struct record_service *r)
{
	text_add(out, "%s ", name_of(r));
	if (!r->calls)
		text_add(out, "was not called");
	else if (r->stops)
		put_stops(out, r);
	else
		put_own(out, r);
	if (r->why)
		text_add(out, "%s%s", r->calls ? "; ended: " : ": ", r->why);
}

/*
 * SERVICE               CALLS FAILED    MEDIAN       P99       MAX  SMIS  STOPPED    LONGEST
 * set_variable             10      0    1.3 ms    1.8 ms    1.8 ms    10 15 of 15     1.8 ms
 * hpet                    n/a  no such device
 */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	(void)of;
	put_row(&out->out, record);
	lines_end(out);
}

const struct record_kind service_record_kind = { .head = HEAD, .text = put_text };
