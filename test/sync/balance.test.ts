import { afterEach, expect, it } from 'vitest';
import type { Run } from '../../src/run/context.ts';
import { createRunControl } from '../../src/run/control.ts';
import { findAllowance } from '../../src/sync/balance.ts';
import { readableIdentities } from '../helpers/identities.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

let world: SyncWorld;
afterEach(() => world.close());

it('reads a balance anew that was read more than a minute ago, before anything is spent', async () => {
  world = await createSyncWorld({ service: { credits: 500 } });
  await world.addPeople(3);
  const { id } = await world.sync();
  const deps = world.deps();
  const run = aRun(world, id);
  const elsewhere = { balance: 123 };
  await world.database.db.updateTable('partner_keys').set(elsewhere).execute();
  expect((await findAllowance(deps, run)).credits).toBe(123);
  const longAgo = { balance_read_at: Date.now() - 61_000 };
  await world.database.db.updateTable('partner_keys').set(longAgo).execute();
  expect((await findAllowance(deps, run)).credits).toBe(497);
  // Read before the clock was set back.
  const ahead = { balance: 123, balance_read_at: Date.now() + 3_600_000 };
  await world.database.db.updateTable('partner_keys').set(ahead).execute();
  expect((await findAllowance(deps, run)).credits).toBe(497);
});

/** The run that has ended, as it was. */
function aRun({ integration, store, deps }: SyncWorld, id: string): Run {
  return {
    id,
    lease: { integrationId: integration.id, epoch: 1 },
    integration,
    trigger: 'manual',
    mappings: [],
    fields: [],
    partnerKey: store.fingerprint('partner_key', integration.partner.apiKey),
    groupMembers: new Set(),
    forgotten: new Set(),
    identities: readableIdentities(store),
    full: false,
    only: null,
    adopt: false,
    control: createRunControl(deps().clock, new AbortController().signal),
  };
}
