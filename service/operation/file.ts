/** Reads and copies a service's file, even while the service is running. */

import { existsSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { BUCKETS } from '../credits.ts';
import { type Database, openDatabase } from '../database.ts';
import { createPrivateFile } from '../database-file.ts';
import { type ImportedFile, openRecord } from '../record/store.ts';
import { VACANT } from '../record/vacancy.ts';
import { findMissingWork } from './credit-check.ts';
import { isDamage, refuseDamage, refuseDamaged } from './damage.ts';
import { Refusal } from './refusal.ts';
import { openTeams } from './teams.ts';

/** Opens an existing file, even if a running service has opened it. */
export function openBeside(file: string): Database {
  refuseMissing(file);
  return refuseDamage(file, () => openDatabase(file, { isClaimed: false, isDurable: true }));
}

/** Throws if the database file does not exist, because a mistyped name would otherwise create an empty service. */
export function refuseMissing(file: string): void {
  if (existsSync(file)) return;
  throw new Refusal(
    `There is no database ${file}. Create it: donor-sync service teams add NAME --db ${file}`,
  );
}

/** The numbers of objects in a service. */
export interface ServiceStats {
  donors: number;
  deceased: number;
  organisations: number;
  teams: number;
  keys: number;
  networks: number;
  lists: number;
  exports: number;
  jobs: number;
  imports: ImportedFile[];
}

/** Counts the objects in a service. */
export function readStats(db: Database): ServiceStats {
  const count = (query: string) => db.prepare<[], number>(query).pluck().get() ?? 0;
  const record = openRecord(db);
  return {
    donors: record.people(),
    deceased: count('select count(*) from donor_index where isDead = 1'),
    organisations: record.countOrganisations(),
    teams: count('select count(*) from teams where closed_at_ms is null'),
    keys: count('select count(*) from team_keys where revoked_at_ms is null'),
    networks: count('select count(*) from networks'),
    lists: count('select count(*) from lists'),
    exports: count('select count(*) from exports'),
    jobs: count('select count(*) from jobs'),
    imports: record.imports(),
  };
}

/**
 * The number of pages that one step copies, which is all pages. A copy with several steps would start again after each
 * write of the service.
 */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies the database to a new file while the service is using it. The copy shows the state of the whole database at
 * one moment.
 */
export async function backUp(db: Database, target: string): Promise<void> {
  refuseDamaged(db);
  if (existsSync(target))
    throw new Refusal(`${target} already exists. Choose a file name that does not exist yet.`);
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    createPrivateFile(part);
    await db.backup(part, { progress: () => ALL_PAGES });
    await rename(part, target);
  } finally {
    rmSync(part, { force: true });
  }
}

/** Returns descriptions of all problems with a database. Returns an empty list if the database has no problems. */
export function verify(db: Database, clock: () => number): string[] {
  // The checks run in one transaction, because a running service can charge credits between two statements.
  return db.transaction(() => findProblems(db, clock))();
}

function findProblems(db: Database, clock: () => number): string[] {
  const found = damage(db);
  // If the file has basic problems, the other checks are not reliable.
  if (found.length > 0) return found;
  return [
    ...moneyProblems(db, clock),
    ...findMissingWork(db, clock)
      .filter(({ isCertain }) => isCertain)
      .map(
        ({ line, missing, amount }) =>
          `Line ${line} of the ledger: ${missing} of ${amount} paid people have no job. Refund the charge, or restore a copy.`,
      ),
    ...CHECKS.flatMap((check) => broken(db, check)),
  ];
}

function damage(db: Database): string[] {
  try {
    const rows = db.prepare<[], string>('pragma integrity_check').pluck().all();
    return rows.filter((row) => row !== 'ok').map((row) => `The file is damaged: ${row}`);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [`The file is damaged: ${error.message}`];
  }
}

function moneyProblems(db: Database, clock: () => number): string[] {
  const spent = db
    .prepare<[], { team: string; bucket: string; amount: number }>(
      'select team, bucket, sum(amount) amount from ledger group by team, bucket',
    )
    .all();
  const amounts = new Map(spent.map((one) => [`${one.team} ${one.bucket}`, one.amount]));
  return openTeams(db, clock)
    .accounts()
    .flatMap(({ team, bucket, granted, remaining }) => {
      const amount = amounts.get(`${team} ${bucket}`) ?? 0;
      return granted - remaining === amount
        ? []
        : [
            `${team}, ${bucket}: ${granted} granted minus ${remaining} remaining is not ${amount}, the amount spent according to the ledger.`,
          ];
    });
}

interface Check {
  /** A query that returns the number of errors. */
  query: string;
  says: (count: number) => string;
}

const CHECKS: readonly Check[] = [
  {
    query: `select count(*) from record_donors
            where not exists (select 1 from donor_index where donor_index.number = record_donors.number)
              and not exists (select 1 from record_vacancies where record_vacancies.number = record_donors.number)`,
    says: (count) => `${count} donors are not in the index: no contact can be matched to them.`,
  },
  {
    query: `select (select coalesce(max(number) + 1, 0) from record_donors)
                   - (select count(*) from record_donors)`,
    says: (count) => `${count} donor numbers are missing.`,
  },
  {
    query: `select count(*) from donor_index join record_vacancies using (number)`,
    says: (count) => `${count} donors who were erased or joined are still in the index.`,
  },
  {
    query: `select count(*) from record_keys
            where not exists (select 1 from record_donors where record_donors.number = record_keys.number)`,
    says: (count) => `${count} source keys lead to no donor.`,
  },
  {
    query: `select count(*) from team_keys
            where not exists (select 1 from teams where teams.name = team_keys.team)`,
    says: (count) => `${count} keys belong to no team.`,
  },
  {
    query: `select count(*) from balances
            where bucket not in (${BUCKETS.map((bucket) => `'${bucket}'`).join(', ')})`,
    says: (count) => `${count} balances belong to no bucket.`,
  },
  {
    query: `select count(*) from list_donors
            where donor_number >= (select coalesce(max(number) + 1, 0) from record_donors)`,
    says: (count) => `${count} list entries lead to no donor.`,
  },
  {
    query: `select count(*) from network_members
            where donor >= (select coalesce(max(number) + 1, 0) from record_donors)`,
    says: (count) => `${count} network members are not donors.`,
  },
  {
    query: `select count(*) from
              (select charged.id from ledger given join ledger charged on charged.id = given.refund_of
               where given.kind = 'refund'
               group by charged.id having count(*) > 1 or sum(-given.amount) > max(charged.amount))`,
    says: (count) => `${count} charges were refunded twice, or for more than was charged.`,
  },
  {
    query: `select count(*) from ledger charged where kind = 'charge' and state = 'refunded'
              and not exists (select 1 from ledger given where given.refund_of = charged.id)`,
    says: (count) => `${count} charges are marked as refunded, but no credits were returned.`,
  },
  {
    query: 'select count(*) from balances where remaining < 0',
    says: (count) => `${count} balances are negative.`,
  },
  ...['jobs', 'lists', 'networks', 'exports', 'balances'].map((table) => ({
    query: `select count(*) from ${table} where team not in (select name from teams)`,
    says: (count: number) => `${count} rows of ${table} belong to no team.`,
  })),
  {
    query: `select count(*) from jobs
            where donor_number in (select number from record_vacancies)
               or donor_number >= (select coalesce(max(number) + 1, 0) from record_donors)`,
    says: (count) => `${count} jobs lead to donors who were erased or joined, or to none.`,
  },
  {
    // If donor A was joined to B and B was joined to C, the chain must end with an existing donor.
    query: `with recursive chain (start, number) as (
              select number, joined_to from record_vacancies where joined_to is not null
              union
              select start, joined_to from chain join record_vacancies using (number)
              where joined_to is not null)
            select count(*) from record_vacancies
            where joined_to is not null and exists (
              select 1 from chain where chain.start = record_vacancies.number
                                    and chain.number = record_vacancies.number)`,
    says: (count) => `${count} joined donors form a circle.`,
  },
  {
    query: `select count(*) from record_parts
            where number in (select number from record_vacancies)
               or number not in (select number from record_donors)
               or own_number is not null and own_number <> number
                  and own_number not in (select number from record_vacancies)`,
    says: (count) =>
      `${count} parts of joined donors belong to nobody: their joins cannot be undone.`,
  },
  {
    query: `select count(*) from record_part_keys
            where part not in (select id from record_parts)
               or not exists (select 1 from record_keys join record_parts on record_parts.id = part
                              where record_keys.key = record_part_keys.key and record_keys.number = record_parts.number)`,
    says: (count) => `${count} keys of parts of joined donors lead elsewhere.`,
  },
  {
    query: `select count(*) from record_undone
            join record_vacancies on record_vacancies.number = record_undone.number
            where joined_to = apart_from and not exists
              (select 1 from record_parts where own_number = record_undone.number)`,
    says: (count) => `${count} joins were undone, but one person still leads to the other.`,
  },
  {
    query: `select count(*) from record_donors
            where (id like '${VACANT}%') <> (number in (select number from record_vacancies))`,
    says: (count) =>
      `${count} donors have a description although they were erased or joined, or have no description although they exist.`,
  },
  {
    // If people have been erased, only the number of undone joins is stored, with -1 in both columns.
    query: `select count(*) from record_undone
            where number >= 0 and number not in (select number from record_vacancies)
              and number not in (select number from record_keys)`,
    says: (count) =>
      `${count} joins were undone, but new source data about one person would go to the other.`,
  },
  {
    query: `select count(*) from record_undone
            where number >= 0 and number not in (select number from record_vacancies)
              and apart_from not in (select number from record_vacancies)
              and not exists (select 1 from record_apart
                              where one = min(record_undone.number, apart_from)
                                and record_apart.other = max(record_undone.number, apart_from))`,
    says: (count) => `${count} joins were undone, but nothing keeps the two people apart.`,
  },
  {
    query: `select count(*) from joined_places
            where donor not in (select number from record_vacancies)`,
    says: (count) => `${count} list entries are kept for joins that were undone.`,
  },
  {
    query: 'select count(*) from record_aliases where id in (select id from record_donors)',
    says: (count) => `${count} donor ids also lead to somebody else.`,
  },
  {
    query: `select count(*) from record_aliases
            where number in (select number from record_vacancies)
               or number not in (select number from record_donors)`,
    says: (count) => `${count} earlier ids of joined donors lead to nobody.`,
  },
];

function broken(db: Database, { query, says }: Check): string[] {
  const count = db.prepare<[], number>(query).pluck().get() ?? 0;
  return count === 0 ? [] : [says(count)];
}
