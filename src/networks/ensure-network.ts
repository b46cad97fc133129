import {
  findNetworkDecision,
  settleNetworkQuestion,
} from '../decisions/statements/network-questions.ts';
import { PartnerBadRequest, PartnerNotFound, PartnerValidationError } from '../partner/errors.ts';
import type { PresentNetwork } from './add-joiners.ts';
import { askPerson } from './ask-person.ts';
import { findPresent } from './find-memberships.ts';
import type { MirroredNetwork } from './match-networks.ts';
import { findMembership, type MemberPlan, planMembers } from './membership.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';
import {
  bindNetwork,
  isNetworkTaken,
  type NetworkRecord,
  recordNetworkName,
} from './statements/networks.ts';

/** Ensures that a network exists and has the name from the settings. */

/**
 * Returns the group's network at the service. donor-sync may know the network already, adopts a network with this name,
 * or creates it. Joiners who are already in an adopted network are not paid for again. Returns null while another
 * group's network has the name.
 */
export async function ensureNetwork(
  deps: NetworkDeps,
  run: NetworkRun,
  { setting: { name, color }, row }: MirroredNetwork,
  joiners: readonly string[],
): Promise<PresentNetwork | null> {
  const { store, partner } = deps;
  if (row.networkId !== null) return { ...row, networkId: row.networkId };
  const { ending } = run.control;
  const { networkId, adopted, memberCount } = await partner.networks.create(name, color, ending);
  // This check comes before the queries for the joiners, because these queries may cost credits.
  if (await isNetworkTaken(store.reader, networkId, row.id)) return holdName(deps, run, row, name);
  const isEmpty = !adopted || memberCount === 0;
  const present = isEmpty ? [] : await findPresent(deps, run, networkId, joiners);
  const binding = { id: row.id, networkId, name, partnerKey: run.partnerKey };
  if (!(await store.checkpoint(run.lease, (trx) => bindNetwork(trx, binding, present)))) {
    return holdName(deps, run, row, name);
  }
  for (const kind of ['name_taken', 'network_deleted'] as const) {
    await store.checkpoint(run.lease, (trx) => settleNetworkQuestion(trx, row.id, kind));
  }
  return { ...row, name, networkId };
}

/**
 * Handles networks that were deleted at the service. donor-sync does not pay for their members again without a user's
 * decision.
 */

/** True if the network no longer exists at the service. False if the network never existed. */
export async function isDeleted(
  { partner }: NetworkDeps,
  { control }: NetworkRun,
  { networkId }: NetworkRecord,
): Promise<boolean> {
  const listed = await partner.networks.list(control.ending);
  return networkId !== null && !listed.some((network) => network.networkId === networkId);
}

/** Opens a decision that asks users whether donor-sync should create the network again. */
export async function holdDeleted(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  { members, leavers, joiners }: MemberPlan,
): Promise<void> {
  await askPerson(deps, run, row.id, {
    kind: 'network_deleted',
    matter: row.networkId ?? '',
    detail: String(members - leavers.length + joiners.length),
  });
}

/** True if the network no longer exists at the service and no user has requested a new network. */
export async function isLeftAlone({ store }: NetworkDeps, row: NetworkRecord): Promise<boolean> {
  if (row.networkId === null) return false;
  const decision = await findNetworkDecision(
    store.reader,
    row.id,
    'network_deleted',
    row.networkId,
  );
  return decision === 'open' || decision === 'rejected';
}

/**
 * Handles networks that the service refuses as invalid. A refused network waits for a decision, and all other networks
 * continue.
 */

/** The service's refusal because of the request's content. The service would refuse the same request again. */
export type NetworkRefusal = PartnerBadRequest | PartnerValidationError;

/**
 * True for status 400 or 422 (service document, section 7). The request cost nothing, and the service may accept other
 * requests.
 */
export function isNetworkRefusal(error: unknown): error is NetworkRefusal {
  return error instanceof PartnerBadRequest || error instanceof PartnerValidationError;
}

/** Describes the refused parts to users. The text contains the field paths from the service, and never the values. */
export async function holdRefused(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  refusal: NetworkRefusal,
): Promise<void> {
  const detail = describeRefusal(refusal);
  deps.log.warn({ run: run.id, network: row.id, refused: detail }, 'a network is refused');
  const matter = deps.store.fingerprint('network_refusal', detail);
  await askPerson(deps, run, row.id, { kind: 'network_refused', matter, detail });
}

function describeRefusal(refusal: NetworkRefusal): string {
  const { endpoint, status } = refusal.details;
  const items = refusal instanceof PartnerValidationError ? refusal.items : [];
  const places = new Set(items.map(({ loc, type }) => `${fieldsIn(loc)} ${type}`));
  return [`${endpoint} answered ${status}`, ...places].join(', ');
}

/**
 * Returns the field names without list positions, so that the same refusal in the next nightly run leads to the same
 * decision.
 */
function fieldsIn(loc: readonly (string | number)[]): string {
  return loc.filter((part) => typeof part === 'string' && part !== 'body').join('.');
}

/** Handles networks whose name in the settings differs from the name at the service. */

/**
 * Gives every network the name from its setting, even if networks swap names. If a name is not available, the network
 * keeps its current name and a user has to decide.
 */
export async function renameNetworks(
  deps: NetworkDeps,
  run: NetworkRun,
  networks: readonly MirroredNetwork[],
): Promise<void> {
  const freed: MirroredNetwork[] = [];
  for (const network of networks) {
    if (await isLeftAlone(deps, network.row)) continue;
    freed.push({ ...network, row: await freeName(deps, run, network, networks) });
  }
  for (const network of freed) {
    if (run.control.stopping.aborted) return;
    await renameNetwork(deps, run, network);
  }
}

/**
 * Renames a network because a different network in the settings needs its name. The network keeps a temporary name
 * until its new name is available.
 */
async function freeName(
  { store, partner }: NetworkDeps,
  run: NetworkRun,
  { setting, row }: MirroredNetwork,
  networks: readonly MirroredNetwork[],
): Promise<NetworkRecord> {
  const isWaitedFor = networks.some(
    (other) => other.row.id !== row.id && other.setting.name === row.name,
  );
  if (row.networkId === null || row.name === setting.name || !isWaitedFor) return row;
  const name = `donor-sync ${row.id}`;
  // Records the temporary name first. If the process is killed or the rename is refused, donor-sync still knows that
  // the network needs its name.
  await store.checkpoint(run.lease, (trx) => recordNetworkName(trx, row.id, name));
  try {
    await partner.networks.rename(row.networkId, name, run.control.ending);
  } catch (error) {
    if (!isNetworkRefusal(error) && !(error instanceof PartnerNotFound)) throw error;
  }
  return { ...row, name };
}

async function renameNetwork(
  deps: NetworkDeps,
  run: NetworkRun,
  { setting: { name }, row }: MirroredNetwork,
): Promise<void> {
  const { store, partner } = deps;
  if (row.networkId === null) return;
  if (row.name !== name) {
    try {
      await partner.networks.rename(row.networkId, name, run.control.ending);
    } catch (error) {
      return holdUnnamed(deps, run, row, name, error);
    }
    await store.checkpoint(run.lease, (trx) => recordNetworkName(trx, row.id, name));
  }
  await store.checkpoint(run.lease, (trx) => settleNetworkQuestion(trx, row.id, 'name_taken'));
}

async function holdUnnamed(
  deps: NetworkDeps,
  run: NetworkRun,
  row: NetworkRecord,
  name: string,
  error: unknown,
): Promise<void> {
  if (error instanceof PartnerBadRequest) await holdName(deps, run, row, name);
  else if (error instanceof PartnerValidationError) await holdRefused(deps, run, row, error);
  else if (error instanceof PartnerNotFound && (await isDeleted(deps, run, row))) {
    await holdDeleted(deps, run, row, planMembers(await findMembership(deps, row)));
  } else throw error;
}

/**
 * Asks a user to choose a name, because a different network already has this name. Resolves with null, because there is
 * no network.
 */
async function holdName(
  deps: Pick<NetworkDeps, 'store' | 'newId'>,
  run: Pick<NetworkRun, 'lease'>,
  row: NetworkRecord,
  name: string,
): Promise<null> {
  const matter = deps.store.fingerprint('network_name', name);
  await askPerson(deps, run, row.id, { kind: 'name_taken', matter, detail: null });
  return null;
}
