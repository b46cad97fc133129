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

export type Bucket = (typeof BUCKETS)[number];

export type Balances = Record<Bucket, number>;

/** The payer, the purpose and the amount of a charge. The amount is always positive. */
export interface Payment {
  apiKey: string;
  team: string;
  bucket: Bucket;
  amount: number;
  /** The method and the path of the paid endpoint. */
  what: string;
  requestId: string;
}

/** A line in the ledger. The amount of a refund is negative, so the sum of all lines is the number of spent credits. */
export interface LedgerEntry extends Payment {
  id: number;
  atMs: number;
  kind: 'charge' | 'refund';
}

/** A charge for a request whose outcome is still unknown. */
export interface Charge {
  /** The line's number in the ledger. */
  id: number;
  amount: number;
}

export interface BucketAccount {
  team: string;
  bucket: Bucket;
  granted: number;
  remaining: number;
}

/**
 * The credits of all teams. In each bucket, the granted credits minus the remaining credits equal the sum of its ledger
 * lines.
 */
export interface Credits {
  /** Sets a team's remaining credits in some buckets. The difference is added to the granted credits. */
  grant(team: string, amounts: Partial<Balances>): void;
  hasTeam(team: string): boolean;
  balances(team: string): Balances;
  /**
   * Charges the amount, or as much of the amount as is available. Returns undefined if no credits are available. The
   * charge stays open until it is settled or refunded. If the service is restarted, an open charge is refunded.
   */
  charge(payment: Payment): Charge | undefined;
  /**
   * Completes an open charge: keeps the earned credits and refunds the remaining credits. Call `settle` in the
   * transaction of the paid work. Does nothing if the charge is already settled or refunded.
   */
  settle(charge: Charge, earned: number): void;
  /** Refunds the whole charge, unless a part of it was already refunded. */
  refund(charge: Charge): void;
  /** Refunds all charges that were open when the service was last stopped. */
  refundOpen(): number;
  /** Makes a charge when `dueAtMs` is reached. */
  chargeLater(payment: Payment, dueAtMs: number): void;
  /** Returns the lines of the ledger in order. With a filter, returns only the lines of one key or one bucket. */
  ledger(filter: { apiKey?: string | undefined; bucket?: string | undefined }): LedgerEntry[];
  accounts(): BucketAccount[];
}

/** Opens the credit accounts in a database. */
export function createCredits(db: Database, clock: () => number): Credits {
  const sql = prepareStatements(db);

  function charge(payment: Payment, state: 'open' | 'settled'): Charge | undefined {
    const remaining = sql.remaining.get(payment.team, payment.bucket)?.remaining ?? 0;
    const amount = Math.min(payment.amount, remaining);
    if (amount === 0) return undefined;
    sql.change.run({ ...payment, amount: -amount });
    const line = { ...payment, amount, kind: 'charge' as const, atMs: clock(), state };
    return { id: Number(sql.enter.run({ ...line, refundOf: null }).lastInsertRowid), amount };
  }

  function giveBack(id: number, amount: number): void {
    const line = sql.line.get(id);
    if (line === undefined) throw new Error(`The ledger has no line ${id}.`);
    const refund = { ...line, kind: 'refund' as const, amount: -amount, atMs: clock() };
    // The ledger rejects a second refund of a charge.
    sql.enter.run({ ...refund, state: null, refundOf: id });
    sql.change.run({ ...line, amount });
  }

  const refund = db.transaction(({ id, amount }: Charge) => {
    if (sql.refundOf.get(id) !== undefined) return;
    sql.setState.run('refunded', id);
    giveBack(id, amount);
  });

  /** Late charges are made when someone reads the balance, so they need no timer. */
  const settle = db.transaction(() => {
    for (const { id, ...payment } of sql.due.all(clock())) {
      // The work for this charge has already been done.
      charge(payment, 'settled');
      sql.landed.run(id);
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
      return charge(payment, 'open');
    }),
    settle: db.transaction(({ id, amount }: Charge, earned: number) => {
      if (sql.state.get(id)?.state !== 'open') return;
      sql.setState.run(earned > 0 ? 'settled' : 'refunded', id);
      if (earned < amount) giveBack(id, amount - earned);
    }),
    refund,
    refundOpen: db.transaction(() => {
      const open = sql.openCharges.all();
      for (const one of open) refund(one);
      return open.length;
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
    enter: db.prepare<
      [Omit<LedgerEntry, 'id'> & { state: string | null; refundOf: number | null }]
    >(
      `insert into ledger
         (at_ms, kind, api_key, team, bucket, amount, what, request_id, state, refund_of)
       values (@atMs, @kind, @apiKey, @team, @bucket, @amount, @what, @requestId, @state, @refundOf)`,
    ),
    line: db.prepare<[number], Payment>(
      `select api_key apiKey, team, bucket, amount, what, request_id requestId
       from ledger where id = ?`,
    ),
    state: db.prepare<[number], { state: string | null }>('select state from ledger where id = ?'),
    setState: db.prepare<[string, number]>('update ledger set state = ? where id = ?'),
    refundOf: db.prepare<[number], { id: number }>('select id from ledger where refund_of = ?'),
    openCharges: db.prepare<[], Charge>(
      "select id, amount from ledger where state = 'open' order by id",
    ),
    chargeLater: db.prepare<[Payment & { dueAtMs: number }]>(
      `insert into late_charges (due_at_ms, api_key, team, bucket, amount, what, request_id)
       values (@dueAtMs, @apiKey, @team, @bucket, @amount, @what, @requestId)`,
    ),
    due: db.prepare<[number], Payment & { id: number }>(
      `select id, api_key apiKey, team, bucket, amount, what, request_id requestId
       from late_charges where due_at_ms <= ? order by due_at_ms, id`,
    ),
    landed: db.prepare<[number]>('delete from late_charges where id = ?'),
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
