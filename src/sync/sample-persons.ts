/**
 * Shows a few people as a run would send them, so that a user can check them before the run spends credits. The
 * people's names are shown only in a terminal or on a page. Stored data and other outputs describe only which kinds of
 * data exist.
 */
import { listDueContactIds, listEligibleContactIds } from '../contacts/contacts.ts';

import { PRIORITY } from '../contacts/life/line-events.ts';
import type { Contact } from '../core/contact.ts';
import { type PersonDetails, toPersonDetails } from '../core/person.ts';
import type { SyncDeps } from './control/context.ts';
import { getRefusal } from './plan.ts';
import { createSpread } from './spread.ts';

/** The number of people that are shown. */
export const SAMPLE_SIZE = 5;

/** The kinds of data that exist about a person. The kinds of data do not identify the person. */
export interface PersonShape {
  first: boolean;
  last: boolean;
  firstWords: number;
  lastWords: number;
  addresses: number;
  employers: number;
  /** True if the first and the last name are equal, for example because both come from one column. */
  sameNames: boolean;
}

export function toPersonShape({
  firstName,
  lastName,
  addresses,
  employers,
}: PersonDetails): PersonShape {
  return {
    first: firstName !== '',
    last: lastName !== '',
    firstWords: countWords(firstName),
    lastWords: countWords(lastName),
    addresses: addresses.length,
    employers: employers.length,
    sameNames: firstName === lastName,
  };
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/** Describes anything unusual about these people that a user should notice. Returns null if nothing is unusual. */
export function describeOddity(shapes: readonly PersonShape[]): string | null {
  if (shapes.length === 0) return null;
  if (shapes.every(({ sameNames }) => sameNames)) {
    return 'The first and last names are the same, as if the full name was used for both.';
  }
  if (shapes.every(({ addresses, employers }) => addresses + employers === 0)) {
    return 'No address or employer is sent, and a name alone is rarely enough to recognise a person.';
  }
  return null;
}

/**
 * Reads these contacts from the CRM and returns them as a run would send them. Omits contacts that a run never sends.
 */
export async function readPersons(
  { connector }: Pick<SyncDeps, 'connector'>,
  crmIds: readonly string[],
): Promise<PersonDetails[]> {
  if (crmIds.length === 0) return [];
  const lookups = await connector.readByIds([...crmIds], []);
  return lookups.flatMap((lookup) => (lookup.state === 'found' ? toPersons([lookup.contact]) : []));
}

function toPersons(contacts: readonly Contact[]): PersonDetails[] {
  return contacts.filter((contact) => getRefusal(contact) === null).map(toPersonDetails);
}

/**
 * Chooses a few of an integration's people, spread over all its contacts. People that a run would send come first. If
 * donor-sync has not read the CRM yet, chooses from the first contacts in the CRM. The connector must be prepared.
 */
export async function samplePersons(
  { store, connector }: Pick<SyncDeps, 'store' | 'connector'>,
  integrationId: string,
): Promise<PersonDetails[]> {
  const due = { maxPriority: PRIORITY.refresh, only: null };
  const known = [
    listDueContactIds(store.reader, integrationId, due),
    listEligibleContactIds(store.reader, integrationId),
  ];
  for (const ids of known) {
    const spread = createSpread(store, SAMPLE_SIZE);
    for await (const id of ids) spread.add(id);
    const persons = await readPersons({ connector }, spread.ids());
    if (persons.length > 0) return persons;
  }
  return firstPersons(connector, (crmId) => store.fingerprint('trial', crmId));
}

/**
 * The number of CRM pages that are searched for people. On some pages, no contact may have both a first and a last
 * name.
 */
const MAX_PAGES = 5;

/** Returns a few people from the CRM's first pages. The keyed hash chooses the people. */
export async function firstPersons(
  connector: Pick<SyncDeps['connector'], 'readPages'>,
  fingerprint: (crmId: string) => string,
): Promise<PersonDetails[]> {
  let pages = 0;
  for await (const { contacts } of connector.readPages(null)) {
    const usable = contacts.filter((contact) => getRefusal(contact) === null);
    pages += 1;
    if (usable.length === 0 && pages < MAX_PAGES) continue;
    const spread = createSpread({ fingerprint: (_, crmId) => fingerprint(crmId) }, SAMPLE_SIZE);
    for (const { id } of usable) spread.add(id);
    const chosen = new Map(usable.map((contact) => [contact.id, contact]));
    return toPersons(spread.ids().flatMap((id) => chosen.get(id) ?? []));
  }
  return [];
}
