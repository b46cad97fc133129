/** Finds values that name an erased person. Runs, undos and restored databases use this search. */
import type { Lease } from '../../database/leases.ts';
import {
  findErasedNames,
  findMerges,
  listErasedDonors,
  listNamingContacts,
  recordNaming,
  replaceRestored,
} from '../../privacy/statements/mentions.ts';
import { placeWrites } from '../../privacy/statements/recall-writes.ts';
import type { ErasedTexts } from '../../sync/control/erased-texts.ts';
import { clearMentions } from './clear-mentions.ts';
import { NO_NAMES, namesOfPerson } from './erased-names.ts';
import {
  dropKeptTexts,
  type FoundMentions,
  findIn,
  findMentions,
  isIn,
  listHeirs,
  type Mention,
  type MentionDeps,
  pagesOf,
  type StoreDeps,
} from './mentions.ts';

/**
 * Finds values that name any erased person. The store keeps the fingerprints of erased people's donors for this search.
 */
async function findErasedMentions(
  deps: StoreDeps,
  { integrationId }: Pick<Lease, 'integrationId'>,
): Promise<FoundMentions | null> {
  const { store } = deps;
  const donors = await listErasedDonors(store.reader, store.fingerprint, integrationId);
  if (donors.length === 0) return null;
  const merges = await findMerges(store.reader, integrationId);
  // A contact may have absorbed another contact with a value that names an erased person. Runs are frequent, so no
  // other contacts are read.
  const naming = await listNamingContacts(store.reader, integrationId, donors);
  const ids = [...new Set(naming.flatMap((id) => [id, ...listHeirs(merges, id)]))];
  const everyone = { forms: [], names: NO_NAMES, donors: new Set(donors) };
  return findIn(deps, integrationId, everyone, merges, pagesOf(deps, integrationId, ids));
}

/**
 * Loads the values that name erased people, because a run must not keep them as previous values. Returns null if no
 * value names an erased person.
 */
export async function loadErasedTexts(
  deps: StoreDeps,
  integrationId: string,
): Promise<ErasedTexts | null> {
  const found = await findErasedMentions(deps, { integrationId });
  if (found === null || found.mentions.length === 0) return null;
  const byContact = new Map(found.mentions.map((each) => [each.crmId, each.fields]));
  return {
    has: (crmIds, field, value) =>
      crmIds.some((id) => isIn(deps, id, byContact.get(id) ?? NO_FIELDS, field, value)),
  };
}

const NO_FIELDS: Mention['fields'] = new Map();

export async function dropErasedTexts(deps: StoreDeps, integrationId: string): Promise<void> {
  const { store } = deps;
  const { fingerprint } = store;
  const donors = await listErasedDonors(store.reader, store.fingerprint, integrationId);
  const names = namesOfPerson(fingerprint, await findErasedNames(store.reader, integrationId));
  if (donors.length === 0 && names.isEmpty) return;
  const erased = { forms: [], donors: new Set(donors), names };
  const found = await findMentions(deps, integrationId, erased);
  if (found.naming.length > 0)
    await store.act((trx) => recordNaming(trx, integrationId, found.naming));
  await store.act((trx) => replaceRestored(trx, integrationId, found));
}

/**
 * Drops values that name erased people. A restored database contains such values, so call this function before values
 * are restored.
 */
export async function dropErasedMentions(deps: StoreDeps, lease: Lease): Promise<void> {
  const found = await findErasedMentions(deps, lease);
  if (found !== null) await dropKeptTexts(deps, lease, found);
}

/** Clears values that name erased people in the CRM, regardless of the current settings. */
export async function clearErasedMentions(deps: MentionDeps, lease: Lease): Promise<void> {
  const { connection, fingerprint } = deps.store;
  await placeWrites(connection, fingerprint, lease.integrationId);
  const found = await findErasedMentions(deps, lease);
  if (found === null) return;
  await dropKeptTexts(deps, lease, found);
  await clearMentions(deps, lease, found.inCrm, NO_NAMES);
}
