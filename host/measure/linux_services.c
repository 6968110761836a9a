/* SPDX-License-Identifier: BSD-2-Clause */
/* Services by way of Linux, and a guard for calls that Linux may not come back from. */
#define _GNU_SOURCE /* calls of Linux that are not in POSIX */
#include "linux.h"

#include "host/lib/monotonic.h"
#include "host/lib/signals.h"

#include "arch/arch.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <linux/rtc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* ---- Guard: a timer per call, whose threads look at it when it expires ---- */

#define INTERRUPT SIGUSR1

static void linux_services_ignore(int number)
{
	(void)number;
}

/* Without SA_RESTART: a call that can be interrupted returns EINTR. */
static void catch_interrupt(void)
{
	const struct sigaction action = { .sa_handler = linux_services_ignore };

	sigaction(INTERRUPT, &action, NULL);
}

static void set_timer(const struct linux_guard *g, uint64_t ns)
{
	const struct timespec t = monotonic_timespec(ns);
	const struct itimerspec timer = { .it_value = t, .it_interval = t };

	timer_settime(g->timer, 0, &timer, NULL);
}

static bool change(struct linux_guard *g, unsigned from, unsigned to)
{
	return atomic_compare_exchange_strong(&g->state, &from, to);
}

/* Look at the current call: the timer may have expired just when an earlier call returned. */
static void linux_services_look(union sigval value)
{
	struct linux_guard *g = value.sival_ptr;

	signals_block();
	if (monotonic_ns() - atomic_load(&g->began_ns) < g->limit_ns)
		return;
	if (change(g, LINUX_GUARD_CALLING, LINUX_GUARD_INTERRUPTED))
		pthread_kill(g->guarded, INTERRUPT);
	else if (change(g, LINUX_GUARD_INTERRUPTED, LINUX_GUARD_GIVEN_UP))
		g->give_up(g->ctx);
}

bool linux_guard_open(struct linux_guard *g, uint64_t limit_ns, void (*give_up)(void *ctx),
		      void *ctx)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = linux_services_look,
				  .sigev_value.sival_ptr = g };

	*g = (struct linux_guard){
		.limit_ns = limit_ns, .give_up = give_up, .ctx = ctx, .guarded = pthread_self()
	};
	catch_interrupt();
	return timer_create(CLOCK_MONOTONIC, &event, &g->timer) == 0;
}

void linux_guard_close(struct linux_guard *g)
{
	timer_delete(g->timer);
}

void linux_guard_begin(struct linux_guard *g)
{
	atomic_store(&g->began_ns, monotonic_ns());
	atomic_store(&g->state, LINUX_GUARD_CALLING);
	set_timer(g, g->limit_ns);
}

bool linux_guard_end(struct linux_guard *g)
{
	bool interrupted = !change(g, LINUX_GUARD_CALLING, LINUX_GUARD_IDLE);

	/* The call returned, but too late: the other thread reports and ends the process. */
	while (interrupted && !change(g, LINUX_GUARD_INTERRUPTED, LINUX_GUARD_IDLE))
		pause();
	set_timer(g, 0);
	return interrupted;
}

/* ---- Services ---- */

#define EFI        "sys/firmware/efi"
#define VARIABLES  EFI "/efivars"
#define CLOCKS     32               /* /dev/rtc0 and so on */
#define ATTRIBUTES sizeof(uint32_t) /* efivarfs puts these before a value */

#define PS2_STATUS 0x64
#define POST_PORT  0x80
#define PM_TIMER   "ACPI PM_TMR" /* drivers/acpi/osl.c, acpi_reserve_resources() */

struct way {
	/* NULL: it can be called, and s->fd is open. */
	const char *(*open)(struct linux_services *s, enum config_service service);
	int (*call)(struct linux_services *s); /* an errno */
	const char *never;                     /* why there is no way */
};

static const char *linux_services_refuse(struct linux_services *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static const char *linux_services_refuse(struct linux_services *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
	return s->why;
}

/* ---- Clocks ---- */

static int read_clock(struct linux_services *s)
{
	struct rtc_time time;

	return ioctl(s->fd, RTC_RD_TIME, &time) == 0 ? 0 : errno;
}

/* "rtc-efi rtc-efi.0": the driver, then the device. */
static bool is_driver(const struct linux_services *s, unsigned clock, const char *driver)
{
	size_t bytes = strlen(driver);
	char name[60], text[120];

	snprintf(name, sizeof(name), "sys/class/rtc/rtc%u/name", clock);
	return system_read(s->root, name, text, sizeof(text)) == 0 &&
	       strncmp(text, driver, bytes) == 0 && (!text[bytes] || text[bytes] == ' ');
}

static const char *open_clock(struct linux_services *s, enum config_service service)
{
	const char *driver = service == SERVICE_GET_TIME ? "rtc-efi" : "rtc_cmos";
	unsigned clock = 0;
	char name[20];
	int error;

	while (clock < CLOCKS && !is_driver(s, clock, driver))
		clock++;
	if (clock == CLOCKS)
		return linux_services_refuse(s, "no clock in /sys/class/rtc is of %s", driver);
	snprintf(name, sizeof(name), "dev/rtc%u", clock);
	s->fd = system_open(s->root, name);
	error = s->fd < 0 ? errno : read_clock(s);
	return error ? linux_services_refuse(s, "/%s: %s", name, strerror(error)) : NULL;
}

/* ---- Variables ---- */

static bool is_there(const struct linux_services *s, const char *name)
{
	int fd = system_open(s->root, name);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static const char *open_efivarfs(struct linux_services *s, struct statfs *fs)
{
	s->fd = system_open(s->root, VARIABLES);
	if (s->fd >= 0 && fstatfs(s->fd, fs) == 0 && fs->f_type == EFIVARFS_MAGIC)
		return NULL;
	if (!is_there(s, EFI))
		return "this Linux was not booted by UEFI";
	return "efivarfs is not mounted: a real-time kernel has it only with efi=runtime";
}

static int read_variable(struct linux_services *s)
{
	ssize_t n = pread(s->fd, s->value, sizeof(s->value), 0);

	return n < 0 ? errno : n ? 0 : ENOENT;
}

/*
 * Choose the smallest or the largest variable that can be read, by the length that Linux knows.
 * `chosen` is its path.
 */
static bool choose_variable(struct linux_services *s, bool largest, char *chosen, size_t room)
{
	DIR *names = fdopendir(dup(s->fd));
	const struct dirent *entry;
	off_t best = 0;

	while (names && (entry = readdir(names))) {
		struct stat of;
		bool better;

		if (fstatat(s->fd, entry->d_name, &of, 0) != 0 || !S_ISREG(of.st_mode) ||
		    of.st_size <= (off_t)ATTRIBUTES || of.st_size > (off_t)sizeof(s->value))
			continue;
		better = largest ? of.st_size > best : of.st_size < best;
		if (best && !better)
			continue;
		best = of.st_size;
		snprintf(chosen, room, VARIABLES "/%s", entry->d_name);
	}
	if (names)
		closedir(names);
	return best;
}

static const char *open_variable(struct linux_services *s, enum config_service service)
{
	struct statfs fs;
	char name[SYSTEM_PATH_MAX];
	const char *why = open_efivarfs(s, &fs);
	int error;

	if (why)
		return why;
	/* fs/efivarfs/file.c, efivarfs_file_read() */
	if (getuid() != 0)
		return "Linux slows down reads of efivarfs by any user but root";
	if (!choose_variable(s, service == SERVICE_GET_VARIABLE_LARGE, name, sizeof(name)))
		return "there is no variable that can be read";
	close(s->fd);
	s->fd = system_open(s->root, name);
	error = s->fd < 0 ? errno : read_variable(s);
	return error ? linux_services_refuse(s, "/%s: %s", name, strerror(error)) : NULL;
}

/* If the firmware returns an error, statfs succeeds, but without sizes. */
static int query_variables(struct linux_services *s)
{
	struct statfs fs;

	if (fstatfs(s->fd, &fs) != 0)
		return errno;
	return fs.f_blocks ? 0 : EIO;
}

/*
 * fs/efivarfs/super.c, efivarfs_statfs(): it calls firmware since Linux 6.5. Later kernels, such as
 * Debian's 6.12.117, call it at most five times in 2 s, and otherwise repeat the last result.
 */
#define QUERIES_APART_NS UINT64_C(600000000)

static const char *open_query(struct linux_services *s, enum config_service service)
{
	struct statfs fs;
	const char *why = open_efivarfs(s, &fs);

	(void)service;
	s->room->apart_ns = QUERIES_APART_NS;
	if (!why && !fs.f_blocks)
		why = "statfs of efivarfs has no sizes: this Linux does not ask firmware for "
		      "them, or firmware does not answer";
	return why;
}

/* ---- Ports ---- */

/* Read a single byte, as Linux does, also where it is part of a wider register. */
static int read_port(struct linux_services *s)
{
	uint8_t byte;
	ssize_t n = pread(s->fd, &byte, sizeof(byte), (off_t)s->port);

	return n < 0 ? errno : n ? 0 : ENODATA;
}

/* The first port of the range that Linux lists by this name; 0: none. */
static uint64_t find_range(struct linux_services *s, const char *name)
{
	char *rest = (char *)s->value, *line;

	system_read(s->root, "proc/ioports", rest, sizeof(s->value));
	while ((line = strsep(&rest, "\n"))) {
		unsigned long long first;
		int end = 0;

		if (sscanf(line, "%llx-%*x : %n", &first, &end) == 1 && end &&
		    strcmp(line + end, name) == 0)
			return first;
	}
	return 0;
}

static const char *find_port(struct linux_services *s, enum config_service service)
{
	s->port = service == SERVICE_KEYBOARD ? PS2_STATUS : POST_PORT;
	if (service == SERVICE_PM_TIMER)
		s->port = find_range(s, PM_TIMER);
	return s->port ? NULL : "/proc/ioports has no " PM_TIMER;
}

/* security/lockdown: "none [integrity] confidentiality". */
static bool is_locked_down(const struct linux_services *s)
{
	char text[120];

	return system_read(s->root, "sys/kernel/security/lockdown", text, sizeof(text)) == 0 &&
	       !strstr(text, "[none]");
}

static const char *open_port(struct linux_services *s, enum config_service service)
{
	const char *why = ISA_PORTS ? find_port(s, service) : "it is not called on this processor";
	int error;

	if (why)
		return why;
	s->fd = system_open(s->root, "dev/port");
	error = s->fd < 0 ? errno : read_port(s);
	if (error == EPERM && is_locked_down(s))
		return "/dev/port: Linux is locked down, see kernel_lockdown(7)";
	if (error == EPERM)
		return "/dev/port: CAP_SYS_RAWIO is required";
	return error ? linux_services_refuse(s, "/dev/port: %s", strerror(error)) : NULL;
}

/* ---- All ---- */

#define KERNELS_OWN "Linux does not call it for a process"

static const struct way ways[SERVICES] = {
	[SERVICE_GET_TIME] = { .open = open_clock, .call = read_clock },
	[SERVICE_GET_VARIABLE_ABSENT] = { .never = "Linux knows the names of all variables, and "
						   "calls firmware only for those" },
	[SERVICE_GET_VARIABLE_SMALL] = { .open = open_variable, .call = read_variable },
	[SERVICE_GET_VARIABLE_LARGE] = { .open = open_variable, .call = read_variable },
	[SERVICE_NEXT_VARIABLE] = { .never = "Linux asks for the names once, for the first mount "
					     "of efivarfs: to list them does not call firmware" },
	[SERVICE_QUERY_VARIABLES] = { .open = open_query, .call = query_variables },
	[SERVICE_QUERY_CAPSULE] = { .never = KERNELS_OWN " that has no capsule to load" },
	[SERVICE_RTC] = { .open = open_clock, .call = read_clock },
	[SERVICE_KEYBOARD] = { .open = open_port, .call = read_port },
	[SERVICE_PM_TIMER] = { .open = open_port, .call = read_port },
	[SERVICE_HPET] = { .never = "it is read below Linux only" },
	[SERVICE_PCI_CF8] = { .never = "Linux itself uses these two ports at any time" },
	[SERVICE_PCI_ECAM] = { .never = "it is read below Linux only" },
	[SERVICE_PORT_80] = { .open = open_port, .call = read_port },
	[SERVICE_PSCI_VERSION] = { .never = KERNELS_OWN },
	[SERVICE_SMCCC_VERSION] = { .never = KERNELS_OWN },
	[SERVICE_TRNG] = { .never = KERNELS_OWN },
	[SERVICE_SET_VARIABLE] = { .never = "variables are written below Linux only" },
	[SERVICE_SMI] = { .never = "SMIs are raised below Linux only" },
};

#define LATE "it had not returned after 5 s, and was interrupted"

_Static_assert(LINUX_SERVICES_CALL_S == 5, "as LATE has it");
unsigned linux_services_call_s = LINUX_SERVICES_CALL_S;

static void shut(struct linux_services *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static const char *open_service(void *ctx, enum config_service service)
{
	struct linux_services *s = ctx;
	const struct way *way = &ways[service];
	const char *why = way->never;

	s->service = config_service_name(service);
	s->room->apart_ns = 0;
	if (why)
		return why;
	linux_guard_begin(&s->guard);
	why = way->open(s, service);
	if (linux_guard_end(&s->guard))
		why = LATE;
	if (why)
		shut(s);
	return why;
}

/* A signal that ends the run interrupts a call, too: it is made once more. */
static void call_service(void *ctx, enum config_service service, struct service_call *out)
{
	struct linux_services *s = ctx;
	bool ended;

	do {
		linux_guard_begin(&s->guard);
		out->start = clock_now();
		out->status = (uint64_t)ways[service].call(s);
		out->end = clock_now();
		ended = linux_guard_end(&s->guard);
	} while (out->status == EINTR && !ended);
	if (ended)
		out->fault = LATE;
}

static void close_service(void *ctx, enum config_service service)
{
	(void)service;
	shut(ctx);
}

bool linux_services_open(struct linux_services *s, const char *root, struct service_room *room,
			 void (*give_up)(void *ctx), void *ctx)
{
	snprintf(s->root, sizeof(s->root), "%s", root);
	s->fd = -1;
	s->began_ns = monotonic_ns();
	room->open = open_service;
	room->call = call_service;
	room->close = close_service;
	room->ctx = s;
	s->room = room;
	return linux_guard_open(&s->guard, linux_services_call_s * NS_PER_S, give_up, ctx);
}

void linux_services_close(struct linux_services *s)
{
	linux_guard_close(&s->guard);
	shut(s);
}

const char *linux_services_over(const struct linux_services *s)
{
	return monotonic_ns() - s->began_ns < LINUX_SERVICES_RUN_S * NS_PER_S
		       ? NULL
		       : "an hour, which is as long as services are called,";
}
