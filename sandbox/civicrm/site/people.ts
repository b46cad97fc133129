/** Stores the world's people as contacts, and their employers as organizations. */

import { chooseGroups } from '../../../people/groups.ts';
import type { CrmPerson, World } from '../../../people/world.ts';
import type { Tables } from '../core/tables.ts';

/**
 * The ID of the first person. Smaller IDs belong to the site's own organization and its user. Some later IDs belong to
 * contacts that have been deleted.
 */
const FIRST_PERSON = 1_001;

const HISTORY_MS = 2 * 365 * 86_400_000;

/** The minimum age of all contacts (ms), which is a day, so that the first run finds no changes. */
const QUIET_MS = 86_400_000;

export function contactIdOf(person: number): string {
  return String(FIRST_PERSON + person);
}

export interface PeopleOptions {
  world: World;
  contactCount: number;
  nowMs: number;
}

/** The column values of a contact without any data. */
export const BLANK_CONTACT = {
  contact_type: 'Individual',
  contact_sub_type: null,
  first_name: null,
  middle_name: null,
  last_name: null,
  nick_name: null,
  organization_name: null,
  household_name: null,
  job_title: null,
  employer_id: null,
  external_identifier: null,
  do_not_email: false,
  do_not_phone: false,
  do_not_mail: false,
  do_not_sms: false,
  do_not_trade: false,
  is_opt_out: false,
  is_deceased: false,
  deceased_date: null,
  is_deleted: false,
};

export function fillSite(tables: Tables, { world, contactCount, nowMs }: PeopleOptions): void {
  const contacts = tables.of('Contact');
  const startMs = nowMs - QUIET_MS - HISTORY_MS;
  const own = { ...BLANK_CONTACT, contact_type: 'Organization', created_date: startMs };
  contacts.insert({
    ...own,
    id: 1,
    organization_name: 'Riverside Food Bank',
    display_name: 'Riverside Food Bank',
    modified_date: startMs,
  });
  const employers = new Map<string, number>();
  const people: { person: CrmPerson; atMs: number }[] = [];
  for (let number = 0; number < contactCount; number += 1) {
    const atMs = startMs + Math.floor((HISTORY_MS * number) / contactCount);
    people.push({ person: world.crmPerson(number), atMs });
  }
  let id = FIRST_PERSON;
  for (const { person, atMs } of people) {
    contacts.insert({
      ...BLANK_CONTACT,
      ...{ id, first_name: person.firstName, last_name: person.lastName },
      display_name: [person.firstName, person.lastName].filter(Boolean).join(' '),
      job_title: person.jobTitle,
      organization_name: person.employer,
      ...{ created_date: atMs, modified_date: atMs },
    });
    id += 1;
  }
  for (const { person, atMs } of people) {
    const contactId = FIRST_PERSON + person.number;
    if (person.employer !== null) {
      const employer = employers.get(person.employer) ?? addEmployer(person.employer, atMs);
      employers.set(person.employer, employer);
      contacts.update(contactId, { employer_id: employer });
    }
    if (person.email !== null) {
      tables.of('Email').insert({ contact_id: contactId, email: person.email, is_primary: true });
    }
    if (person.address !== null) {
      const { street, city, state, postalCode } = person.address;
      tables.of('Address').insert({
        ...{ contact_id: contactId, is_primary: true, street_address: street, city },
        ...{ supplemental_address_1: null, state, postal_code: postalCode, country: 'US' },
      });
    }
  }
  const { board, staff } = chooseGroups({ world, contactCount });
  for (const { name, people: members } of [board, staff]) {
    addGroup(
      tables,
      name,
      members.map((number) => FIRST_PERSON + number),
    );
  }

  function addEmployer(name: string, atMs: number): number {
    const employerId = id;
    id += 1;
    contacts.insert({
      ...{ ...BLANK_CONTACT, contact_type: 'Organization', organization_name: name },
      ...{ id: employerId, display_name: name, created_date: atMs, modified_date: atMs },
    });
    return employerId;
  }
}

export function addGroup(tables: Tables, title: string, members: readonly number[]): number {
  const name = title.replaceAll(/\W+/g, '_');
  const group = tables.of('Group').insert({
    ...{ name, title, is_active: true, is_hidden: false, saved_search_id: null, where: null },
  });
  for (const member of members) {
    tables.of('GroupContact').insert({ group_id: group.id, contact_id: member, status: 'Added' });
  }
  return group.id;
}
