/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>

#define MOST_JOBS 256u
#define MOST_RUNS 1000u
#define MOST_MS 600000u
#define MOST_BURST 4000u /* in ns that fits 32 bits */
#define MOST_SLOW 1000u

static const char help[] =
	"usage: sdpower-idle [OPTION]...\n"
	"Plays a build as make -jN runs it, jobs that compute in short bursts and wait in between,\n"
	"under the rules of 2009 with both savings knobs off, one and both on, and under the native\n"
	"ones; prints how long each core was idle. The library places the jobs and moves them.\n"
	"\n"
	"  -T, --topology TEXT  play it on this machine, e.g. \"numa:2 pack:1 core:4 pu:2\", or on the\n"
	"                       one recorded in a .topo file (TEXT with a slash is its path). Nothing\n"
	"                       is computed there, jobs only take turns. Default: on this machine,\n"
	"                       where threads compute, pinned to the cpus the library names\n"
	"  -J, --jobs N,...     jobs at a time (default 4,6,8)\n"
	"  -r, --runs N         runs to take the mean of (default 3)\n"
	"  -t, --time MS        ms to measure in a run, after 100 ms of warming up (default 300)\n"
	"  -b, --burst MS       ms of work between two waits of a job, on average (default 30)\n"
	"  -S, --slow N         play it N times slower, for machines that are slow or shared\n"
	"                       (default 1)\n"
	"  -s, --seed N         lengths of bursts and waits (default 1)\n"
	"  -j, --json           print one JSON document instead of a table\n"
	"  -h, --help           print this\n"
	"  -V, --version        print the version\n"
	"\n"
	"Exit status: 0 done, 1 something failed, 2 wrong use.\n";

static const struct option long_options[] = {
	{ "topology", required_argument, NULL, 'T' },
	{ "jobs", required_argument, NULL, 'J' },
	{ "runs", required_argument, NULL, 'r' },
	{ "time", required_argument, NULL, 't' },
	{ "burst", required_argument, NULL, 'b' },
	{ "slow", required_argument, NULL, 'S' },
	{ "seed", required_argument, NULL, 's' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static bool read_number(const char *text, uint32_t least, uint32_t most, uint32_t *out, char **end)
{
	unsigned long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoul(text, end, 10);
	*out = (uint32_t)n;
	return !errno && n >= least && n <= most;
}

static bool complain(const char *option, const char *value)
{
	fprintf(stderr, "sdpower-idle: wrong value for %s: \"%s\"\n", option, value);
	return false;
}

static bool parse_number(const char *option, uint32_t least, uint32_t most, uint32_t *out)
{
	char *end;

	return (read_number(optarg, least, most, out, &end) && !*end) || complain(option, optarg);
}

static bool parse_jobs(struct options *o)
{
	const char *text = optarg;
	char *end;

	for (o->counts = 0; o->counts < OPTIONS_COUNTS; text = end + 1) {
		if (!read_number(text, 1, MOST_JOBS, &o->jobs[o->counts++], &end))
			break;
		if (!*end)
			return true;
		if (*end != ',')
			break;
	}
	return complain("--jobs", optarg);
}

static bool parse_one(struct options *o, int letter)
{
	switch (letter) {
	case 'T':
		o->topology = optarg;
		return true;
	case 'J':
		return parse_jobs(o);
	case 'r':
		return parse_number("--runs", 1, MOST_RUNS, &o->runs);
	case 't':
		return parse_number("--time", 1, MOST_MS, &o->ms);
	case 'b':
		return parse_number("--burst", 1, MOST_BURST, &o->burst_ms);
	case 'S':
		return parse_number("--slow", 1, MOST_SLOW, &o->slow);
	case 's':
		return parse_number("--seed", 0, UINT32_MAX, &o->seed);
	case 'j':
		o->json = true;
		return true;
	default:
		return false;
	}
}

static void print_version(void)
{
	const uint32_t v = sdpower_version();

	printf("sdpower-idle %u.%u.%u\n", (unsigned)(v / 10000), (unsigned)(v / 100 % 100),
		(unsigned)(v % 100));
}

enum options_result options_parse(struct options *o, int argc, char **argv)
{
	int letter;

	*o = (struct options){ .jobs = { 4, 6, 8 }, .counts = 3, .runs = 3, .ms = 300,
		.burst_ms = 30, .slow = 1, .seed = 1 };
	while ((letter = getopt_long(argc, argv, "T:J:r:t:b:S:s:jhV", long_options, NULL)) != -1) {
		if (letter == 'h') {
			fputs(help, stdout);
			return OPTIONS_DONE;
		}
		if (letter == 'V') {
			print_version();
			return OPTIONS_DONE;
		}
		if (!parse_one(o, letter)) {
			fputs("Try sdpower-idle --help.\n", stderr);
			return OPTIONS_WRONG;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "sdpower-idle: unexpected argument \"%s\"\n", argv[optind]);
		return OPTIONS_WRONG;
	}
	return OPTIONS_RUN;
}
