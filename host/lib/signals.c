/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals are turned into a flag, which is polled. */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static const struct {
	int number;
	const char *name;
} watched[] = {
	{ SIGINT, "SIGINT" },
	{ SIGTERM, "SIGTERM" },
	{ SIGHUP, "SIGHUP" },
	{ SIGQUIT, "SIGQUIT" },
};

#define WATCHED (sizeof(watched) / sizeof(watched[0]))

static _Atomic int first_seen;
static _Atomic bool hung_up;
static void (*hurry_up)(void);

static void signals_note(int number)
{
	int none = 0;

	if (!atomic_compare_exchange_strong(&first_seen, &none, number) && hurry_up)
		hurry_up();
}

static void fill(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < WATCHED; i++)
		sigaddset(set, watched[i].number);
}

void signals_watch(void (*hurry)(void))
{
	struct sigaction action = { .sa_handler = signals_note };

	atomic_store(&first_seen, 0);
	hurry_up = hurry;
	fill(&action.sa_mask);
	for (size_t i = 0; i < WATCHED; i++)
		sigaction(watched[i].number, &action, NULL);
	/* A closed pipe is an error of writing, not the end of the process. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

static void note_hangup(int number)
{
	(void)number;
	atomic_store(&hung_up, true);
}

void signals_keep_hangups(void)
{
	struct sigaction action = { .sa_handler = note_hangup };

	fill(&action.sa_mask);
	sigaction(SIGHUP, &action, NULL);
}

bool signals_hung_up(void)
{
	return atomic_exchange(&hung_up, false);
}

void signals_block(void)
{
	sigset_t set;

	fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

const char *signals_seen(void)
{
	int number = atomic_load(&first_seen);

	for (size_t i = 0; i < WATCHED; i++)
		if (watched[i].number == number)
			return watched[i].name;
	return NULL;
}
