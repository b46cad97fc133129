/** The teams of a service. Lists, networks, jobs and credits belong to teams. */

import { type Balances, BUCKETS, type BucketAccount, createCredits } from '../credits.ts';
import type { Database } from '../database.ts';
import { Refusal } from './refusal.ts';

/** A team. A closed team keeps its data, but its keys are not accepted. */
export interface Team {
  name: string;
  createdAtMs: number;
  closedAtMs: number | null;
}

/** The operator's actions with teams. */
export interface Teams {
  /** Creates a team with the given number of credits in each bucket. */
  add(name: string, credits: number): Team;
  list(): Team[];
  /** Returns a team. Throws a Refusal if the team does not exist. */
  find(name: string): Team;
  /** Closes or reopens a team. */
  setClosed(name: string, isClosed: boolean): Team;
  balances(name: string): Balances;
  accounts(): BucketAccount[];
  /** Adds credits to some of a team's buckets, even while the running service is charging credits. */
  addCredits(name: string, amounts: Partial<Balances>): Balances;
}

/**
 * Matches a team's name, which contains only letters, digits and hyphens because it appears in logs and on command
 * lines.
 */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function openTeams(db: Database, clock: () => number): Teams {
  const credits = createCredits(db, clock);
  const sql = prepareStatements(db);

  function find(name: string): Team {
    const team = sql.find.get(name);
    if (team === undefined) {
      throw new Refusal(
        `There is no team "${name}". List all teams: donor-sync service teams list`,
      );
    }
    return team;
  }

  return {
    add: db.transaction((name: string, amount: number) => {
      if (!NAME.test(name)) {
        throw new Refusal(
          `"${name}" cannot be a team name: use up to 63 lowercase letters, digits and hyphens.`,
        );
      }
      if (sql.find.get(name) !== undefined) throw new Refusal(`There is already a team "${name}".`);
      sql.insert.run(name, clock());
      credits.grant(name, sameForAll(amount));
      return find(name);
    }).immediate,
    list: () => sql.list.all(),
    find,
    setClosed(name, isClosed) {
      find(name);
      sql.close.run(isClosed ? clock() : null, name);
      return find(name);
    },
    balances(name) {
      find(name);
      return credits.balances(name);
    },
    accounts: () => credits.accounts(),
    // The function runs in a transaction, so no credits of the team can be spent between reading and writing.
    addCredits: db.transaction((name: string, amounts: Partial<Balances>) => {
      find(name);
      const present = credits.balances(name);
      const wanted = BUCKETS.flatMap((bucket) => {
        const amount = amounts[bucket];
        return amount === undefined ? [] : [[bucket, present[bucket] + amount] as const];
      });
      credits.grant(name, Object.fromEntries(wanted));
      return credits.balances(name);
    }).immediate,
  };
}

function sameForAll(amount: number): Balances {
  return {
    donors: amount,
    enhancements: amount,
    exports: amount,
    lists: amount,
    networks: amount,
    searches: amount,
  };
}

function prepareStatements(db: Database) {
  const columns = 'name, created_at_ms createdAtMs, closed_at_ms closedAtMs';
  return {
    insert: db.prepare<[string, number]>('insert into teams values (?, ?, null)'),
    find: db.prepare<[string], Team>(`select ${columns} from teams where name = ?`),
    list: db.prepare<[], Team>(`select ${columns} from teams order by name`),
    close: db.prepare<[number | null, string]>('update teams set closed_at_ms = ? where name = ?'),
  };
}
