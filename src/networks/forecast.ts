/** What a run would do to the networks; nothing is written, and the service is not asked. */
import { messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import { findNetworkAllowance } from './add-joiners.ts';
import type { NetworkDeps } from './context.ts';
import { type MatchedSetting, matchNetworks } from './match-networks.ts';
import { wantedOf } from './membership.ts';
import { planMembers } from './plan-members.ts';
import { printSettings, readToEnd } from './read-groups.ts';

/** What would become of one network. */
export interface NetworkForecast {
  name: string;
  /** Donors who are in it now. */
  members: number;
  joiners: number;
  leavers: number;
  /** People of the group who are enhanced first, and then may join. */
  toEnhance: number;
  /** Why nothing would be changed, in words; null if nothing is in the way. */
  problem: string | null;
}

/** What would become of all networks of an integration. */
export interface NetworksForecast {
  networks: NetworkForecast[];
  /** Credits of the networks bucket; `needed` counts everybody who may join after enhancement. */
  credits: { needed: number; allowed: number; remaining: number; limit: string | null };
}

/** Reads the groups and compares; `remaining` is what the networks bucket holds. */
export async function forecastNetworks(
  deps: NetworkDeps,
  integration: Integration,
  remaining: number,
): Promise<NetworksForecast> {
  const rows = await deps.store.networks.list(integration.id);
  const { settings } = matchNetworks(printSettings(deps, { integration }), rows);
  const forgotten = await deps.store.forget.listForgotten(integration.id);
  const networks: NetworkForecast[] = [];
  for (const matched of settings) {
    networks.push(await forecastOne(deps, { integration, forgotten }, matched));
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
  };
}

async function forecastOne(
  deps: NetworkDeps,
  run: { integration: Integration; forgotten: ReadonlySet<string> },
  { setting: { name, group }, row }: MatchedSetting,
): Promise<NetworkForecast> {
  const { store } = deps;
  const members = row === null ? [] : await store.networks.listMembers(row.id);
  const nothing = { members: planMembers({ wanted: [], members }).members };
  try {
    const crmIds = [...(await readToEnd(deps, run, group))];
    const contacts = await store.contacts.find(run.integration.id, crmIds);
    const { wanted, toEnhance } = wantedOf(crmIds, contacts);
    const plan = planMembers({ wanted, members });
    const { length: joiners } = plan.joiners;
    const leavers = plan.leavers.length + plan.leaving.length;
    const problem = plan.isImplausible
      ? `${plan.leavers.length} of ${plan.members} members would leave: a person has to decide that`
      : null;
    return { name, members: plan.members, joiners, leavers, toEnhance, problem };
  } catch (error) {
    const problem = `the group cannot be read: ${messageOf(error)}`;
    return { name, ...nothing, joiners: 0, leavers: 0, toEnhance: 0, problem };
  }
}
