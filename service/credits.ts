/** Credits: six buckets for each team, and a ledger that explains every one that is gone. */

import type { Database } from './database.ts';

/** The six buckets (service document, section 2.7). */
export const BUCKETS = [
  'donors',
  'enhancements',
  'exports',
  'lists',
  'networks',
  'searches',
] as const;

/** The name of a bucket. */
export type Bucket = (typeof BUCKETS)[number];

/** Credits remaining in each bucket. */
export type Balances = Record<Bucket, number>;

/** Who pays how much for what; the amount is a number of credits, above 0. */
export interface Payment {
  apiKey: string;
  team: string;
  bucket: Bucket;
  amount: number;
  /** The endpoint, as method and path. */
  what: string;
  requestId: string;
}

/** A line of the ledger; refunds have negative amounts, so the sum is what has been spent. */
export interface LedgerEntry extends Payment {
  id: number;
  atMs: number;
  kind: 'charge' | 'refund';
}

/** What a bucket has been given and what is left of it. */
export interface BucketAccount {
  team: string;
  bucket: Bucket;
  granted: number;
  remaining: number;
}

/** The accounts of all teams. In each bucket, granted - remaining = the sum of the ledger. */
export interface Credits {
  /** Sets what remains in some buckets of a team; the difference counts as granted. */
  grant(team: string, amounts: Partial<Balances>): void;
  hasTeam(team: string): boolean;
  balances(team: string): Balances;
  /** Takes the amount, or as much of it as there is; returns what was taken. */
  charge(payment: Payment): number;
  /** Gives back what a charge took. */
  refund(payment: Payment): void;
  /** Charges when `dueAtMs` has come. */
  chargeLater(payment: Payment, dueAtMs: number): void;
  /** The lines of the ledger in order, of one key and bucket if given. */
  ledger(filter: { apiKey?: string | undefined; bucket?: string | undefined }): LedgerEntry[];
  accounts(): BucketAccount[];
}

/** Opens the accounts of a database. */
export function createCredits(db: Database, clock: () => number): Credits {
  const sql = prepareStatements(db);

  function charge(payment: Payment): number {
    const remaining = sql.remaining.get(payment.team, payment.bucket)?.remaining ?? 0;
    const taken = Math.min(payment.amount, remaining);
    if (taken > 0) {
      enter('charge', { ...payment, amount: taken });
    }
    return taken;
  }

  function enter(kind: LedgerEntry['kind'], payment: Payment): void {
    sql.change.run({ ...payment, amount: -payment.amount });
    sql.enter.run({ ...payment, kind, atMs: clock() });
  }

  /** Late charges need no timer: they land before anybody can look. */
  const settle = db.transaction(() => {
    for (const { id, ...payment } of sql.due.all(clock())) {
      charge(payment);
      sql.settled.run(id);
    }
  });

  return {
    grant: db.transaction((team: string, amounts: Partial<Balances>) => {
      for (const bucket of BUCKETS) {
        sql.open.run(team, bucket);
        const amount = amounts[bucket];
        if (amount !== undefined) {
          sql.grant.run({ team, bucket, amount });
        }
      }
    }),
    hasTeam: (team) => sql.remaining.get(team, BUCKETS[0]) !== undefined,
    balances(team) {
      settle();
      const left = (bucket: Bucket) => sql.remaining.get(team, bucket)?.remaining ?? 0;
      return {
        donors: left('donors'),
        enhancements: left('enhancements'),
        exports: left('exports'),
        lists: left('lists'),
        networks: left('networks'),
        searches: left('searches'),
      };
    },
    charge: db.transaction((payment: Payment) => {
      settle();
      return charge(payment);
    }),
    refund: db.transaction((payment: Payment) => {
      enter('refund', { ...payment, amount: -payment.amount });
    }),
    chargeLater(payment, dueAtMs) {
      sql.chargeLater.run({ ...payment, dueAtMs });
    },
    ledger(filter) {
      settle();
      return sql.ledger.all({ apiKey: filter.apiKey ?? null, bucket: filter.bucket ?? null });
    },
    accounts() {
      settle();
      return sql.accounts.all();
    },
  };
}

function prepareStatements(db: Database) {
  return {
    open: db.prepare<[string, Bucket]>('insert or ignore into balances values (?, ?, 0, 0)'),
    grant: db.prepare<[{ team: string; bucket: Bucket; amount: number }]>(
      `update balances set granted = granted + @amount - remaining, remaining = @amount
       where team = @team and bucket = @bucket`,
    ),
    remaining: db.prepare<[string, Bucket], { remaining: number }>(
      'select remaining from balances where team = ? and bucket = ?',
    ),
    change: db.prepare<[Payment]>(
      `update balances set remaining = remaining + @amount where team = @team and bucket = @bucket`,
    ),
    enter: db.prepare<[Omit<LedgerEntry, 'id'>]>(
      `insert into ledger (at_ms, kind, api_key, team, bucket, amount, what, request_id)
       values (@atMs, @kind, @apiKey, @team, @bucket, @amount, @what, @requestId)`,
    ),
    chargeLater: db.prepare<[Payment & { dueAtMs: number }]>(
      `insert into late_charges (due_at_ms, api_key, team, bucket, amount, what, request_id)
       values (@dueAtMs, @apiKey, @team, @bucket, @amount, @what, @requestId)`,
    ),
    due: db.prepare<[number], Payment & { id: number }>(
      `select id, api_key apiKey, team, bucket, amount, what, request_id requestId
       from late_charges where due_at_ms <= ? order by due_at_ms, id`,
    ),
    settled: db.prepare<[number]>('delete from late_charges where id = ?'),
    ledger: db.prepare<[{ apiKey: string | null; bucket: string | null }], LedgerEntry>(
      `select id, at_ms atMs, kind, api_key apiKey, team, bucket, amount, what, request_id requestId
       from ledger
       where (@apiKey is null or api_key = @apiKey) and (@bucket is null or bucket = @bucket)
       order by id`,
    ),
    accounts: db.prepare<[], BucketAccount>(
      'select team, bucket, granted, remaining from balances order by team, bucket',
    ),
  };
}
