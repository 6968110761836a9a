/* SPDX-License-Identifier: BSD-2-Clause */
/* A fleet's policy: what its file may have, and what it makes of a run's records. */
#include "tests/unit/stored.h"
#include "tests/unit/common/test.h"
#include "tests/unit/run_lines.h"
#include "tests/unit/tree.h"

#include "host/capture/line.h"
#include "host/fleet/policy.h"
#include "host/fleet/runs.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SID    UINT64_C(0x5eed)
#define CONFIG "threshold=100ns max=1ms"
/* printf %s "threshold=100ns max=1ms" | sha256sum */
#define DIGEST "290fb5cd6fa10c0e5148316516a6ef6c267c51db2e1e25e9bdceb418c9dccd2c"
#define OTHER  "0000000000000000000000000000000000000000000000000000000000000001"

static char path[128], printed[4096];

static void start(void)
{
	tree_make();
	snprintf(path, sizeof(path), "%s/p", tree);
}

/* Read the policy; complaints go to `printed`. */
static struct policy *read_policy(void)
{
	FILE *to = tmpfile();
	int kept = dup(STDERR_FILENO);
	struct policy *p;
	size_t bytes;

	assert_non_null(to);
	fflush(stderr);
	assert_true(dup2(fileno(to), STDERR_FILENO) >= 0);
	p = policy_read("prog", path);
	fflush(stderr);
	assert_true(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	rewind(to);
	bytes = fread(printed, 1, sizeof(printed) - 1, to);
	printed[bytes] = '\0';
	fclose(to);
	return p;
}

static void assert_printed(const char *part)
{
	if (!strstr(printed, part))
		fail_msg("no `%s` in `%s`", part, printed);
}

#define DEFAULT(keys) "{\"default\": {" keys "}}"

static const struct {
	const char *text, *complaint;
} mistakes[] = {
	{ "", ": line 1: " },
	{ "[default]\n", ": line 1: " },
	{ "{}", ": there is no section; accepted: an object with \"default\", \"product NAME\"" },
	{ "[]", "there is no section" },
	{ "7", ": line 1: " },
	{ "{\"default\": 7}", ": \"default\": no section; accepted: an object" },
	{ DEFAULT("\"macs\": \"1us\""), "\"default\": `macs` is unknown; accepted: max, max_smi" },
	{ DEFAULT("\"max\": 20"), "max=20 needs a unit; accepted: " },
	{ DEFAULT("\"max_noise\": 1000001"), "is out of range; accepted: none, or ppm" },
	{ DEFAULT("\"max_smi\": -1"), "max_smi=-1 " },
	{ DEFAULT("\"stages\": \"bare,cellar\""), "has an unknown stage" },
	{ DEFAULT("\"preset\": \"mine\""), "openshift" },
	{ DEFAULT("\"max\": null"), "max: `null` is no value; accepted: a string, or a number\n" },
	{ DEFAULT("\"max\": 1.5"), "max=1.5 needs a unit" },
	{ DEFAULT("\"max\": [\"1us\"]"), "max: `[\"1us\"]` is no value" },
	{ DEFAULT("\"config\": []"),
	  "config: `[]` is no value; accepted: a string, or a number, or an array of them\n" },
	{ DEFAULT("\"config\": [{}]"), "config: `{}` is no value" },
	{ DEFAULT("\"max\": \"\""), "max: `` is no value; accepted: one word" },
	{ DEFAULT("\"max\": \"1us max_smi=0\""), "max: `1us max_smi=0` is no value" },
	{ DEFAULT("\"max\": \"1us\\nmax_smi=0\""), "is no value; accepted: one word" },
	{ DEFAULT("\"max\": \"1us\", \"max\": \"2us\""), "line 1: duplicate object key" },
	{ "{\"default\": {},\n\"default\": {}}", "line 2: duplicate object key" },
	{ "{\"uuid 11111111-2222-3333-4444-aaaaaaaaaaaa\": {}, "
	  "\"uuid 11111111-2222-3333-4444-AAAAAAAAAAAA\": {}}",
	  "AAAAAAAAAAAA\": this section is a second one" },
	{ "{\"uuid 1\": {}}", ": \"uuid 1\": no such section; accepted: \"default\"" },
	{ "{\"default \": {}}", ": \"default \": no such section" },
	{ "{\"default all\": {}}", "no such section" },
	{ "{\"product\": {}}", "no such section" },
	{ "{\"product \": {}}", "no such section" },
	{ "{\"\": {}}", "no such section" },
	{ "{\"host a\": {\"max\": 1}}", "\"host a\": no such section" },
	{ "{\"host a\": {\"max\": 1}}", "\"host a\": max=1 needs a unit" },
	{ DEFAULT("\"config\": \"abc\""), "config: abc: not a SHA-256; accepted: 64 hex digits\n" },
	{ DEFAULT("\"config\": \"/p\""), "config: /p: not a SHA-256; accepted: 64 hex digits\n" },
	{ DEFAULT("\"attest_image\": \"" OTHER "\", \"attest_key\": \"key.pem\""),
	  "attest_key: key.pem: not a SHA-256; accepted: 64 hex digits, or a path from / on\n" },
	{ DEFAULT("\"attest_key\": \"" OTHER "\", \"attest_image\": \"" OTHER "0\""),
	  "attest_image: " OTHER "0: not a SHA-256; accepted: 64 hex digits, or a path" },
	{ DEFAULT("\"attest_key\": \"/nowhere/at/all.pem\""),
	  "attest_key: /nowhere/at/all.pem: No such file" },
	{ DEFAULT("\"attest_key\": \"/dev/null\""), "attest_key: /dev/null: it is no file" },
	{ DEFAULT("\"attest_image\": \"/proc/self/maps\""),
	  "attest_image: /proc/self/maps: not a 64-bit EFI image" },
	{ DEFAULT("\"attest_key\": [\"/proc/self/maps\"]"),
	  "attest_key: /proc/self/maps: not a public key; accepted: PEM" },
	{ DEFAULT("\"attest_key\": \"/proc/self/attr\""),
	  "attest_key: /proc/self/attr: the folder has no file *.pem" },
	{ DEFAULT("\"attest_key\": \"" OTHER "\""),
	  "\"default\": attest_key without attest_image; accepted: both" },
	{ "{\"default\": {\"attest_image\": \"" OTHER "\"}, \"bios 1\": {}}",
	  "\"default\": there is no attest_key" },
	{ DEFAULT("\"attest_loader\": \"" OTHER "\""), "there is no attest_key" },
	{ DEFAULT("\"version\": \"123456789012345678901234\""), "version `12345678" },
	{ DEFAULT("\"version\": \"1\\u0000\""), "line 1: " },
};

TEST_F(start, tree_remove, test_mistakes)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		print_message("%s\n", mistakes[i].complaint);
		tree_write("p", mistakes[i].text);
		assert_null(read_policy());
		assert_printed(mistakes[i].complaint);
		assert_int_equal(strncmp(printed, "prog: ", 6), 0);
		assert_printed("/p: ");
	}
	tree_write_bytes("p", "{\"default\": {}}\0", 17);
	assert_null(read_policy());
	unlink(path);
	assert_null(read_policy());
	assert_printed("No such file");
}

/* ---- Judging ---- */

/* Deviations of a run; NULL: as in most runs. */
struct run {
	const char *begin, *cpu, *end, *pause, *more_cpu;
	const char *work[3], *call[2]; /* records of mode=stretch and of mode=services */
	bool lacks_core;
	unsigned skip; /* line that is lost; 0: none */
};

#define SURE        ",\"version\":\"1.2.0\",\"config\":\"" CONFIG "\""
#define CPU(fields) ",\"stage\":\"bare\",\"cpu\":3" fields
#define GOOD        CPU(",\"exposure_ns\":1000000000,\"noise_ns\":5000,\"max_ns\":20000,\"smi\":2")
#define SAMPLED     ",\"sampled_ns\":3600000000000"

static void add_line(struct summary *s, const struct run *run, uint64_t seq, const char *type,
		     const char *rest)
{
	char text[2000];
	struct line line;
	TEXT_DEFINE(why, 256);

	if (run->skip && seq == run->skip) {
		s->lost++;
		return;
	}
	run_line(text, SID, seq, type, rest);
	assert_int_equal(line_read(text, strcspn(text, "\n"), &line, &why), LINE_OK);
	summary_line(s, &line);
}

static struct summary summarize(const struct run *run)
{
	static const char machine[] =
		",\"machine\":{\"uuid\":\"11111111-2222-3333-4444-AAAAAAAAAAAA\",\"product\":"
		"\"Box 2 #1\",\"bios_version\":\"1.2\"}";
	struct summary s = { .lines = 0 };
	char rest[1000];
	uint64_t seq = 3;
	int n;

	n = snprintf(rest, sizeof(rest), "%s%s%s", machine, run->begin ? run->begin : SURE,
		     RUN_BEGIN);
	assert_in_range(n, 1, sizeof(rest) - 1);
	if (run->lacks_core)
		memcpy(strstr(rest, "\"found\":1"), "\"found\":2", strlen("\"found\":2"));
	add_line(&s, run, 0, "begin", rest);
	add_line(&s, run, 1, "cpu", run->cpu ? run->cpu : GOOD);
	if (run->pause)
		add_line(&s, run, 2, "pause", run->pause);
	else if (run->more_cpu)
		add_line(&s, run, 2, "cpu", run->more_cpu);
	else
		add_line(&s, run, 2, "log", ",\"level\":\"info\",\"text\":\"x\"");
	for (unsigned i = 0; i < 3 && run->work[i]; i++)
		add_line(&s, run, seq++, "stretch", run->work[i]);
	for (unsigned i = 0; i < 2 && run->call[i]; i++)
		add_line(&s, run, seq++, "service", run->call[i]);
	snprintf(rest, sizeof(rest), "%s",
		 run->end ? run->end : ",\"verdict\":\"pass\",\"reasons\":[]" SAMPLED);
	add_line(&s, run, seq, "end", rest);
	return s;
}

#define FAILED(text) ",\"verdict\":\"" text "\",\"reasons\":[\"because\"]" SAMPLED

#define STRETCH  ",\"config\":\"mode=stretch threshold=100ns\""
#define SERVICES ",\"config\":\"mode=services threshold=100ns\""
/* The worst quantum of a thousand takes 1.25 times as long as the best. */
#define WORK(cpu, kernel, p999)                                                          \
	",\"stage\":\"bare\",\"kernel\":\"" kernel "\",\"phase\":\"alone\",\"cpu\":" cpu \
	",\"quanta\":1000,\"p999\":" p999
#define CALL(service, max_ns) \
	",\"stage\":\"bare\",\"service\":\"" service "\",\"cpu\":7,\"calls\":9,\"max_ns\":" max_ns

#define RUN_OF(policy, verdict, reason, ...)       \
	{                                          \
		policy, VERDICT_##verdict, reason, \
		{                                  \
			__VA_ARGS__                \
		}                                  \
	}
#define USUAL(policy, verdict, reason) RUN_OF(policy, verdict, reason, .skip = 0)

static const struct {
	const char *policy;
	enum verdict verdict;
	const char *reason; /* a part of it; NULL: there is none */
	struct run run;
} cases[] = {
	/* Values at each limit, and above it. */
	USUAL("max = 20us", PASS, NULL),
	USUAL("max = 19999ns", FAIL, "20us on cpu 3 exceeds the limit of 19999ns"),
	USUAL("max_smi = 2", PASS, NULL),
	USUAL("max_smi = 1", FAIL, "max_smi: SMIs 2 on cpu 3 exceeds the limit of 1"),
	USUAL("max_noise = 5", PASS, NULL),
	USUAL("max_noise = 4", FAIL, "max_noise: noise in ppm 5 on cpu 3"),
	USUAL("duration = 1h", PASS, NULL),
	USUAL("duration = 3600000000001ns", INCOMPLETE, "of sampling are less than"),
	USUAL("max_noise = 5\nthreshold = 100ns", PASS, NULL),
	USUAL("max_noise = 5\nthreshold = 99ns", INCOMPLETE,
	      "threshold: gaps from 99 ns are judged"),
	/* A recorded gap counts, whatever shorter gaps were not recorded. */
	USUAL("max = 50ns\nthreshold = 50ns", FAIL, "max: longest gap"),
	RUN_OF("max = 50ns\nthreshold = 50ns", INCOMPLETE, "threshold: gaps from 50",
	       .cpu = CPU(",\"exposure_ns\":1000000000,\"noise_ns\":0,\"max_ns\":0,\"smi\":2")),
	/* Only the requested stages are required. */
	USUAL("stages = bare", PASS, NULL),
	USUAL("stages = bare,handoff", INCOMPLETE, "stages: handoff was not measured"),
	USUAL("version = 1.1 1.2.0", PASS, NULL),
	USUAL("version = 1.1 1.2", FAIL, "version: 1.2.0 is not allowed"),
	USUAL("config = " OTHER " " DIGEST, PASS, NULL),
	USUAL("config = " OTHER, FAIL, "config: " DIGEST " is not allowed"),
	USUAL("max = none", PASS, NULL),
	USUAL("", NONE, NULL),
	/* A preset has limits and a duration, which may be less. */
	USUAL("preset = bits", PASS, NULL),
	USUAL("preset = rhel-rt", FAIL, "max: longest gap 20.0 us"),
	USUAL("preset = openshift\nmax = 1ms", INCOMPLETE,
	      "duration: 1h of sampling are less than 12h"),
	USUAL("preset = openshift\nmax = 1ms\nduration = 1h", PASS, NULL),
	/* Records of other modes; the worst one counts. */
	RUN_OF("max_stretch = 1.25", PASS, NULL, .begin = STRETCH,
	       .work = { WORK("3", "l2", "250000"), WORK("3", "adds", "1000") }),
	RUN_OF("max_stretch = 1.249999", FAIL, "1.250000 on cpu 5 exceeds the limit of 1.249999",
	       .begin = STRETCH, .work = { WORK("3", "adds", "1000"), WORK("5", "l2", "250000") }),
	RUN_OF("max_stretch = 2", INCOMPLETE, "no stretch record", .begin = STRETCH),
	RUN_OF("max_stretch = 2", INCOMPLETE, "0 of 1 measured cores have a stretch record",
	       .begin = STRETCH, .work = { ",\"cpu\":3,\"quanta\":9" }),
	RUN_OF("max_stretch = 2", INCOMPLETE, "max_stretch cannot be judged", .begin = STRETCH,
	       .work = { WORK("3", "adds", "1"), ",\"cpu\":4,\"quanta\":9" }),
	RUN_OF("max_stretch = 1.2", FAIL, "max_stretch: ", .begin = STRETCH,
	       .work = { WORK("3", "l2", "250000"), ",\"cpu\":\"x\"" }),
	/* A further line of a record has the rest of its histogram. */
	RUN_OF("max_stretch = 2", PASS, NULL, .begin = STRETCH,
	       .work = { WORK("3", "l2", "0"), ",\"part\":1,\"hist\":[[1,1]]" }),
	USUAL("max_stretch = 2", INCOMPLETE, "mode=gaps measures no stretch"),
	RUN_OF("max_stretch = 2\nmax = 1us", INCOMPLETE, "mode=stretch measures no gaps",
	       .begin = STRETCH, .work = { WORK("3", "l2", "0") }),
	RUN_OF("max_stretch = 1.2\nmax = 1us", FAIL, "measures no gaps; max_stretch: ",
	       .begin = STRETCH, .work = { WORK("3", "l2", "250000") }),
	RUN_OF("service_max = 40us", PASS, NULL, .begin = SERVICES,
	       .call = { CALL("get_time", "40000"), CALL("reset", "null") }),
	RUN_OF("service_max = 39999ns", FAIL,
	       "service_max: longest call 40us on cpu 7 exceeds the limit of 39999ns",
	       .begin = SERVICES, .call = { CALL("reset", "40000"), CALL("get_time", "900") }),
	RUN_OF("service_max = 1s", INCOMPLETE, "no call whose length is known", .begin = SERVICES,
	       .call = { CALL("reset", "null") }),
	RUN_OF("service_max = 1s", INCOMPLETE, "no call whose", .begin = SERVICES),
	USUAL("service_max = 1s", INCOMPLETE, "mode=gaps measures no calls"),
	RUN_OF("service_max = 1s\nmax = 20us", PASS, NULL, .begin = SERVICES,
	       .call = { CALL("get_time", "900") }),
	/* Records without a required value. */
	RUN_OF("max = 20us", INCOMPLETE, "max cannot be judged",
	       .cpu = CPU(",\"exposure_ns\":1000000000,\"noise_ns\":5000")),
	RUN_OF("max = 20us", INCOMPLETE, "max cannot be judged", .cpu = ",\"cpu\":\"x\""),
	RUN_OF("max_smi = 2", INCOMPLETE, "max_smi cannot be judged",
	       .cpu = CPU(",\"exposure_ns\":1000000000,\"noise_ns\":5000,\"max_ns\":20000,"
			  "\"smi\":null")),
	RUN_OF("max_noise = 5", INCOMPLETE, "max_noise cannot be judged",
	       .cpu = CPU(",\"exposure_ns\":0,\"noise_ns\":0,\"max_ns\":0,\"smi\":2")),
	RUN_OF("max = 20us", INCOMPLETE, "the run has no cpu record", .cpu = CPU(",\"part\":1")),
	RUN_OF("max = 20us", INCOMPLETE, "threshold: the records do not have",
	       .begin = ",\"version\":\"1\""),
	RUN_OF("max_smi = 2", PASS, NULL, .begin = ""),
	RUN_OF("version = 1.2.0", INCOMPLETE, "version: the records", .begin = ""),
	RUN_OF("config = " DIGEST, INCOMPLETE, "config: the records", .begin = ""),
	RUN_OF("duration = 1s", INCOMPLETE, "duration: the records",
	       .end = ",\"verdict\":\"pass\",\"reasons\":[]"),
	RUN_OF("max = 20us", INCOMPLETE, "1 lines were lost", .skip = 2),
	RUN_OF("max = 19us", FAIL, "1 lines were lost; max: ", .skip = 2),
	RUN_OF("max = 20us", INCOMPLETE, "mode=stretch measures no gaps",
	       .begin = ",\"config\":\"mode=stretch\""),
	RUN_OF("max = 20us", FAIL, "a hidden pause of at least",
	       .pause = ",\"stage\":\"bare\",\"least_ns\":30000"),
	RUN_OF("max = 30us", INCOMPLETE, "a hidden pause of at least",
	       .pause = ",\"stage\":\"bare\",\"least_ns\":30000"),
	RUN_OF("max = 20us", INCOMPLETE, "1 of 2 cores were measured", .lacks_core = true),
	RUN_OF("duration = 1h", PASS, NULL, .lacks_core = true),
	/* A record in several lines counts by its first; several cores by the worst. */
	RUN_OF("max = 20us\nmax_smi = 2", PASS, NULL, .cpu = GOOD ",\"part\":0,\"more\":true",
	       .more_cpu = CPU(",\"part\":1,\"histogram\":[[1,2]]")),
	RUN_OF("max = 20us", FAIL, "30.0 us on cpu 4 exceeds",
	       .more_cpu = ",\"stage\":\"acpi\",\"cpu\":4,\"exposure_ns\":1000000000,"
			   "\"noise_ns\":0,\"max_ns\":30000,\"smi\":0"),
	RUN_OF("stages = bare,acpi\nmax_smi = 1", FAIL, "max_smi: SMIs 2 on cpu 3",
	       .more_cpu = ",\"stage\":\"acpi\",\"cpu\":4,\"exposure_ns\":1000000000,"
			   "\"noise_ns\":0,\"max_ns\":30000,\"smi\":null"),
	/* The node's own limits do not count, but the reason why it could not measure does. */
	RUN_OF("max = 20us", PASS, NULL, .end = FAILED("fail")),
	RUN_OF("max = 20us", PASS, NULL, .end = FAILED("none")),
	RUN_OF("max = 20us", INCOMPLETE, "the node: incomplete: because",
	       .end = FAILED("incomplete")),
	RUN_OF("max = 20us", ERROR, "the node: error: because", .end = FAILED("error")),
	RUN_OF("max = 20us", ERROR, "the node: error", .end = FAILED("odd")),
	RUN_OF("max = 19us", FAIL, "max: ", .end = FAILED("error")),
};

/* Keys are "key = word word\n..." here. */
static void put_policy(const char *section, const char *keys)
{
	json_t *all = json_pack("{s:{s:s}}", section, "comment", "of a test"), *words;
	char lines[1000], *next = lines, *line, *value, *word, *text;

	snprintf(lines, sizeof(lines), "%s", keys);
	while ((line = strsep(&next, "\n"))) {
		if (!(value = strstr(line, " = ")))
			continue;
		*value = '\0';
		for (value += 3, words = json_array(); (word = strsep(&value, " "));)
			json_array_append_new(words, json_string(word));
		json_object_set(json_object_get(all, section), line,
				json_array_size(words) == 1 ? json_array_get(words, 0) : words);
		json_decref(words);
	}
	text = json_dumps(all, 0);
	tree_write("p", text);
	free(text);
	json_decref(all);
}

TEST_F(start, tree_remove, test_judge)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct summary s = summarize(&cases[i].run);
		enum verdict own = summary_outcome(&s);
		struct policy *p;

		print_message("%s: %s\n", cases[i].policy, cases[i].reason ? cases[i].reason : "");
		put_policy("default", cases[i].policy);
		p = read_policy();
		assert_string_equal(printed, "");
		assert_non_null(p);
		policy_judge(p, &s);
		assert_int_equal(summary_outcome(&s), cases[i].verdict);
		if (cases[i].reason && !strstr(summary_reason(&s), cases[i].reason))
			fail_msg("no `%s` in `%s`", cases[i].reason, summary_reason(&s));
		if (!cases[i].reason)
			assert_string_equal(summary_reason(&s), "");
		assert_string_equal(summary_node_verdict(&s), verdict_name(own));
		policy_judge(NULL, &s);
		assert_int_equal(summary_outcome(&s), own);
		assert_null(summary_node_verdict(&s));
		policy_free(p);
	}
}

/* ---- Attestation ---- */

#define KEY    "6b00000000000000000000000000000000000000000000000000000000000000"
#define IMAGE  "1a00000000000000000000000000000000000000000000000000000000000000"
#define LOADER "10ad000000000000000000000000000000000000000000000000000000000000"
#define ASKED  "attest_key = " OTHER " " KEY "\nattest_image = " IMAGE "\n"

/* The run's file: noisefloor was started by another program. */
static struct attest_facts attested(const struct summary *s)
{
	return (struct attest_facts){ .lines = s->lines,
				      .state = ATTEST_FACTS_GOOD,
				      .count = 2,
				      .started = { { 0x10, 0xad }, { 0x1a } },
				      .key = { 0x6b } };
}

static const struct {
	const char *policy;
	enum verdict verdict;
	const char *reason;            /* a part of it; NULL: there is none */
	int64_t more;                  /* lines that the file had then */
	enum attest_facts_state state; /* NONE: it is good */
	unsigned item, count, lost;    /* 0: as it is */
	bool has_none, is_overtaken;
} attests[] = {
	{ ASKED "attest_loader = " LOADER, VERDICT_PASS, .reason = NULL },
	{ "attest_key = " OTHER "\nattest_image = " IMAGE "\nattest_loader = " LOADER, VERDICT_FAIL,
	  .reason = "attest_key: " KEY " is not allowed" },
	{ ASKED, VERDICT_FAIL,
	  .reason = "attest_image: the firmware started " LOADER ", which is not known" },
	{ "attest_key = " KEY "\nattest_image = " OTHER "\nattest_loader = " LOADER, VERDICT_FAIL,
	  .reason = "attest_image: the firmware started " IMAGE ", which is not known" },
	{ "attest_key = " KEY "\nattest_image = " LOADER "\nattest_loader = " IMAGE, VERDICT_FAIL,
	  .reason = "attest_image: it is not the last that PCR 4 was extended by" },
	{ ASKED "attest_loader = " LOADER, VERDICT_FAIL,
	  .reason = "attest_image: the firmware started 5 images, accepted: 4", .count = 5 },
	{ ASKED, VERDICT_INCOMPLETE, .reason = "attest: the run has no attestation",
	  .has_none = true },
	{ ASKED, VERDICT_INCOMPLETE, .reason = "attest: the run's lines cannot be read",
	  .more = -1 },
	{ ASKED, VERDICT_INCOMPLETE, .reason = "attest: the run's lines cannot be read",
	  .more = 1 },
	{ ASKED, VERDICT_INCOMPLETE, .reason = "attest: not checked: the run is too large",
	  .state = ATTEST_FACTS_LARGE },
	{ ASKED, VERDICT_FAIL, .reason = "attest: the signature is not the key's",
	  .state = ATTEST_FACTS_BAD },
	{ ASKED, VERDICT_FAIL, .reason = "attest: the records are not those that were quoted",
	  .state = ATTEST_FACTS_BAD, .item = 3 },
	{ ASKED, VERDICT_FAIL, .reason = "attest: it is not known what", .state = ATTEST_FACTS_BAD,
	  .item = 99 },
	{ ASKED, VERDICT_INCOMPLETE, .reason = "attest: the configuration",
	  .state = ATTEST_FACTS_UNKNOWN, .item = 4 },
	{ ASKED "attest_loader = " LOADER, VERDICT_FAIL,
	  .reason = "attest: a later run that this key signed was received before",
	  .is_overtaken = true },
	/* An incomplete run's attestation is not read. */
	{ ASKED, VERDICT_INCOMPLETE, .reason = "1 lines were lost", .more = -1, .lost = 1 },
	/* The policy does not ask for an attestation. */
	{ "max = 20us", VERDICT_PASS, .reason = NULL, .state = ATTEST_FACTS_BAD },
	/* All that is wrong is in the reason. */
	{ ASKED "max = 19us\n", VERDICT_FAIL, .reason = "; attest: the run has no attestation",
	  .has_none = true },
};

TEST_F(start, tree_remove, test_attest)
{
	for (size_t i = 0; i < sizeof(attests) / sizeof(attests[0]); i++) {
		struct summary s = summarize(&(struct run){ 0 });
		struct attest_facts *f = &s.facts.attest;
		struct policy *p;

		print_message("%zu: %s\n", i, attests[i].reason ? attests[i].reason : "");
		put_policy("default", attests[i].policy);
		p = read_policy();
		assert_string_equal(printed, "");
		assert_non_null(p);
		s.lost = attests[i].lost;
		*f = attested(&s);
		assert_false(policy_asks_attest(p, &s));
		f->lines += (uint64_t)attests[i].more;
		assert_int_equal(policy_asks_attest(p, &s), attests[i].more && !attests[i].lost);
		if (attests[i].has_none || attests[i].state)
			f->state = attests[i].state;
		f->item = (uint8_t)attests[i].item;
		f->is_overtaken = attests[i].is_overtaken;
		if (attests[i].count)
			f->count = (uint8_t)attests[i].count;
		policy_judge(p, &s);
		if (attests[i].reason && !strstr(summary_reason(&s), attests[i].reason))
			fail_msg("no `%s` in `%s`", attests[i].reason, summary_reason(&s));
		if (!attests[i].reason)
			assert_string_equal(summary_reason(&s), "");
		assert_int_equal(summary_outcome(&s), attests[i].verdict);
		policy_free(p);
	}
}

#define DATA "tests/data/attest/"
#define NODE7 \
	"74162bfc33cb5869b80207ec108b9c77221f894671b97ae1780f5c1ec04aeac0" /* key.pem's name */
#define STARTED "7069302216eff09fd025fa712d373e480e9811b50d6777bdb5d801854687d6c1"

static void copy_file(const char *from, const char *to)
{
	static char bytes[1 << 16];
	FILE *f = fopen(from, "rb");
	size_t count;

	assert_non_null(f);
	count = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	tree_write_bytes(to, bytes, count);
}

/*
 * A run that a TPM has attested, judged by the files of a folder. The policy's text in the store
 * needs none of them.
 */
TEST_F(start, tree_remove, test_attest_by_files)
{
	const uint64_t sid = UINT64_C(0xe3f53e946958efeb);
	static char lines[1 << 16];
	struct policy *p, *of;
	struct store_run run;
	struct store *store;
	char text[400];
	FILE *f = fopen(DATA "run.jsonl", "rb");

	copy_file(DATA "key.pem", "keys/node7.pem");
	tree_write("keys/README", "no key");
	snprintf(text, sizeof(text), "attest_key = %s/keys\nattest_image = " STARTED, tree);
	put_policy("default", text);
	p = read_policy();
	assert_string_equal(printed, "");
	assert_non_null(p);
	tree_drop(tree_path("keys"));
	of = policy_parse("prog", "copy", p->text);
	assert_non_null(of);
	assert_non_null(strstr(of->text, "\"" NODE7 "\""));
	assert_non_null(strstr(of->text, "\"" STARTED "\""));
	assert_null(strstr(of->text, "keys"));
	assert_non_null(f);
	store = stored_open(tree, STORE_HOLD);
	stored_lines(store, sid, lines, fread(lines, 1, sizeof(lines), f));
	fclose(f);
	assert_int_equal(store_find(store, sid, &run), 0);
	runs_judge(of, store, &run);
	assert_string_equal(summary_reason(&run.summary), "");
	assert_int_equal(summary_outcome(&run.summary), VERDICT_PASS);
	/* If the policy does not require it, the attestation is not read. */
	assert_int_equal(store_find(store, sid, &run), 0);
	runs_judge(NULL, store, &run);
	assert_int_equal(run.summary.facts.attest.lines, 0);
	/* A run that is too large is not read, either. */
	run.bytes = ((uint64_t)ATTEST_FACTS_MAX_MB << 20) + 1;
	runs_judge(of, store, &run);
	assert_string_equal(summary_reason(&run.summary),
			    "attest: not checked: the run is too large");
	store_close(store);
	policy_free(p);
	policy_free(of);
}

/* A run that has not ended is not judged. */
TEST_F(start, tree_remove, test_running)
{
	struct summary s = summarize(&(struct run){ .skip = 3 });
	struct policy *p;

	put_policy("default", "max = 1us");
	p = read_policy();
	assert_non_null(p);
	policy_judge(p, &s);
	assert_int_equal(summary_outcome(&s), VERDICT_INCOMPLETE);
	assert_null(summary_node_verdict(&s));
	policy_free(p);
}

/* Each section has its own limit, which the reason names. */
#define MAX(section, max) "\"" section "\": {\"max\": \"" max "\"}"
#define ALL               MAX("default", "1us")
#define PRODUCT           MAX("product Box 2 #1", "2us")

static const struct {
	const char *text, *reason;
} scopes[] = {
	{ ALL, "limit of 1.00 us" },
	{ ALL ", " PRODUCT, "limit of 2.00 us" },
	{ PRODUCT ", " ALL, "limit of 2.00 us" },
	{ MAX("bios 1.2", "3us") ", " PRODUCT ", " ALL, "limit of 3.00 us" },
	{ MAX("uuid 11111111-2222-3333-4444-aaaaaaaaaaaa", "4us") ", " MAX("bios 1.2",
									   "3us") ", " PRODUCT,
	  "limit of 4.00 us" },
	{ MAX("bios 1.20", "3us") ", " MAX("product Box", "1us"),
	  "no section of the policy is for" },
};

TEST_F(start, tree_remove, test_sections)
{
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		struct summary s = summarize(&(struct run){ 0 });
		struct policy *p;
		char text[400];

		snprintf(text, sizeof(text), "{%s}", scopes[i].text);
		tree_write("p", text);
		p = read_policy();
		assert_non_null(p);
		policy_judge(p, &s);
		if (!strstr(summary_reason(&s), scopes[i].reason))
			fail_msg("no `%s` in `%s`", scopes[i].reason, summary_reason(&s));
		assert_int_equal(summary_outcome(&s),
				 strstr(scopes[i].reason, "limit") ? VERDICT_FAIL : VERDICT_NONE);
		policy_free(p);
	}
}
