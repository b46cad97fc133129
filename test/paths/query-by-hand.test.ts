import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdRestored } from '../../src/backup/restores.ts';
import { systemClock } from '../../src/core/clock.ts';
import { listBill } from '../../src/credits/spending-view.ts';
import { toDay, toMonth } from '../../src/credits/statements/credit-spans.ts';
import {
  journalOfStore,
  openSpendingJournal,
} from '../../src/credits/statements/journal/spending-journal.ts';
import { findProspects } from '../../src/paths/find-prospects.ts';
import { createPathWorld, type PathWorld } from './path-world.ts';

const PAYER = { integrationId: 'riverside', partnerKey: 'the key' };

let world: PathWorld;
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-by-hand-'));
});

afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

/** Creates a user's query for prospects. The spending journal is on disk. */
function openByHand() {
  const journal = journalOfStore(openSpendingJournal(join(folder, 'spent')), 'ours');
  const deps = world.deps();
  const store = { ...deps.store, spendingJournal: journal };
  return {
    journal,
    ask: () => findProspects({ ...deps, store }, PAYER, { minStrength: 0.45, limit: 5 }),
  };
}

async function billed(): Promise<number> {
  const month = toMonth(toDay(systemClock.now()));
  const bill = await listBill(world.store, new Map(), month, ['riverside']);
  return bill.reduce((sum, { queries }) => sum + queries, 0);
}

describe('a query that a user makes by hand', () => {
  it('is in the journal before it is sent, and in the bill with what it cost', async () => {
    world = await createPathWorld({ service: { chargeQueries: true } });
    await world.sync();
    const { journal, ask } = openByHand();
    const [before, ofRuns] = [await world.spentInAll(), await billed()];
    await ask();
    await ask();
    const cost = (await world.spentInAll()) - before;
    expect(cost).toBe(2);
    expect((await billed()) - ofRuns).toBe(cost);
    expect((await journal.read()).lines).toMatchObject([
      { what: 'intended', key: 'the key', credits: 1, subject: { kind: 'queries' } },
      { what: 'answered', charged: 1 },
      { what: 'intended' },
      { what: 'answered', charged: 1 },
    ]);
  });

  it('counts in full if its response is lost', async () => {
    world = await createPathWorld({ service: { chargeQueries: true } });
    await world.sync();
    const { journal, ask } = openByHand();
    await ask();
    const before = await billed();
    await world.putFaults([
      { on: { path: '*discover*' }, times: 1, fault: { kind: 'resetAfter' } },
    ]);
    await expect(ask()).rejects.toMatchObject({ code: 'answer_lost' });
    expect((await billed()) - before).toBe(1);
    expect((await journal.read()).lines.at(-1)).toMatchObject({ what: 'answered', charged: 1 });
  });

  it('is not sent if the journal cannot be written, or if a restored database has not been agreed to', async () => {
    world = await createPathWorld({ service: { chargeQueries: true } });
    await world.sync();
    const before = await world.spentInAll();
    await mkdir(join(folder, 'spent'));
    await expect(openByHand().ask()).rejects.toMatchObject({ code: 'journal_unwritable' });
    await rm(join(folder, 'spent'), { recursive: true });
    const hold = { madeAt: null, unknownAfter: null, isJournaled: false };
    await world.store.act((trx) => holdRestored(trx, ['riverside'], hold));
    await expect(openByHand().ask()).rejects.toMatchObject({ code: 'restore_unconfirmed' });
    expect(await world.spentInAll()).toBe(before);
  });

  it('by a run is in the bill as well', async () => {
    world = await createPathWorld({ service: { chargeQueries: true } });
    const before = await world.spentInAll();
    const report = await world.sync();
    const others = report.credits.enhancements.spent + report.credits.networks.spent;
    expect(await billed()).toBe((await world.spentInAll()) - before - others);
    expect(await billed()).toBeGreaterThan(0);
  });
});
