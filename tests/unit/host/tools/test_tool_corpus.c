/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs as people have them: each output of tests/data/peers behind prefixes, in strings, escaped,
 * broken by a terminal, packed, with a console's lines between, and among other outputs. Each is
 * read like the output itself, or refused; behind a prefix it is read.
 */
#include <stdlib.h>

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"
#include "tests/unit/tool_text.h"

#include <unistd.h>
#include <zlib.h>

#define LOG_MAX ((size_t)4 << 20)

static char output[LOG_MAX], log_text[LOG_MAX];
static size_t output_bytes, log_bytes, failures;

static const char *const outputs[] = {
	"by-hand/jhiccup.hlog",
	"by-hand/rteval-summary.xml",
	"by-hand/rteval.txt",
	"by-hand/rteval-stop-trace.txt",
	"by-hand/rtla-timerlat-hist-no-summary.txt",
	"by-hand/rtla-osnoise-hist-quiet.txt",
	"by-hand/timerlat.trace",
	"cyclictest-2.4-h8.json",
	"cyclictest-2.6.json",
	"cyclictest-2.6.txt",
	"cyclictest.json",
	"cyclictest.txt",
	"detect-detour-figure-2.txt",
	"detect-detour-figure-3.txt",
	"ftq.dat",
	"hwlat-6.12.trace",
	"hwlat-none.trace",
	"hwlat-per-cpu.trace",
	"hwlat-round-robin.trace",
	"hwlatdetect-openshift.txt",
	"jhiccup.hgrm",
	"jitterdebugger-0.3.json",
	"netgauge-fwq.txt",
	"oslat-0.1.0.txt",
	"oslat-2.4.json",
	"oslat-2.4.txt",
	"oslat-2.6-500ns.json",
	"oslat-2.6-500ns.txt",
	"oslat-2.6.json",
	"oslat-2.6.txt",
	"oslat.json",
	"oslat.txt",
	"osnoise-6.12.trace",
	"osnoise-events-6.12.trace",
	"osnoise-events.trace",
	"osnoise-figure-10.trace",
	"osnoise-figure-11.trace",
	"osnoise-one-second.trace",
	"osnoise.trace",
	"psnap.txt",
	"rtla-osnoise-hist-6.12.txt",
	"rtla-osnoise-hist.txt",
	"rtla-osnoise-top-6.12.txt",
	"rtla-osnoise-top.txt",
	"rtla-timerlat-hist.txt",
	"rtla-timerlat-top.txt",
	"stress-ng-0.15.06.txt",
	"sysjitter-1.4.summary.verbose.txt",
	"sysjitter2-2.01.txt",
	"turbostat-20.09.30.txt",
};

#define OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

static void put(const char *text, size_t bytes)
{
	assert_true(log_bytes + bytes < LOG_MAX);
	memcpy(log_text + log_bytes, text, bytes);
	log_bytes += bytes;
	log_text[log_bytes] = '\0';
}

static void puts_log(const char *text)
{
	put(text, strlen(text));
}

/* As JSON escapes it, `depth` times. */
static void put_escaped(const char *text, size_t bytes, unsigned depth)
{
	static const char slashes[] = "\\\\\\\\\\\\\\";
	size_t count = ((size_t)1 << depth) - 1;

	for (size_t i = 0; i < bytes; i++) {
		if (strchr("\n\t\"", text[i]))
			put(slashes, count);
		if (text[i] == '\x1b') {
			put(slashes, count);
			puts_log("u001b");
		} else {
			put(text[i] == '\n' ? "n" : text[i] == '\t' ? "t" : &text[i], 1);
		}
	}
}

struct line {
	const char *at;
	size_t bytes;
	unsigned number;
};

/* The next line of the output, without its end; false after the last. */
static bool next_line(struct line *l)
{
	const char *end = output + output_bytes, *newline;

	l->at = l->at ? l->at + l->bytes + 1 : output;
	if (l->at >= end)
		return false;
	newline = memchr(l->at, '\n', (size_t)(end - l->at));
	l->bytes = (size_t)((newline ? newline : end) - l->at);
	l->number++;
	return true;
}

#define EACH_LINE(l) for (struct line l = { 0 }; next_line(&l);)

static void put_line(const char *prefix, const struct line *l)
{
	puts_log(prefix);
	put(l->at, l->bytes);
	puts_log("\n");
}

/* ---- The logs ---- */

static void clean(void)
{
	put(output, output_bytes);
}

static const char boot[] = "[    0.000000] Linux version 6.1.0-56-rt-amd64\n"
			   "[    1.264812] e1000e: eth0 NIC Link is Up 1000 Mbps Full Duplex\n"
			   "Debian GNU/Linux 12 rack7 ttyS0\n\nrack7 login: root\n"
			   "root@rack7:~# ./measure\n";
static const char after[] = "root@rack7:~# poweroff\n[  OK  ] Reached target Power-Off.\n"
			    "[  812.402113] reboot: Power down\n";

static void on_console(void)
{
	puts_log(boot);
	clean();
	puts_log(after);
}

/* A kernel's lines between those of the output. */
static void with_kernel_lines(void)
{
	EACH_LINE(l)
	{
		put_line("", &l);
		if (l.number % 3 == 0)
			puts_log("[   35.814714] Uhhuh. NMI received for unknown reason 31 on CPU "
				 "0.\n");
	}
}

static void crlf(void)
{
	EACH_LINE(l)
	{
		put(l.at, l.bytes);
		puts_log("\r\n");
	}
}

/* What precedes each line changes with its number. */
static void behind(const char *format)
{
	char prefix[200];

	EACH_LINE(l)
	{
		snprintf(prefix, sizeof(prefix), format, l.number % 60, l.number);
		put_line(prefix, &l);
	}
}

static void journald(void)
{
	puts_log("Nov 22 21:49:59 rack7 systemd[1]: Started measure.service.\n");
	behind("Nov 22 21:50:%02u rack7 measure[831]: ");
	puts_log("Nov 22 21:59:59 rack7 kernel: usb 1-1: new high-speed USB device\n"
		 "Nov 22 21:59:59 rack7 systemd[1]: measure.service: Deactivated successfully.\n");
}

/* Of script(1). */
static void script(void)
{
	puts_log("Script started on 2026-11-22 21:50:00+01:00 [TERM=\"xterm\"]\r\n# ./measure\r\n");
	crlf();
	puts_log("# exit\r\n\r\nScript done on 2026-11-22 21:51:00+01:00 "
		 "[COMMAND_EXIT_CODE=\"0\"]\n");
}

/* Markdown */
static void fenced(void)
{
	puts_log("What it printed:\n\n```text\n");
	clean();
	puts_log("```\n\nThat is all.\n");
}

static void with_a_byte_order_mark(void)
{
	puts_log("\xef\xbb\xbf");
	clean();
}

static void double_spaced(void)
{
	EACH_LINE(l)
	{
		put_line("", &l);
		puts_log("\n");
	}
}

/* By a terminal that copies the blanks of a row's end. */
static void padded(void)
{
	char blanks[161];

	snprintf(blanks, sizeof(blanks), "%160s", "");
	EACH_LINE(l)
	{
		put(l.at, l.bytes);
		puts_log(blanks + (l.bytes < 160 ? l.bytes : 160));
		puts_log("\n");
	}
}

static void coloured(void)
{
	EACH_LINE(l)
	{
		puts_log("\x1b[0;32m");
		put(l.at, l.bytes);
		puts_log("\x1b[0m\n");
	}
}

static void html(void)
{
	puts_log("<html><body><pre>\n");
	for (size_t i = 0; i < output_bytes; i++) {
		if (output[i] == '<' || output[i] == '>')
			puts_log(output[i] == '<' ? "&lt;" : "&gt;");
		else
			put(&output[i], 1);
	}
	puts_log("</pre></body></html>\n");
}

static void yaml_block(void)
{
	puts_log("- name: measure\n  stdout: |\n");
	behind("    ");
	puts_log("  rc: 0\n");
}

static void indented(void)
{
	puts_log("  Expected\n");
	behind("      ");
	puts_log("  to succeed\n");
}

static const char klog[] = "I0908 15:25:27.160830       1 node.go:46] Environment information: "
			   "kernel version 4.18.0-372.19.1.el8_6.x86_64\n"
			   "F0908 15:27:10.603523       1 main.go:53] failed to run the command; "
			   "out: ";

static void mid_line(void)
{
	puts_log(klog);
	put(output, output_bytes - (output[output_bytes - 1] == '\n'));
	puts_log("\n; err: exit status 1\ngoroutine 1 [running]:\nmain.main()\n");
}

static void mid_line_of_journald(void)
{
	puts_log("Nov 22 21:50:00 rack7 cnf[7]: running: ");
	EACH_LINE(l)
	put_line(l.number > 1 ? "Nov 22 21:50:01 rack7 cnf[7]: " : "", &l);
}

static void docker(void)
{
	EACH_LINE(l)
	{
		puts_log("{\"log\":\"");
		put_escaped(l.at, l.bytes, 1);
		puts_log("\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-22T21:50:01.1Z\"}\n");
	}
}

/* Each line as a string, between these. */
static void strings(const char *begin, const char *end)
{
	EACH_LINE(l)
	{
		puts_log(begin);
		put_escaped(l.at, l.bytes, 1);
		puts_log(end);
	}
}

static void journald_json(void)
{
	strings("{\"PRIORITY\":\"6\",\"MESSAGE\":\"", "\",\"_PID\":\"7\"}\n");
}

static void logfmt(void)
{
	strings("time=2026-11-22T21:50:01Z level=info msg=\"", "\"\n");
}

static void lava(void)
{
	puts_log("- {\"dt\": \"2026-11-22T21:49:59.1\", \"lvl\": \"debug\", \"msg\": \"start: 2.1 "
		 "lava-test-shell (timeout 00:10:00)\"}\n");
	EACH_LINE(l)
	{
		puts_log("- {\"dt\": \"2026-11-22T21:50:01.123456\", \"lvl\": \"target\", \"msg\": "
			 "\"");
		put_escaped(l.at, l.bytes, 1);
		puts_log("\"}\n");
	}
}

static void lava_of_old(void)
{
	EACH_LINE(l)
	{
		puts_log("- {dt: '2026-11-22T21:50:01.123456', lvl: target, msg: '");
		put(l.at, l.bytes);
		puts_log("'}\n");
	}
}

static void in_string(unsigned depth)
{
	puts_log("ok: [rack7] => {\n    \"changed\": true,\n    \"stdout\": \"");
	put_escaped(output, output_bytes, depth);
	puts_log("\",\n    \"rc\": 0\n}\n");
}

static void ansible(void)
{
	in_string(1);
}

static void twice_escaped(void)
{
	in_string(2);
}

/* The same output again, line by line. */
static void ansible_lines(void)
{
	in_string(1);
	puts_log("    \"stdout_lines\": [\n");
	EACH_LINE(l)
	{
		puts_log("        \"");
		put_escaped(l.at, l.bytes, 1);
		puts_log("\",\n");
	}
	puts_log("    ]\n}\n");
}

static void python_bytes(void)
{
	puts_log("CompletedProcess(returncode=0, stdout=b'");
	put_escaped(output, output_bytes, 1);
	puts_log("')\n");
}

static void escaped_without_quotes(void)
{
	puts_log("level=error reason=exit out=");
	put_escaped(output, output_bytes, 1);
	puts_log("\n");
}

static void rsyslog(void)
{
	puts_log("Nov 22 21:50:00 rack7 cnf[7]: ");
	for (size_t i = 0; i < output_bytes; i++) {
		if (output[i] == '\n' || output[i] == '\t')
			puts_log(output[i] == '\n' ? "#012" : "#011");
		else if (output[i] == '\x1b')
			puts_log("#033");
		else
			put(&output[i], 1);
	}
	puts_log("\n");
}

/* From a terminal, which shows no tabs, no escapes, and no blanks at the end of a row. */
static void wrapped_at(size_t columns)
{
	static char row[1 << 16];

	EACH_LINE(l)
	{
		size_t column = 0;

		for (size_t i = 0; i < l.bytes; i++) {
			do
				row[column++] = l.at[i] == '\t' ? ' ' : l.at[i];
			while (l.at[i] == '\t' && column % 8);
		}
		for (size_t from = 0; from < column || !from; from += columns) {
			size_t to = from + columns < column ? from + columns : column, end = to;

			while (end > from && row[end - 1] == ' ')
				end--;
			put(row + from, end - from);
			puts_log("\n");
		}
	}
}

static const char neighbour[] = "core_i: 0\nthreshold(ns): 1000\nruntime(ns): 3012115247\n"
				"int_n: 5\nint_max(ns): 4711\nint_total(ns): 8000\n";

static void among_others(void)
{
	puts_log(neighbour);
	clean();
	puts_log(neighbour);
}

static const struct {
	const char *name;
	void (*make)(void);
	const char *format; /* of behind(), without make() */
	size_t columns;     /* of a terminal, that holds no escapes */
} logs[] = {
	{ .name = "on_console", on_console },
	{ .name = "with_kernel_lines", with_kernel_lines },
	{ .name = "crlf", crlf },
	{ .name = "script", script },
	{ .name = "journald", journald },
	{ .name = "indented", indented },
	{ .name = "mid_line", mid_line },
	{ .name = "mid_line_of_journald", mid_line_of_journald },
	{ .name = "fenced", fenced },
	{ .name = "with_a_byte_order_mark", with_a_byte_order_mark },
	{ .name = "double_spaced", double_spaced },
	{ .name = "padded", padded },
	{ .name = "coloured", coloured },
	{ .name = "html", html },
	{ .name = "yaml_block", yaml_block },
	{ .name = "docker", docker },
	{ .name = "journald_json", journald_json },
	{ .name = "logfmt", logfmt },
	{ .name = "lava", lava },
	{ .name = "lava_of_old", lava_of_old },
	{ .name = "ansible", ansible },
	{ .name = "twice_escaped", twice_escaped },
	{ .name = "ansible_lines", ansible_lines },
	{ .name = "python_bytes", python_bytes },
	{ .name = "escaped_without_quotes", escaped_without_quotes },
	{ .name = "rsyslog", rsyslog },
	{ .name = "among_others", among_others },
	{ .name = "kubectl", .format = "2026-11-22T21:50:%02u.12345%uZ " },
	{ .name = "container", .format = "2026-11-22T21:50:%02u.12345%u+01:00 stdout F " },
	{ .name = "pdsh", .format = "node-7: " },
	{ .name = "jenkins", .format = "[2026-11-22T21:50:%02u.%uZ] " },
	{ .name = "jenkins_times", .format = "21:50:%02u  " },
	{ .name = "jenkins_branch", .format = "[rack7] " },
	{ .name = "numbered", .format = "%3u%4u\t" },
	{ .name = "quoted_mail", .format = "> " },
	{ .name = "quoted_twice", .format = "> > " },
	{ .name = "irc", .format = "<root> " },
	{ .name = "ts", .format = "Nov 22 21:50:%02u " },
	{ .name = "conserver", .format = "[Sun Nov 22 21:50:%02u 2026] " },
	{ .name = "syslog_5424",
	  .format = "<13>1 2026-11-22T21:50:%02u.003Z rack7 measure 7 - - " },
	{ .name = "journald_iso", .format = "2026-11-22T21:50:%02u+0100 rack7 measure[831]: " },
	{ .name = "kmsg", .format = "[%5u.%06u] rt: " },
	{ .name = "compose", .format = "measure_1  | " },
	{ .name = "kubectl_prefix", .format = "[pod/measure-7/rt] " },
	{ .name = "mpirun", .format = "[1,0]<stdout>:" },
	{ .name = "srun", .format = "7: " },
	{ .name = "ninja", .format = "[%u/60] " },
	{ .name = "maven", .format = "[INFO] " },
	{ .name = "log4j", .format = "2026-11-22 21:50:%02u,123 INFO  [main] rt.Measure - " },
	{ .name = "python", .format = "2026-11-22 21:50:%02u,%03u - rt - INFO - " },
	{ .name = "klog", .format = "I1122 21:50:%02u.123456 %7u rt.go:46] " },
	{ .name = "logcat", .format = "11-22 21:50:%02u.123  1234  1234 I rt      : " },
	{ .name = "zuul", .format = "2026-11-22 21:50:%02u.123456 | rack7 | " },
	{ .name = "beaker", .format = ":: [ 21:50:%02u ] :: [   LOG    ] :: " },
	{ .name = "teamcity", .format = "[21:50:%02u] :\t [Step 1/1] " },
	{ .name = "tree", .format = "|   " },
	{ .name = "grep", .format = "rt.log:" },
	{ .name = "at 72", .columns = 72 },
	{ .name = "at 73", .columns = 73 },
	{ .name = "at 74", .columns = 74 },
	{ .name = "at 75", .columns = 75 },
	{ .name = "at 76", .columns = 76 },
	{ .name = "at 77", .columns = 77 },
	{ .name = "at 78", .columns = 78 },
	{ .name = "at 79", .columns = 79 },
	{ .name = "at 80", .columns = 80 },
	{ .name = "at 90", .columns = 90 },
	{ .name = "at 100", .columns = 100 },
	{ .name = "at 132", .columns = 132 },
	{ .name = "at 160", .columns = 160 },
	{ .name = "at 200", .columns = 200 },
};

#define LOGS (sizeof(logs) / sizeof(logs[0]))

/* ---- What they are read as ---- */

static void load(const char *name)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), TOOL_DATA "%s", name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: not there", path);
	output_bytes = fread(output, 1, LOG_MAX - 1, f);
	fclose(f);
	output[output_bytes] = '\0';
}

static bool is_same_range(struct range a, struct range b)
{
	return a.known == b.known && a.low == b.low && a.high == b.high;
}

static bool is_same_core(const struct tool_core *a, const struct tool_core *b)
{
	bool same = a->cpu == b->cpu && a->exposure_from == b->exposure_from &&
		    a->bins == b->bins && is_same_range(a->exposure_ns, b->exposure_ns) &&
		    is_same_range(a->events, b->events) && is_same_range(a->max_ns, b->max_ns) &&
		    is_same_range(a->sum_ns, b->sum_ns);

	for (unsigned c = 0; same && c < TOOL_CAUSES; c++)
		same = is_same_range(a->cause[c].events, b->cause[c].events) &&
		       is_same_range(a->cause[c].ns, b->cause[c].ns);
	return same;
}

static bool is_same(const struct tool *a, const struct tool *b)
{
	bool same = strcmp(a->tool, b->tool) == 0 && strcmp(a->version, b->version) == 0 &&
		    a->notes == b->notes && a->cores == b->cores &&
		    a->threshold_from == b->threshold_from &&
		    is_same_range(a->threshold_ns, b->threshold_ns);

	for (size_t i = 0; same && i < a->cores; i++)
		same = is_same_core(&a->core[i], &b->core[i]);
	return same;
}

/* The piece that is the output; NULL where a wrong number of pieces was found. */
static const struct tool *find_piece(const struct tool_list *found, size_t others)
{
	return found->count == others + 1 ? &found->at[others / 2] : NULL;
}

static void check(const char *name, const char *log, const struct tool *wanted, size_t others)
{
	const struct tool *piece = find_piece(&tools, others);

	if (piece && is_same(piece, wanted) && !tools.failed)
		return;
	failures++;
	print_error("%s, %s: %zu pieces%s%s\n%.800s", name, log, tools.count,
		    piece ? ", not the same" : "", tools.failed ? ", failed" : "", tool_reported);
}

/* Nothing is read, with the reason. */
static bool is_refused(void)
{
	return tools.failed && !tools.count && tool_reported[0];
}

static void read_log(size_t bytes)
{
	tool_bytes("in", log_text, bytes);
}

/* As log rotation leaves it. */
static void check_packed(const char *name, const struct tool *wanted)
{
	char path[] = "/tmp/noisefloor-corpus-XXXXXX";
	gzFile file;

	close(mkstemp(path));
	file = gzopen(path, "wb1");
	assert_non_null(file);
	assert_int_equal(gzwrite(file, output, (unsigned)output_bytes), output_bytes);
	assert_int_equal(gzclose(file), Z_OK);
	tool_forget();
	tool_read(&tools, path, tool_keep_complaint, NULL);
	unlink(path);
	check(name, "packed", wanted, 0);
}

static void make_log(size_t n)
{
	if (logs[n].make)
		logs[n].make();
	else if (logs[n].format)
		behind(logs[n].format);
	else
		wrapped_at(logs[n].columns);
}

TEST(test_corpus)
{
	size_t made = 0, refused = 0;

	for (size_t i = 0; i < OUTPUTS; i++) {
		struct tool_list wanted;

		load(outputs[i]);
		log_bytes = 0;
		clean();
		read_log(log_bytes);
		assert_int_equal(tools.count, 1);
		assert_string_equal(tool_reported, "");
		wanted = tools;
		tools = (struct tool_list){ 0 };
		/* Few rounds: each log of a third of the outputs, each output in a third of them.
		 */
		for (size_t n = rounds(i % 3, 0); n < LOGS; n += rounds(3, 1)) {
			if (logs[n].columns && memchr(output, '\x1b', output_bytes))
				continue;
			/* XML is none then. */
			if (logs[n].make == html && strncmp(output, "<?xml", 5) == 0)
				continue;
			log_bytes = 0;
			make_log(n);
			read_log(log_bytes);
			made++;
			/* A prefix is taken off; what changes a line is not undone. */
			if (!logs[n].format && is_refused()) {
				refused++;
				continue;
			}
			check(outputs[i], logs[n].name, &wanted.at[0],
			      logs[n].make == among_others ? 2 : 0);
		}
		check_packed(outputs[i], &wanted.at[0]);
		tool_free(&wanted);
	}
	assert_int_equal(failures, 0);
	assert_true(LOGS >= 60 && refused * 2 < made);
}

static void read_string(const char *text)
{
	log_bytes = 0;
	puts_log(text);
	read_log(log_bytes);
}

#define OSLAT                                                                             \
	"{\"file_version\": 1, \"cmdline:\": \"oslat\", \"rt_test_version:\": \"2.40\", " \
	"\"thread\": {\"0\": {\"cpu\": 0, \"min\": 1, \"max\": 9, \"duration\": 1.5, "    \
	"\"histogram\": "                                                                 \
	"{\"1\": 5, \"2\": 1}}}}"

/* Where the brackets close, whatever follows in the line; and one that is torn spoils no other. */
TEST(test_documents)
{
	read_string("[" OSLAT "," OSLAT "]\nlog: " OSLAT "; err: exit status 1\n");
	assert_int_equal(tools.count, 3);
	assert_string_equal(tool_reported, "");
	read_string("{\n  \"file_version\": 1,\n  \"cmdline:\": \"oslat\",\n" OSLAT "\n");
	assert_int_equal(tools.count, 1);
	assert_true(tools.failed);
	assert_printed("in:4: not JSON: string");
	/* Another's JSON, a program, and a string with brackets are no documents. */
	read_string("{\"log\": \"start {\"}\nint main(void) {\n" OSLAT "\n}\n");
	assert_int_equal(tools.count, 1);
	assert_false(tools.failed);
}

/* Torn lines of what is being read are reported; another's lines are not. */
TEST(test_torn)
{
	read_string("# tracer: osnoise\no-9 [001] .... 9.2: 1000 20 98.00000 20 0 0 0 0 0\n"
		    "o-9 [001] .... 9.3: 1000 20 98.00\nroot@rack-7:~# ls\n"
		    "o-9 [001] .... 9.3: sched_switch: prev_comm=a prev_pid=3 ==> next_comm=b\n"
		    "o-9 [001] .... 9.3: sample_threshold: start 9.1 dura\n");
	assert_int_equal(tools.count, 0);
	assert_printed("in:3: osnoise: not understood");
	assert_printed("in:6: osnoise: not understood");
	assert_printed("in:3: this line cannot be read, so that nothing of the file is");
	read_string("[445283.508877] Softirq: CPU: 20   Pid: 748187 [allr\n"
		    "[445284.508877] Softirq: CPU: 20 Pid: 7 [a] Duration: 349933 SIRQ: 1 [TIMER]\n"
		    "[445285.508877] usb 1-1: new high-speed USB device number 7 using xhci_hcd\n");
	assert_int_equal(tools.count, 0);
	assert_printed("in:1: detect-detour: not understood");
}

/* Of two lines of 80 columns each that are whole, neither is lost. */
TEST(test_not_broken)
{
	static const char row[] = "osnoise/000000000000000000000000-9 [001] .... 9.2: "
				  "1000 20 98.00000 20 0 0 0 0 0\n";

	assert_int_equal(strlen(row), 81);
	log_bytes = 0;
	puts_log("# tracer: osnoise\n");
	for (unsigned i = 0; i < 70; i++)
		puts_log(row);
	read_log(log_bytes);
	assert_string_equal(tool_reported, "");
	assert_exact(tools.at[0].core[0].exposure_ns, 70 * 1000000);
}
