/** Reads the CRM's groups, and stores their contacts as wanted members. */

import type { GroupSelector } from '../../connectors/contract.ts';
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import { inParallel } from '../core/parallel.ts';
import { settleNetworkQuestion } from '../decisions/statements/network-questions.ts';
import { forgottenFingerprint } from '../sync/control/erased.ts';
import { askPerson } from './ask-person.ts';
import { matchNetworks, selectorText } from './match-networks.ts';
import type { MirrorReader, NetworkDeps, NetworkRun } from './network-deps.ts';
import {
  listNetworks,
  listWantedMembers,
  type MirroredGroup,
  recordGroupMembers,
  recordMirroredGroups,
} from './statements/networks.ts';

/** The number of groups that are read at the same time. The pages of one group are read one after the other. */
const GROUPS_AT_ONCE = 4;

/** A group in the settings, with its network's ID in the store. */
interface KnownGroup extends MirroredGroup {
  group: GroupSelector;
}

/**
 * Reads every group in the settings. The groups are read before the contacts, because the run enhances group members
 * first. A group is used only if it was read completely. If a group was not read completely, the members from the last
 * reading still come first, and users are notified.
 */
export async function readGroups(deps: NetworkDeps, run: NetworkRun): Promise<void> {
  if (run.only !== null || run.integration.networks.length === 0) return;
  const groups = await recordSettings(deps, run);
  const atOnce = deps.connector.capabilities.remote ? GROUPS_AT_ONCE : 1;
  await inParallel(groups, atOnce, async (group) => {
    if (!run.control.stopping.aborted) await readGroup(deps, run, group);
  });
  if (run.control.stopping.aborted) return;
  const wanted = await listWantedMembers(
    deps.store.reader,
    groups.map(({ id }) => id),
  );
  for (const crmId of wanted) run.groupMembers.add(crmId);
}

/** Returns the networks in the settings with the fingerprints of their selectors. */
export function fingerprintGroups(
  { store }: { store: Pick<MirrorReader['store'], 'fingerprint'> },
  { integration }: Pick<NetworkRun, 'integration'>,
) {
  return integration.networks.map((setting) => ({
    setting,
    selector: store.fingerprint('group', selectorText(setting.group)),
  }));
}

async function recordSettings(deps: NetworkDeps, run: NetworkRun): Promise<KnownGroup[]> {
  const { store, newId } = deps;
  const rows = await listNetworks(store.reader, run.integration.id);
  const { settings } = matchNetworks(fingerprintGroups(deps, run), rows);
  const groups = settings.map(({ setting: { name, group }, selector, row }) => ({
    id: row?.id ?? newId(),
    selector,
    name,
    group,
  }));
  await store.checkpoint(run.lease, (trx) => recordMirroredGroups(trx, groups));
  return groups;
}

async function readGroup(deps: NetworkDeps, run: NetworkRun, group: KnownGroup): Promise<void> {
  const { store, log } = deps;
  let members: Set<string>;
  try {
    members = await readToEnd(deps, run, group.group);
  } catch (error) {
    if (run.control.stopping.aborted) throw error;
    // The contacts are synced anyway. If the CRM itself is unavailable, reading the contacts reports the problem.
    return holdUnreadable(deps, run, group, error);
  }
  await store.checkpoint(run.lease, (trx) => recordGroupMembers(trx, run.id, group.id, members));
  await store.checkpoint(run.lease, (trx) =>
    settleNetworkQuestion(trx, group.id, 'group_unreadable'),
  );
  log.info({ run: run.id, network: group.id, members: members.size }, 'a group was read');
}

async function holdUnreadable(
  deps: NetworkDeps,
  run: NetworkRun,
  { id: network, selector }: KnownGroup,
  error: unknown,
): Promise<void> {
  const facts = { run: run.id, network, error: messageOf(error) };
  deps.log.warn(facts, 'a group could not be read completely; its network does not change');
  await askPerson(deps, run, network, {
    kind: 'group_unreadable',
    matter: selector,
    detail: isDonorSyncError(error) ? error.code : 'unexpected_error',
  });
}

/** Reads the CRM IDs of all members. Leaves out erased contacts. */
export async function readToEnd(
  deps: Pick<NetworkDeps, 'store' | 'connector'>,
  run: Pick<NetworkRun, 'forgotten' | 'erased'>,
  selector: GroupSelector,
): Promise<Set<string>> {
  const members = new Set<string>();
  for await (const ids of deps.connector.readGroup(selector)) {
    for (const id of ids) {
      if (forgottenFingerprint(deps, run, id) === null) members.add(id);
    }
  }
  return members;
}
