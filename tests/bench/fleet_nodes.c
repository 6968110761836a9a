/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fleet of made-up nodes for `noisefloor-collect`:
 *
 *   fleet_nodes send   --port N --nodes N [--gaps N] [--give-up S] [--hosts]
 *                      [--key HEX [--own-keys]]
 *   fleet_nodes syslog --port N --nodes N [--gaps N] [--rate LINES_PER_S]
 *   fleet_nodes print  --dir . --nodes N [--gaps N]
 *   fleet_nodes check  --dir DIR --nodes N [--gaps N]
 */
#include "tests/bench/fleet_nodes.h"

#include "tests/bench/fleet_stream.h"

#include "core/lib/siphash.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define NS_IN_S UINT64_C(1000000000)

uint64_t fleet_now_ns(void *unused)
{
	struct timespec t;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_IN_S + (uint64_t)t.tv_nsec;
}

/*
 * A socket at an address of tests/bench/hosts.py: even numbers in 10.20.0.0/16, odd ones in
 * 2001:db8:1::/48.
 */
static int host_socket(uint32_t number, uint16_t port)
{
	uint32_t n = number / 2;
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr = { htonl(0x0a140000 + n) } };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_addr.s6_addr = { 0x20, 1, 0x0d, 0xb8, 0, 1,
							  (uint8_t)(n >> 8),
							  (uint8_t)n, [15] = 1 } };
	struct sockaddr *a = number % 2 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t bytes = number % 2 ? sizeof(v6) : sizeof(v4);
	int fd = socket(a->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof(on));
	if (fd < 0 || bind(fd, a, bytes) != 0)
		return -1;
	v4.sin_addr.s_addr = htonl(0x0a14fffe);
	v6.sin6_addr.s6_addr[6] = v6.sin6_addr.s6_addr[7] = 0xff;
	v4.sin_port = v6.sin6_port = htons(port);
	return connect(fd, a, bytes) == 0 ? fd : -1;
}

static int loopback_socket(uint16_t port)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 ? fd : -1;
}

int fleet_socket(const struct fleet_options *o, uint32_t number)
{
	int fd = o->hosts ? host_socket(number, o->port) : loopback_socket(o->port);

	if (fd >= 0)
		return fd;
	perror("fleet: socket");
	exit(2);
}

struct checked {
	uint32_t whole; /* all lines of the node, and nothing else */
	uint32_t part;  /* whole lines from the first on, but not all; or no file */
	uint64_t lines; /* in both */
};

/* Compare the file, byte by byte, with the lines of the node. */
static void check_file(FILE *f, uint32_t node, const struct fleet_options *o, struct checked *c)
{
	static char expected[RECORD_LINE_MAX], found[RECORD_LINE_MAX];
	size_t bytes, there = 0;
	struct fleet_stream s;
	uint32_t lines = 0;

	fleet_stream_start(&s, node, o);
	while ((bytes = fleet_stream_next(&s, expected))) {
		there = fread(found, 1, bytes, f);
		if (there != bytes || memcmp(found, expected, bytes) != 0)
			break;
		lines++;
	}
	if (bytes ? there != 0 : fgetc(f) != EOF)
		return;
	c->lines += lines;
	if (bytes)
		c->part++;
	else
		c->whole++;
}

static void check_node(uint32_t node, const struct fleet_options *o, struct checked *c)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%016" PRIx64 ".jsonl", o->dir, fleet_sid(node));
	f = fopen(path, "rb");
	if (!f) {
		c->part++;
		return;
	}
	check_file(f, node, o, c);
	fclose(f);
}

/* Count the files of runs, which have names of one length; the index has another. */
static uint32_t count_runs(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint32_t count = 0;

	while (dir && (entry = readdir(dir)))
		count += strlen(entry->d_name) == strlen("0123456789abcdef.jsonl");
	if (dir)
		closedir(dir);
	return count;
}

int fleet_check(const struct fleet_options *o)
{
	uint32_t files = count_runs(o->dir);
	struct checked c = { 0 };

	for (uint32_t node = 0; node < o->nodes; node++)
		check_node(node, o, &c);
	printf("{\"files\":%" PRIu32 ",\"whole\":%" PRIu32 ",\"part\":%" PRIu32
	       ",\"wrong\":%" PRIu32 ",\"lines\":%" PRIu64 "}\n",
	       files, c.whole, c.part, o->nodes - c.whole - c.part, c.lines);
	return c.whole == o->nodes && files == o->nodes ? 0 : 1;
}

int fleet_print(const struct fleet_options *o)
{
	for (uint32_t node = 0; node < o->nodes; node++) {
		size_t bytes;
		char *text = fleet_text(node, o, &bytes);

		if (!text || fwrite(text, 1, bytes, stdout) != bytes)
			return 2;
		free(text);
	}
	return 0;
}

static const uint8_t *read_key(const char *hex)
{
	static uint8_t key[SIPHASH_KEY_BYTES];

	for (size_t i = 0; i < sizeof(key); i++) {
		if (sscanf(hex + 2 * i, "%2hhx", &key[i]) != 1)
			return NULL;
	}
	return key;
}

static bool read_options(struct fleet_options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "dir", required_argument, NULL, 'd' },
		{ "nodes", required_argument, NULL, 'n' },
		{ "gaps", required_argument, NULL, 'g' },
		{ "rate", required_argument, NULL, 'r' },
		{ "key", required_argument, NULL, 'k' },
		{ "give-up", required_argument, NULL, 's' },
		{ "own-keys", no_argument, NULL, 'w' },
		{ "hosts", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		uint64_t number = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (option) {
		case 'p':
			o->port = (uint16_t)number;
			break;
		case 'd':
			o->dir = optarg;
			break;
		case 'n':
			o->nodes = (uint32_t)number;
			break;
		case 'g':
			o->gaps = (uint32_t)number;
			break;
		case 'r':
			o->rate = number;
			break;
		case 's':
			o->give_up_s = number;
			break;
		case 'w':
			o->own_keys = true;
			break;
		case 'h':
			o->hosts = true;
			break;
		case 'k':
			o->key = read_key(optarg);
			if (!o->key)
				return false;
			break;
		default:
			return false;
		}
	}
	return optind == argc && o->nodes && (o->port || o->dir);
}

static const struct {
	const char *name;
	int (*run)(const struct fleet_options *o);
} commands[] = {
	{ "send", fleet_send },
	{ "syslog", fleet_syslog },
	{ "print", fleet_print },
	{ "check", fleet_check },
};

int main(int argc, char **argv)
{
	struct fleet_options o = { .gaps = 200, .give_up_s = 600 };

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) == 0 && read_options(&o, argc - 1, argv + 1))
			return commands[i].run(&o);
	}
	fputs("usage: fleet_nodes send|syslog|print|check --port N|--dir DIR --nodes N "
	      "[--gaps N] [--rate N] [--give-up S] [--hosts] [--key HEX [--own-keys]]\n",
	      stderr);
	return 2;
}
