/**
 * Shows a few people as they would be sent, so a user can check them before credits are spent. Their names appear only
 * on a terminal or a page. Anything that is stored or passed on describes only the form of their data.
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

/** The parts of a person's data that exist. It contains nothing that identifies the person. */
export interface PersonShape {
  first: boolean;
  last: boolean;
  firstWords: number;
  lastWords: number;
  addresses: number;
  employers: number;
  /** True if the first and the last name are equal, as if both came from one column. */
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

/**
 * Describes anything unusual about these people that a user should notice. Returns null if there is nothing unusual.
 */
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
 * Reads these contacts from the CRM and returns them as they would be sent. Contacts that are never sent are omitted.
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
 * Returns a few of an integration's people, chosen evenly from all its contacts. People who wait to be sent come first,
 * followed by other people who may be sent. If the integration has not read its CRM yet, the first contacts in the CRM
 * are used. The connector must be prepared.
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

/** The number of pages that are searched for people. A page may not contain any contact with both names. */
const MAX_PAGES = 5;

/** Returns a few people from the CRM's first pages. The given keyed hash chooses them. */
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
