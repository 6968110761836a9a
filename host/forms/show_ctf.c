/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as traces in the Common Trace Format 1.8 (diamon.org/ctf), for babeltrace2 and Trace
 * Compass: a folder per run with its metadata and one stream of one packet. Windows and gaps are
 * events at their start, with their length as a field. All integers are little-endian and aligned
 * to bytes.
 */
#include "show_form.h"

#include "host/capture/result.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/cause/cause.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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
	"event { name = \"gap\"; id = 1; stream_id = 0; fields := struct {\n"
	"\tstring stage; uint64_t len_ns; string cause; uint32_t cpu;\n"
	"}; };\n";

static void put_number(FILE *to, uint64_t value, size_t bytes)
{
	for (; bytes; bytes--, value >>= 8)
		fputc((int)(value & 0xff), to);
}

static void put_text(FILE *to, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, to);
}

/* An event of the trace: a gap, or a window of all cores. */
struct piece {
	uint64_t t_ns, len_ns;
	const char *stage;
	const struct result_gap *gap; /* NULL: a window */
};

struct trace {
	struct piece *piece;
	size_t count;
	uint64_t left_out; /* at no possible time */
};

static void show_ctf_add(struct trace *t, struct piece p)
{
	if (arith_sum(p.t_ns, p.len_ns) > INT64_MAX)
		t->left_out++;
	else
		*MEMORY_ADD(t->piece, t->count) = p;
}

static int by_time(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return ORDER(x->t_ns, y->t_ns) ?: ORDER(x->gap ? x->gap->cpu + UINT64_C(1) : 0,
						y->gap ? y->gap->cpu + UINT64_C(1) : 0)
					?: ORDER(x->len_ns, y->len_ns);
}

static void read_trace(struct trace *t, const struct result *run)
{
	*t = (struct trace){ .count = 0 };
	for (size_t i = 0; i < run->stages; i++) {
		const struct result_stage *s = &run->stage[i];

		for (size_t n = 0; n < s->windows; n++)
			show_ctf_add(t, (struct piece){ s->window[n].start_ns, s->window[n].len_ns,
							s->name, NULL });
		for (size_t n = 0; n < s->gaps; n++)
			show_ctf_add(t, (struct piece){ s->gap[n].t_ns, s->gap[n].len_ns, s->name,
							&s->gap[n] });
	}
	ORDER_SORT(t->piece, t->count, by_time);
}

static void put_piece(FILE *to, const struct piece *p)
{
	char safe[STAGE_TEXT_MAX];

	put_number(to, p->gap != NULL, 1);
	put_number(to, p->t_ns, 8);
	text_sanitize_ascii(safe, sizeof(safe), p->stage);
	put_text(to, safe);
	put_number(to, p->len_ns, 8);
	if (!p->gap)
		return;
	put_text(to, cause_name(p->gap->cause));
	put_number(to, p->gap->cpu, 4);
}

static void put_header(FILE *to, const struct trace *t, uint64_t bytes)
{
	put_number(to, MAGIC, 4);
	put_number(to, 0, 4);
	put_number(to, t->count ? t->piece[0].t_ns : 0, 8);
	put_number(to, t->count ? t->piece[t->count - 1].t_ns : 0, 8);
	put_number(to, bytes * CHAR_BIT, 8);
	put_number(to, bytes * CHAR_BIT, 8);
}

/* The header has the length of all: it is written again once that is known. */
static void put_stream(FILE *to, const struct trace *t)
{
	uint64_t bytes;

	put_header(to, t, 0);
	for (size_t i = 0; i < t->count; i++)
		put_piece(to, &t->piece[i]);
	bytes = (uint64_t)ftello(to);
	rewind(to);
	put_header(to, t, bytes);
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

static void put_metadata(FILE *to, const struct result *run, uint64_t began_ns)
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
	fputs(layout, to);
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
	put_metadata(metadata, run, began_ns);
	stream = create(folder, "stream");
	if (!show_ctf_finish(metadata) || !stream)
		return false;
	put_stream(stream, t);
	return show_ctf_finish(stream);
}

static bool put_run(const struct show_options *o, const char *name, const struct result *run)
{
	char folder[PATH_MAX];
	struct trace t;
	bool good;

	read_trace(&t, run);
	if (t.left_out)
		fprintf(stderr,
			"%s: run %016" PRIx64 ": %" PRIu64 " windows and gaps at no possible time "
			"left out\n",
			name, run->sid, t.left_out);
	snprintf(folder, sizeof(folder), "%s/%016" PRIx64, o->output, run->sid);
	good = mkdir(folder, 0777) == 0 &&
	       write_trace(folder, run, &t, o->has_began ? o->began_ns : result_began_ns(run));
	free(t.piece);
	return good;
}

static bool put_capture(const struct show_options *o, const struct capture *c)
{
	static bool made;

	made = made || mkdir(o->output, 0777) == 0;
	for (size_t n = 0; made && n < c->runs; n++)
		if (!put_run(o, c->name, c->run[n]))
			return false;
	return made;
}

const struct show_form show_form_ctf = {
	.keep = RESULT_ALL & ~RESULT_HISTOGRAMS,
	.capture = put_capture,
	.output = SHOW_OUTPUT_FOLDER,
};
