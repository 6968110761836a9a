/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as traces in the Common Trace Format 1.8 (diamon.org/ctf), for babeltrace2 and Trace
 * Compass: a folder per run with its metadata and one stream of one packet. Windows, events and
 * gaps are events at their start, with their length as a field. What was not counted is a sequence
 * without elements. All integers are little-endian and aligned to bytes.
 */
#include "show_form.h"
#include "host/lib/order.h"
#include "slices.h"

#include "host/capture/result.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ticks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC 0xc1fc1fc1u /* of a packet: CTF 1.8, 5.1 */

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

static void put_slice(FILE *to, const struct slice *s, bool no_smi)
{
	put_number(to, s->kind, 1);
	put_number(to, s->t_ns, 8);
	put_text(to, s->stage);
	put_number(to, s->end_ns - s->t_ns, 8);
	if (s->kind == SLICE_WINDOW)
		return;
	put_text(to, cause_name(s->cause));
	if (s->kind == SLICE_GAP) {
		put_number(to, s->cpu, 4);
		if (!no_smi) {
			put_maybe(to, s->smi);
			put_maybe(to, s->nmi);
		}
		put_maybe(to, s->mce);
		return;
	}
	put_text(to, s->scope ? s->scope : "n/a");
	put_number(to, s->cpus, 4);
	put_number(to, s->cpu, 4);
	put_number(to, s->last, 4);
	put_number(to, s->skew_ns, 8);
}

static void put_header(FILE *to, const struct slices *s, uint64_t bytes)
{
	put_number(to, MAGIC, 4);
	put_number(to, 0, 4);
	put_number(to, s->count ? s->slice[0].t_ns : 0, 8);
	put_number(to, s->count ? s->slice[s->count - 1].t_ns : 0, 8);
	put_number(to, bytes * CHAR_BIT, 8);
	put_number(to, bytes * CHAR_BIT, 8);
}

/* The header last: it has the packet's size. */
static void put_stream(FILE *to, const struct slices *s, bool no_smi)
{
	off_t bytes;

	put_header(to, s, 0);
	for (size_t i = 0; i < s->count; i++)
		put_slice(to, &s->slice[i], no_smi);
	bytes = ftello(to);
	if (bytes > 0 && fseeko(to, 0, SEEK_SET) == 0)
		put_header(to, s, (uint64_t)bytes);
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
	fprintf(to, layout, run->ladder.no_smi ? "" : smi_and_nmi);
}

static ORDER_BY(by_time, struct slice, t_ns);

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

static bool finish(FILE *f)
{
	bool good = !ferror(f);

	return fclose(f) == 0 && good;
}

static bool write_trace(const char *folder, const struct result *run, struct slices *s,
			uint64_t began_ns)
{
	FILE *metadata = create(folder, "metadata"), *stream;

	if (!metadata)
		return false;
	put_metadata(metadata, run, began_ns);
	stream = create(folder, "stream");
	if (!finish(metadata) || !stream)
		return false;
	ORDER_SORT(s->slice, s->count, by_time);
	put_stream(stream, s, run->ladder.no_smi);
	return finish(stream);
}

static bool put_run(const struct show_options *o, const struct result *run, struct slices *s)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s/%016" PRIx64, o->output, run->sid);
	return mkdir(folder, 0777) == 0 &&
	       write_trace(folder, run, s, o->has_began ? o->began_ns : result_began_ns(run));
}

static bool put_capture(const struct show_options *o, const struct capture *c)
{
	static bool made;
	bool good = made || mkdir(o->output, 0777) == 0;
	int error = errno;

	made = good;
	for (size_t n = 0; n < c->runs; n++) {
		struct slices *s = slices_take(c->run[n], c->name);

		if (good && !put_run(o, c->run[n], s)) {
			error = errno;
			good = false;
		}
		slices_free(s);
	}
	errno = error;
	return good;
}

const struct show_form show_form_ctf = {
	.keep = RESULT_ALL & ~RESULT_HISTOGRAMS,
	.record = slices_record,
	.capture = put_capture,
	.flaws_apart = true,
	.wants_output = true,
};
