/**
 * Reads contacts' names from the CRM, or from memory if the user has just seen them. If the CRM is unavailable, returns
 * the reason.
 */
import type { RecordLookup } from '../../../connectors/contract.ts';
import { findContacts } from '../../contacts/contacts.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { contactName } from '../../decisions/contact-name.ts';
import { openShownNames, type ShownNames } from '../../privacy/shown-names.ts';
import { readErasureMark } from '../../privacy/statements/drop-months.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { lookUp } from '../../sync/control/look-up.ts';
import { findOutside } from '../../sync/guards/filter.ts';
import type { ActingWorld } from '../kit/operation.ts';
import { withoutErased } from './search-contacts.ts';
import { inTurnOfNames } from './search-turns.ts';

export interface NamesOfClient {
  /** The names by contact. Contacts without a name are missing. */
  names: { crmId: string; name: string }[];
  /** The reason why names are missing. Null if the CRM was read or memory contained all names. */
  problem: string | null;
}

/**
 * Returns the names of the contacts, by CRM ID. Leaves out contacts that were erased, have opted out, are outside the
 * filter, or could not be read.
 */
export async function readNames(
  world: ActingWorld,
  client: Integration,
  crmIds: readonly string[],
): Promise<NamesOfClient> {
  const erasures = await readErasureMark(world.reader, client.id);
  const kept = openKept(world, client, erasures);
  const allowed = await findAllowed(world, client, crmIds);
  for (const crmId of crmIds) if (!allowed.has(crmId)) kept.drop(crmId);
  const missing = [...allowed].filter((crmId) => kept.get(crmId) === undefined);
  const { read, problem } = await readMissing(world, client, missing);
  // While the CRM was being read, an erasure or an opt-out may have been recorded.
  const still = read.size === 0 ? allowed : await findAllowed(world, client, [...allowed]);
  const isSame = read.size === 0 || (await readErasureMark(world.reader, client.id)) === erasures;
  const names: NamesOfClient['names'] = [];
  for (const crmId of still) {
    const name = kept.get(crmId) ?? read.get(crmId);
    if (name === undefined) continue;
    if (isSame && read.has(crmId)) kept.keep(crmId, name);
    names.push({ crmId, name });
  }
  return { names, problem };
}

function openKept(world: ActingWorld, { id }: Integration, erasures: string): ShownNames {
  const { caller, clock, fingerprint } = world;
  const { account, role, clients } = caller;
  return openShownNames(fingerprint, {
    account,
    rights: `${role} ${clients === null ? '*' : [...clients].sort().join(' ')}`,
    integrationId: id,
    erasures,
    now: () => clock.monotonicMs(),
  });
}

async function findAllowed(
  world: ActingWorld,
  client: Integration,
  crmIds: readonly string[],
): Promise<Set<string>> {
  const ids = await withoutErased(world, client, [...new Set(crmIds)]);
  const records = await findContacts(world.reader, client.id, ids);
  return new Set(
    ids.filter((id) => {
      const record = records.get(id);
      return record !== undefined && record.hasOptedOut === 0 && record.state !== 'removed';
    }),
  );
}

async function readMissing(
  world: ActingWorld,
  client: Integration,
  crmIds: readonly string[],
): Promise<{ read: ReadonlyMap<string, string>; problem: string | null }> {
  if (crmIds.length === 0) return { read: new Map(), problem: null };
  const { application, signal } = world;
  try {
    const read = await inTurnOfNames(world, client.id, async () => {
      const open = await application.open(client, signal);
      try {
        const crm = await openCrm(open.deps, null);
        const lookups = await lookUp(crm.connector, crmIds);
        const outside = await findOutside(crm, { integration: client }, crmIds);
        return toNames(lookups, outside);
      } finally {
        await open.close();
      }
    });
    return { read, problem: null };
  } catch (error) {
    if (!isDonorSyncError(error) && !signal.aborted) throw error;
    return { read: new Map(), problem: messageOf(error) };
  }
}

/** Returns the names from CRM records. Leaves out contacts that have opted out since the last run. A pure function. */
function toNames(
  lookups: readonly RecordLookup[],
  outside: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const lookup of lookups) {
    const name = contactName(lookup);
    if (name === null || lookup.state !== 'found' || outside.has(lookup.id)) continue;
    const { optedOut, objects } = lookup.contact;
    if (!optedOut && objects !== true) names.set(lookup.id, name);
  }
  return names;
}
