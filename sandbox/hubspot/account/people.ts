/** Stores the world's people as contacts, and their employers as companies. */

import type { CrmPerson, World } from '../../../people/world.ts';
import type { Database } from '../core/database.ts';
import type { Values } from '../properties/property-values.ts';
import { contactIdOf } from './person-id.ts';

/** The period (ms) in which the contacts were added. The period is two years. */
const HISTORY_MS = 2 * 365 * 86_400_000;

/** The minimum age of all contacts (ms), which is a day, so that the first night finds no changes. */
const QUIET_MS = 86_400_000;

/** The first company ID. Company IDs are different from all contact IDs, and they do not fit into 32 bits. */
const FIRST_COMPANY_ID = 31_000_000_001;

/**
 * The ways in which a contact stores its employer: only an associated company, a company and the text `company`, or
 * only the text. Consecutive contacts use different ways.
 */
const EMPLOYER_FORMS = ['company', 'both', 'text'] as const;

export interface PeopleOptions {
  world: World;
  /** The number of people from the world's contact list in this account. */
  contactCount: number;
  nowMs: number;
}

/** Stores all contacts and their companies in an empty database. */
export function fillPeople(db: Database, options: PeopleOptions): void {
  const companies = createCompanies(db);
  const insert = db.prepare('insert into contacts values (?, ?, ?, null, null, ?, ?)');
  const associate = db.prepare('insert into associations values (?, ?, ?)');
  for (let number = 0; number < options.contactCount; number += 1) {
    const person = options.world.crmPerson(number);
    const atMs = stampOf(number, options);
    const id = contactIdOf(number);
    const form = EMPLOYER_FORMS[number % EMPLOYER_FORMS.length];
    const companyId =
      person.employer === null || form === 'text' ? null : companies.idOf(person.employer, atMs);
    const values = {
      ...contactValues(person),
      ...(person.employer !== null && form !== 'company' ? { company: person.employer } : {}),
      ...(companyId === null ? {} : { associatedcompanyid: `${companyId}` }),
    };
    insert.run(id, atMs, atMs, person.email, JSON.stringify(values));
    for (const kind of companyId === null ? [] : ['primary', 'unlabeled']) {
      associate.run(id, companyId, kind);
    }
  }
  indexRecords(db);
}

function contactValues(person: CrmPerson): Values {
  const { address } = person;
  const values = {
    firstname: person.firstName,
    lastname: person.lastName,
    email: person.email,
    jobtitle: person.jobTitle,
    address: address?.street ?? null,
    city: address?.city ?? null,
    state: address?.state ?? null,
    zip: address?.postalCode ?? null,
    country: address === null ? null : 'United States',
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

/** Creates each company when a contact first needs the company. */
function createCompanies(db: Database) {
  const ids = new Map<string, number>();
  const insert = db.prepare('insert into companies values (?, ?, ?, null, null, null, ?)');
  return {
    idOf(name: string, atMs: number): number {
      const present = ids.get(name);
      if (present !== undefined) return present;
      const id = FIRST_COMPANY_ID + ids.size;
      ids.set(name, id);
      insert.run(id, atMs, atMs, JSON.stringify({ name }));
      return id;
    },
  };
}

/** Creates the indexes. Creating the indexes after all writes is faster than updating them during the writes. */
function indexRecords(db: Database): void {
  for (const table of ['contacts', 'companies']) {
    db.exec(`
create index if not exists ${table}_by_time on ${table} (modified_at_ms)
  where archived_at_ms is null and merged_into is null;
create index if not exists ${table}_by_email on ${table} (email) where email is not null;
create index if not exists ${table}_archived on ${table} (id) where archived_at_ms is not null;`);
  }
}

/** Returns when a contact was added. In the order of the list, equally many contacts were added in each period. */
function stampOf(number: number, { nowMs, contactCount }: PeopleOptions): number {
  return nowMs - QUIET_MS - HISTORY_MS + Math.floor((HISTORY_MS * number) / contactCount);
}
