/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services by their files, in a tree of plain files behind which this program plays the kernel:
 * what is called, what is not and why, and what becomes of a call that does not return; and
 * `noisefloor measure services=` on it, from its arguments to its file.
 */
#include "host/lib/monotonic.h"
#include "host/measure/linux.h"
#include "host/subcommands.h"

#include "arch/arch.h"

#include "tests/unit/command.h"
#include "tests/unit/common/test.h"
#include "tests/unit/host/measure/all_cores.h"
#include "tests/unit/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/rtc.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define EFIVARS "sys/firmware/efi/efivars/"
#define GUID    "-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MS      UINT64_C(1000000)

/* ---- The kernel ---- */

static struct {
	bool mounted, other_user;
	uint64_t blocks;
	const char *refuses; /* to open a file whose name ends so, with: */
	int refusal;
	int error;                           /* errno of each call; 0: it succeeds */
	unsigned interrupted;                /* number of calls that return EINTR first */
	bool hangs;                          /* until a signal comes */
	unsigned hangs_after, signals_after; /* reads of a variable before that; 0: never */
	unsigned clocks, reads, values, queries;
	uint64_t port;
	char opened[TREE_PATH_MAX];
} kernel;

static bool ends_with(const char *name, const char *end)
{
	size_t a = strlen(name), b = strlen(end);

	return a >= b && strcmp(name + a - b, end) == 0;
}

/* The machine's own files, which the command reads, are played too, where the tree has them. */
int open(const char *name, int flags, ...)
{
	const char *at = strncmp(name, tree, strlen(tree)) == 0 ? name + strlen(tree) : name;
	const char *full = tree_path(at + strspn(at, "/"));
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (!*tree || access(full, F_OK) != 0)
		return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
	if (kernel.refuses && ends_with(name, kernel.refuses)) {
		errno = kernel.refusal;
		return -1;
	}
	snprintf(kernel.opened, sizeof(kernel.opened), "%s", at + strspn(at, "/"));
	return (int)syscall(SYS_openat, AT_FDCWD, full, flags, mode);
}

static int answer(void)
{
	errno = kernel.error;
	if (kernel.interrupted) {
		kernel.interrupted--;
		errno = EINTR;
	}
	if (kernel.hangs) {
		pause();
		errno = EINTR;
	}
	return errno ? -1 : 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	assert_true(fd >= 0 && request == RTC_RD_TIME);
	kernel.clocks++;
	return answer();
}

/* A byte of a port, or all of a variable; other files are the tree's. */
ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	assert_true(fd >= 0);
	if (bytes == 1) {
		kernel.reads++;
		kernel.port = (uint64_t)at;
		return answer() ? -1 : 1;
	}
	if (bytes <= LINUX_SERVICES_VALUE)
		return syscall(SYS_pread64, fd, to, bytes, at);
	kernel.values++;
	if (kernel.signals_after && kernel.values > kernel.signals_after)
		raise(SIGTERM);
	while (kernel.hangs_after && kernel.values > kernel.hangs_after)
		pause();
	return answer() ? -1 : 5;
}

int fstatfs(int fd, struct statfs *fs)
{
	assert_true(fd >= 0);
	kernel.queries++;
	*fs = (struct statfs){ .f_type = kernel.mounted ? EFIVARFS_MAGIC : TMPFS_MAGIC,
			       .f_blocks = kernel.blocks };
	return answer();
}

uid_t getuid(void)
{
	return kernel.other_user;
}

/* ---- A machine ---- */

static struct service_room room;
static struct linux_services services;
static const char *why;

static void never(void *ctx)
{
	(void)ctx;
	fail();
}

static void lay(void)
{
	tree_make();
	memset(&kernel, 0, sizeof(kernel));
	linux_services_call_s = 1;
	kernel.mounted = true;
	kernel.blocks = 262144;
	tree_write("sys/class/rtc/rtc0/name", "rtc_cmos rtc_cmos\n");
	tree_write("sys/class/rtc/rtc1/name", "rtc-efi rtc-efi.0\n");
	tree_write("dev/rtc0", "");
	tree_write("dev/rtc1", "");
	tree_write("dev/port", "");
	tree_write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	/* Each variable has four bytes of attributes before its value. */
	tree_write(EFIVARS "Middle" GUID, "....12345");
	tree_write(EFIVARS "Small" GUID, "....1");
	tree_write(EFIVARS "Large" GUID, "....123456789");
	tree_write(EFIVARS "Empty" GUID, "....");
	tree_write("proc/ioports", "0060-0060 : keyboard\n0600-067f : 0000:00:1f.0\n"
				   "  0604-0605 : ACPI PM1a_CNT_BLK\n  0608-060b : ACPI PM_TMR\n");
	assert_true(linux_services_open(&services, tree, &room, never, NULL));
	start();
}

static void end(void)
{
	teardown();
	linux_services_close(&services);
	tree_remove();
}

static const char *open_it(enum config_service service)
{
	why = room.open(room.ctx, service);
	return why;
}

/* Open it, call it once, close it. */
static struct service_call call_it(enum config_service service)
{
	struct service_call call = { .status = UINT64_MAX };

	if (open_it(service))
		fail_msg("%s: %s", config_service_name(service), why);
	room.call(room.ctx, service, &call);
	room.close(room.ctx, service);
	assert_true(call.start && call.end >= call.start);
	return call;
}

static void assert_why(enum config_service service, const char *part)
{
	if (!open_it(service))
		fail_msg("%s is called", config_service_name(service));
	if (!strstr(why, part))
		fail_msg("%s: no `%s` in `%s`", config_service_name(service), part, why);
	assert_int_equal(services.fd, -1);
}

/* ---- Tests ---- */

/* One call is tried first: a service that always fails is not called. */
TEST_F(lay, end, test_calls)
{
	assert_int_equal(call_it(SERVICE_GET_TIME).status, 0);
	assert_string_equal(kernel.opened, "dev/rtc1");
	assert_int_equal(kernel.clocks, 2);
	assert_int_equal(call_it(SERVICE_RTC).status, 0);
	assert_string_equal(kernel.opened, "dev/rtc0");
	assert_int_equal(call_it(SERVICE_GET_VARIABLE_SMALL).status, 0);
	assert_string_equal(kernel.opened, EFIVARS "Small" GUID);
	assert_int_equal(kernel.values, 2);
	assert_int_equal(call_it(SERVICE_GET_VARIABLE_LARGE).status, 0);
	assert_string_equal(kernel.opened, EFIVARS "Large" GUID);
	kernel.queries = 0;
	assert_int_equal(call_it(SERVICE_QUERY_VARIABLES).status, 0);
	assert_int_equal(kernel.queries, 2);
}

TEST_F(lay, end, test_ports)
{
	if (!ISA_PORTS)
		skip();
	assert_int_equal(call_it(SERVICE_KEYBOARD).status, 0);
	assert_int_equal(kernel.port, 0x64);
	assert_int_equal(call_it(SERVICE_PORT_80).status, 0);
	assert_int_equal(kernel.port, 0x80);
	assert_int_equal(call_it(SERVICE_PM_TIMER).status, 0);
	assert_int_equal(kernel.port, 0x608);
	assert_int_equal(kernel.reads, 6);
	tree_write("proc/ioports", "  0608-060b : ACPI PM_TMR 2\n0000- : ACPI PM_TMR\n0000-0000\n");
	assert_why(SERVICE_PM_TIMER, "has no ACPI PM_TMR");
	tree_drop(tree_path("proc/ioports"));
	assert_why(SERVICE_PM_TIMER, "has no ACPI PM_TMR");
}

TEST_F(lay, end, test_ports_are_refused)
{
	if (!ISA_PORTS)
		skip();
	kernel.refuses = "dev/port";
	kernel.refusal = EPERM;
	assert_why(SERVICE_PORT_80, "CAP_SYS_RAWIO is required");
	tree_write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_why(SERVICE_PORT_80, "Linux is locked down");
	kernel.refusal = ENOENT;
	assert_why(SERVICE_PORT_80, "No such file");
}

/* Only rtc-efi's clock is firmware's, and only rtc_cmos's is the RTC's. */
TEST_F(lay, end, test_no_clock)
{
	kernel.refuses = "dev/rtc1";
	kernel.refusal = EBUSY;
	assert_why(SERVICE_GET_TIME, "/dev/rtc1: Device or resource busy");
	kernel.refuses = NULL;
	kernel.error = EINVAL;
	assert_why(SERVICE_GET_TIME, "/dev/rtc1: Invalid argument");
	tree_write("sys/class/rtc/rtc1/name", "rtc-efi-like x\n");
	assert_why(SERVICE_GET_TIME, "no clock in /sys/class/rtc is of rtc-efi");
	tree_drop(tree_path("sys/class"));
	assert_why(SERVICE_RTC, "no clock in /sys/class/rtc is of rtc_cmos");
	assert_int_equal(kernel.clocks, 1);
}

TEST_F(lay, end, test_no_variables)
{
	static const enum config_service of[] = { SERVICE_GET_VARIABLE_SMALL,
						  SERVICE_GET_VARIABLE_LARGE,
						  SERVICE_QUERY_VARIABLES };

	for (unsigned i = 0; i < 3; i++) {
		kernel.mounted = false;
		assert_why(of[i], "efivarfs is not mounted");
		kernel.mounted = true;
	}
	tree_drop(tree_path("sys/firmware/efi"));
	for (unsigned i = 0; i < 3; i++)
		assert_why(of[i], "not booted by UEFI");
	tree_write(EFIVARS "Empty" GUID, "....");
	assert_why(SERVICE_GET_VARIABLE_SMALL, "no variable that can be read");
	kernel.other_user = true;
	assert_why(SERVICE_GET_VARIABLE_SMALL, "any user but root");
	assert_int_equal(kernel.values, 0);
}

/* Before Linux 6.5 statfs does not call firmware; later it is asked no more often than that. */
TEST_F(lay, end, test_query)
{
	kernel.blocks = 0;
	assert_why(SERVICE_QUERY_VARIABLES, "statfs of efivarfs has no sizes");
	kernel.blocks = 1;
	assert_null(open_it(SERVICE_QUERY_VARIABLES));
	assert_true(4 * room.apart_ns > 2000 * MS);
	room.close(room.ctx, SERVICE_QUERY_VARIABLES);
	call_it(SERVICE_RTC);
	assert_int_equal(room.apart_ns, 0);
}

/* An error of the firmware shows only in the sizes. */
TEST_F(lay, end, test_errors)
{
	struct service_call call = { .status = 0 };

	assert_null(open_it(SERVICE_QUERY_VARIABLES));
	kernel.blocks = 0;
	room.call(room.ctx, SERVICE_QUERY_VARIABLES, &call);
	assert_int_equal(call.status, EIO);
	room.close(room.ctx, SERVICE_QUERY_VARIABLES);
	assert_null(open_it(SERVICE_GET_VARIABLE_SMALL));
	kernel.error = EIO;
	room.call(room.ctx, SERVICE_GET_VARIABLE_SMALL, &call);
	assert_int_equal(call.status, EIO);
	assert_null(call.fault);
	room.close(room.ctx, SERVICE_GET_VARIABLE_SMALL);
}

/* Each service has its own reason. */
TEST_F(lay, end, test_never)
{
	static const enum config_service of[] = {
		SERVICE_GET_VARIABLE_ABSENT,
		SERVICE_NEXT_VARIABLE,
		SERVICE_QUERY_CAPSULE,
		SERVICE_HPET,
		SERVICE_PCI_CF8,
		SERVICE_PCI_ECAM,
		SERVICE_PSCI_VERSION,
		SERVICE_SMCCC_VERSION,
		SERVICE_TRNG,
		SERVICE_SET_VARIABLE,
		SERVICE_SMI,
	};

	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		assert_why(of[i], " ");
	assert_int_equal(kernel.clocks + kernel.reads + kernel.values + kernel.queries, 0);
}

/* The signal that ends the run came in between: that is no error of the service. */
TEST_F(lay, end, test_signal_in_a_call)
{
	struct service_call call = { .status = 0 };

	assert_null(open_it(SERVICE_RTC));
	kernel.interrupted = 2;
	room.call(room.ctx, SERVICE_RTC, &call);
	assert_int_equal(call.status, 0);
	assert_null(call.fault);
	assert_int_equal(kernel.clocks, 4);
	room.close(room.ctx, SERVICE_RTC);
}

TEST_F(lay, end, test_call_is_interrupted)
{
	struct service_call call = { .status = 0 };

	assert_null(open_it(SERVICE_RTC));
	services.guard.limit_ns = 50 * MS;
	kernel.hangs = true;
	room.call(room.ctx, SERVICE_RTC, &call);
	assert_non_null(call.fault);
	assert_int_equal(call.status, EINTR);
	room.close(room.ctx, SERVICE_RTC);
	assert_why(SERVICE_RTC, "was interrupted");
	/* The next one is guarded by itself. */
	kernel.hangs = false;
	assert_int_equal(call_it(SERVICE_RTC).status, 0);
	assert_null(call_it(SERVICE_RTC).fault);
}

TEST_F(lay, end, test_an_hour_is_enough)
{
	assert_null(linux_services_over(&services));
	services.began_ns -= LINUX_SERVICES_RUN_S * NS_PER_S;
	assert_non_null(linux_services_over(&services));
}

/* ---- The guard ---- */

static void slow_words(void *ctx)
{
	(void)ctx;
	usleep(300000);
	_exit(3);
}

/* Play a call that returns after it was given up: its thread does nothing more. */
static void come_back(void)
{
	struct linux_guard guard;

	if (!linux_guard_open(&guard, 50 * MS, slow_words, NULL))
		_exit(98);
	linux_guard_begin(&guard);
	while (atomic_load(&guard.state) != LINUX_GUARD_GIVEN_UP)
		usleep(1000);
	linux_guard_end(&guard);
	_exit(97);
}

TEST(test_call_that_returns_too_late)
{
	int status;
	pid_t child;

	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		come_back();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
}

/* ---- The command, in a process that begins with the kernel as the test has set it ---- */

#define FILE_OF_RUN 1

static int measure(const char *services_of)
{
	int code = RUN(&measure_subcommand, "measure", services_of, "service_calls=2",
		       "threshold=5us", "max=1h", "-o", path[FILE_OF_RUN]);

	load(path[FILE_OF_RUN], out);
	return code;
}

TEST_F(lay, end, test_command)
{
	assert_int_equal(measure("services=get_variable_small,query_variables"), 0);
	assert_in(out, "\"service\":\"get_variable_small\",\"why\":null");
	assert_in(out, "\"service\":\"query_variables\",\"why\":null");
	assert_in(out, "\"calls\":2,\"failed\":0,\"status\":null");
	assert_in(out, "\"controls\":18");
	assert_in(out, "\"verdict\":\"pass\"");
	assert_int_equal(RUN(&show_subcommand, "show", path[FILE_OF_RUN]), 0);
	assert_in(out, "get_variable_small        2      0");
	/*
	 * One service is never called by Linux: it may be missing from `all`, but not if it is
	 * named.
	 */
	assert_int_equal(measure("services=all"), 0);
	assert_in(out, "\"service\":\"next_variable\",\"why\":\"Linux asks");
	assert_in(out, "\"verdict\":\"pass\"");
	assert_int_equal(measure("services=next_variable"), 3);
	assert_in(out, "mode=services");
	assert_in(out, "the length of a call is that of a system call");
	assert_in(out, "\"verdict\":\"incomplete\",\"reasons\":[\"next_variable: Linux asks");
	kernel.signals_after = 1;
	assert_int_equal(measure("services=get_variable_small,query_variables"), 3);
	assert_in(out, "SIGTERM ended the run");
	assert_not_in(out, "query_variables\",\"why\"");
}

/* The file has everything that is known. */
TEST_F(lay, end, test_command_gives_up)
{
	kernel.hangs_after = 2;
	assert_int_equal(measure("services=query_variables,get_variable_small"), 3);
	assert_in(out, "get_variable_small: a call has not returned for 2 s and cannot be "
		       "interrupted");
	assert_in(out, "\"type\":\"end\"");
	assert_in(out, "\"verdict\":\"incomplete\"");
	assert_in(out, "a call of get_variable_small did not return");
	assert_int_equal(RUN(&show_subcommand, "show", path[FILE_OF_RUN]), 3);
	assert_not_in(err, "lost");
}

TEST_GROUP(make_folder_and_input, remove_folder);
