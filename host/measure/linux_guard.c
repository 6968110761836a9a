/* SPDX-License-Identifier: BSD-2-Clause */
/* A timer per call, and a thread that sleeps until one is over. */
#define _GNU_SOURCE /* calls of Linux that are not in POSIX */
#include "linux_guard.h"

#include "host/lib/monotonic.h"
#include "host/lib/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define INTERRUPT SIGUSR1

static void ignore(int number)
{
	(void)number;
}

/* Without SA_RESTART: a call that can be interrupted returns EINTR. */
static void catch_interrupt(void)
{
	const struct sigaction action = { .sa_handler = ignore };

	sigaction(INTERRUPT, &action, NULL);
}

static void set_timer(const struct linux_guard *g, uint64_t ns)
{
	const struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_S),
				    .tv_nsec = (long)(ns % NS_PER_S) };
	const struct itimerspec timer = { .it_value = t, .it_interval = t };

	timerfd_settime(g->timer, 0, &timer, NULL);
}

static bool change(struct linux_guard *g, unsigned from, unsigned to)
{
	return atomic_compare_exchange_strong(&g->state, &from, to);
}

/* The timer may have been over right when an earlier call returned. */
static void look(struct linux_guard *g)
{
	if (monotonic_ns() - atomic_load(&g->began_ns) < g->limit_ns)
		return;
	if (change(g, LINUX_GUARD_CALLING, LINUX_GUARD_INTERRUPTED))
		pthread_kill(g->guarded, INTERRUPT);
	else if (change(g, LINUX_GUARD_INTERRUPTED, LINUX_GUARD_GIVEN_UP))
		g->give_up(g->ctx);
}

static void *watch(void *arg)
{
	struct linux_guard *g = arg;
	uint64_t times;

	signals_block();
	while (!atomic_load(&g->ends)) {
		ssize_t n = read(g->timer, &times, sizeof(times));

		if (n < 0 && errno != EINTR)
			break;
		if (n > 0 && !atomic_load(&g->ends))
			look(g);
	}
	return NULL;
}

bool linux_guard_open(struct linux_guard *g, uint64_t limit_ns, void (*give_up)(void *ctx),
		      void *ctx)
{
	int error;

	*g = (struct linux_guard){
		.limit_ns = limit_ns, .give_up = give_up, .ctx = ctx, .guarded = pthread_self()
	};
	g->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (g->timer < 0)
		return false;
	catch_interrupt();
	error = pthread_create(&g->thread, NULL, watch, g);
	if (!error)
		return true;
	close(g->timer);
	errno = error;
	return false;
}

void linux_guard_close(struct linux_guard *g)
{
	atomic_store(&g->ends, true);
	set_timer(g, 1);
	pthread_join(g->thread, NULL);
	close(g->timer);
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

	/* It returned after all, too late: the other thread reports and ends the process. */
	while (interrupted && !change(g, LINUX_GUARD_INTERRUPTED, LINUX_GUARD_IDLE))
		pause();
	set_timer(g, 0);
	return interrupted;
}
