/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The countdown and its one-line editor. Keys come from the firmware's console, which has USB
 * keyboards.
 */
#include "probe/app.h"
#include "probe/door.h"

#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"

#define DELETE      '\x7f' /* sent by many terminals for Backspace */
#define POLLS_PER_S (1000 / KEYS_POLL_MS)
#define TYPED_MAX   160
/* Seconds after the last key until the run starts all the same: the person has gone away. */
#define AWAY_S 600

enum answer { ASKING, START, LEAVE };

struct dialog {
	uint64_t polls; /* polls left until the run starts by itself */
	bool touched;   /* a key was pressed: the countdown has stopped */
	char typed[TYPED_MAX], shown[TYPED_MAX];
	size_t length;
	char complaint[CONFIG_COMPLAINT_MAX];
	char config[DESCRIBE_CONFIG_MAX];
	struct config before; /* the configuration to restore after a mistake */
};

/* Mask keys and other secrets for the screen and the serial port. */
static void mask_typed(struct dialog *d)
{
	memcpy(d->shown, d->typed, sizeof(d->shown));
	config_mask_secrets(d->shown, d->length);
}

static void draw(struct dialog *d)
{
	const struct screen_question question = {
		.seconds = d->touched ? 0 : (d->polls + POLLS_PER_S - 1) / POLLS_PER_S,
		.config = d->config,
		.typed = d->shown,
		.complaint = d->complaint,
	};
	struct text t;

	mask_typed(d);
	text_init(&t, d->config, sizeof(d->config));
	config_print(&app->options.config, &t);
	display_start(&app->display, &question);
}

static void countdown_complain(void *ctx, const char *source, unsigned line, const char *text)
{
	struct dialog *d = ctx;

	(void)source;
	(void)line;
	text_print(d->complaint, sizeof(d->complaint), "%s", text);
}

/* Apply what was typed, as a whole or not at all. */
static void apply(struct dialog *d)
{
	static const struct config_source source = { .name = "the start screen", .one_line = true };
	struct config *c = &app->options.config;

	d->before = *c;
	d->complaint[0] = '\0';
	if (config_apply(c, &source, d->typed, d->length, countdown_complain, d) ||
	    options_verify(&app->options, countdown_complain, d)) {
		*c = d->before;
		return;
	}
	mask_typed(d);
	report_text(&app->report, "changed: %s", d->shown);
	output_open(&app->output);
	output_show(&app->output, false);
	d->length = 0;
	d->typed[0] = '\0';
}

static enum answer countdown_take(struct dialog *d, char key)
{
	bool enter = key == '\r' || key == '\n';

	d->touched = true;
	d->polls = (uint64_t)AWAY_S * POLLS_PER_S;
	if (enter && !d->length)
		return START;
	if (key == DOOR_KEY_ESC && !d->length)
		return LEAVE;
	if (enter)
		apply(d);
	else if (key == DOOR_KEY_ESC)
		d->length = 0;
	else if ((key == '\b' || key == DELETE) && d->length)
		d->length--;
	else if (key >= ' ' && key <= '~' && d->length < TYPED_MAX - 1)
		d->typed[d->length++] = key;
	d->typed[d->length] = '\0';
	return ASKING;
}

static enum answer countdown_ask(struct dialog *d)
{
	enum answer answer = ASKING;
	char key;

	for (; d->polls && answer == ASKING; d->polls--) {
		bool changed = !d->touched && d->polls % POLLS_PER_S == 0;

		while (answer == ASKING && door.read_key(&key)) {
			answer = countdown_take(d, key);
			changed = true;
		}
		if (changed)
			draw(d);
		keys_poll_later();
	}
	return answer;
}

bool app_countdown(struct app *a)
{
	struct config *c = &a->options.config;
	struct dialog *d;
	enum answer answer;

	/* Drop keys pressed earlier: they must not end the run, nor answer the countdown. */
	keys_drain();
	if (a->options.mistakes || !keys_person(c))
		return true;
	d = door.pages(sizeof(*d), 0);
	if (!d)
		return true;
	d->polls = c->countdown_ns / (KEYS_POLL_MS * UINT64_C(1000000));
	report_text(&a->report, "starts in %u s: Enter starts now, Esc leaves, key=value changes",
		    (unsigned)(c->countdown_ns / NS_PER_S));
	draw(d);
	answer = countdown_ask(d);
	keys_drain();
	if (answer == LEAVE) {
		/* Leave at once, without waiting for another key. */
		c->countdown_ns = 0;
		c->then = THEN_EXIT;
		verdict_cut_short(&a->run.reasons, "left before the start");
	}
	return answer != LEAVE;
}
