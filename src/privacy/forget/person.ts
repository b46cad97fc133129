/**
 * Finds the person behind an ID, in the CRM and in the store. Also finds contacts that may belong to the same person.
 */

import type { RecordLookup } from '../../../connectors/contract.ts';
import type { Application } from '../../application.ts';
import { findContacts } from '../../contacts/contacts.ts';
import { isDonorSyncError } from '../../core/errors.ts';
import {
  fingerprintName,
  fingerprintWords,
  type NamesOfPerson,
  namesOfPerson,
  type PersonName,
} from '../../fields/erasing/erased-names.ts';
import { findOwnFormerRows } from '../../fields/erasing/former-rows.ts';
import { nameOfKept } from '../../fields/erasing/mentions.ts';
import {
  fingerprintPerson,
  joinedFingerprints,
  mayBeSamePerson,
  type PersonFingerprints,
  storedPersonFingerprints,
} from '../../identity/person-fingerprints.ts';
import { findContactsByDonor } from '../../networks/statements/network-members.ts';
import { findErasures } from '../statements/erasures.ts';
import type { KnownContact } from '../statements/known-contacts.ts';
import { findContactsAlike } from '../statements/known-contacts.ts';
import { findKeptTexts, findNamesOfDonors, parsePerson } from '../statements/mentions.ts';
import type { ForgetPersonDeps, ForgetRequest, Target } from './targets.ts';

/** The CRM's response to a lookup of an ID. */
export interface CrmAnswer {
  /** The record, if the CRM has it or has merged it into a different record. Null in all other cases. */
  lookup: RecordLookup | null;
  /** True if the CRM could be reached. */
  isAsked: boolean;
  /** The IDs of the person's former CSV rows. The current list no longer contains the former rows. */
  former: readonly string[];
}

/** Looks up a contact in the CRM. `forms` are the forms of the contact's ID, the canonical form first. */
export async function lookUp(
  main: Target | undefined,
  account: readonly string[],
  forms: readonly string[],
): Promise<CrmAnswer> {
  const crm = main?.crm;
  if (!crm) return NOT_ASKED;
  const lookups = await unlessUnreachable(crm.connector.readByIds(forms.slice(0, 1), []));
  if (lookups === null) return NOT_ASKED;
  const [lookup] = lookups;
  const isThere =
    lookup?.state === 'found' || (lookup?.state === 'removed' && lookup.mergedInto !== null);
  // If the former rows cannot be read, the other details are used anyway to recognise the person.
  const former = await unlessUnreachable(findOwnFormerRows(crm, account, forms));
  return { lookup: isThere ? lookup : null, isAsked: true, former: former ?? [] };
}

const NOT_ASKED: CrmAnswer = { lookup: null, isAsked: false, former: [] };

/** Resolves with the result of the read, or with null if the CRM could not be reached. */
async function unlessUnreachable<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading;
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    return null;
  }
}

/**
 * Returns the fingerprints that identify the person later. The fingerprints come from the CRM, from the database, and
 * from the blocks of earlier attempts. If the contact has left the CRM, nothing else may identify the person.
 */
export async function findPerson(
  { application: { store } }: ForgetPersonDeps,
  account: readonly string[],
  forms: readonly string[],
  lookup: RecordLookup | null,
): Promise<PersonFingerprints | null> {
  let person =
    lookup?.state === 'found' ? fingerprintPerson(store.fingerprint, lookup.contact) : null;
  for (const id of account) {
    for (const { identity } of (await findContacts(store.reader, id, forms)).values()) {
      person = joinedFingerprints(person, storedPersonFingerprints(store.fingerprint, identity));
    }
  }
  for (const block of await findErasures(store, account, forms)) {
    person = joinedFingerprints(person, parsePerson(block.person));
  }
  return person;
}

/**
 * Finds the integrations in which the ID means the same contact. Also returns the accounts in which the ID may mean a
 * different person, who is not erased.
 */
export async function distinguish(
  { application: { store } }: ForgetPersonDeps,
  {
    targets,
    account,
    forms,
    person,
  }: {
    targets: readonly Target[];
    /** The integrations in which the ID means the same contact. */
    account: readonly string[];
    forms: readonly string[];
    person: PersonFingerprints | null;
  },
): Promise<{ mine: Target[]; leftAlone: KnownContact[] }> {
  const mine: Target[] = [];
  const leftAlone: KnownContact[] = [];
  for (const target of targets) {
    const rows = [...(await findContacts(store.reader, target.id, forms)).values()];
    const others = rows.map(({ identity }) =>
      storedPersonFingerprints(store.fingerprint, identity),
    );
    const isOther =
      !account.includes(target.id) &&
      person !== null &&
      others.some((other) => other !== null && !mayBeSamePerson(person, other));
    if (!isOther) mine.push(target);
    else leftAlone.push(...rows.map((row) => ({ integration: target.id, crmId: row.crmId })));
  }
  return { mine, leftAlone };
}

/**
 * Returns the person's names. The names come from the CRM and from `known`, which an earlier attempt recorded. If the
 * contact has left the CRM, they also come from stored profiles and past writes.
 */
export async function findNames(
  { application: { store } }: ForgetPersonDeps,
  main: Target | undefined,
  ids: readonly string[],
  forms: readonly string[],
  lookup: RecordLookup | null,
  known: readonly string[],
): Promise<NamesOfPerson> {
  const names: PersonName[] = [];
  if (lookup?.state === 'found') {
    names.push({ first: lookup.contact.firstName, last: lookup.contact.lastName });
  }
  const deps = main?.open?.deps;
  for (const id of deps === undefined ? [] : ids) {
    for (const kept of await findKeptTexts(store.reader, id, forms)) {
      const name = deps === undefined ? null : nameOfKept(deps, id, kept);
      if (name !== null) names.push(name);
    }
  }
  const wordsIn = (text: string) => fingerprintWords(store.fingerprint, text);
  const read = names.flatMap((name) => fingerprintName(wordsIn, name) ?? []);
  const written = await findNamesOfDonors(store.reader, ids, forms);
  return namesOfPerson(store.fingerprint, [...read, ...written, ...known]);
}

/** Returns the contact's donors, by integration. */
export async function findDonors(
  store: Application['store'],
  ids: readonly string[],
  forms: readonly string[],
): Promise<Map<string, string[]>> {
  const donors = new Map<string, string[]>();
  for (const id of ids) {
    const rows = [...(await findContacts(store.reader, id, forms)).values()];
    donors.set(
      id,
      rows.flatMap(({ donorId }) => donorId ?? []),
    );
  }
  return donors;
}

/**
 * Finds other contacts that may be the same person. Returns only their IDs. Returns only the IDs of the other contacts.
 */
export async function findAlike(
  { application: { store } }: ForgetPersonDeps,
  { everywhere }: ForgetRequest,
  {
    ids,
    forms,
    person,
    donors,
  }: {
    ids: readonly string[];
    forms: readonly string[];
    person: PersonFingerprints | null;
    donors: ReadonlyMap<string, readonly string[]>;
  },
): Promise<KnownContact[]> {
  const found =
    person === null ? [] : await findContactsAlike(store, person, everywhere ? null : ids);
  for (const [integration, own] of donors) {
    const sameDonor = await findContactsByDonor(store.reader, integration, own);
    found.push(...[...sameDonor.values()].flat().map((crmId) => ({ integration, crmId })));
  }
  const others = found.filter(
    ({ integration, crmId }) => !ids.includes(integration) || !forms.includes(crmId),
  );
  return [...new Map(others.map((each) => [`${each.integration}/${each.crmId}`, each])).values()];
}
