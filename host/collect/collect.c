/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor-collect`: options, and the loop until a signal comes. */
#define _GNU_SOURCE /* explicit_bzero */
#include "collect.h"
#include "host/lib/exit.h"
#include "host/lib/input.h"
#include "host/program/config_words.h"
#include "host/lib/monotonic.h"
#include "host/lib/output_file.h"
#include "service/service.h"
#include "host/lib/signals.h"

#include "core/lib/arith.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_NS      UINT64_C(100000000)
#define SHOW_SHARE   20 /* pages are made in one part of that many of the time, at most */
#define RUNS_DEFAULT 100000
#define RUNS_MOST    10000000
#define SHARES       10 /* default share of the runs per host: one part in this */
#define SHARE_LEAST  UINT64_C(1000)
#define RUN_BYTES    (UINT64_C(4) << 30)
#define FREE_PERCENT 5
#define FREE_MOST    99

/* Contents of the files that the options name. */
static struct files {
	uint8_t key[CONFIG_SECRET_BYTES], old_key[CONFIG_SECRET_BYTES];
	struct receiver_revoked revoked;
	struct policy *policy; /* NULL: none */
} in_force;

static struct options {
	const char *listen, *key, *old_key, *revoked, *metrics, *junit, *policy;
	uint64_t max_age_ns;
	struct collector_setup to;
} options = { .to = { .limits.runs_max = RUNS_DEFAULT,
		      .limits.bytes_run = RUN_BYTES,
		      .free_percent = FREE_PERCENT,
		      .revoked = &in_force.revoked } };

/* ---- Files, which are read at the start and on SIGHUP ---- */

#define FILES 4

/* Returns how many are given. */
static int list_files(const struct options *o, const char *given[FILES])
{
	const char *const all[FILES] = { o->key, o->old_key, o->revoked, o->policy };
	int count = 0;

	for (size_t i = 0; i < FILES; i++)
		if (all[i])
			given[count++] = all[i];
	return count;
}

static void free_files(struct files *f)
{
	receiver_revoked_free(&f->revoked);
	policy_free(f->policy);
	explicit_bzero(f, sizeof(*f));
}

/* False, with the reason on standard error. */
static bool read_files(const struct options *o, struct files *f)
{
	const char *name = collect_program.name;

	*f = (struct files){ .policy = NULL };
	return (!o->key || config_key_read(name, "--key", o->key, f->key)) &&
	       (!o->old_key || config_key_read(name, "--old-key", o->old_key, f->old_key)) &&
	       (!o->revoked || receiver_revoked_read(name, "--revoked", o->revoked, &f->revoked)) &&
	       (!o->policy || (f->policy = policy_read(name, o->policy)));
}

/* A FIFO's writer may be gone. */
static bool are_files(const struct options *o)
{
	const char *given[FILES];

	for (int n = list_files(o, given); n--;)
		if (!input_is_file(given[n])) {
			service_log(LOG_ERR, "%s is not a file", given[n]);
			return false;
		}
	return true;
}

/* Reload all files; if one of them has a mistake, none. */
static void reload(struct collector *c)
{
	struct files fresh = { .policy = NULL }, before = in_force;
	bool is_read;

	service_notify_reloading();
	is_read = are_files(&options) && read_files(&options, &fresh);
	if (collector_reload(c, is_read ? fresh.policy : in_force.policy) && is_read) {
		in_force = fresh;
		fresh = before;
		service_log(LOG_INFO, "SIGHUP: files opened anew");
	} else {
		service_log(LOG_ERR, "SIGHUP: all files stay as they were read before");
	}
	explicit_bzero(&before, sizeof(before));
	free_files(&fresh);
	service_notify("READY=1");
}

/* ---- Running ---- */

static void collect_work(struct collector *c, struct web *web)
{
	uint64_t next = 0;

	service_notify("READY=1");
	while (!signals_seen()) {
		uint64_t now = monotonic_ns();

		service_watchdog();
		if (signals_hung_up())
			reload(c);
		if (now >= next) {
			collect_metrics_show(web, c);
			next = now + arith_max(NS_PER_S, SHOW_SHARE * (monotonic_ns() - now));
		}
		collector_work(c, WAIT_NS);
	}
	service_notify("STOPPING=1");
	/* All received lines are stored; later ones are not acknowledged. */
	collector_finish(c);
}

static void report_sums(const struct collector *c)
{
	const struct receiver_counts *n = &c->receiver->counts;

	service_log(LOG_INFO,
		    "%s; %" PRIu64 " lines stored, %" PRIu64 " refused by the disk; %" PRIu64
		    " runs begun, %" PRIu64 " ended",
		    signals_seen(), n->lines, n->lines_unwritten, n->runs_begun, n->runs_ended);
	for (unsigned i = RECEIVER_MALFORMED; i < RECEIVER_RESULTS; i++)
		if (n->result[i] && i != RECEIVER_CHALLENGED)
			service_log(LOG_INFO, "datagrams refused: %" PRIu64 " %s", n->result[i],
				    receiver_result_name((enum receiver_result)i));
}

/* False if the output would replace a file that is read, or one of the store. */
static bool check_output(const char *path, const struct options *o)
{
	const char *inputs[FILES];
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

	if (!path || !output_file_check(collect_program.name, path, list_files(o, inputs), inputs))
		return !path;
	if (strncmp(name, STORE_NAME, strlen(STORE_NAME)) != 0 ||
	    !output_file_is_in(path, o->to.dir))
		return true;
	service_log(LOG_ERR, "%s is the collector's own: it cannot be the output, too", path);
	return false;
}

static int collect_collect(const struct options *o, int stream)
{
	struct web *web = NULL;
	struct collector c;
	int code = EXIT_ERROR, error = 0;
	bool is_started = collector_start(&c, &o->to);

	if (is_started && stream >= 0)
		web = collect_web_start(stream, o->to.dir, o->max_age_ns);
	if (is_started && (web || stream < 0)) {
		collect_metrics_show(web, &c);
		service_log(LOG_INFO, "listening on port %u, %" PRIu64 " runs in %s",
			    service_port(o->to.socket), c.receiver->runs_kept, o->to.dir);
		collect_work(&c, web);
		report_sums(&c);
		code = EXIT_PASS;
		error = o->junit ? collect_junit_write(c.reader, o->junit) : 0;
	}
	if (error) {
		service_log(LOG_ERR, "--junit %s: %s", o->junit, strerror(error));
		code = EXIT_ERROR;
	}
	collect_web_stop(web);
	collector_stop(&c);
	return code;
}

/* Exceeding the file size limit is an error of writing, not the end of the process. */
static void prepare_process(void)
{
	signals_watch(NULL);
	/* On a terminal, its hangup ends the collector. */
	if (!isatty(STDOUT_FILENO))
		signals_keep_hangups();
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * Set a share to its default. Small file systems are for few nodes, perhaps all behind one address.
 */
static void set_share(uint64_t *runs, uint64_t all)
{
	if (!*runs)
		*runs = arith_max(all / SHARES, SHARE_LEAST);
}

/* Open a socket if none was passed. Both are refused, as they would not be the same. */
static bool open_socket(const char *option, const char *where, int type, int *fd)
{
	char why[256] = "the service manager has passed a socket for that";
	bool is_passed = *fd >= 0;

	if (!where)
		return true;
	if (!is_passed)
		*fd = service_listen(where, type, why, sizeof(why));
	if (is_passed || *fd < 0)
		service_log(LOG_ERR, "%s %s: %s", option, where, why);
	return !is_passed && *fd >= 0;
}

static bool open_sockets(const struct options *o, struct service_sockets *s)
{
	char why[256];

	if (!service_take_sockets(s, why, sizeof(why))) {
		service_log(LOG_ERR, "%s", why);
	} else if (!o->listen && s->datagram < 0) {
		service_log(LOG_ERR, "no --listen, and no datagram socket of a service manager");
		options_see_help(&collect_program);
	} else {
		return open_socket("--listen", o->listen, SOCK_DGRAM, &s->datagram) &&
		       open_socket("--metrics", o->metrics, SOCK_STREAM, &s->stream);
	}
	return false;
}

static int collect_run(int count, char **arguments)
{
	struct options *o = &options;
	struct service_sockets sockets;
	int code = EXIT_ERROR;

	(void)count, (void)arguments;
	set_share(&o->to.limits.runs_host, o->to.limits.runs_max);
	set_share(&o->to.limits.runs_node, o->to.limits.runs_max);
	if (!o->key && (o->old_key || o->revoked))
		service_log(LOG_ERR, "--%s is for those who have --key",
			    o->old_key ? "old-key" : "revoked");
	else if (check_output(o->junit, o) && read_files(o, &in_force) &&
		 open_sockets(o, &sockets)) {
		o->to.key = o->key ? in_force.key : NULL;
		o->to.old_key = o->old_key ? in_force.old_key : NULL;
		o->to.policy = in_force.policy;
		o->to.socket = sockets.datagram;
		prepare_process();
		code = collect_collect(o, sockets.stream);
	}
	free_files(&in_force);
	return code;
}

static bool take_keep(const struct options_given *given)
{
	return retention_parse(given->value, given->field) ||
	       options_refuse(given, RETENTION_FORMS);
}

static bool take_bytes(const struct options_given *given)
{
	struct retention_limits limits = { .bytes = 0 };

	if (!retention_parse(given->value, &limits) || !limits.bytes)
		return options_refuse(given, "a size, such as 4G (K M G T)");
	*(uint64_t *)given->field = limits.bytes;
	return true;
}

#define TEXT(member) options_text, .offset = offsetof(struct options, member)

static const struct options_row rows[] = {
	{ "listen", "WHERE", SERVICE_LISTEN_FORMS "; unless systemd passes a socket",
	  TEXT(listen) },
	{ "dir", "DIR", "the folder, created if missing; of one collector only", TEXT(to.dir),
	  .required = true },
	{ "key", "FILE",
	  "accept only what is signed with the key in this file, 32 hex digits: the nodes' key=",
	  TEXT(key) },
	{ "old-key", "FILE",
	  "accept what is signed with the key in this file as well, while nodes are given a new "
	  "one",
	  TEXT(old_key) },
	{ "revoked", "FILE",
	  "accept nothing that is signed with the own keys of these nodes, a UUID on each line",
	  TEXT(revoked) },
	{ "runs", "N", "accept up to N runs, including stored ones; by default 100000",
	  options_count, offsetof(struct options, to.limits.runs_max), .most = RUNS_MOST },
	{ "runs-per-host", "N",
	  "accept up to N of them from one address; by default a tenth, but 1000 at least",
	  options_count, offsetof(struct options, to.limits.runs_host), .most = RUNS_MOST },
	{ "runs-per-node", "N",
	  "with --key, accept up to N of them that one node has begun with its own key; by default "
	  "as --runs-per-host",
	  options_count, offsetof(struct options, to.limits.runs_node), .most = RUNS_MOST },
	{ "bytes-per-run", "SIZE", "store up to SIZE of one run; by default 4G", take_bytes,
	  .offset = offsetof(struct options, to.limits.bytes_run) },
	{ "bytes-per-node", "SIZE",
	  "with --key, store about SIZE of all runs of one UUID; by default as --bytes-per-host",
	  take_bytes, .offset = offsetof(struct options, to.limits.bytes_node) },
	{ "bytes-per-host", "SIZE",
	  "store about SIZE of all runs from one address; by default a tenth of the file system, "
	  "but 1G at least",
	  take_bytes, .offset = offsetof(struct options, to.limits.bytes_host) },
	{ "disk-free", "PERCENT",
	  "store nothing more when no more than PERCENT of the file system is free, or 4G; by "
	  "default 5",
	  options_count, offsetof(struct options, to.free_percent), .most = FREE_MOST },
	{ "keep", "LIMIT",
	  "remove the oldest runs that have ended beyond this limit, or both if given "
	  "twice: " RETENTION_FORMS,
	  take_keep, .offset = offsetof(struct options, to.keep) },
	{ "policy", "FILE",
	  "judge runs by the limits in this file, whatever the limits of the nodes; their own "
	  "verdicts are shown beside",
	  TEXT(policy) },
	{ "metrics", "WHERE",
	  "counters, and each node's latest verdict, for Prometheus over HTTP: an address to "
	  "listen "
	  "on",
	  TEXT(metrics) },
	{ "max-age", "TIME",
	  "over HTTP, no pass counts that was received longer ago than this, such as 7d",
	  options_time, .offset = offsetof(struct options, max_age_ns) },
	{ "forward", "TO",
	  "send runs that have ended to a time-series engine: "
	  "influx:http[s]://HOST:PORT/write?db=NAME",
	  TEXT(to.forward) },
	{ "cacert", "FILE", "https: trust these certificates (PEM), not those of the system",
	  TEXT(to.access.cacert) },
	{ "netrc-file", "FILE",
	  "users and passwords for engines: lines machine HOST login USER password PASSWORD",
	  TEXT(to.access.netrc) },
	{ "authorization", "FILE",
	  "a line that authorizes requests to engines, such as Token SECRET for InfluxDB 2",
	  TEXT(to.access.authorization) },
	{ "junit", "FILE", "at the end write all runs in DIR as JUnit test cases", TEXT(junit) },
	{ "quiet", NULL, "no message when a run begins or ends", options_flag,
	  .offset = offsetof(struct options, to.quiet), .letter = 'q' },
	{ 0 },
};

const struct options_subcommand collect_program = {
	.name = "noisefloor-collect",
	.command = "noisefloor-collect",
	.run = collect_run,
	.summary = "receive the records that nodes send over the network",
	.about = "Accepts the records that nodes send with report=udp://HOST:PORT, until a signal "
		 "ends it. Stores runs in DIR/runs.sqlite, which `noisefloor fleet` reads; a line "
		 "is acknowledged when it is on stable storage.",
	.exit_code = "0 ended by a signal, 2 it could not start, or could not write its results.",
	.rows = rows,
	.options = &options,
};
