/**
 * Recognises people who have been erased, so that runs do not process them again. A contact with a different ID may be
 * an erased person. In this case, a user decides about the contact.
 */

import type { RecordLookup, RemovedContact } from '../../../connectors/contract.ts';
import type { Departure } from '../../contacts/departures.ts';
import { areSameMarks, findErasedMarks } from '../../contacts/erased-marks.ts';
import type { Contact } from '../../core/contact.ts';
import { listDistinguished } from '../../decisions/statements/questions.ts';
import {
  fingerprintPerson,
  mayBeSamePerson,
  nameFingerprint,
} from '../../identity/person-fingerprints.ts';
import { type Block, isBlocking, listBlocks } from '../../privacy/statements/blocks.ts';
import { parsePerson } from '../../privacy/statements/mentions.ts';
import type { Run, SyncDeps } from './context.ts';
import { accountFingerprint } from './crm-account.ts';
import type { ErasedPerson, ErasedPersons } from './erased-persons.ts';

type EraseDeps = { store: Pick<SyncDeps['store'], 'fingerprint'> };
type ErasedRun = Pick<Run, 'forgotten' | 'erased'>;

/** Loads the erased people for a run. `account` is the fingerprint of the integration's CRM account. */
export async function loadErased(
  { store }: Pick<SyncDeps, 'store'>,
  integrationId: string,
  account: string | null,
): Promise<Required<ErasedRun>> {
  // Reads the marks before the data. If a user decides between these two reads, the marks differ at the next check, and
  // the data is loaded again.
  const { blocked } = await findErasedMarks(store.reader, integrationId, false);
  const blocks = await listBlocks(store.reader, integrationId, account);
  const marks = await findErasedMarks(store.reader, integrationId, blocks.length > 0);
  const blocking = blocks.filter(isBlocking);
  const merged = blocks.filter(({ isOwn, state }) => isOwn && state === 'merged');
  return {
    forgotten: new Set(blocking.map(({ fingerprint }) => fingerprint)),
    erased: {
      merged: new Map(merged.map(({ fingerprint, since }) => [fingerprint, since])),
      names: blocks.flatMap(({ person }) => parsePerson(person)?.names ?? []),
      byName: personsByName(blocks),
      distinguished:
        blocks.length === 0 ? new Map() : await listDistinguished(store.reader, integrationId),
      marks: { ...marks, blocked },
    },
  };
}

/**
 * Loads the erased people before the run writes anything to the CRM. If the connector has kept pending writes from an
 * interrupted run, also deletes the writes for erased contacts.
 */
export async function keepErasedAway(
  deps: EraseDeps & Pick<SyncDeps, 'store' | 'connector'>,
  integrationId: string,
): Promise<Required<ErasedRun>> {
  const account = accountFingerprint(deps.store, deps.connector);
  const run = await loadErased(deps, integrationId, account);
  if (run.forgotten.size > 0) {
    await deps.connector.erase?.((crmId) => forgottenFingerprint(deps, run, crmId) !== null);
  }
  return run;
}

/**
 * Reloads the data if a user has decided about an erased person since it was loaded. A decision applies immediately,
 * even during a run.
 */
export async function refreshErased(
  { store }: Pick<SyncDeps, 'store'>,
  run: ErasedRun & Pick<Run, 'integration'>,
): Promise<void> {
  const { id } = run.integration;
  const known = run.erased?.marks;
  const marks = await findErasedMarks(store.reader, id, known?.distinguished != null);
  if (known !== undefined && areSameMarks(marks, known)) return;
  Object.assign(run, await loadErased({ store }, id, null));
}

/**
 * Reloads the users' decisions if any of these contacts could be an erased person. Call this function before deciding
 * about due or ready contacts.
 */
export async function refreshIfAlike(
  deps: EraseDeps & Pick<SyncDeps, 'store'>,
  run: ErasedRun & Pick<Run, 'integration'>,
  lookups: Iterable<RecordLookup | undefined>,
): Promise<void> {
  for (const lookup of lookups) {
    if (lookup?.state !== 'found' || !looksErased(deps, run, lookup.contact)) continue;
    await refreshErased(deps, run);
    return;
  }
}

function personsByName(blocks: readonly Block[]): Map<string, ErasedPerson[]> {
  const persons = blocks.flatMap(({ person, since }): ErasedPerson[] => {
    const fingerprints = parsePerson(person);
    return fingerprints === null ? [] : [{ fingerprints, since }];
  });
  return Map.groupBy(persons, ({ fingerprints }) => fingerprints.name);
}

/**
 * Returns the fingerprint under which donor-sync counts an erased contact. Returns null if the contact was not erased.
 */
export function forgottenFingerprint(
  { store }: EraseDeps,
  { forgotten }: ErasedRun,
  crmId: string,
): string | null {
  if (forgotten.size === 0) return null;
  const own = store.fingerprint('forgotten', crmId);
  return forgotten.has(own) ? own : null;
}

/**
 * True if the contact may be a person who was erased under a different ID. False once a user has decided that they are
 * different people.
 */
export function looksErased(
  { store }: EraseDeps,
  { erased }: ErasedRun,
  contact: Contact,
): boolean {
  if (erased === undefined) return false;
  const since = Math.max(mergedSince(store, erased, contact), alikeSince(store, erased, contact));
  return isOpen(since, erased, contact.id);
}

/**
 * True if no user has decided since the erasure that the contact is someone else. If the erasure and the decision have
 * the same time, the user is asked again.
 */
function isOpen(since: number, { distinguished }: ErasedPersons, crmId: string): boolean {
  return since !== NEVER && since >= (distinguished.get(crmId) ?? NEVER);
}

const NEVER = -1;

function mergedSince(
  store: EraseDeps['store'],
  { merged }: ErasedPersons,
  { id }: Pick<Contact, 'id'>,
): number {
  if (merged.size === 0) return NEVER;
  return merged.get(store.fingerprint('forgotten', id)) ?? NEVER;
}

/**
 * Returns the time at which a person with these details was erased. Compares the names first. Most contacts have a
 * unique name, so usually no further comparison is needed.
 */
function alikeSince(
  { fingerprint }: EraseDeps['store'],
  { byName }: ErasedPersons,
  contact: Contact,
): number {
  if (byName.size === 0) return NEVER;
  const name = nameFingerprint(fingerprint, contact);
  const namesakes = byName.get(name);
  const own = namesakes && fingerprintPerson(fingerprint, contact, name);
  if (!own) return NEVER;
  const alike = namesakes.filter(({ fingerprints }) => mayBeSamePerson(fingerprints, own));
  return Math.max(NEVER, ...alike.map(({ since }) => since));
}

/**
 * Returns the contacts that have left the CRM. If an erased contact was merged into a different contact, its data is
 * not passed on, because the different contact could be the erased person.
 */
export function departures(
  deps: EraseDeps,
  run: ErasedRun,
  removed: readonly RemovedContact[],
  now: number,
): Departure[] {
  const { erased } = run;
  if (erased === undefined) return [...removed];
  return removed.map((contact) => {
    const { id, mergedInto } = contact;
    if (mergedInto === null) return contact;
    if (forgottenFingerprint(deps, run, mergedInto) !== null)
      return { ...contact, isHeirErased: true };
    const isErased = forgottenFingerprint(deps, run, id) !== null;
    const isUndecided = isOpen(mergedSince(deps.store, erased, { id }), erased, id);
    if (!isErased && !isUndecided) return contact;
    const suspect = deps.store.fingerprint('forgotten', mergedInto);
    if (!erased.merged.has(suspect)) erased.merged.set(suspect, now);
    return { ...contact, isErased, suspect };
  });
}
