import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../../src/privacy/audit/verify-audit.ts';
import { createStore } from '../../../src/store.ts';
import {
  INTEGRATION,
  RUN,
  type StoreWorld,
  storeWorlds,
  testFingerprint,
} from '../../database/store-world.ts';
import { kill } from '../../helpers/hosts.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const PROGRAM = join(import.meta.dirname, '../../database/programs', 'purging.ts');
const ROUNDS = 4;
const MOST_ROUNDS = 20;
/** A purge deletes them in several batches. */
const ROWS = 5_000;
const LONGEST_LIFE_MS = 250;
const DAYS = 30;

async function addOldRows({ db }: StoreWorld, round: number): Promise<void> {
  const old = Date.now() - 2 * DAYS * 86_400_000;
  for (let from = 0; from < ROWS; from += 500) {
    const ids = Array.from({ length: 500 }, (_, at) => `${round}-${from + at}`);
    const of = { integration_id: INTEGRATION, crm_id: 'c' };
    const writes = ids.map((id) => ({
      ...{ id, run_id: RUN, ...of, state: 'written' as const, before: 'sealed' },
      ...{ after: '{}', owned_before: '{}', introducer: '', written_at: old },
    }));
    const holds = ids.map((id) => ({
      ...{ id, ...of, kind: 'name_mismatch' as const, batch: null, detail: null },
      ...{ tracking_id: id, opened_at: old, decision: 'rejected' as const, decided_at: old },
    }));
    await db.insertInto('writes').values(writes).execute();
    await db.insertInto('questions').values(holds).execute();
  }
}

async function startPurge(url: string, audit: 'purged' | 'kept' = 'purged') {
  const args = [PROGRAM, url, INTEGRATION, String(DAYS), audit];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describeEachDatabase('a purge that is killed at any moment', (open) => {
  const createWorld = storeWorlds(open);

  it('leaves each row whole or purged, and a chain of entries that verifies', async () => {
    const world = await createWorld();
    const { db, url } = world;
    const store = createStore({ db, clock: systemClock, fingerprint: testFingerprint });
    const left = async () => {
      const [writes, holds] = await Promise.all([
        db.selectFrom('writes').select(['before', 'after']).execute(),
        db.selectFrom('questions').select('id').execute(),
      ]);
      // The purge deletes only the previous values. The product can therefore still recognise the values that it wrote.
      expect(new Set(writes.map(({ after }) => after))).toEqual(new Set(['{}']));
      return writes.filter(({ before }) => before !== '').length + holds.length;
    };
    let cutOff = 0;
    let rounds = 0;
    // At least one kill has to interrupt a purge. Otherwise the test continues for further rounds.
    for (; rounds < ROUNDS || (cutOff === 0 && rounds < MOST_ROUNDS); rounds += 1) {
      await addOldRows(world, rounds);
      const before = await left();
      const child = await startPurge(url);
      if (rounds < ROUNDS) await sleep(Math.random() * LONGEST_LIFE_MS);
      else while ((await left()) === before) await sleep(1);
      await kill(child);
      const { problems } = await verifyAudit(store);
      expect(problems).toEqual([]);
      const after = await left();
      expect(after).toBeLessThanOrEqual(before);
      if (after > 0 && after < before) cutOff += 1;
    }
    expect(await db.selectFrom('writes').select('id').execute()).toHaveLength(rounds * ROWS);
    const child = await startPurge(url);
    await expect.poll(left).toBe(0);
    await kill(child);
    expect((await verifyAudit(store)).problems).toEqual([]);
    expect(cutOff).toBeGreaterThan(0);
  });

  it('says in the audit of each portion that went, and of no other', async () => {
    const world = await createWorld();
    const { db, url } = world;
    const store = createStore({ db, clock: systemClock, fingerprint: testFingerprint });
    await addOldRows(world, 0);
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = await startPurge(url, 'kept');
      await sleep((Math.random() * LONGEST_LIFE_MS) / ROUNDS);
      await kill(child);
      expect((await verifyAudit(store)).problems).toEqual([]);
      const said: Record<string, number> = { previousValues: 0, outcomes: 0 };
      for (const { details } of await listAuditEntries(store, {
        action: 'data.purged',
        limit: 100,
      })) {
        const what = String(details['what']);
        said[what] = (said[what] ?? 0) + Number(details['rows']);
      }
      const writes = await db.selectFrom('writes').select('before').execute();
      const holds = await db.selectFrom('questions').select('id').execute();
      expect(said).toEqual({
        previousValues: writes.filter(({ before }) => before === '').length,
        outcomes: ROWS - holds.length,
      });
    }
  });
});
