/* SPDX-License-Identifier: MIT */
/*
 * Renewing the sums of a block without a lock: only the block's lowest active cpu does it.
 *
 * The order is: seq 0; serial of the tree, with full order; read the slots; write the
 * sums; a new seq. A publisher stores its slot and then serial = 0. If its 0 came before our
 * serial, we read its slot; if it came after, the record stays dirty. So a record that
 * names a tree equals its slots once everybody is quiet.
 *
 * A refresher that slept through a change of trees may overlap with the one elected by the
 * new tree. It notices at the end and leaves the record dirty. Until then a query may take a
 * mixed sum for a true one: a poorer answer, as with any load that is being changed.
 */
#include "crowd.h"

struct sums {
	struct sdpower_i_record record;
	uint32_t sum[4], max[4], min[4], target[4];
};

static void add_slot(struct sums *sums, const struct sdpower *s, uint32_t pos)
{
	const struct sdpower_i_slot *slot = &s->slots[pos];
	uint32_t load = sdpower_i_load(&slot->load), nr = sdpower_i_load(&slot->nr);

	sums->record.nr += nr;
	sums->record.per_task += sdpower_i_per_task(load, nr);
	if (sdpower_i_load(&slot->status) != SDPOWER_I_RUNNING &&
	    s->forest.cpu_at[pos] < sums->record.first_idle)
		sums->record.first_idle = s->forest.cpu_at[pos];
	for (uint32_t k = 0; k < SDPOWER_I_RECORD_INDICES; k++) {
		uint32_t source = sdpower_i_source(slot, k, load);

		sums->sum[k] += source;
		sums->target[k] += sdpower_i_target(slot, k, load);
		if (source > sums->max[k])
			sums->max[k] = source;
		if (source < sums->min[k])
			sums->min[k] = source;
	}
}

static void store_source(struct sdpower_i_source *to, const struct sums *sums, uint32_t k)
{
	sdpower_i_store(&to->sum, sums->sum[k]);
	sdpower_i_store(&to->max, sums->max[k]);
	sdpower_i_store(&to->min, sums->min[k]);
}

static void store_sums(struct sdpower_i_record *record, struct sdpower_i_record_rest *rest,
	const struct sums *sums)
{
	sdpower_i_store(&record->nr, sums->record.nr);
	sdpower_i_store(&record->per_task, sums->record.per_task);
	sdpower_i_store(&record->first_idle, sums->record.first_idle);
	for (uint32_t k = 0; k < SDPOWER_I_RECORD_INDICES - 1; k++)
		store_source(&record->source[k], sums, k);
	store_source(&rest->source3, sums, 3);
	for (uint32_t k = 1; k < SDPOWER_I_RECORD_INDICES; k++)
		sdpower_i_store(&rest->target[k - 1], sums->target[k]);
}

static void sum_loads(struct sdpower *s, uint32_t b, uint32_t active)
{
	struct sums sums = { .record = { .first_idle = SDPOWER_CPU_NONE },
		.min = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX } };

	for (uint32_t bit = 0; bit < s->forest.blocks[b].count; bit++)
		if (active >> bit & 1u)
			add_slot(&sums, s, s->forest.blocks[b].first + bit);
	store_sums(&s->records[b], &s->rests[b], &sums);
}

static void store_crowd(struct sdpower_i_crowd *to, const struct sdpower_i_crowd *sums)
{
	sdpower_i_store(&to->load, sums->load);
	sdpower_i_store(&to->util, sums->util);
	sdpower_i_store(&to->capacity, sums->capacity);
	sdpower_i_store(&to->counts, sums->counts);
	sdpower_i_store(&to->giver, sums->giver);
	sdpower_i_store(&to->unused, sums->unused);
	sdpower_i_store(&to->cpus, sums->cpus);
	sdpower_i_store(&to->cores, sums->cores);
	sdpower_i_store(&to->room, sums->room);
}

/* What the native rules ask for; the first idle cpu is one that nobody has claimed. */
static void sum_crowd(struct sdpower *s, uint32_t b, uint32_t active, uint32_t generation)
{
	const struct sdpower_i_tree *tree = &s->forest.trees[generation & 1u];
	const struct sdpower_i_limits limits = sdpower_i_limits_of(s, tree);
	struct sdpower_i_crowd sums = { .load = 0 };
	struct sdpower_i_record *record = &s->records[b];
	struct sdpower_i_cpu_view giver = { .capacity = 1 };
	const uint32_t fill = sdpower_i_load(&s->tuning.fill_percent);
	uint32_t nr = 0, first_free = SDPOWER_CPU_NONE;
	sdpower_cpu giving = SDPOWER_CPU_NONE;

	for (uint32_t bit = 0; bit < s->forest.blocks[b].count; bit++) {
		const uint32_t pos = s->forest.blocks[b].first + bit;
		const sdpower_cpu cpu = s->forest.cpu_at[pos];
		struct sdpower_i_cpu_view c;

		if (!(active >> bit & 1u))
			continue;
		c = sdpower_i_look(s, pos);
		sdpower_i_crowd_add(&sums, &limits, &c);
		sums.unused |= (uint32_t)(c.nr == 0) << bit;
		sums.cpus++;
		if (sdpower_i_room_beside(&c, fill) > sums.room)
			sums.room = sdpower_i_room_beside(&c, fill);
		sums.cores += sdpower_i_leads_core(&s->forest, tree, pos);
		nr += c.nr;
		if (c.status == SDPOWER_I_IDLE && cpu < first_free)
			first_free = cpu;
		if (!sdpower_i_is_over(&limits, &c) || (giving != SDPOWER_CPU_NONE &&
				!sdpower_i_gives_before(&c, cpu, &giver, giving)))
			continue;
		giver = c;
		giving = cpu;
		sums.giver = bit;
	}
	sdpower_i_store(&record->nr, nr);
	sdpower_i_store(&record->first_idle, first_free);
	store_crowd(&record->crowd, &sums);
}

static void sum_block(struct sdpower *s, uint32_t b, uint32_t active, uint32_t generation)
{
	struct sdpower_i_record *record = &s->records[b];
	uint32_t seq = sdpower_i_load(&record->last_seq) + 1u;

	seq = seq ? seq : 1u;
	sdpower_i_store(&record->last_seq, seq);
	sdpower_i_store(&record->seq, 0);
	sdpower_i_store_full(&record->serial, generation);
	if (s->decision_rules == SDPOWER_DECIDE_NATIVE)
		sum_crowd(s, b, active, generation);
	else
		sum_loads(s, b, active);
	sdpower_i_store_release(&record->seq, seq);
	if (sdpower_i_load_acquire(&s->forest.generation) != generation)
		sdpower_i_store_release(&record->serial, 0);
}

int sdpower_i_refresh(struct sdpower *s, uint32_t pos)
{
	uint32_t generation = sdpower_i_load_acquire(&s->forest.generation);
	uint32_t b = s->forest.block_at[pos], bit = pos - s->forest.blocks[b].first;
	uint32_t active = sdpower_i_load16(&s->forest.trees[generation & 1u].active[b]);

	if (!(active >> bit & 1u) || active & ((1u << bit) - 1u))
		return 0;
	if (sdpower_i_load(&s->records[b].serial) == generation)
		return 0;
	sum_block(s, b, active, generation);
	return 1;
}

sdpower_status sdpower_refresh(struct sdpower *s, sdpower_cpu cpu)
{
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	return sdpower_i_refresh(s, pos);
}
