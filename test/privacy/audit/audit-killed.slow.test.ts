import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { listAccessTokens } from '../../../src/people/statements/access.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../../src/privacy/audit/verify-audit.ts';
import { createStore, type Store } from '../../../src/store.ts';
import { testFingerprint } from '../../database/store-world.ts';
import { kill } from '../../helpers/hosts.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const PROGRAM = join(import.meta.dirname, '../../database/programs', 'audited-changes.ts');
const ROUNDS = 4;
const WRITERS = 2;
const LONGEST_LIFE_MS = 400;

async function startWriter(url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function detailsOf(store: Store, action: string, name: string): Promise<unknown[]> {
  const entries = await listAuditEntries(store, { action, limit: 100_000 });
  return entries.map(({ details }) => details[name]).sort();
}

describeEachDatabase('the audit of processes that are killed at any moment', (open) => {
  it('has an entry for each change and none without one, in one chain', async () => {
    const { db, url } = await open();
    await migrateToLatest(db);
    const store = createStore({ db, clock: systemClock, fingerprint: testFingerprint });
    for (let round = 0; round < ROUNDS; round += 1) {
      const writers = await Promise.all(Array.from({ length: WRITERS }, () => startWriter(url)));
      for (const writer of writers) {
        await sleep(Math.random() * LONGEST_LIFE_MS);
        await kill(writer);
      }
      const { problems, entries } = await verifyAudit(store);
      expect(problems).toEqual([]);
      expect(entries).toBeGreaterThan(round);
    }
    const made = await detailsOf(store, 'token.made', 'token');
    const revoked = await detailsOf(store, 'token.revoked', 'token');
    const left = (await listAccessTokens(store.reader)).map(({ id }) => id);
    expect([...left, ...revoked].sort()).toEqual(made);
    const asked = await listAuditEntries(store, { action: 'run.asked', limit: 100_000 });
    const requests = await db.selectFrom('run_requests').select('contact').execute();
    const named = asked.flatMap(({ crmId }) => crmId ?? []);
    expect(named.sort()).toEqual(requests.map(({ contact }) => contact).sort());
    const erased = await listAuditEntries(store, { action: 'forget.done', limit: 100_000 });
    expect(asked.length - named.length).toBe(erased.length);
  });
});
