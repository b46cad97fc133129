/** Removes parts of a failing simulated night as long as the smaller night fails in the same way. */
import type { NightResult } from '../night.ts';
import type { Swarm } from './swarm.ts';

const MOST_TRIES = 200;

export async function shrink(
  failing: NightResult,
  simulate: (swarm: Swarm) => Promise<NightResult>,
): Promise<NightResult> {
  const invariant = failing.violations[0]?.invariant;
  let smallest = failing;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < MOST_TRIES; ) {
    isSmaller = false;
    for (const swarm of smallerThan(smallest.swarm)) {
      tries += 1;
      const night = await simulate(swarm);
      if (night.violations[0]?.invariant !== invariant) continue;
      smallest = night;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(swarm: Swarm): Generator<Swarm> {
  const { contacts, hosts, integrations, sessions } = swarm;
  if (integrations > 1) yield { ...swarm, integrations: 1 };
  if (hosts > 1) yield { ...swarm, hosts: 1 };
  if (hosts > 2) yield { ...swarm, hosts: hosts - 1 };
  for (const fewer of new Set([1, Math.floor(contacts / 2), contacts - 1])) {
    if (fewer > 0 && fewer < contacts) yield { ...swarm, contacts: fewer };
  }
  for (const [index] of sessions.entries()) {
    if (sessions.length > 1) yield { ...swarm, sessions: sessions.filter((_, at) => at !== index) };
  }
  for (const part of ['beside', 'between', 'desk', 'faults', 'people', 'service'] as const) {
    for (const [name, value] of Object.entries(swarm[part])) {
      if (value === 0 || name === 'credits' || name === 'jobMs') continue;
      yield { ...swarm, [part]: { ...swarm[part], [name]: 0 } };
    }
  }
  if (swarm.sameHostName) yield { ...swarm, sameHostName: false };
  if (swarm.networks) yield { ...swarm, networks: false };
  if (swarm.store === 'server') yield { ...swarm, store: 'machine' };
}
