/* SPDX-License-Identifier: MIT */
/*
 * How the example pool keeps wake-ups from being lost (examples/pool: submit.c, wake.c, state.c,
 * worker.c), as a state machine for spin: every order of every access to a shared word. Fences are
 * in the C code where this model is sequentially consistent.
 *
 * Claimed in every reachable state in which all threads are blocked, in a task or asleep:
 * - no work waits behind a running task while a worker sleeps that nobody has called;
 * - in the end every task has been run.
 *
 * The brain is any brain: it names some sleeper nobody has claimed, if there is one, or says that
 * nobody is needed while a searcher is awake. Backlogs are shown exactly up to two; a backlog that
 * grows further says nothing new, as in the code between two powers.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef TASKS
#define TASKS 3
#endif
#define NOBODY WORKERS

/* pool_wakeups.sh leaves out one step at a time, to see that each is needed. */
#ifndef WITHOUT
#define WITHOUT 0
#endif

#define OTHER 0
#define BUSY 1
#define IDLE 2

byte queue[WORKERS], shown[WORKERS], state[WORKERS], hint[WORKERS];
bool asleep[WORKERS], token[WORKERS], idle[WORKERS], claimed[WORKERS], searching[WORKERS];
byte sleepers, slept = 1, door, settled, submitted, done;
bool locked[WORKERS];

#define COUNT(w) (queue[w] + (state[w] == BUSY -> 1 : 0))
#define ABOUT(w) (COUNT(w) > 2 -> 2 : COUNT(w))

#if WORKERS == 2
#define ANY_SEARCHER (searching[0] || searching[1])
#else
#define ANY_SEARCHER (searching[0] || searching[1] || searching[2])
#endif

/* state.c: the loop under the lock; what is shown is looked at again after the fence. */
inline publish(w, seen)
{
	do
	:: seen = ABOUT(w);
	   shown[w] = seen;
	   if
#if WITHOUT == 5 /* the second look at what is shown */
	   :: break
#else
	   :: ABOUT(w) == seen -> break
	   :: else
#endif
	   fi
	od
}

/* waits = whether what is shown has changed and some of it waits. */
inline worker_publish(w, seen, waits)
{
	waits = false;
	seen = shown[w];
	if
	:: ABOUT(w) == seen
	:: else ->
		atomic { !locked[w] -> locked[w] = true };
		publish(w, seen);
		waits = seen > 1;
		locked[w] = false
	fi
}

/* The brain's answer, and the claim that goes with it. */
inline claim_any(who)
{
	atomic {
		if
		:: idle[0] && !claimed[0] -> claimed[0] = true; who = 0
		:: idle[1] && !claimed[1] -> claimed[1] = true; who = 1
#if WORKERS > 2
		:: idle[2] && !claimed[2] -> claimed[2] = true; who = 2
#endif
		:: ANY_SEARCHER -> who = NOBODY
		:: else -> who = NOBODY
		fi
	}
}

/* wake.c */
inline wake_for(home, who)
{
	if
	:: sleepers == 0
	:: else ->
		claim_any(who);
		if
		:: who == NOBODY
		:: else ->
			hint[who] = home + 1;
			token[who] = true
		fi
	fi
}

inline wake_for_any(i, who)
{
	if
	:: sleepers == 0
	:: else ->
		i = 0;
		do
		:: i < WORKERS && !(queue[i] > 0 && shown[i] > 1) -> i++
		:: else -> break
		od;
		if
		:: i < WORKERS -> wake_for(i, who)
		:: else
		fi
	fi
}

/* state.c: worker_enter; the brain hears of it under the same lock. */
inline enter(to, seen)
{
	if
	:: state[me] == to
	:: else ->
		atomic { !locked[me] -> locked[me] = true };
		state[me] = to;
		publish(me, seen);
		atomic {
			searching[me] = false;
			if
			:: to == IDLE -> idle[me] = true
			:: else -> idle[me] = false; claimed[me] = false
			fi
		};
		locked[me] = false
	fi
}

inline take_own(got)
{
	atomic {
		got = queue[me] > 0;
		if
		:: got -> queue[me]--
		:: else
		fi
	}
}

inline steal(from, got, seen, waits)
{
	atomic {
		got = queue[from] > 0;
		if
		:: got -> queue[from]--
		:: else
		fi
	};
	if
	:: got -> worker_publish(from, seen, waits)
	:: else
	fi
}

/* search.c: where the hint says; then anywhere, awake, if the brain lets it and it pays. */
inline search(got, i, seen, waits)
{
	got = false;
	if
	:: hint[me] == 0
	:: else ->
		i = hint[me] - 1;
		hint[me] = 0;
		if
		:: i != me -> steal(i, got, seen, waits)
		:: else
		fi
	fi;
	if
	:: got
	:: !got -> skip /* not worth it */
	:: !got && !ANY_SEARCHER ->
		searching[me] = true;
		i = 0;
		do
		:: i < WORKERS && !got ->
			if
			:: i == me -> take_own(got)
			:: i != me && shown[i] > 1 -> steal(i, got, seen, waits)
			:: else
			fi;
			i++
		:: else -> break
		od
	fi
}

/* Nothing else can happen: the moment to look at what the claims are about. */
#define WAITS(w) (state[w] == BUSY && queue[w] > 0)
#define CALLED(w) (token[w] || claimed[w])
#define SLEEPS(w) (idle[w] && !CALLED(w))
#if WORKERS == 2
#define QUIET ((WAITS(0) || WAITS(1)) && (SLEEPS(0) || SLEEPS(1)))
#else
#define QUIET ((WAITS(0) || WAITS(1) || WAITS(2)) && (SLEEPS(0) || SLEEPS(1) || SLEEPS(2)))
#endif

/* A task that hands out others while it may: work from inside. */
inline run_task(seen, waits, who)
{
	if
	:: atomic { submitted < TASKS -> submitted++ };
		queue[me]++;
		worker_publish(me, seen, waits);
		if
		:: waits -> wake_for(me, who)
		:: else
		fi
	:: true
	fi;
	timeout -> assert(!(QUIET));
	done++
}

proctype worker(byte me)
{
	byte seen, i, who, asked;
	bool got, waits;

	do
	:: take_own(got);
	   if
	   :: got
	   :: else ->
		enter(OTHER, seen);
		search(got, i, seen, waits);
		if
		:: got
		:: else ->
			asleep[me] = true;
#if WITHOUT != 8 /* saying so before the last look */
			sleepers++;
			slept++;
#endif
			enter(IDLE, seen);
#if WITHOUT != 1 /* the last look for own work */
			take_own(got);
#endif
			if
			:: got
			:: else ->
#if WITHOUT != 2 /* the last look for what waits elsewhere */
				wake_for_any(i, who);
#endif
#if WITHOUT == 8
				sleepers++;
				slept++;
#endif
end_park:			atomic { token[me] -> token[me] = false }
			fi;
			asleep[me] = false;
			sleepers--;
			enter(OTHER, seen)
		fi
	   fi;
	   if
	   :: !got
	   :: else ->
		if
		:: state[me] != BUSY ->
			enter(BUSY, seen);
#if WITHOUT != 3 /* the look that who has found something owes */
			wake_for_any(i, who)
#endif
		:: else ->
			worker_publish(me, seen, waits);
			if
			:: waits -> wake_for(me, who)
			:: else ->
				if
#if WITHOUT != 4 /* asking again when somebody has fallen asleep */
				:: queue[me] > 0 && asked != slept ->
					asked = slept;
					wake_for(me, who)
#endif
				:: else
				fi
			fi
		fi;
		run_task(seen, waits, who)
	   fi
	od
}

/* submit.c: work from outside. */
inline place(home)
{
	atomic {
		if
		:: searching[0] -> home = 0
		:: searching[1] -> home = 1
		:: idle[0] && !claimed[0] -> claimed[0] = true; home = 0
		:: idle[1] && !claimed[1] -> claimed[1] = true; home = 1
#if WORKERS > 2
		:: searching[2] -> home = 2
		:: idle[2] && !claimed[2] -> claimed[2] = true; home = 2
#endif
		:: else -> home = door
		fi
	}
}

inline find_home(home, before)
{
	home = door;
	before = slept;
	if
	:: sleepers == 0
	:: else ->
		if
		:: state[home] == OTHER && queue[home] == 0
		:: else ->
			if
			:: settled == before
			:: else ->
				place(home);
				door = home;
				settled = (state[home] == BUSY -> before : 0)
			fi
		fi
	fi
}

proctype submitter()
{
	byte home, before, seen, who;
	bool waits, was_asleep;

	do
	:: atomic { submitted < TASKS -> submitted++ };
		find_home(home, before);
		queue[home]++;
		was_asleep = asleep[home];
		if
		:: was_asleep ->
#if WITHOUT != 6 /* a call for who sleeps on its own work */
			token[home] = true
#else
			skip
#endif
		:: else
		fi;
		if
		:: !was_asleep && state[home] == OTHER && queue[home] <= 1
		:: else ->
			worker_publish(home, seen, waits);
			if
#if WITHOUT != 7 /* a call for somebody better */
#if WITHOUT == 9 /* asking also for one that was asleep a moment ago */
			:: waits && !was_asleep -> settled = 0; wake_for(home, who)
#else
			:: waits -> settled = 0; wake_for(home, who)
#endif
#endif
			:: else
			fi
		fi
	:: submitted == TASKS -> break
	od;
	done == TASKS
}

init
{
	byte i;

	atomic {
		i = 0;
		do
		:: i < WORKERS -> run worker(i); i++
		:: else -> break
		od;
		run submitter()
	}
}
