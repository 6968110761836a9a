/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hwlat and osnoise by their files, in a tree of plain files behind which this program acts
 * out the kernel: what it refuses, what it keeps between runs, what its tracers write.
 * Whatever goes wrong, and at whichever write: all is as it was found.
 */
#include "host/linux/linux_tracers.h"
#include "host/lib/exit.h"
#include "host/tools/tool.h"
#include "host/lib/signals.h"
#include "host/linux/system_file.h"
#include "host/linux/tracefs.h"

#include "tests/unit/common/test.h"
#include "tests/unit/tree.h"

#include "core/lib/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#define MS       UINT64_C(1000000)
#define TEXT_MAX 65536

/* ---- The kernel ---- */

static struct {
	bool no_instances, quiet, silent;
	unsigned writes, writes_at_work;
	unsigned fault_at; /* the n-th write fails; 0: none */
	int fault;
	bool lasting; /* and from then on all writes to that file */
	char faulty[160];
	unsigned signal_at; /* at the n-th write comes: */
	int signal;
	const char *busy_at; /* setting this tracer is EBUSY: another was quicker */
	char last_thresh[80], hwlat_thresh[80]; /* trace_hwlat.c: kept between runs */
	char at_work[2][TEXT_MAX];              /* the tree while a tracer ran */
	char osnoise_thresh[80]; /* as it stood when the workload started: trace_osnoise.c */
	unsigned runs;
} kernel;

static void copy_text(char *to, size_t cap, const char *from)
{
	snprintf(to, cap, "%s", from);
}

bool system_path(char path[SYSTEM_PATH_MAX], const char *root, const char *name)
{
	int n = snprintf(path, SYSTEM_PATH_MAX, "%s/%s", root, name);

	return n > 0 && n < SYSTEM_PATH_MAX;
}

static int slurp(const char *path, char *text, size_t cap)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	text[0] = '\0';
	if (!f)
		return errno;
	n = fread(text, 1, cap - 1, f);
	if (ferror(f)) {
		fclose(f);
		return EIO;
	}
	fclose(f);
	while (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return 0;
}

int system_read(const char *root, const char *name, char *text, size_t cap)
{
	char path[SYSTEM_PATH_MAX];

	return system_path(path, root, name) ? slurp(path, text, cap) : ENAMETOOLONG;
}

static void replace(const char *root, const char *name, const char *text)
{
	char path[SYSTEM_PATH_MAX];
	FILE *f;

	assert_true(system_path(path, root, name));
	f = fopen(path, "wb");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static long number(const char *root, const char *name, long missing)
{
	char text[80];

	return system_read(root, name, text, sizeof(text)) ? missing : strtol(text, NULL, 10);
}

static bool ends_with(const char *name, const char *end)
{
	size_t a = strlen(name), b = strlen(end);

	return a >= b && strcmp(name + a - b, end) == 0;
}

/* Append "name:text" of each file in the folder, all but traces, and of what is below. */
static void add_folder(const char *folder, struct text *t)
{
	char path[SYSTEM_PATH_MAX], name[SYSTEM_PATH_MAX], value[1400];
	struct dirent **entry;
	int n;

	assert_true(system_path(path, tree, folder));
	n = scandir(path, &entry, NULL, alphasort);
	assert_true(n >= 0);
	text_add(t, "%s:\n", folder);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, entry[i]->d_name);
		if (entry[i]->d_type == DT_REG && strcmp(entry[i]->d_name, "trace") != 0) {
			assert_int_equal(system_read(tree, name, value, sizeof(value)), 0);
			text_add(t, "%s:%s\n", name, value);
		}
		if (entry[i]->d_type == DT_DIR && entry[i]->d_name[0] != '.')
			add_folder(name, t);
		free(entry[i]);
	}
	free(entry);
}

static void snapshot(char text[TEXT_MAX])
{
	struct text t;

	text_init(&t, text, TEXT_MAX);
	add_folder(".", &t);
	assert_false(t.overflow);
}

/* "none [round-robin] per-cpu" */
static int write_mode(const char *root, const char *name, const char *value)
{
	static const char *const modes[] = { "none", "round-robin", "per-cpu" };
	char text[80] = "";
	bool found = false;

	for (unsigned i = 0; i < 3; i++) {
		bool chosen = strcmp(modes[i], value) == 0;

		found = found || chosen;
		sprintf(text + strlen(text), "%s%s%s%s", i ? " " : "", chosen ? "[" : "", modes[i],
			chosen ? "]" : "");
	}
	if (!found)
		return EINVAL;
	replace(root, name, text);
	return 0;
}

/* A word turns its opposite. */
static int write_options(const char *root, const char *name, const char *value)
{
	char text[400], other[80], *at;
	char result[400];

	system_read(root, name, text, sizeof(text));
	snprintf(other, sizeof(other), "%s%s", strncmp(value, "NO_", 3) ? "NO_" : "",
		 strncmp(value, "NO_", 3) ? value : value + 3);
	at = strstr(text, other);
	if (!at || (at != text && at[-1] != ' '))
		return EINVAL;
	snprintf(result, sizeof(result), "%.*s%s%s", (int)(at - text), text, value,
		 at + strlen(other));
	replace(root, name, result);
	return 0;
}

static bool is_listed(const char *root, const char *tracer)
{
	char text[400], padded[420], wanted[100];

	system_read(root, "available_tracers", text, sizeof(text));
	snprintf(padded, sizeof(padded), " %s ", text);
	snprintf(wanted, sizeof(wanted), " %s ", tracer);
	return strstr(padded, wanted);
}

static void set_thresh(const char *root, const char *value)
{
	char text[80];

	if (system_read(root, "tracing_thresh", text, sizeof(text)) == 0)
		replace(root, "tracing_thresh", value);
}

static int write_tracer(const char *root, const char *name, const char *value)
{
	char now[80], thresh[80];
	bool was, will = strcmp(value, "hwlat") == 0;

	if (!is_listed(root, value))
		return EINVAL;
	if (kernel.busy_at && strcmp(kernel.busy_at, value) == 0)
		return EBUSY;
	system_read(root, name, now, sizeof(now));
	was = strcmp(now, "hwlat") == 0;
	system_read(root, "tracing_thresh", thresh, sizeof(thresh));
	if (strcmp(value, "osnoise") == 0)
		copy_text(kernel.osnoise_thresh, sizeof(kernel.osnoise_thresh), thresh);
	if (will && !was) {
		copy_text(kernel.last_thresh, sizeof(kernel.last_thresh), thresh);
		set_thresh(root, kernel.hwlat_thresh);
	} else if (was && !will) {
		copy_text(kernel.hwlat_thresh, sizeof(kernel.hwlat_thresh), thresh);
		set_thresh(root, kernel.last_thresh);
	}
	replace(root, name, value);
	return 0;
}

static const char hwlat_text[] =
	"# tracer: hwlat\n#\n"
	"           <...>-112     [000] dn.....    10.508794: #1     inner/outer(us):  184/0  "
	"ts:1795176649.431965600 count:1\n";
static const char osnoise_text[] =
	"# tracer: osnoise\n#\n"
	"           <...>-120     [000] .......    19.990330: 1000000      27888  97.21120    "
	"4751    375      0    251      0     29\n"
	"           <...>-121     [001] .......    19.994112: 1000000      26149  97.38510    "
	"1549    425      0    255      0     33\n";

static void trace(const char *root, const char *name)
{
	char tracer[80], file[200], *slash;
	bool hwlat;

	copy_text(file, sizeof(file), name);
	slash = strrchr(file, '/');
	copy_text(slash ? slash + 1 : file, 40, "current_tracer");
	system_read(root, file, tracer, sizeof(tracer));
	if (strcmp(tracer, "nop") == 0)
		return;
	hwlat = strcmp(tracer, "hwlat") == 0;
	copy_text(slash ? slash + 1 : file, 40, "trace");
	if (!kernel.silent)
		replace(root, file,
			kernel.quiet ? (hwlat ? "# tracer: hwlat\n#" : "# tracer: osnoise\n#")
			: hwlat      ? hwlat_text
				     : osnoise_text);
	kernel.writes_at_work = kernel.writes;
	if (kernel.runs < 2) /* more where a tracer could not be taken away */
		snapshot(kernel.at_work[kernel.runs++]);
}

/* Files with a mind of their own. */
static int refuse(const char *root, const char *name, const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	/* Where a number is wanted nothing may follow it. */
	if (*end && (ends_with(name, "buffer_size_kb") || ends_with(name, "/enable")))
		return EINVAL;
	if (strcmp(name, "hwlat_detector/width") == 0)
		return n < number(root, "hwlat_detector/window", LONG_MAX) ? 0 : EINVAL;
	if (strcmp(name, "hwlat_detector/window") == 0)
		return n > number(root, "hwlat_detector/width", -1) ? 0 : EINVAL;
	if (strcmp(name, "osnoise/runtime_us") == 0)
		return n <= number(root, "osnoise/period_us", LONG_MAX) ? 0 : EINVAL;
	if (strcmp(name, "osnoise/period_us") == 0)
		return n >= number(root, "osnoise/runtime_us", -1) ? 0 : EINVAL;
	return 0;
}

int system_write(const char *root, const char *name, const char *value)
{
	char path[SYSTEM_PATH_MAX], now[1400], kept[1400];
	int error;

	kernel.writes++;
	if (kernel.writes == kernel.signal_at)
		raise(kernel.signal);
	if (kernel.writes == kernel.fault_at && kernel.lasting)
		copy_text(kernel.faulty, sizeof(kernel.faulty), name);
	if (kernel.writes == kernel.fault_at || strcmp(kernel.faulty, name) == 0)
		return kernel.fault;
	assert_true(system_path(path, root, name));
	if (access(path, W_OK) != 0)
		return errno;
	if (strcmp(name, "hwlat_detector/mode") == 0)
		return write_mode(root, name, value);
	if (strcmp(name, "osnoise/options") == 0)
		return write_options(root, name, value);
	if (ends_with(name, "current_tracer"))
		return write_tracer(root, name, value);
	error = refuse(root, name, value);
	if (error)
		return error;
	system_read(root, name, now, sizeof(now));
	/* A trigger's hold on an event is not ended by a number. */
	snprintf(kept, sizeof(kept), "%s%s", value, strchr(now, '*') ? "*" : "");
	replace(root, name, kept);
	if (ends_with(name, "tracing_on") && strcmp(value, "1") == 0)
		trace(root, name);
	return 0;
}

static const char *const events[] = { "sample_threshold", "nmi_noise", "irq_noise", "softirq_noise",
				      "thread_noise" };

/* The files of a buffer. */
static void lay_buffer(const char *folder)
{
	static const char *const files[][2] = { { "current_tracer", "nop\n" },
						{ "tracing_on", "1\n" },
						{ "trace", "# tracer: nop\n" },
						{ "tracing_cpumask", "3\n" },
						{ "buffer_size_kb", "7 (expanded: 1408)\n" } };
	char name[160];

	for (unsigned i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%s%s", folder, files[i][0]);
		tree_write(name, files[i][1]);
	}
	for (unsigned i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%sevents/osnoise/%s/enable", folder, events[i]);
		tree_write(name, "0\n");
	}
}

int system_make(const char *root, const char *name)
{
	char path[SYSTEM_PATH_MAX], folder[160];

	if (kernel.no_instances)
		return EPERM;
	assert_true(system_path(path, root, name));
	if (mkdir(path, 0700) != 0)
		return errno;
	snprintf(folder, sizeof(folder), "%s/", name);
	lay_buffer(folder);
	return 0;
}

int system_remove(const char *root, const char *name)
{
	char path[SYSTEM_PATH_MAX];

	assert_true(system_path(path, root, name));
	return tree_drop(path) == 0 ? 0 : errno;
}

/* ---- A run ---- */

static struct config config;
static struct config options;
static struct linux_tracers tracers;
static char before[TEXT_MAX], after[TEXT_MAX], output[TEXT_MAX], errors[TEXT_MAX];

static int lay(void **state)
{
	if (tree_make(state) != 0)
		return -1;
	memset(&kernel, 0, sizeof(kernel));
	strcpy(kernel.hwlat_thresh, "10");
	tree_write("available_tracers", "osnoise hwlat blk function nop\n");
	tree_write("tracing_thresh", "0\n");
	tree_write("hwlat_detector/mode", "none [round-robin] per-cpu\n");
	tree_write("hwlat_detector/window", "1000000\n");
	tree_write("hwlat_detector/width", "500000\n");
	tree_write("osnoise/cpus", "0-1\n");
	tree_write("osnoise/period_us", "1000000\n");
	tree_write("osnoise/runtime_us", "1000000\n");
	tree_write("osnoise/stop_tracing_us", "0\n");
	tree_write("osnoise/stop_tracing_total_us", "0\n");
	tree_write("osnoise/options", "NO_DEFAULTS OSNOISE_WORKLOAD NO_PANIC_ON_STOP "
				      "NO_OSNOISE_PREEMPT_DISABLE NO_OSNOISE_IRQ_DISABLE\n");
	lay_buffer("");
	mkdir(tree_path("instances"), 0700);
	config_defaults(&config);
	config.duration_ns = 4 * MS;
	assert_true(cpulist_parse(&config.cpus, "0-1", 3));
	options = config;
	options.tracers = 3;
	options.tracers_auto = true;
	return 0;
}

/* As somebody else may have left it. */
static void lay_oddly(void)
{
	strcpy(kernel.hwlat_thresh, "77");
	tree_write("tracing_thresh", "33\n");
	tree_write("hwlat_detector/mode", "[none] round-robin per-cpu\n");
	tree_write("hwlat_detector/window", "90\n");
	tree_write("hwlat_detector/width", "80\n");
	tree_write("osnoise/cpus", "1\n");
	tree_write("osnoise/period_us", "10000000\n");
	tree_write("osnoise/runtime_us", "9000000\n");
	tree_write("osnoise/stop_tracing_us", "5\n");
	tree_write("osnoise/stop_tracing_total_us", "6\n");
	tree_write("osnoise/options", "NO_DEFAULTS NO_OSNOISE_WORKLOAD PANIC_ON_STOP "
				      "OSNOISE_PREEMPT_DISABLE OSNOISE_IRQ_DISABLE\n");
	tree_write("tracing_cpumask", "1\n");
	tree_write("tracing_on", "0\n");
	tree_write("events/osnoise/irq_noise/enable", "1\n");
	tree_write("events/osnoise/nmi_noise/enable", "0*\n"); /* a trigger holds it */
}

static int stderr_before;

static const char *errors_path(void)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s.err", tree);
	return path;
}

static void hold_stderr(void)
{
	int fd = open(errors_path(), O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	fflush(stderr);
	stderr_before = dup(2);
	dup2(fd, 2);
	close(fd);
}

static void release_stderr(void)
{
	fflush(stderr);
	dup2(stderr_before, 2);
	close(stderr_before);
	slurp(errors_path(), errors, sizeof(errors));
	unlink(errors_path());
}

static bool find(void)
{
	bool good;

	hold_stderr();
	good = linux_tracers_find(&tracers, &options, tree);
	release_stderr();
	return good;
}

/* The exit code; what was written is in `output`. */
static int run_tracers(void)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes), *people = fopen("/dev/null", "w");
	int code;

	snapshot(before);
	signals_watch(NULL);
	hold_stderr();
	code = linux_tracers_run(&tracers, &config, out, people);
	release_stderr();
	fclose(out);
	fclose(people);
	copy_text(output, sizeof(output), text);
	free(text);
	snapshot(after);
	return code;
}

static int find_and_run(void)
{
	assert_true(find());
	return run_tracers();
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no `%s` in\n%s", part, text);
}

/* ---- Tests ---- */

static void assert_at_work(unsigned n, const char *name, const char *value)
{
	char line[300];

	snprintf(line, sizeof(line), "./%s:%s\n", name, value);
	assert_has(kernel.at_work[n], line);
}

static void assert_settings(const char *buffer)
{
	char name[200];

	assert_at_work(0, "hwlat_detector/mode", "none round-robin [per-cpu]");
	assert_at_work(0, "hwlat_detector/window", "4000");
	assert_at_work(0, "hwlat_detector/width", "2000");
	assert_at_work(0, "tracing_thresh", "1");
	assert_at_work(1, "tracing_thresh", "1");
	assert_string_equal(kernel.osnoise_thresh, "1");
	assert_at_work(1, "osnoise/period_us", "4000");
	assert_at_work(1, "osnoise/runtime_us", "4000");
	assert_at_work(1, "osnoise/cpus", "0-1");
	assert_at_work(1, "osnoise/stop_tracing_us", "0");
	assert_at_work(1, "osnoise/options",
		       "NO_DEFAULTS OSNOISE_WORKLOAD NO_PANIC_ON_STOP NO_OSNOISE_PREEMPT_DISABLE "
		       "NO_OSNOISE_IRQ_DISABLE");
	snprintf(name, sizeof(name), "%scurrent_tracer", buffer);
	assert_at_work(0, name, "hwlat");
	assert_at_work(1, name, "osnoise");
	snprintf(name, sizeof(name), "%sevents/osnoise/irq_noise/enable", buffer);
	assert_at_work(1, name, "1");
	snprintf(name, sizeof(name), "%stracing_cpumask", buffer);
	assert_at_work(0, name, "3");
}

static void no_complaint(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx;
	fail_msg("%s:%llu: %s", file, (unsigned long long)line, text);
}

/* As compare reads it. */
static void read_output(struct tool_list *tools)
{
	const struct tool_text file = { "inos", output, strlen(output) };

	tool_read_text(tools, &file, no_complaint, NULL);
}

static void assert_readable(void)
{
	struct tool_list tools = { 0 };
	const struct tool *hwlat, *osnoise;

	read_output(&tools);
	assert_false(tools.failed);
	assert_int_equal(tools.count, 2);
	hwlat = &tools.at[0];
	osnoise = &tools.at[1];
	assert_string_equal(hwlat->tool, "hwlat");
	/* tracing_thresh 1 is compared with `>`, in whole us. */
	assert_int_equal(hwlat->threshold_ns.low, 2000);
	assert_int_equal(hwlat->threshold_from, TOOL_STATED);
	assert_int_equal(hwlat->cores, 2);
	assert_int_equal(hwlat->core[0].events.low, 1);
	assert_int_equal(hwlat->core[1].events.high, 0);
	assert_int_equal(hwlat->core[1].exposure_from, TOOL_STATED);
	assert_true(hwlat->core[1].exposure_ns.low >= 2 * MS);
	assert_int_equal(hwlat->core[1].exposure_ns.low % (2 * MS), 0);
	assert_string_equal(osnoise->tool, "osnoise");
	assert_int_equal(osnoise->threshold_from, TOOL_STATED);
	assert_int_equal(osnoise->threshold_ns.low, 1000);
	assert_int_equal(osnoise->core[1].exposure_ns.low, 1000 * MS);
	tool_free(&tools);
}

TEST_F(lay, tree_remove, test_run)
{
	char instance[100];

	snprintf(instance, sizeof(instance), "instances/noisefloor-%ld/", (long)getpid());
	for (int odd = 0; odd < 2; odd++) {
		kernel.runs = 0;
		if (odd)
			lay_oddly();
		assert_int_equal(find_and_run(), EXIT_PASS);
		assert_string_equal(errors, "");
		assert_int_equal(kernel.runs, 2);
		assert_settings(instance);
		assert_readable();
		assert_string_equal(before, after);
		assert_string_equal(kernel.hwlat_thresh, odd ? "77" : "10");
	}
}

TEST_F(lay, tree_remove, test_without_instances)
{
	kernel.no_instances = true;
	for (int odd = 0; odd < 2; odd++) {
		kernel.runs = 0;
		if (odd)
			lay_oddly();
		assert_int_equal(find_and_run(), EXIT_PASS);
		assert_settings("");
		assert_readable();
		assert_string_equal(before, after);
		assert_string_equal(kernel.hwlat_thresh, odd ? "77" : "10");
	}
	/* The one buffer is somebody's. */
	tree_write("current_tracer", "function\n");
	assert_int_equal(find_and_run(), EXIT_INCOMPLETE);
	assert_has(errors, "its own buffer is used by tracer function");
	assert_string_equal(output, "");
	assert_string_equal(before, after);
	/* Whatever its name is: 130 characters. */
	tree_write("current_tracer",
		   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");
	assert_int_equal(find_and_run(), EXIT_INCOMPLETE);
	assert_string_equal(before, after);
}

/* The n-th write fails, of all that `instances` or none make. */
static void fail_at(void **state, unsigned n, bool instances, bool lasting)
{
	tree_remove(state);
	lay(state);
	lay_oddly();
	kernel.no_instances = !instances;
	kernel.fault_at = n;
	kernel.fault = n % 2 ? EIO : EBUSY;
	kernel.lasting = lasting;
}

/*
 * What a file drags along that cannot be put back: Linux takes neither of a pair while
 * the other forbids it, and hwlat puts the threshold back when it is taken away.
 */
static bool drags_along(const char *file, const char *line)
{
	static const struct {
		const char *file, *other;
	} bound[] = {
		{ "hwlat_detector/width", "hwlat_detector/window" },
		{ "hwlat_detector/window", "hwlat_detector/width" },
		{ "osnoise/period_us", "osnoise/runtime_us" },
		{ "osnoise/runtime_us", "osnoise/period_us" },
		{ "current_tracer", "tracing_thresh" },
	};

	for (size_t i = 0; i < sizeof(bound) / sizeof(bound[0]); i++)
		if (ends_with(file, bound[i].file) && strstr(line, bound[i].other))
			return true;
	return false;
}

/* Lines of one and not the other, but for those of a file. */
static void assert_only_differs(const char *a, const char *b, const char *file)
{
	for (const char *line = a; *line; line = strchr(line, '\n') + 1) {
		char one[400];

		snprintf(one, sizeof(one), "%.*s", (int)strcspn(line, "\n") + 1, line);
		if (!strstr(one, file) && !strstr(b, one) && !drags_along(file, one))
			fail_msg("%s is not as it was", one);
	}
}

/* Each write fails once. It is reported, but where a retry was enough, and all is restored. */
TEST_F(lay, tree_remove, test_each_write_fails_once)
{
	for (int instances = 0; instances < 2; instances++) {
		unsigned writes, reported = 0;

		fail_at(state, 0, instances, false);
		assert_int_equal(find_and_run(), EXIT_PASS);
		writes = kernel.writes;
		assert_true(writes > 20);
		for (unsigned n = 1; n <= writes; n++) {
			fail_at(state, n, instances, false);
			if (find_and_run() != EXIT_PASS) {
				assert_has(errors, n % 2 ? "Input/output error"
							 : "Device or resource busy");
				reported++;
			}
			assert_string_equal(before, after);
			assert_null(strstr(errors, "put back"));
		}
		assert_true(reported > 10 && reported < writes);
	}
}

/* From some write on a file takes no more: that one is named, the rest is restored. */
TEST_F(lay, tree_remove, test_each_file_fails_for_good)
{
	for (int instances = 0; instances < 2; instances++) {
		unsigned writes, reported = 0;

		fail_at(state, 0, instances, false);
		assert_int_equal(find_and_run(), EXIT_PASS);
		writes = kernel.writes;
		for (unsigned n = 1; n <= writes; n++) {
			int code;

			fail_at(state, n, instances, true);
			code = find_and_run();
			assert_only_differs(before, after, kernel.faulty);
			assert_only_differs(after, before, kernel.faulty);
			if (!strstr(errors, "could not be put back"))
				continue;
			assert_int_equal(code, EXIT_ERROR);
			assert_has(errors, kernel.faulty);
			reported++;
		}
		assert_true(reported > 10 && reported < writes);
	}
}

/* A signal at each write: it ends at once, and all is put back. */
static void signal_at(void **state, unsigned n, enum config_tracer tracer)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	tree_remove(state);
	lay(state);
	lay_oddly();
	options.tracers = UINT32_C(1) << tracer;
	kernel.signal_at = n;
	kernel.signal = signals[n % 3];
}

TEST_F(lay, tree_remove, test_signal_at_each_write)
{
	for (unsigned t = 0; t < TRACERS; t++) {
		unsigned all, up_to_work;

		signal_at(state, 0, t);
		assert_int_equal(find_and_run(), EXIT_PASS);
		all = kernel.writes;
		up_to_work = kernel.writes_at_work;
		assert_true(up_to_work > 4 && up_to_work < all);
		for (unsigned n = 1; n <= all; n++) {
			signal_at(state, n, t);
			/* An hour that nobody waits for. */
			if (n <= up_to_work)
				config.duration_ns = 3600000 * MS;
			assert_int_equal(find_and_run(),
					 n <= up_to_work ? EXIT_INCOMPLETE : EXIT_PASS);
			assert_string_equal(errors, "");
			assert_string_equal(before, after);
			assert_has(output, n <= up_to_work ? "" : "# noisefloor: threshold=1us");
		}
	}
}

TEST_F(lay, tree_remove, test_signal_before)
{
	assert_true(find());
	snapshot(before);
	signals_watch(NULL);
	raise(SIGTERM);
	hold_stderr();
	assert_int_equal(linux_tracers_run(&tracers, &config, stdout, stdout), EXIT_INCOMPLETE);
	release_stderr();
	assert_has(errors, "hwlat: not run: SIGTERM came first");
	assert_int_equal(kernel.writes, 0);
}

/* Each file is missing once: an error, or a kernel that is older, and nothing is changed. */
TEST_F(lay, tree_remove, test_each_file_missing)
{
	static const char *const files[] = {
		"hwlat_detector/mode",
		"hwlat_detector/window",
		"hwlat_detector/width",
		"osnoise/cpus",
		"osnoise/period_us",
		"osnoise/runtime_us",
		"osnoise/stop_tracing_us",
		"osnoise/stop_tracing_total_us",
		"osnoise/options",
		"tracing_thresh",
		"tracing_cpumask",
		"tracing_on",
		"current_tracer",
		"trace",
		"events/osnoise/irq_noise/enable",
		"buffer_size_kb",
	};
	static const char *const optional[] = { "mode", "stop_tracing", "enable", "buffer",
						"options" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		bool may = false;
		int code;

		tree_remove(state);
		lay(state);
		lay_oddly();
		kernel.no_instances = true;
		unlink(tree_path(files[i]));
		code = find_and_run();
		assert_string_equal(before, after);
		for (size_t o = 0; o < 5; o++)
			may = may || strstr(files[i], optional[o]);
		assert_int_equal(code, may ? EXIT_PASS : EXIT_INCOMPLETE);
		if (!may)
			assert_has(errors, "No such file");
	}
}

/* Before Linux 5.14 it has no mode, and one thread goes round. */
TEST_F(lay, tree_remove, test_older_hwlat)
{
	struct tool_list tools = { 0 };

	unlink(tree_path("hwlat_detector/mode"));
	options.tracers = 1 << TRACER_HWLAT;
	config.duration_ns = 40 * MS;
	assert_int_equal(find_and_run(), EXIT_PASS);
	assert_has(output, "cpus=0-1 mode=round-robin window=40ms width=20ms");
	read_output(&tools);
	/* One window of 20 ms, on two cores. */
	assert_int_equal(tools.at[0].core[1].exposure_ns.low, 10 * MS);
	tool_free(&tools);
}

TEST_F(lay, tree_remove, test_lists_of_tracers)
{
	static const struct {
		const char *list;
		uint32_t run;
		const char *missing;
	} lists[] = {
		{ "hwlat osnoise nop", 3, "" },
		{ "osnoise\n", 2, "hwlat is not among" },
		{ "hwlat", 1, "osnoise is not among" },
		{ "", 0, "hwlat is not among" },
		{ "hwlatx xosnoise blk nop", 0, "osnoise is not among" },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		tree_write("available_tracers", lists[i].list);
		options.tracers = 3;
		options.tracers_auto = true;
		assert_true(find());
		assert_int_equal(tracers.run, lists[i].run);
		assert_int_equal(options.tracers, lists[i].run);
		assert_has(tracers.missing, lists[i].missing);
		assert_string_equal(errors, "");
		/* What was asked for by name must be there. */
		options.tracers = 3;
		options.tracers_auto = false;
		assert_true(find() == (lists[i].run == 3));
		assert_has(errors, lists[i].missing);
	}
	unlink(tree_path("available_tracers"));
	options.tracers = 3;
	assert_false(find());
	assert_has(errors, "available_tracers: No such file");
	options.tracers = 0;
	assert_true(find());
}

/* Another's tracer, wherever it is: nothing is touched. */
TEST_F(lay, tree_remove, test_in_use)
{
	static const char *const places[][2] = { { "current_tracer", "hwlat\n" },
						 { "instances/theirs/current_tracer", "osnoise" },
						 { "instances/theirs/current_tracer",
						   "timerlat" } };

	for (unsigned i = 0; i < 3; i++) {
		tree_write("current_tracer", "nop\n");
		tree_write(places[i][0], places[i][1]);
		options.tracers = 3;
		options.tracers_auto = true;
		assert_true(find());
		assert_int_equal(tracers.run, 0);
		assert_int_equal(run_tracers(), EXIT_PASS);
		assert_int_equal(kernel.writes, 0);
		assert_has(tracers.missing, " in ");
		options.tracers = 3;
		options.tracers_auto = false;
		assert_false(find());
	}
}

/* It was free when we looked. */
TEST_F(lay, tree_remove, test_another_was_quicker)
{
	lay_oddly();
	kernel.busy_at = "hwlat";
	assert_int_equal(find_and_run(), EXIT_INCOMPLETE);
	assert_has(errors, "hwlat: current_tracer=hwlat: Device or resource busy");
	assert_string_equal(before, after);
	/* The other one ran. */
	assert_int_equal(kernel.runs, 1);
	assert_has(output, "# tracer: osnoise");
	options.tracers_auto = false;
	options.tracers = 3;
	kernel.runs = 0;
	assert_int_equal(find_and_run(), EXIT_ERROR);
	assert_string_equal(before, after);
}

/* No gap is a finding of hwlat; no line at the end of a period is none of osnoise. */
TEST_F(lay, tree_remove, test_no_data)
{
	kernel.quiet = true;
	assert_int_equal(find_and_run(), EXIT_INCOMPLETE);
	assert_has(output, "# tracer: hwlat");
	assert_null(strstr(output, "osnoise"));
	assert_has(errors, "osnoise: it wrote nothing in ");
	assert_string_equal(before, after);
	kernel.silent = true;
	kernel.runs = 0;
	assert_int_equal(find_and_run(), EXIT_INCOMPLETE);
	assert_string_equal(output, "");
	assert_has(errors, "hwlat: it wrote nothing in ");
	assert_string_equal(before, after);
}

TEST_F(lay, tree_remove, test_unreadable_trace)
{
	kernel.no_instances = true;
	kernel.silent = true;
	unlink(tree_path("trace"));
	mkdir(tree_path("trace"), 0700);
	assert_int_equal(find_and_run(), EXIT_INCOMPLETE);
	assert_has(errors, "cannot be read");
	assert_string_equal(before, after);
}

/* Cores past 32 and 64, in the list and in the mask. */
TEST_F(lay, tree_remove, test_mask)
{
	assert_true(cpulist_parse(&config.cpus, "1,33,64-65", 10));
	assert_int_equal(find_and_run(), EXIT_PASS);
	assert_has(kernel.at_work[0], "tracing_cpumask:3,00000002,00000002\n");
	assert_has(kernel.at_work[1], "osnoise/cpus:1,33,64-65\n");
	assert_has(output, "cpus=1,33,64-65 ");
	assert_string_equal(before, after);
}
