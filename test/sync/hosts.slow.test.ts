import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { openCsvFolder } from '../helpers/csv-folder.ts';
import {
  type Host,
  type HostedSync,
  kill,
  readHostedBooks,
  startOn,
  syncOn,
  untilSubmitting,
} from '../helpers/hosts.ts';
import type { ServiceControl } from '../helpers/service-control.ts';
import { freshPostgresUrl } from '../helpers/test-databases.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const CONTACTS = 80;
const SETTLE_AFTER_MS = 3_000;
/** The service needs nearly the whole quiet time to respond. */
const SLOW_MS = 2_500;

const AHEAD: Host = { name: 'ahead', clockAheadMs: 120_000 };
const BEHIND: Host = { name: 'behind', clockAheadMs: -120_000 };
const RIGHT: Host = { name: 'right', clockAheadMs: 0 };

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (cleanUps.length > 0) await cleanUps.pop()?.();
});

/** Opens a service and a contact list, and writes settings that sync the list into this database. */
async function open(database: string): Promise<{ service: ServiceControl; sync: HostedSync }> {
  const sandbox = await startPartnerSandbox({ donors: 500, rate: 0, jobTimeMs: 300 });
  const { service, settings, remove } = await openCsvFolder(sandbox, {
    people: CONTACTS,
    database,
    integration: { id: 'hosts', settleAfterMs: SETTLE_AFTER_MS },
  });
  cleanUps.push(remove, sandbox.close);
  const env = { DONOR_SYNC_SECRET_KEY: randomBytes(32).toString('base64') };
  return { service, sync: { program: PROGRAM, settings, env } };
}

const ON_SUBMIT = { method: 'POST', path: '/enhancements' };

// `npm run bench -- clocks` is the long version, with 20 trials.
it.each([
  ['ahead', RIGHT, AHEAD],
  ['behind', AHEAD, BEHIND],
])(
  'pays once on two hosts over one Postgres, the second with a clock that is %s',
  async (_, first, second) => {
    const url = await freshPostgresUrl();
    const { service, sync } = await open(url);
    const [migrated] = await once(startOn(RIGHT, sync, ['migrate']), 'exit');
    expect(migrated).toBe(0);
    await service.putFaults([{ on: ON_SUBMIT, fault: { kind: 'slow', delayMs: SLOW_MS } }]);
    const one = syncOn(first, sync);
    await untilSubmitting(url);
    await Promise.all([one, syncOn(second, sync)]);
    const { paid, open: left } = await readHostedBooks(url);
    expect(await service.spent()).toBe(paid);
    expect(paid).toBeLessThanOrEqual(CONTACTS);
    expect(left).toBe(0);
  },
  120_000,
);

it('pays once if it is killed in flight and started again with a clock that is ahead', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-hosts-db-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'store.db')}`;
  const { service, sync } = await open(url);
  await service.putFaults([
    { on: ON_SUBMIT, times: 1, fault: { kind: 'lateCharge', delayMs: SLOW_MS } },
  ]);
  const child = startOn(RIGHT, sync);
  await untilSubmitting(url);
  await kill(child);
  // The run continues on the same machine, whose clock was changed while no process was running.
  await syncOn({ ...RIGHT, clockAheadMs: 120_000 }, sync);
  const { paid, open: left } = await readHostedBooks(url);
  expect(await service.spent()).toBe(paid);
  expect(left).toBe(0);
}, 120_000);
