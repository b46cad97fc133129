import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalLine } from '../../../../src/credits/statements/journal/journal-lines.ts';
import { pruneJournal } from '../../../../src/credits/statements/journal/prune-journal.ts';
import { listPayments, listRequests } from '../../../../src/credits/statements/journal/recall.ts';
import {
  journalOfStore,
  openSpendingJournal,
} from '../../../../src/credits/statements/journal/spending-journal.ts';
import {
  endRecalled,
  recordLostPersons,
} from '../../../../src/credits/statements/recalled-payments.ts';
import { eraseFromJournal } from '../../../../src/privacy/statements/erase-from-journal.ts';
import { INTEGRATION, storeWorlds } from '../../../database/store-world.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';

const DAY_MS = 86_400_000;

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-journal-'));
  path = join(folder, 'spent');
});

afterEach(() => rm(folder, { recursive: true }));

function balance(at: number, store = 'ours'): JournalLine {
  return { what: 'balance', store, at, key: 'key', balance: at };
}

const timesOf = (lines: readonly JournalLine[]) => lines.map(({ at }) => at).sort((a, b) => a - b);

describe('the file of the spending journal', () => {
  it('loses no line that is appended while it is rewritten again and again', async () => {
    const journal = openSpendingJournal(path);
    const times = Array.from({ length: 200 }, (_, at) => at);
    let isDone = false;
    const rewriting = (async () => {
      let rewritten = 0;
      while (!isDone) {
        await openSpendingJournal(path).rewrite((line) => line);
        rewritten += 1;
      }
      return rewritten;
    })();
    await Promise.all(
      [0, 1, 2, 3].map(async (writer) => {
        for (const at of times) if (at % 4 === writer) await journal.append(balance(at));
      }),
    );
    isDone = true;
    expect(await rewriting).toBeGreaterThan(3);
    const { lines, damaged } = await journal.read();
    expect([...new Set(timesOf(lines))]).toEqual(times);
    expect(damaged).toBe(0);
  });

  it('goes on with a rewrite that was killed after the file was moved away', async () => {
    const journal = openSpendingJournal(path);
    for (const at of [1, 2, 3]) await journal.append(balance(at));
    await rename(path, `${path}.moving`);
    await journal.append(balance(4));
    expect(timesOf((await journal.read()).lines)).toEqual([1, 2, 3, 4]);
    await journal.rewrite((line) => (line.at === 2 ? null : line));
    expect(timesOf((await journal.read()).lines)).toEqual([1, 3, 4]);
    expect((await readdir(folder)).sort()).toEqual(['spent.past']);
  });

  it('keeps the lines of other databases when one database rewrites its own', async () => {
    const journal = openSpendingJournal(path);
    await journal.append(balance(1));
    await journal.append(balance(2, 'another'));
    const ours = journalOfStore(journal, 'ours');
    expect(timesOf((await ours.read()).lines)).toEqual([1]);
    expect(await ours.rewrite(() => null)).toBe(true);
    expect((await journal.read()).lines).toEqual([balance(2, 'another')]);
  });

  it('counts a changed line as damaged, and a torn one as never written', async () => {
    const journal = openSpendingJournal(path);
    for (const at of [1, 2]) await journal.append(balance(at));
    const text = await readFile(path, 'utf8');
    const { parseLines } = await import(
      '../../../../src/credits/statements/journal/journal-lines.ts'
    );
    expect(parseLines(text.replace('"balance":2', '"balance":3'))).toEqual({
      lines: [balance(1)],
      damaged: 1,
    });
    expect(parseLines(text.slice(0, -10))).toEqual({ lines: [balance(1)], damaged: 0 });
  });
});

describeEachDatabase('old lines of the spending journal', (openDatabase) => {
  const createWorld = storeWorlds(openDatabase);

  it('are removed together once they are a month too old, with the requests of that client only', async () => {
    const { store } = await createWorld();
    const journal = journalOfStore(openSpendingJournal(path), 'ours');
    const request = {
      what: 'intended' as const,
      run: 'run',
      key: 'key',
      credits: 1,
      subject: { kind: 'queries' as const },
    };
    for (const day of [0, 20, 80]) {
      const at = day * DAY_MS;
      await journal.append({ ...request, at, id: `ours ${day}`, integration: 'riverside' });
      await journal.append({ what: 'answered', at, id: `ours ${day}`, charged: 1, jobs: {} });
      await journal.append({ ...request, at, id: `theirs ${day}`, integration: 'lakeside' });
    }
    const pruned = { spendingJournal: journal, act: store.act };
    await pruneJournal(pruned, 'riverside', 29 * DAY_MS);
    expect((await journal.read()).lines).toHaveLength(9);
    await pruneJournal(pruned, 'riverside', 31 * DAY_MS);
    const ids = (await journal.read()).lines.map((line) => ('id' in line ? line.id : ''));
    expect(ids).toEqual(['theirs 0', 'theirs 20', 'ours 80', 'ours 80', 'theirs 80']);
  });
});

describeEachDatabase('an erased contact in the spending journal', (openDatabase) => {
  const createWorld = storeWorlds(openDatabase);

  it('leaves the number of its jobs, so that contacts that were not processed do not become payments', async () => {
    const { db, store } = await createWorld();
    const block = { state: 'erased' as const, everywhere: 0, donors: '[]', erased_at: 1 };
    await db
      .insertInto('forgotten')
      .values({
        integration_id: INTEGRATION,
        crm_id_fingerprint: 'of a',
        forgotten_at: 1,
        ...block,
      })
      .execute();
    const contacts = ['a', 'b', 'unpaid'].map((trackingId) => {
      return { trackingId, contact: `of ${trackingId}`, identity: '', person: null };
    });
    const journal = journalOfStore(openSpendingJournal(path), 'ours');
    await journal.append({
      ...{ what: 'intended', at: 1, id: 'one', integration: INTEGRATION, run: 'run', key: 'key' },
      credits: 3,
      subject: { kind: 'enhancements', mapping: '', contacts },
    });
    const jobs = { a: 'job a', b: 'job b' };
    await journal.append({ what: 'answered', at: 2, id: 'one', charged: 2, jobs });
    expect(await store.act(eraseFromJournal(journal))).toBe(1);
    const payments = listRequests((await journal.read()).lines).flatMap(listPayments);
    expect(payments.map(({ jobId }) => jobId)).toEqual(['job b']);
  });

  it('is removed from the adopted payments of a restore, whether its job was read, lost or is yet to be adopted', async () => {
    const { db, store, lease } = await createWorld();
    const payment = {
      submission_id: 'one',
      integration_id: INTEGRATION,
      identity: '',
      person: 'the person',
      job_id: 'job',
      paid_at: 1,
    };
    const erased = store.fingerprint('forgotten', 'a');
    await db
      .insertInto('recalled_payments')
      .values([
        { ...payment, tracking_id: 'of a', contact_fingerprint: erased },
        { ...payment, tracking_id: 'of b', contact_fingerprint: 'of b' },
      ])
      .execute();
    const lost = { trackingId: 'lost', submissionId: 'one', crmId: 'a', identity: '' };
    await store.checkpoint(lease, async (trx) => {
      await recordLostPersons(trx, INTEGRATION, [{ ...lost, person: 'she', submittedAt: 1 }]);
      await endRecalled(trx, INTEGRATION, [erased]);
    });
    const remaining = () => db.selectFrom('recalled_payments').select('tracking_id').execute();
    expect(await remaining()).toHaveLength(3);
    const block = { state: 'erased' as const, everywhere: 0, donors: '[]', erased_at: 1 };
    await db
      .insertInto('forgotten')
      .values({
        integration_id: INTEGRATION,
        crm_id_fingerprint: erased,
        forgotten_at: 1,
        ...block,
      })
      .execute();
    await store.act(eraseFromJournal(journalOfStore(openSpendingJournal(path), 'ours')));
    expect(await remaining()).toEqual([{ tracking_id: 'of b' }]);
  });
});
