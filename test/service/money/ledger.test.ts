import { describe, expect, it, onTestFinished } from 'vitest';
import { createCredits, type Payment } from '../../../service/credits.ts';
import { type Database, openDatabase } from '../../../service/database.ts';
import { createJobs, JOB_RETENTION_MS } from '../../../service/jobs.ts';
import {
  findMissingWork,
  openTeams,
  Refusal,
  refundLine,
  verify,
} from '../../../service/operation/index.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const clock = () => NOW;
const DAY = 86_400_000;

function aLedger() {
  const db = openDatabase(undefined);
  onTestFinished(() => void db.close());
  openTeams(db, clock).add('alpha', 100);
  return { db, credits: createCredits(db, clock), jobs: createJobs(db, clock) };
}

const PAYMENT: Payment = {
  apiKey: 'key',
  team: 'alpha',
  bucket: 'enhancements',
  amount: 10,
  what: 'POST /v1/partners/enhancements',
  requestId: 'request',
};

function aJob(id: string, charge: number | null, submittedAtMs = NOW) {
  const person = { first: 'Ada', last: 'Oldenquist', addresses: [], employers: [] };
  return { id, team: 'alpha', person, charge, submittedAtMs, endsAtMs: submittedAtMs };
}

const amounts = (db: Database) =>
  db.prepare<[], number>('select amount from ledger order by id').pluck().all();

describe('a charge', () => {
  it('is refunded at a restart only while it is open', () => {
    const { db, credits } = aLedger();
    const [done, partial, open] = [10, 10, 10].map((amount) =>
      credits.charge({ ...PAYMENT, amount }),
    );
    if (!done || !partial || !open) throw new Error('The balance is too small');
    credits.settle(done, 10);
    credits.settle(partial, 6);
    expect(credits.refundOpen()).toBe(1);
    expect(credits.refundOpen()).toBe(0);
    expect(amounts(db)).toEqual([10, 10, 10, -4, -10]);
    expect(credits.balances('alpha').enhancements).toBe(84);
  });

  it('is refunded at most once, even by hand', () => {
    const { db, credits } = aLedger();
    const charge = credits.charge(PAYMENT);
    if (charge === undefined) throw new Error('The balance is too small');
    credits.settle(charge, 10);
    expect(refundLine(db, charge.id, clock)).toBe(10);
    expect(() => refundLine(db, charge.id, clock)).toThrow(Refusal);
    credits.refund(charge);
    credits.settle(charge, 10);
    expect(amounts(db)).toEqual([10, -10]);
    const again = `insert into ledger (at_ms, kind, api_key, team, bucket, amount, what, request_id, refund_of)
                   values (0, 'refund', '', 'alpha', 'enhancements', -10, '', '', ${charge.id})`;
    expect(() => db.exec(again)).toThrow('UNIQUE');
  });

  it('of an earlier version is never refunded automatically, but listed without its jobs', () => {
    const { db, credits, jobs } = aLedger();
    const old = db.prepare(
      `insert into ledger (at_ms, kind, api_key, team, bucket, amount, what, request_id)
       values (?, 'charge', 'key', 'alpha', 'enhancements', ?, 'POST', ?)`,
    );
    old.run(NOW - 2 * DAY, 3, 'whole');
    old.run(NOW - DAY, 5, 'lost');
    old.run(NOW - 30 * DAY, 7, 'before the jobs that are kept');
    db.exec("update balances set remaining = remaining - 15 where bucket = 'enhancements'");
    jobs.add(['a', 'b', 'c'].map((id) => aJob(id, null, NOW - 2 * DAY + 1000)));
    expect(credits.refundOpen()).toBe(0);
    expect(findMissingWork(db, clock)).toEqual([
      expect.objectContaining({ line: 2, amount: 5, missing: 5, isCertain: false }),
    ]);
    expect(refundLine(db, 2, clock)).toBe(5);
    expect(findMissingWork(db, clock)).toEqual([]);
    expect(verify(db, clock)).toEqual([]);
  });

  it('has no missing work once its jobs are old enough to be deleted', () => {
    const { db, credits } = aLedger();
    const charge = credits.charge(PAYMENT);
    if (charge === undefined) throw new Error('The balance is too small');
    credits.settle(charge, 10);
    expect(findMissingWork(db, clock)).toHaveLength(1);
    expect(findMissingWork(db, () => NOW + JOB_RETENTION_MS + 1)).toEqual([]);
  });
});

describe('verify', () => {
  it.each([
    ['a missing job', "delete from jobs where id = 'b'", '1 of 2 paid people have no job'],
    [
      'a double refund',
      `drop index ledger_refunds;
       insert into ledger (at_ms, kind, api_key, team, bucket, amount, what, request_id, refund_of)
       select 0, 'refund', '', 'alpha', 'enhancements', -2, '', '', 1 from (values (1), (2));
       update balances set remaining = remaining + 4 where bucket = 'enhancements'`,
      'refunded twice',
    ],
    [
      'a refund that gave nothing back',
      "update ledger set state = 'refunded'",
      'no credits were returned',
    ],
    [
      'a negative balance',
      `pragma ignore_check_constraints = on;
       update balances set granted = -5, remaining = -5 where bucket = 'lists'`,
      'balances are negative',
    ],
    [
      'a balance that the ledger does not explain',
      "update balances set remaining = 99 where bucket = 'donors'",
      'the amount spent according to the ledger',
    ],
    ['a foreign team', "update jobs set team = 'gone'", 'rows of jobs belong to no team'],
    [
      'a circle of joined donors',
      `insert into record_vacancies values (7, 8, 1, '[]', 0), (8, 7, 1, '[]', 0)`,
      '2 joined donors form a circle',
    ],
    [
      'an alias of nobody',
      "insert into record_aliases values ('an id', 12)",
      'earlier ids of joined donors lead to nobody',
    ],
    [
      'an undone join that still holds',
      `insert into record_vacancies values (7, 8, 1, '[]', 0);
       insert into record_undone (number, apart_from, at_ms) values (7, 8, 0)`,
      'joins were undone, but one person still leads to the other',
    ],
    [
      'a join that can not be undone',
      "insert into record_parts values ('a part', 99, null, '{}', '')",
      'their joins cannot be undone',
    ],
    ['a job of nobody', 'update jobs set donor_number = 99', 'jobs lead to donors'],
    [
      'a member of a network who is no donor',
      'insert into network_members (network, donor) values (1, 99)',
      'network members are not donors',
    ],
  ])('names %s', (_, damage, named) => {
    const { db, credits, jobs } = aLedger();
    const charge = credits.charge({ ...PAYMENT, amount: 2 });
    if (charge === undefined) throw new Error('The balance is too small');
    jobs.add([aJob('a', charge.id), aJob('b', charge.id)]);
    credits.settle(charge, 2);
    expect(verify(db, clock)).toEqual([]);
    db.pragma('foreign_keys = off');
    db.exec(damage);
    expect(verify(db, clock).join('\n')).toContain(named);
  });
});
