/**
 * People who were erased and must not be imported again. The list contains hashes of each person's details and no
 * names. An imported person counts as an erased person if two details agree. The first compared detail is the name in
 * any form. The second compared detail is the house, the day of birth or an organisation.
 */

import { createHash } from 'node:crypto';
import type { Database } from '../database.ts';
import type { Address, Donor } from '../donor.ts';
import { comparableAddress, houseKeys } from '../matcher/addresses.ts';
import { comparableEmployer } from '../matcher/employers.ts';
import { toLatin } from '../matcher/latin.ts';
import { comparableName } from '../matcher/names.ts';
import { formsOf } from '../matcher/nicknames.ts';
import type { Entry } from './entry.ts';

/** The list of erased people. */
export interface Blocklist {
  /**
   * Adds a person to the list, with the details of each of the donors. If donors were joined, the joined donor and its
   * parts may have different names.
   */
  block(
    donors: readonly [Donor, ...Donor[]],
    ids: readonly string[],
    keys: readonly string[],
  ): void;
  /** Returns true if a source's entry describes a person on the list. */
  isBlocked(entry: Entry): boolean;
  /** Returns true if the donor with this ID is on the list. */
  has(id: string): boolean;
  /** Allows the person with this ID to be imported again. Returns false if the list does not contain the ID. */
  allow(id: string): boolean;
}

export function openBlocklist(db: Database): Blocklist {
  const insert = db.prepare<[string, string]>('insert or ignore into record_blocked values (?, ?)');
  const find = db.prepare<[string]>('select 1 from record_blocked where fingerprint = ?');
  const allow = db.prepare<[string]>(
    `delete from record_blocked where person in
       (select person from record_blocked where fingerprint = ?)`,
  );
  return {
    block(donors, ids, keys) {
      const facts = new Set(donors.flatMap(factsAbout));
      const names = new Set(
        donors
          .flatMap(({ name: { first, last } }) => namesOf(first, last))
          .flatMap(({ first, last }) =>
            [first, ...formsOf(first)].map((form) => `${form} ${last}`),
          ),
      );
      const texts = [
        ...ids.map((id) => `id ${id}`),
        ...keys.map((key) => `key ${key}`),
        ...[...names].flatMap((name) => [...facts].map((fact) => `${name} ${fact}`)),
      ];
      const person = hash(`id ${donors[0].id}`);
      for (const text of texts) insert.run(hash(text), person);
    },
    isBlocked({ keys, name: { first, last }, born, addresses, roles }) {
      const organisations = roles
        .filter(({ side }) => side !== 'education')
        .map(({ organisation }) => organisation.name);
      const texts = [
        ...keys.map((key) => `key ${key}`),
        ...namesOf(first, last).flatMap((name) =>
          factsOf(born, addresses, organisations).map(
            (fact) => `${name.first} ${name.last} ${fact}`,
          ),
        ),
      ];
      return texts.some((text) => find.get(hash(text)) !== undefined);
    },
    has: (id) => find.get(hash(`id ${id}`)) !== undefined,
    allow: (id) => allow.run(hash(`id ${id}`)).changes > 0,
  };
}

/**
 * Returns a name as the source writes it. If the name contains letters of a different alphabet, also returns the name
 * in Latin letters.
 */
function namesOf(first: string, last: string) {
  const written = comparableName(first, '', last);
  const latin = comparableName(toLatin(first), '', toLatin(last));
  return latin.first === written.first && latin.last === written.last
    ? [written]
    : [written, latin];
}

function factsAbout({ birthday = '', addresses, work, boards }: Donor): string[] {
  const organisations = [...work, ...boards].map((role) => role.organisationName);
  return factsOf(birthday, addresses, organisations);
}

/** Returns the details that distinguish people with one name, to which a year of birth alone does not belong. */
function factsOf(
  born: string,
  addresses: readonly Address[],
  organisations: readonly string[],
): string[] {
  return [
    ...(born.length > 4 ? [`born ${born}`] : []),
    ...addresses.flatMap((address) => houseKeys(comparableAddress(address))),
    ...organisations.map((name) => `with ${comparableEmployer(name)}`),
  ];
}

function hash(text: string): string {
  return createHash('sha256').update(`blocked ${text}`).digest('hex').slice(0, 32);
}
