/** Decides when each process is killed, stopped or frozen, and how wrong each clock is. */
import type { Blow, Fate, HostClock } from '../processes/process.ts';
import type { Random } from '../random.ts';
import type { Faults, Swarm } from '../swarm/swarm.ts';

/** The points at which a kill does the most harm, because they lie between a write to the disk and a request. */
const FAILPOINTS = [
  'send POST /enhancements',
  'answer POST /enhancements',
  'no answer POST /enhancements',
  'begin',
  'commit',
  'committed',
  'insert into submissions',
  'insert into submissions done',
  'update submissions',
  'update submissions done',
  'update contacts',
  'update jobs',
  'insert into writes done',
  'crm write',
  'crm write answered',
  'send GET /credits',
  'answer GET /credits',
  'send POST /networks/ID/members/batch',
  'answer POST /networks/ID/members/batch',
  'send POST /networks/ID/members/remove',
] as const;

/**
 * The points before a request that spends credits. If a process freezes soon after one of them, a different process can
 * overtake it.
 */
const BEFORE_SPENDING = [
  'insert into submissions done',
  'insert into submissions',
  'insert into network_adds done',
  'answer GET /credits',
  'crm read answered',
] as const;

/** Chooses at random which faults a process suffers in a simulated night. */
export function fateOf({ faults, struckAt }: Swarm, fates: Random): Fate {
  const { kill, freeze, stop } = faults;
  const isKilled = fates.chance(kill);
  const isFrozen = fates.chance(freeze);
  const isStopped = fates.chance(stop);
  const killed = blow(struckAt ?? FAILPOINTS, fates);
  const frozen = {
    ...blow(struckAt ?? BEFORE_SPENDING, fates),
    ms: fates.chance(0.5) ? fates.magnitude(500, 600_000) : fates.int(35_000, 200_000),
  };
  const stopped = { times: fates.magnitude(1, 800) };
  return {
    kill: isKilled ? killed : null,
    freeze: isFrozen ? frozen : null,
    stop: isStopped ? stopped : null,
  };
}

/**
 * Chooses a random point at which the process is stopped. The point can also be shortly after one of the given
 * points.
 */
function blow(points: readonly [string, ...string[]], fates: Random): Blow {
  const point = fates.chance(0.6) ? fates.pick(points) : null;
  const anywhere = fates.chance(0.5) ? fates.magnitude(1, 800) : fates.int(1, 400);
  const times = point === null ? anywhere : fates.chance(0.6) ? 1 : fates.magnitude(1, 6);
  return { point, times, later: point === null || fates.chance(0.3) ? 0 : fates.int(1, 12) };
}

/** The clock can be wrong from the start and can run at its own speed. */
export function clockOf({ clockSkew }: Faults, clocks: Random): HostClock {
  if (clockSkew === 0) return { offsetMs: 0, rate: 1 };
  const sign = clocks.chance(0.5) ? 1 : -1;
  return {
    offsetMs: sign * clocks.magnitude(1, 900_000),
    rate: 1 + (clocks.next() - 0.5) * 0.002,
  };
}
