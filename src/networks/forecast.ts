/** Forecasts a run's changes to the networks. The forecast writes nothing and sends no request to the service. */
import { findContacts } from '../contacts/contacts.ts';
import { listOptOutsInDoubt } from '../contacts/many-at-once/opt-outs.ts';

import { messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import { loadErased } from '../sync/control/erased.ts';
import { findNetworkAllowance } from './add-joiners.ts';
import { type MatchedSetting, matchNetworks } from './match-networks.ts';
import { findWanted, planMembers, whoStays } from './membership.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import { fingerprintGroups, readToEnd } from './read-groups.ts';
import { listNetworkMembers } from './statements/network-members.ts';
import { listNetworks } from './statements/networks.ts';

export interface NetworkForecast {
  name: string;
  /** The number of donors who are now in the network. */
  members: number;
  joiners: number;
  leavers: number;
  /** The number of contacts in the group that must be enhanced before they can join. */
  toEnhance: number;
  /** The reason why the run would change nothing, in one sentence. Null if nothing prevents changes. */
  problem: string | null;
}

/** The forecast for all networks of an integration. */
export interface NetworksForecast {
  networks: NetworkForecast[];
  /** The credits in the networks bucket. `needed` includes everyone who may join after an enhancement. */
  credits: { needed: number; allowed: number; remaining: number; limit: string | null };
  /** The expected number of requests. If a job takes a long time, the run polls it more often. */
  calls: { partner: number; crm: number };
}

/**
 * Reads the groups and compares them with the networks. `remaining` is the balance of the networks bucket.
 */
export async function forecastNetworks(
  deps: NetworkDeps,
  integration: Integration,
  remaining: number,
): Promise<NetworksForecast> {
  const rows = await listNetworks(deps.store.reader, integration.id);
  const { settings } = matchNetworks(fingerprintGroups(deps, { integration }), rows);
  const erased = await loadErased(deps, integration.id, null);
  const networks: NetworkForecast[] = [];
  const calls = { partner: 0, crm: 0 };
  const { remote } = deps.connector.capabilities;
  for (const matched of settings) {
    const forecast = await forecastOne(deps, { integration, ...erased }, matched);
    networks.push(forecast);
    calls.partner += partnerCalls(forecast, matched);
    if (remote) calls.crm += 1;
  }
  const needed = networks
    .filter(({ problem }) => problem === null)
    .reduce((sum, { joiners, toEnhance }) => sum + joiners + toEnhance, 0);
  const { credits, limitText } = await findNetworkAllowance(
    deps,
    { id: '', integration },
    remaining,
  );
  return {
    networks,
    credits: {
      needed,
      allowed: Math.min(needed, credits),
      remaining,
      limit: needed > credits ? limitText : null,
    },
    calls,
  };
}

/**
 * The number of requests for a bulk add: one to read the balance, one to send the bulk add, and one to poll its job.
 */
const CALLS_PER_BULK_ADD = 3;

function partnerCalls(
  { joiners, toEnhance, leavers, problem }: NetworkForecast,
  { setting, row }: MatchedSetting,
): number {
  if (problem !== null) return 0;
  const adding = joiners + toEnhance;
  const networkId = row?.networkId ?? null;
  const naming = networkId === null ? adding > 0 : row?.name !== setting.name;
  return (
    (naming ? 1 : 0) +
    Math.ceil(adding / MAX_DONORS_PER_REQUEST) * CALLS_PER_BULK_ADD +
    Math.ceil(leavers / MAX_DONORS_PER_REQUEST)
  );
}

async function forecastOne(
  deps: NetworkDeps,
  run: Pick<NetworkRun, 'integration' | 'forgotten' | 'erased'>,
  { setting: { name, group }, row }: MatchedSetting,
): Promise<NetworkForecast> {
  const { store } = deps;
  const members = row === null ? [] : await listNetworkMembers(store.reader, row.id);
  const nothing = { members: planMembers({ wanted: [], members }).members };
  try {
    const crmIds = [...(await readToEnd(deps, run, group))];
    const contacts = await findContacts(store.reader, run.integration.id, crmIds);
    const inDoubt = await listOptOutsInDoubt(store.reader, run.integration.id);
    const { wanted, toEnhance } = findWanted(crmIds, contacts, whoStays(members, inDoubt));
    const plan = planMembers({ wanted, members });
    const { length: joiners } = plan.joiners;
    const leavers = plan.leavers.length + plan.leaving.length;
    const problem = plan.isImplausible
      ? `${plan.leavers.length} of ${plan.members} members would leave: you have to decide whether they should`
      : null;
    return { name, members: plan.members, joiners, leavers, toEnhance, problem };
  } catch (error) {
    const problem = `the group cannot be read: ${messageOf(error)}`;
    return { name, ...nothing, joiners: 0, leavers: 0, toEnhance: 0, problem };
  }
}
