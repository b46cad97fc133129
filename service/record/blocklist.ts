/**
 * People who were erased and must not be imported again. For each of them, the list has hashes of the details that a
 * source would contain, so the list contains no names. A person is treated as the erased person if two details agree.
 * The first is the name, in any form. The second is the house, the day of birth or the organisation.
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

/** The people who must not be imported again. */
export interface Blocklist {
  /**
   * Blocks a person under each of the donors' descriptions. The joined donor and its parts may have different names.
   */
  block(
    donors: readonly [Donor, ...Donor[]],
    ids: readonly string[],
    keys: readonly string[],
  ): void;
  /** True if a source describes a blocked person. */
  isBlocked(entry: Entry): boolean;
  /** True if the donor with this ID is blocked. */
  has(id: string): boolean;
  /** Allows the person with this ID to be imported again. Returns false if the person with this ID is not blocked. */
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

/** Returns a name as written and, if it contains other letters, in Latin letters. */
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

/** Returns the facts that distinguish namesakes. A year of birth alone does not distinguish them. */
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
