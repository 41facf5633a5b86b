/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include "newidle_crowd.h"
#include "newidle_world.h"

#define TASKS 128
#define TICK 500e3 /* one cpu in turn looks for queues, 16 times that for all */
#define LATENESS 2.0
#define EFFORT .25

struct task {
	struct task *next;
	uint64_t seed;     /* all its draws, so that modes meet the same tasks */
	double left, queued;
	int cpu, gang, pinned;
	double move;       /* > 0: pulled, and that is a part of what is left */
};

struct gang {
	const struct population *kind;
	struct task *first;
	uint64_t seed;
	int awake, home, phase;
};

enum state { IDLE, SEARCHING, RUNNING };

struct cpu {
	enum state state;
	struct task *run, *queue;
	double began;      /* the run or the search */
	double arrival;    /* of the first task of its own during a walk; < 0: none */
	int level;
	int told;          /* the own task of this period has come, or another one is running */
	struct player player;
};

/* Timers: the cpus', the gangs', the tick's. */
#define TIMER_TICK (CROWD_CPUS + TASKS)
#define TIMERS (TIMER_TICK + 1)

static struct world {
	const struct crowd *crowd;
	struct cpu cpu[CROWD_CPUS];
	struct task task[TASKS];
	struct gang gang[TASKS];
	double timer[TIMERS];
	double unlocked[PLAYER_LEVELS][CROWD_CPUS];
	double now, won, lost, searched, waited, wakes, done, misses;
	int gangs, tasks, ticks, overloaded;
} world;

/* log2 of the cpus of a group, by level. */
static const int span_shift[PLAYER_LEVELS] = { 1, 3, 4 };

/* A draw from a generator of its own; the world's is for searches and dice. */
static double uniform(uint64_t *seed)
{
	const uint64_t kept = world_state;
	double x;

	world_state = *seed;
	x = world_uniform();
	*seed = world_state;
	world_state = kept;
	return x;
}

static double exponential(uint64_t *seed, double mean)
{
	return -mean * log(1 - uniform(seed));
}

static int number_of(const struct cpu *cpu)
{
	return (int)(cpu - world.cpu);
}

static int is_linux(const struct cpu *cpu)
{
	return cpu->player.kind >= PLAYER_K515 && cpu->player.kind <= PLAYER_K70;
}

static void append(struct cpu *cpu, struct task *task)
{
	struct task **end = &cpu->queue;

	while (*end)
		end = &(*end)->next;
	*end = task;
	task->next = NULL;
	task->queued = world.now;
	if (cpu->run || cpu->queue->next)
		world.overloaded = 1;
}

/* Tasks that wait behind another one and may go elsewhere. */
static int spare(const struct cpu *cpu)
{
	int all = cpu->run != NULL, movable = 0;

	for (const struct task *t = cpu->queue; t; t = t->next) {
		all++;
		movable += !t->pinned;
	}
	return all > 1 ? movable : 0;
}

static struct task *take(struct cpu *cpu, int pinned_too)
{
	struct task **at = &cpu->queue, *task;

	while (*at && (*at)->pinned > pinned_too)
		at = &(*at)->next;
	task = *at;
	*at = task->next;
	world.waited += world.now - task->queued;
	return task;
}

static void run(struct cpu *cpu, struct task *task)
{
	cpu->state = RUNNING;
	cpu->run = task;
	cpu->began = world.now;
	task->cpu = number_of(cpu);
	world.timer[number_of(cpu)] = world.now + task->left;
}

/* Pulled work stops, done or not: what it ran was won, if a walk and not the tick pulled it. */
static void stop_pulled(struct cpu *cpu)
{
	struct task *task = cpu->run;

	if (cpu->player.pulled >= 0)
		world.won += (world.now - cpu->began - task->move) / 1e3;
	task->move = 0;
}

static void tell_arrival(struct cpu *cpu, double when)
{
	if (!cpu->told)
		player_wake(&cpu->player, is_linux(cpu) ? world.now : when);
	cpu->told = 1;
}

static void become_idle(struct cpu *cpu);

static void run_own(struct cpu *cpu)
{
	run(cpu, take(cpu, 1));
}

/* A task wakes here. */
static void arrive(struct cpu *cpu, struct task *task)
{
	world.wakes++;
	append(cpu, task);
	if (cpu->state == SEARCHING) {
		if (cpu->arrival < 0)
			cpu->arrival = world.now;
		return;
	}
	if (cpu->state == RUNNING && !cpu->run->move)
		return;
	tell_arrival(cpu, world.now);
	if (cpu->state == RUNNING) {
		struct task *pulled = cpu->run;

		stop_pulled(cpu);
		pulled->left -= world.now - cpu->began;
		cpu->run = NULL;
		append(cpu, pulled);
	}
	run_own(cpu);
}

static struct cpu *idle_neighbour(const struct cpu *cpu)
{
	const int first = number_of(cpu) >> span_shift[1] << span_shift[1];

	for (int i = 0; i < 1 << span_shift[1]; i++)
		if (world.cpu[first + i].state == IDLE)
			return &world.cpu[first + i];
	return NULL;
}

static void wake_gang(int index)
{
	struct gang *g = &world.gang[index];
	const struct population *p = g->kind;
	const int home = g->home >= 0 ? g->home : (int)(uniform(&g->seed) * CROWD_CPUS);

	world.timer[CROWD_CPUS + index] = INFINITY;
	for (int i = 0; i < p->gang; i++) {
		struct task *t = &g->first[i];
		struct cpu *cpu = &world.cpu[home], *idle;

		t->left = exponential(&t->seed, p->run);
		idle = uniform(&t->seed) < p->finds ? idle_neighbour(cpu) : NULL;
		g->awake++;
		arrive(idle ? idle : cpu, t);
	}
}

/* A gang that would wake in another's phase wakes when its own begins. */
static double in_phase(const struct gang *g, double when)
{
	const double segment = world.crowd->segment;

	if (segment <= 0 || (int)(when / segment) % CROWD_POPULATIONS == g->phase)
		return when;
	return (floor(when / segment) + 1) * segment + fmod(when, segment) * 1e-3;
}

static void sleep_gang(int index)
{
	struct gang *g = &world.gang[index];

	world.timer[CROWD_CPUS + index] = in_phase(g,
		world.now + exponential(&g->seed, g->kind->sleep));
}

static void task_done(struct cpu *cpu)
{
	struct task *task = cpu->run;

	if (task->move) {
		stop_pulled(cpu);
		player_ran(&cpu->player, world.now - cpu->began);
	}
	world.done++;
	cpu->run = NULL;
	if (--world.gang[task->gang].awake == 0)
		sleep_gang(task->gang);
	if (cpu->queue)
		run_own(cpu);
	else
		become_idle(cpu);
}

static void search(struct cpu *cpu, int level)
{
	const int me = number_of(cpu);
	double *unlocked = &world.unlocked[level][me >> span_shift[level]];
	const double cost = world.crowd->cost[level] * (.6 + .8 * world_uniform());

	cpu->state = SEARCHING;
	cpu->level = level;
	cpu->began = world.now;
	*unlocked = fmax(*unlocked, world.now) + cost;
	world.timer[me] = *unlocked;
}

static void rest(struct cpu *cpu)
{
	cpu->state = IDLE;
	world.timer[number_of(cpu)] = INFINITY;
}

static void become_idle(struct cpu *cpu)
{
	int level;

	for (int i = 0; i < PLAYER_LEVELS; i++)
		cpu->player.dice[i] = (uint32_t)(world_uniform() * 1024);
	cpu->arrival = -1;
	cpu->told = 0;
	cpu->player.quiet = !world.overloaded;
	level = player_begin(&cpu->player, world.now);
	if (level < 0)
		rest(cpu);
	else
		search(cpu, level);
}

/* The longest queue of the group of that level, or NULL. */
static struct cpu *longest_queue(const struct cpu *cpu, int level)
{
	const int first = number_of(cpu) >> span_shift[level] << span_shift[level];
	struct cpu *best = NULL;
	int most = 0;

	for (int i = first; i < first + (1 << span_shift[level]); i++) {
		const int tasks = spare(&world.cpu[i]);

		if (tasks > most) {
			most = tasks;
			best = &world.cpu[i];
		}
	}
	return best;
}

static void pull(struct cpu *cpu, struct cpu *from, int level)
{
	struct task *task = take(from, 0);

	task->move = world.crowd->move[level];
	task->left += task->move;
	run(cpu, task);
}

/* Whoever looked at everything and saw no queue says so. */
static void note_calm(void)
{
	world.overloaded = 0;
	for (int i = 0; i < CROWD_CPUS; i++)
		if (world.cpu[i].queue && (world.cpu[i].run || world.cpu[i].queue->next))
			world.overloaded = 1;
}

static void end_walk(struct cpu *cpu)
{
	if (cpu->arrival >= 0) {
		world.lost += LATENESS * (world.now - cpu->arrival) / 1e3;
		tell_arrival(cpu, cpu->arrival);
		run_own(cpu);
	} else if (cpu->state != RUNNING) {
		rest(cpu);
	}
}

static void search_done(struct cpu *cpu)
{
	const double cost = world.now - cpu->began;
	const int stop = cpu->arrival >= 0;
	struct cpu *from = stop ? NULL : longest_queue(cpu, cpu->level);
	int level;

	world.searched += cost;
	world.lost += EFFORT * cost / 1e3;
	world.misses += !from;
	if (!from && cpu->level == PLAYER_LEVELS - 1)
		note_calm();
	if (from)
		pull(cpu, from, cpu->level);
	level = player_searched(&cpu->player, cost, from != NULL, stop, world.now);
	if (level >= 0)
		search(cpu, level);
	else
		end_walk(cpu);
}

static void tick(void)
{
	struct cpu *cpu = &world.cpu[world.ticks++ % CROWD_CPUS], *from;

	world.timer[TIMER_TICK] += TICK;
	player_pass(&cpu->player, world.now);
	if (world.ticks % CROWD_CPUS == 0)
		note_calm();
	from = cpu->state == IDLE ? longest_queue(cpu, PLAYER_LEVELS - 1) : NULL;
	if (!from)
		return;
	if (cpu->player.kind == PLAYER_K70)
		tell_arrival(cpu, world.now);
	pull(cpu, from, PLAYER_LEVELS - 1);
}

static void add_gang(const struct population *p, int phase, int home, uint64_t seed)
{
	struct gang *g = &world.gang[world.gangs];

	*g = (struct gang) { .kind = p, .first = &world.task[world.tasks], .home = home,
		.phase = phase, .seed = seed + (uint64_t)world.gangs * 7919 };
	for (int i = 0; i < p->gang; i++, world.tasks++)
		world.task[world.tasks] = (struct task) { .gang = world.gangs, .pinned = p->pinned,
			.seed = seed * 31 + (uint64_t)world.tasks * 104729 };
	sleep_gang(world.gangs++);
}

static void begin(const struct crowd *c, enum player_kind kind, uint32_t fixed, uint64_t seed)
{
	memset(&world, 0, sizeof(world));
	world.crowd = c;
	for (int i = 0; i < TIMERS; i++)
		world.timer[i] = INFINITY;
	world.timer[TIMER_TICK] = TICK;
	for (int i = 0; i < CROWD_POPULATIONS; i++) {
		const struct population *p = &c->population[i];

		for (int k = 0; k < p->gangs; k++)
			add_gang(p, i, p->gangs == CROWD_CPUS ? k : -1, seed);
	}
	world_state = seed;
	for (int i = 0; i < CROWD_CPUS; i++) {
		player_init(&world.cpu[i].player, kind, fixed, c->move);
		become_idle(&world.cpu[i]);
	}
}

static int next_timer(void)
{
	const int cpus_and_gangs = CROWD_CPUS + world.gangs;
	int first = TIMER_TICK;

	for (int i = 0; i < cpus_and_gangs; i++)
		if (world.timer[i] < world.timer[first])
			first = i;
	return first;
}

static void happen(int timer)
{
	if (timer >= TIMER_TICK)
		tick();
	else if (timer >= CROWD_CPUS)
		wake_gang(timer - CROWD_CPUS);
	else if (world.cpu[timer].state == SEARCHING)
		search_done(&world.cpu[timer]);
	else
		task_done(&world.cpu[timer]);
}

struct crowd_result crowd_run(const struct crowd *c, enum player_kind kind, uint32_t fixed,
	double duration, uint64_t seed)
{
	const double seconds = duration / 1e9;

	begin(c, kind, fixed, seed);
	while (world.now < duration) {
		const int timer = next_timer();

		world.now = world.timer[timer];
		happen(timer);
	}
	return (struct crowd_result) { .score = (world.won - world.lost) / seconds / CROWD_CPUS,
		.wait = world.waited / world.wakes / 1e3, .done = world.done / seconds,
		.searching = world.searched / duration / CROWD_CPUS,
		.misses = world.misses / seconds / CROWD_CPUS };
}
