/* SPDX-License-Identifier: BSD-2-Clause */
/* The countdown and its one-line editor. All on the firmware's console, which has USB keyboards. */
#include "countdown.h"

#include "display.h"
#include "keys.h"
#include "options.h"
#include "output.h"

#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"

#define POLL_US     20000
#define POLLS_PER_S (1000000 / POLL_US)
#define TYPED_MAX   160
/* Somebody began to type and went away: it starts all the same. */
#define AWAY_S 600

enum answer { ASKING, START, LEAVE };

struct dialog {
	struct app *app;
	uint64_t polls; /* left until it starts by itself */
	bool touched;   /* a key was pressed: no hurry any more */
	char typed[TYPED_MAX];
	size_t length;
	char complaint[CONFIG_COMPLAINT_MAX];
	struct config before; /* what a mistake leads back to */
};

static void draw(struct dialog *d)
{
	struct app *a = d->app;
	const struct screen_question question = {
		.seconds = d->touched ? 0 : (d->polls + POLLS_PER_S - 1) / POLLS_PER_S,
		.config = a->config_text,
		.typed = d->typed,
		.complaint = d->complaint,
	};
	struct text t;

	text_init(&t, a->config_text, sizeof(a->config_text));
	config_print(&a->config, &t);
	display_start(a, &question);
}

static void complain(void *ctx, const char *source, unsigned line, const char *text)
{
	struct dialog *d = ctx;
	struct text t;

	(void)source;
	(void)line;
	text_init(&t, d->complaint, sizeof(d->complaint));
	text_add(&t, "%s", text);
}

/* What was typed comes into force as a whole, or not at all. */
static void apply(struct dialog *d)
{
	static const struct config_source source = { .name = "the start screen", .one_line = true };
	struct app *a = d->app;
	struct config *c = &a->config;

	d->before = *c;
	d->complaint[0] = '\0';
	if (config_apply(c, &source, d->typed, d->length, complain, d) ||
	    options_verify(a, complain, d)) {
		*c = d->before;
		return;
	}
	report_text(&a->report, "changed: %s", d->typed);
	output_open(a);
	d->length = 0;
	d->typed[0] = '\0';
}

static enum answer take(struct dialog *d, const struct firmware_key *key)
{
	d->touched = true;
	d->polls = (uint64_t)AWAY_S * POLLS_PER_S;
	if (key->kind == FIRMWARE_KEY_ENTER && !d->length)
		return START;
	if (key->kind == FIRMWARE_KEY_ESC && !d->length)
		return LEAVE;
	if (key->kind == FIRMWARE_KEY_ENTER)
		apply(d);
	else if (key->kind == FIRMWARE_KEY_ESC)
		d->length = 0;
	else if (key->kind == FIRMWARE_KEY_BACKSPACE && d->length)
		d->length--;
	else if (key->kind == FIRMWARE_KEY_CHARACTER && d->length < TYPED_MAX - 1)
		d->typed[d->length++] = key->character;
	d->typed[d->length] = '\0';
	return ASKING;
}

static enum answer ask(struct dialog *d)
{
	enum answer answer = ASKING;
	struct firmware_key key;

	for (; d->polls && answer == ASKING; d->polls--) {
		bool changed = !d->touched && d->polls % POLLS_PER_S == 0;

		while (answer == ASKING && firmware_read_key(&key)) {
			answer = take(d, &key);
			changed = true;
		}
		if (changed)
			draw(d);
		firmware_boot()->Stall(POLL_US);
	}
	return answer;
}

bool countdown(struct app *a)
{
	struct dialog *d;
	enum answer answer;

	/* A key meant for what was before must not end the run, nor one meant for the countdown. */
	keys_drain(a);
	if (a->mistakes || !keys_person(a))
		return true;
	d = firmware_pages(sizeof(*d), 0);
	if (!d)
		return true;
	d->app = a;
	d->polls = a->config.countdown_ns / (POLL_US * UINT64_C(1000));
	report_text(&a->report, "starts in %u s: Enter starts now, Esc leaves, key=value changes",
		    (unsigned)(a->config.countdown_ns / NS_PER_S));
	draw(d);
	answer = ask(d);
	keys_drain(a);
	if (answer == LEAVE) {
		/* At once, without a further key. */
		a->config.countdown_ns = 0;
		a->config.then = THEN_EXIT;
		verdict_reason(&a->run.reasons, "left before the start");
		verdict_cut_short(&a->run.reasons);
	}
	return answer != LEAVE;
}
