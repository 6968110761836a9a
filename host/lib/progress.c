/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A signal drives the clock, so that no step needs to check it. The handler calls only write() and
 * core/lib/text.h, which stays within its buffer.
 */
#include "progress.h"

#include "text_sanitize.h"

#include "core/lib/text.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define BYTES_PER_MB 1000000u
#define CLEAR        "\r\x1b[K"
#define NAME_BYTES   160

static struct {
	bool asked, forbidden;
	bool running, terminal;
	char what[40], name[NAME_BYTES];
	uint64_t total;
	_Atomic uint64_t done;
	unsigned seconds;
	volatile sig_atomic_t visible;
} progress;

void progress_ask(void)
{
	progress.asked = true;
}

void progress_forbid(void)
{
	progress.forbidden = true;
}

static void add_amount(struct text *t, uint64_t done)
{
	if (progress.total) {
		uint64_t parts = done > progress.total ? progress.total : done;

		text_add(t, "%llu of %llu MB, %u %%, ", (unsigned long long)(parts / BYTES_PER_MB),
			 (unsigned long long)(progress.total / BYTES_PER_MB),
			 (unsigned)((double)parts / (double)progress.total * 100));
	} else if (done) {
		text_add(t, "%llu MB, ", (unsigned long long)(done / BYTES_PER_MB));
	}
}

static void progress_put(const struct text *t)
{
	size_t at = 0;

	while (at < t->len) {
		ssize_t count = write(STDERR_FILENO, t->buf + at, t->len - at);

		if (count <= 0)
			return;
		at += (size_t)count;
	}
}

static void tick(int signal)
{
	int error = errno;
	TEXT_DEFINE(t, sizeof(progress.what) + sizeof(progress.name) + 100);

	(void)signal;
	progress.seconds++;
	text_add(&t, "%snoisefloor: %s %s: ", progress.terminal ? CLEAR : "", progress.what,
		 progress.name);
	add_amount(&t, atomic_load(&progress.done));
	text_add(&t, "%u s%s", progress.seconds, progress.terminal ? "" : "\n");
	progress_put(&t);
	progress.visible = progress.terminal;
	errno = error;
}

/* Once a second, or never again. */
static void set_timer(bool on)
{
	const struct itimerval every = { { on, 0 }, { on, 0 } };

	setitimer(ITIMER_REAL, &every, NULL);
}

void progress_start(const char *what, const char *name, uint64_t total)
{
	const struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };

	progress_stop();
	progress.terminal = isatty(STDERR_FILENO);
	if (progress.forbidden || (!progress.terminal && !progress.asked))
		return;
	text_sanitize_copy(progress.what, sizeof(progress.what), what);
	text_sanitize_copy(progress.name, sizeof(progress.name), name);
	progress.total = total;
	atomic_store(&progress.done, 0);
	progress.seconds = 0;
	if (sigaction(SIGALRM, &action, NULL) != 0)
		return;
	progress.running = true;
	set_timer(true);
}

void progress_start_file(const char *name, int fd)
{
	struct stat st;
	uint64_t total = 0;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		total = (uint64_t)st.st_size;
	progress_start("reading", name, total);
}

void progress_add(size_t bytes)
{
	atomic_fetch_add_explicit(&progress.done, bytes, memory_order_relaxed);
}

void progress_hide(void)
{
	TEXT_DEFINE(t, sizeof(CLEAR));

	if (!progress.visible)
		return;
	progress.visible = 0;
	text_add(&t, CLEAR);
	progress_put(&t);
}

void progress_stop(void)
{
	if (!progress.running)
		return;
	set_timer(false);
	progress.running = false;
	progress_hide();
}
