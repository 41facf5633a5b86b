/* SPDX-License-Identifier: MIT */
/* What rounds come to: the median, and bounds by rank that need no distribution. */
#ifndef SDPOWER_SUMMARY_H
#define SDPOWER_SUMMARY_H

#include "bench.h"

struct bench_summary {
	double low, median, high;
};

/* The k-th smallest and largest: at least 95 per cent for a median as long as P(fewer than k heads
 * in n throws) <= 0.025. */
static inline int bench_rank(int n)
{
	double p = 1, sum = 0;
	int k = 0;

	for (int i = 0; i < n; i++)
		p /= 2;
	for (; sum + p <= 0.025; k++) {
		sum += p;
		p = p * (n - k) / (k + 1);
	}
	return k > 0 ? k - 1 : 0;
}

/* Of n > 0 rounds, which it sorts. */
static inline struct bench_summary bench_summarise(double *round, int n)
{
	const int k = bench_rank(n);

	qsort(round, (size_t)n, sizeof(round[0]), bench_compare);
	return (struct bench_summary){ round[k], round[n / 2], round[n - 1 - k] };
}

#endif
