/* SPDX-License-Identifier: MIT */
/* How many tasks are not finished, for pools that cannot wait for theirs. One thread waits. */
#ifndef SDPOWER_PEERS_TALLY_H
#define SDPOWER_PEERS_TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

void tally_begun(void);
void tally_finished(void);
void tally_wait(void);

#ifdef __cplusplus
}
#endif

#endif
