/**
 * Tests the export of all of a client's data. The receiver can be slow, and the process can lose the client's lease.
 */
import { expect, it } from 'vitest';
import type { WriteFile } from '../../src/core/write-file.ts';
import { exportEverything } from '../../src/privacy/export-everything.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';

const open = closedAfterTest(openHttpWorld);

const MINUTE_MS = 60_000;

/** Exports a client to a receiver that calls `before` each time it accepts a part. */
async function openExport() {
  const { application } = await open();
  const clock = createFakeClock(Date.now());
  const names: string[] = [];
  const exportTo = (before: (parts: number) => Promise<void>) => {
    let taken = 0;
    const writeFile: WriteFile = async (name, parts) => {
      names.push(name);
      for await (const _ of parts) {
        taken += 1;
        await before(taken);
      }
    };
    const what = { integrationId: 'riverside', settings: '' };
    return exportEverything({ application, clock, writeFile }, what);
  };
  return { application, clock, names, exportTo };
}

it('stops for a receiver that has kept it waiting for ten minutes in all, so that runs and erasures can begin', async () => {
  const { application, clock, names, exportTo } = await openExport();
  const slow = exportTo(() => clock.advance(2.5 * MINUTE_MS));
  await expect(slow).rejects.toMatchObject({ code: 'export_too_slow' });
  expect(names).toHaveLength(5);
  expect((await application.takeLease('riverside')).acquired).toBe(true);
});

it('comes to its end for a receiver that takes nine minutes', async () => {
  const { clock, names, exportTo } = await openExport();
  await exportTo((parts) => (parts === 1 ? clock.advance(9 * MINUTE_MS) : Promise.resolve()));
  expect(names.at(-1)).toBe('settings.yaml');
});

it('stops if another process takes over the client, because files of two moments do not fit together', async () => {
  const { application, clock, names, exportTo } = await openExport();
  const taken = exportTo(async (parts) => {
    if (parts !== 2) return;
    const holder = await application.store.leases.holder('riverside');
    await application.store.leases.revoke({
      integrationId: 'riverside',
      epoch: holder?.epoch ?? 0,
    });
    await clock.advance(MINUTE_MS);
    // Waits for the renewal of the lease, which queries the database.
    await expect.poll(async () => (await application.takeLease('riverside')).acquired).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await expect(taken).rejects.toThrow();
  expect(names).toHaveLength(3);
});
