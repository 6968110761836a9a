/* SPDX-License-Identifier: BSD-2-Clause */
/* The form is that of `show`; the verdict is what the collector has stored. */
#include "forward.h"

#include "host/fleet/store/store.h"
#include "host/forms/show_form.h"
#include "host/lib/exit.h"
#include "host/lib/progress.h"

#include "core/lib/ticks.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Enough for the most that is kept of a run: host/capture/result.h. */
#define MEMORY_MAX ((rlim_t)600 << 20)

static struct store_run run;

/* A node's lines may be refused; complaints about them do not belong in the collector's log. */
static void points_ignore(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

static void feed(void *ctx, const char *text, size_t bytes)
{
	capture_feed(ctx, text, bytes);
}

/* oom_score_adj(5) of proc: this one goes before the collector. */
void forward_prepare_points(void)
{
	const struct rlimit limit = { MEMORY_MAX, MEMORY_MAX };
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setrlimit(RLIMIT_DATA, &limit);
	if (fd < 0 || write(fd, "1000", 4) != 4)
		fputs("points: oom_score_adj cannot be set\n", stderr);
	if (fd >= 0)
		close(fd);
}

static bool points_print(struct store *s, const struct show_options *o)
{
	const struct show_form *form = &show_form_influx;
	const struct capture_want want = { .keep = form->keep, .complain = points_ignore };
	struct store_chunks chunks = { .take = feed };
	struct capture c;
	bool is_whole;

	capture_begin(&c, "run", &want);
	chunks.ctx = &c;
	is_whole = store_chunks(s, run.id, &chunks) == 0 && !chunks.damaged;
	capture_end(&c);
	is_whole = is_whole && !c.error && show_form_capture(form, o, &c);
	capture_close(&c);
	return is_whole;
}

int forward_print_points(const char *folder, const char *sid)
{
	const struct summary_judged *judged = &run.summary.judged;
	struct show_options o = { .has_began = true };
	char why[STORE_WHY];
	struct store *s = store_open(folder, STORE_READ, why);
	int code = EXIT_ERROR;

	progress_forbid();
	if (s && store_find(s, strtoull(sid, NULL, 16), &run) == 0) {
		o.began_ns = run.begun_s * NS_PER_S;
		o.judged = judged->set ? &judged->verdict : NULL;
		code = points_print(s, &o) ? EXIT_PASS : EXIT_ERROR;
	}
	store_close(s);
	return code;
}
