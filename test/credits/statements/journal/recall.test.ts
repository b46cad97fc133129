import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../../../../src/credits/statements/journal/journal-lines.ts';
import {
  expectBalance,
  findBalancesBefore,
  listPayments,
  listRequests,
} from '../../../../src/credits/statements/journal/recall.ts';

const KEY = 'key';

function intended(id: string, trackingIds: readonly string[], key = KEY): JournalLine {
  const contacts = trackingIds.map((trackingId) => ({
    contact: `contact of ${trackingId}`,
    identity: `identity of ${trackingId}`,
    person: null,
    trackingId,
  }));
  const subject = { kind: 'enhancements' as const, mapping: '', contacts };
  const of = { store: 's', at: 2, integration: 'riverside', run: 'run' };
  return { what: 'intended', ...of, id, key, credits: trackingIds.length, subject };
}

function answered(id: string, charged: number, jobs: Record<string, string> = {}): JournalLine {
  return { what: 'answered', store: 's', at: 3, id, charged, jobs };
}

function balance(at: number, value: number, key = KEY): JournalLine {
  return { what: 'balance', store: 's', at, key, balance: value };
}

function paymentsIn(...lines: JournalLine[]) {
  return listRequests(lines)
    .flatMap(listPayments)
    .map(({ trackingId, jobId }) => [trackingId, jobId]);
}

describe('the payments in the spending journal', () => {
  it('are the jobs of answered requests, without contacts that were not processed', () => {
    const end = answered('one', 1, { a: 'job a' });
    expect(paymentsIn(intended('one', ['a', 'b']), end)).toEqual([['a', 'job a']]);
  });

  it('may be all contacts of a request without an answer, and none of a refused one', () => {
    expect(paymentsIn(intended('one', ['a', 'b']))).toEqual([
      ['a', null],
      ['b', null],
    ]);
    expect(paymentsIn(intended('one', ['a']), answered('one', 0))).toEqual([]);
  });

  it('may include contacts without a job if more was charged than there are jobs', () => {
    const end = answered('one', 2, { a: 'job a' });
    expect(paymentsIn(intended('one', ['a', 'b']), end)).toEqual([
      ['a', 'job a'],
      ['b', null],
    ]);
  });

  it('do not include contacts without a job if the missing jobs were removed with erased contacts', () => {
    const end = { ...answered('one', 2, { a: 'job a' }), erased: 1 };
    expect(paymentsIn(intended('one', ['a', 'unpaid']), end)).toEqual([['a', 'job a']]);
  });
});

describe('the balance that the spending journal implies', () => {
  it('is the last reading less what was charged since', () => {
    const lines = [
      balance(0, 500),
      intended('before', ['x']),
      answered('before', 1),
      balance(1, 100),
      intended('one', ['a', 'b']),
      intended('other key', ['c'], 'another'),
      answered('one', 2),
      answered('other key', 1),
    ];
    expect(expectBalance(lines, KEY, 10)).toBe(98);
  });

  it('counts a request without an answer in full', () => {
    const lines = [balance(1, 100), intended('one', ['a', 'b', 'c'])];
    expect(expectBalance(lines, KEY, 10)).toBe(97);
  });

  it('does not come from a reading after the backup, but counts what was charged since', () => {
    const lines = [balance(1, 100), balance(20, 50), intended('one', ['a']), answered('one', 1)];
    expect(expectBalance(lines, KEY, 10)).toBe(99);
  });

  it('is unknown without a reading', () => {
    expect(expectBalance([intended('one', ['a'])], KEY, 10)).toBeNull();
    expect(expectBalance([balance(1, 100)], 'another', 10)).toBeNull();
  });
});

describe('the balances before the submissions in the spending journal', () => {
  it('are the last reading less what was answered since, of each key', () => {
    const lines = [
      intended('before any reading', ['x']),
      answered('before any reading', 1),
      balance(1, 100),
      balance(1, 50, 'another'),
      intended('one', ['a', 'b']),
      intended('at the same time', ['c', 'd', 'e']),
      answered('one', 2),
      intended('two', ['f']),
      intended('other key', ['g'], 'another'),
      answered('at the same time', 0),
      answered('two', 1),
      intended('three', ['h']),
      balance(4, 70),
      intended('four', ['i']),
    ];
    expect([...findBalancesBefore(lines)]).toEqual([
      ['one', 100],
      ['at the same time', 100],
      ['two', 98],
      ['other key', 50],
      ['three', 97],
      ['four', 70],
    ]);
  });
});
