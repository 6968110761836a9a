/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as a trace for Perfetto (ui.perfetto.dev): TrackEvents, protos/perfetto/trace/ of its
 * sources. A run is a group of tracks, one for the windows, one for the events, one per core. Times
 * are ns since the run's begin.
 *
 * Slices of a track must nest, so what overlaps gets a further track of the same name, which the
 * viewer draws as one. Packets are in the order of time, an end before a begin of the same ns.
 */
#include "show_form.h"
#include "slices.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/protobuf.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* trace.proto, trace_packet.proto, track_descriptor.proto, track_event.proto,
 * debug_annotation.proto */
enum field {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, /* of one writer: trusted_packet_sequence_id, not 0 */
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_CHILD_ORDERING = 11,
	TRACK_RANK = 12, /* sibling_order_rank */
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	ANNOTATION_UINT = 3,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
};

enum {
	STATE_CLEARED = 1, /* SEQ_INCREMENTAL_STATE_CLEARED */
	ORDER_EXPLICIT = 3,
	SLICE_BEGIN = 1,
	SLICE_END = 2,
	INSTANT = 3,
};

#define LANES_MAX 64 /* tracks of one name: what overlaps more often is no run's */

struct edge {
	uint64_t t_ns;
	uint64_t track;
	const struct slice *slice;
	uint32_t type;
};

struct trace {
	uint64_t uuid; /* of the run's track; the others follow */
	uint64_t last; /* uuid of the last track */
	uint32_t sequence;
	bool begun;
	struct edge *edge;
	size_t edges;
	size_t lanes;                /* tracks of the name being laid out, */
	uint64_t free_ns[LANES_MAX]; /* and from when on they are free */
	uint64_t left_out;
	struct protobuf packet, body, annotation, out;
};

static uint64_t runs; /* written so far */

static void put_packet(struct trace *t, enum field field)
{
	protobuf_message(&t->packet, field, &t->body);
	protobuf_number(&t->packet, PACKET_SEQUENCE, t->sequence);
	if (!t->begun)
		protobuf_number(&t->packet, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
	t->begun = true;
	protobuf_message(&t->out, TRACE_PACKET, &t->packet);
	fwrite(t->out.bytes, 1, t->out.count, stdout);
	t->out.count = 0;
}

/* ---- Tracks ---- */

static void put_run_track(struct trace *t, const struct result *run)
{
	struct result_identity id;
	char name[256];

	result_identify(run, &id);
	snprintf(name, sizeof(name), "noisefloor %016" PRIx64 "%s%s", run->sid,
		 id.machine[0] ? " on " : "", id.machine);
	text_sanitize_ascii(name, sizeof(name), name);
	protobuf_number(&t->body, TRACK_UUID, t->uuid);
	protobuf_text(&t->body, TRACK_NAME, name);
	protobuf_number(&t->body, TRACK_CHILD_ORDERING, ORDER_EXPLICIT);
	put_packet(t, PACKET_TRACK_DESCRIPTOR);
}

static void put_track(struct trace *t, const struct slice *s)
{
	static const char *const names[] = { [SLICE_WINDOW] = "windows", [SLICE_EVENT] = "events" };
	uint64_t rank = s->kind;
	char name[32];

	snprintf(name, sizeof(name), "cpu %" PRIu32, s->cpu);
	if (s->kind == SLICE_GAP)
		rank += arith_min(s->cpu, INT32_MAX / 2);
	protobuf_number(&t->body, TRACK_UUID, ++t->last);
	protobuf_text(&t->body, TRACK_NAME, s->kind == SLICE_GAP ? name : names[s->kind]);
	protobuf_number(&t->body, TRACK_PARENT, t->uuid);
	protobuf_number(&t->body, TRACK_RANK, rank);
	put_packet(t, PACKET_TRACK_DESCRIPTOR);
}

/* A track that is free when the slice begins; 0: too many are not. They come by time. */
static uint64_t find_lane(struct trace *t, const struct slice *s)
{
	size_t lane = 0;

	while (lane < t->lanes && t->free_ns[lane] > s->t_ns)
		lane++;
	if (lane == LANES_MAX)
		return 0;
	if (lane == t->lanes) {
		t->lanes++;
		put_track(t, s);
	}
	t->free_ns[lane] = s->end_ns;
	return t->last + 1 - t->lanes + lane;
}

static void add_edge(struct trace *t, const struct edge *edge)
{
	*MEMORY_ADD(t->edge, t->edges) = *edge;
}

/* What has no length is an instant: its end would be before its begin. */
static void add_slice(struct trace *t, const struct slice *s)
{
	struct edge edge = { .t_ns = s->t_ns, .track = find_lane(t, s), .slice = s };
	bool instant = s->end_ns == s->t_ns;

	if (!edge.track) {
		t->left_out++;
		return;
	}
	edge.type = instant ? INSTANT : SLICE_BEGIN;
	add_edge(t, &edge);
	if (instant)
		return;
	edge.t_ns = s->end_ns;
	edge.type = SLICE_END;
	add_edge(t, &edge);
}

static void add_slices(struct trace *t, const struct slices *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct slice *slice = &s->slice[i];

		if (i && (slice[-1].kind != slice->kind ||
			  (slice->kind == SLICE_GAP && slice[-1].cpu != slice->cpu)))
			t->lanes = 0;
		add_slice(t, slice);
	}
}

/* ---- Events ---- */

static void annotate(struct trace *t, const char *name, struct maybe value)
{
	if (!value.known)
		return;
	protobuf_text(&t->annotation, ANNOTATION_NAME, name);
	protobuf_number(&t->annotation, ANNOTATION_UINT, value.value);
	protobuf_message(&t->body, EVENT_ANNOTATION, &t->annotation);
}

static void annotate_text(struct trace *t, const char *name, const char *text)
{
	if (!text)
		return;
	protobuf_text(&t->annotation, ANNOTATION_NAME, name);
	protobuf_text(&t->annotation, ANNOTATION_TEXT, text);
	protobuf_message(&t->body, EVENT_ANNOTATION, &t->annotation);
}

static void put_gap(struct trace *t, const struct slice *s)
{
	annotate_text(t, "stage", s->stage);
	annotate(t, "smi", s->smi);
	annotate(t, "nmi", s->nmi);
	annotate(t, "mce", s->mce);
}

static void put_event(struct trace *t, const struct slice *s)
{
	annotate_text(t, "stage", s->stage);
	annotate_text(t, "scope", s->scope);
	annotate(t, "cpus", (struct maybe){ s->cpus, true });
	annotate(t, "first", (struct maybe){ s->cpu, true });
	annotate(t, "last", (struct maybe){ s->last, true });
	annotate(t, "skew_ns", (struct maybe){ s->skew_ns, true });
}

static void put_slice(struct trace *t, const struct slice *s)
{
	static const char *const categories[] = { "window", "event", "gap" };
	const char *cause = cause_name(s->cause);

	protobuf_text(&t->body, EVENT_CATEGORY, categories[s->kind]);
	protobuf_text(&t->body, EVENT_NAME, s->kind == SLICE_WINDOW ? s->stage : cause);
	if (s->kind == SLICE_WINDOW)
		return;
	protobuf_text(&t->body, EVENT_CATEGORY, cause);
	if (s->kind == SLICE_GAP)
		put_gap(t, s);
	else
		put_event(t, s);
}

static void put_edge(struct trace *t, const struct edge *e)
{
	protobuf_number(&t->packet, PACKET_TIMESTAMP, e->t_ns);
	protobuf_number(&t->body, EVENT_TYPE, e->type);
	protobuf_number(&t->body, EVENT_TRACK, e->track);
	if (e->type != SLICE_END)
		put_slice(t, e->slice);
	put_packet(t, PACKET_TRACK_EVENT);
}

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	int order = ORDER(x->t_ns, y->t_ns) ?: ORDER(x->track, y->track);

	return order ?: ORDER(y->type == SLICE_END, x->type == SLICE_END);
}

/* Numbers that other traces, which may be joined with this one, are not likely to have. */
static void name_trace(struct trace *t, uint64_t sid)
{
	uint64_t mixed = (sid ^ ++runs) * UINT64_C(0x9e3779b97f4a7c15);

	t->uuid = t->last = (mixed | UINT64_C(1) << 63) & ~(uint64_t)UINT32_MAX;
	t->sequence = (uint32_t)mixed | 1;
}

static void put_run(const struct show_options *o, const struct capture *c, struct result *run)
{
	struct slices *s = slices_take(run, c->name);
	struct trace t = { .begun = false };

	(void)o;
	name_trace(&t, run->sid);
	put_run_track(&t, run);
	add_slices(&t, s);
	if (t.left_out)
		fprintf(stderr,
			"%s: run %016" PRIx64 ": %" PRIu64 " left out: more than %d overlap\n",
			c->name, run->sid, t.left_out, LANES_MAX);
	ORDER_SORT(t.edge, t.edges, by_time);
	for (size_t i = 0; i < t.edges; i++)
		put_edge(&t, &t.edge[i]);
	protobuf_free(&t.packet);
	protobuf_free(&t.body);
	protobuf_free(&t.annotation);
	protobuf_free(&t.out);
	free(t.edge);
	slices_free(s);
}

const struct show_form show_form_perfetto = {
	.keep = RESULT_ALL & ~RESULT_HISTOGRAMS,
	.record = slices_record,
	.run = put_run,
	.flaws_apart = true,
	.binary = true,
};
