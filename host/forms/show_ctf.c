/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as traces in the Common Trace Format 1.8 (diamon.org/ctf), for babeltrace2 and Trace
 * Compass: a folder per run with its metadata and one stream of one packet. Windows, events and
 * gaps are events at their start, with their length as a field. What was not counted is a sequence
 * without elements. All integers are little-endian and aligned to bytes.
 */
#include "show_form.h"

#include "host/capture/result.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/cause/cause.h"
#include "core/events/event.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC          0xc1fc1fc1u /* packet: CTF 1.8, 5.1 */
#define HEADER_BYTES   40
#define STAGE_TEXT_MAX 64

static const char types[] = "/* CTF 1.8 */\n"
			    "typealias integer { size = 8; align = 8; } := uint8_t;\n"
			    "typealias integer { size = 32; align = 8; } := uint32_t;\n"
			    "typealias integer { size = 64; align = 8; } := uint64_t;\n"
			    "trace {\n"
			    "\tmajor = 1;\n"
			    "\tminor = 8;\n"
			    "\tbyte_order = le;\n"
			    "\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n"
			    "};\n";

static const char layout[] =
	"typealias integer { size = 64; align = 8; map = clock.run.value; } := ns_t;\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\tns_t timestamp_begin; ns_t timestamp_end;\n"
	"\t\tuint64_t content_size; uint64_t packet_size;\n"
	"\t};\n"
	"\tevent.header := struct { uint8_t id; ns_t timestamp; };\n"
	"};\n"
	"event { name = \"window\"; id = 0; stream_id = 0; fields := struct {\n"
	"\tstring stage; uint64_t len_ns;\n"
	"}; };\n"
	"event { name = \"event\"; id = 1; stream_id = 0; fields := struct {\n"
	"\tstring stage; uint64_t len_ns; string cause; string scope;\n"
	"\tuint32_t cpus; uint32_t first; uint32_t last; uint64_t skew_ns;\n"
	"}; };\n"
	"event { name = \"gap\"; id = 2; stream_id = 0; fields := struct {\n"
	"\tstring stage; uint64_t len_ns; string cause; uint32_t cpu;\n"
	"%s"
	"\tuint8_t mce_counted; uint64_t mce[mce_counted];\n"
	"}; };\n";

static const char smi_and_nmi[] = "\tuint8_t smi_counted; uint64_t smi[smi_counted];\n"
				  "\tuint8_t nmi_counted; uint64_t nmi[nmi_counted];\n";

static void put_number(FILE *to, uint64_t value, size_t bytes)
{
	for (; bytes; bytes--, value >>= 8)
		fputc((int)(value & 0xff), to);
}

static void put_text(FILE *to, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, to);
}

static void put_maybe(FILE *to, struct maybe value)
{
	put_number(to, value.known, 1);
	if (value.known)
		put_number(to, value.value, 8);
}

/* One event of the trace, as its stream has it. */
struct piece {
	uint64_t t_ns, end_ns;
	unsigned id;
	uint32_t cpu; /* the gap's core */
	size_t at, bytes;
};

enum { WINDOW, EVENT, GAP };

/* A run's, as they come: its `user`. */
struct trace {
	struct piece *piece;
	size_t count;
	uint64_t left_out;
	bool no_smi;
	char *text;
	size_t bytes;
	FILE *to; /* the output file */
};

static struct trace *trace_of(struct result *run)
{
	struct trace *t = run->user;

	if (t)
		return t;
	run->user = t = memory_new(1, sizeof(*t));
	t->no_smi = run->no_smi;
	t->to = memory_need(open_memstream(&t->text, &t->bytes));
	return t;
}

/* One more, unless it is at no time: its fields up to the length. */
static bool show_ctf_add(struct trace *t, const struct piece *p, const char *stage)
{
	char safe[STAGE_TEXT_MAX];

	if (p->end_ns > INT64_MAX || t->count >= RESULT_GAPS_MAX) {
		t->left_out++;
		return false;
	}
	*MEMORY_ADD(t->piece, t->count) = *p;
	t->piece[t->count - 1].at = (size_t)ftello(t->to);
	put_number(t->to, p->id, 1);
	put_number(t->to, p->t_ns, 8);
	text_sanitize_ascii(safe, sizeof(safe), stage);
	put_text(t->to, safe);
	put_number(t->to, p->end_ns - p->t_ns, 8);
	return true;
}

static void add_window(struct trace *t, const struct record_window *w)
{
	struct piece p = { w->start_ns, arith_sum(w->start_ns, w->len_ns), .id = WINDOW };

	show_ctf_add(t, &p, w->stage);
}

static const char *known_cause(const char *name)
{
	enum cause cause = CAUSE_UNKNOWN;

	return cause_name(name && cause_parse(name, &cause) ? cause : CAUSE_UNKNOWN);
}

static void add_event(struct trace *t, const struct record_event *e)
{
	struct piece p = { e->t_ns, arith_sum(e->t_ns, e->len_ns), .id = EVENT };

	if (!show_ctf_add(t, &p, e->stage))
		return;
	put_text(t->to, known_cause(e->cause));
	put_text(t->to, event_scope_name(result_scope(e->scope)) ?: "n/a");
	put_number(t->to, e->cpus, 4);
	put_number(t->to, e->first, 4);
	put_number(t->to, e->last, 4);
	put_number(t->to, e->skew_ns, 8);
}

static void add_gap(struct trace *t, const struct record_gap *g)
{
	struct piece p = { g->t_ns, arith_sum(g->t_ns, g->len_ns), .id = GAP, .cpu = g->cpu };

	if (!show_ctf_add(t, &p, g->stage))
		return;
	put_text(t->to, known_cause(g->cause));
	put_number(t->to, g->cpu, 4);
	if (!t->no_smi) {
		put_maybe(t->to, g->smi);
		put_maybe(t->to, g->nmi);
	}
	put_maybe(t->to, g->mce);
}

static void take_record(struct result *run, const struct reader_record *record)
{
	const union record *r = record->record;

	if (record->type == RECORD_GAP)
		add_gap(trace_of(run), &r->gap);
	else if (record->type == RECORD_EVENT)
		add_event(trace_of(run), &r->event);
	else if (record->type == RECORD_WINDOW)
		add_window(trace_of(run), &r->window);
}

static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return ORDER(x->t_ns, y->t_ns) ?: ORDER(x->id, y->id) ?: ORDER(x->cpu, y->cpu)
						     ?: ORDER(x->end_ns, y->end_ns);
}

/* All have come: by time. */
static void end_trace(struct trace *t, const struct capture *c, const struct result *run)
{
	if (fclose(t->to) != 0)
		memory_exhausted();
	for (size_t i = 0; i < t->count; i++)
		t->piece[i].bytes = (i + 1 < t->count ? t->piece[i + 1].at : t->bytes) -
				    t->piece[i].at;
	ORDER_SORT(t->piece, t->count, by_place);
	if (t->left_out)
		fprintf(stderr,
			"%s: run %016" PRIx64 ": %" PRIu64 " windows, events and gaps left out: "
			"too many, or at no possible time\n",
			c->name, run->sid, t->left_out);
}

static void free_trace(struct trace *t)
{
	free(t->piece);
	free(t->text);
	free(t);
}

static void put_stream(FILE *to, const struct trace *t)
{
	uint64_t bits = (HEADER_BYTES + t->bytes) * CHAR_BIT;

	put_number(to, MAGIC, 4);
	put_number(to, 0, 4);
	put_number(to, t->count ? t->piece[0].t_ns : 0, 8);
	put_number(to, t->count ? t->piece[t->count - 1].t_ns : 0, 8);
	put_number(to, bits, 8);
	put_number(to, bits, 8);
	for (size_t i = 0; i < t->count; i++)
		fwrite(t->text + t->piece[i].at, 1, t->piece[i].bytes, to);
}

/* A string of TSDL, which has C's escapes. */
static void put_quoted(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void put_metadata(FILE *to, const struct result *run, bool no_smi, uint64_t began_ns)
{
	struct result_identity id;

	result_identify(run, &id);
	text_sanitize_ascii(id.machine, sizeof(id.machine), id.machine);
	fputs(types, to);
	fprintf(to,
		"env {\n\ttracer_name = \"noisefloor\";\n\tsid = \"%016" PRIx64 "\";\n\tmachine = ",
		run->sid);
	put_quoted(to, id.machine);
	fprintf(to,
		";\n};\nclock {\n\tname = \"run\";\n\tfreq = 1000000000;\n"
		"\toffset_s = %" PRIu64 ";\n\toffset = %" PRIu64 ";\n};\n",
		began_ns / NS_PER_S, began_ns % NS_PER_S);
	fprintf(to, layout, no_smi ? "" : smi_and_nmi);
}

static FILE *create(const char *folder, const char *name)
{
	char path[PATH_MAX];
	int bytes = snprintf(path, sizeof(path), "%s/%s", folder, name);

	if (bytes >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, "wbx");
}

static bool show_ctf_finish(FILE *f)
{
	bool good = !ferror(f);

	return fclose(f) == 0 && good;
}

static bool write_trace(const char *folder, const struct result *run, const struct trace *t,
			uint64_t began_ns)
{
	FILE *metadata = create(folder, "metadata"), *stream;

	if (!metadata)
		return false;
	put_metadata(metadata, run, t->no_smi, began_ns);
	stream = create(folder, "stream");
	if (!show_ctf_finish(metadata) || !stream)
		return false;
	put_stream(stream, t);
	return show_ctf_finish(stream);
}

static bool put_run(const struct show_options *o, const struct result *run, const struct trace *t)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s/%016" PRIx64, o->output, run->sid);
	return mkdir(folder, 0777) == 0 &&
	       write_trace(folder, run, t, o->has_began ? o->began_ns : result_began_ns(run));
}

static bool put_capture(const struct show_options *o, const struct capture *c)
{
	static bool made;
	int error = made || mkdir(o->output, 0777) == 0 ? 0 : errno;

	made = !error;
	for (size_t n = 0; n < c->runs; n++) {
		struct trace *t = trace_of(c->run[n]);

		end_trace(t, c, c->run[n]);
		if (!error && !put_run(o, c->run[n], t))
			error = errno;
		free_trace(t);
	}
	errno = error;
	return !error;
}

const struct show_form show_form_ctf = {
	.keep = RESULT_ALL & ~RESULT_HISTOGRAMS,
	.record = take_record,
	.capture = put_capture,
	.output = SHOW_OUTPUT_FOLDER,
};
