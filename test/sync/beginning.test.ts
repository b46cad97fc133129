import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError, RetriableError } from '../../src/core/errors.ts';
import { findRunById } from '../../src/sync/statements/runs.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

let world: SyncWorld;
afterEach(() => world.close());

/** Opens a CRM that refuses the sign-in. */
async function openRefusing(refuse: () => Promise<never>): Promise<void> {
  world = await createSyncWorld({ open: refuse });
  await world.addPeople(3);
}

describe('a run that cannot begin', () => {
  it.each([
    ['crm_unauthorized', new ConfigurationError('Refused.', { code: 'crm_unauthorized' })],
    ['crm_limit_reached', new RetriableError('Too much today.', { code: 'crm_limit_reached' })],
    ['crm_unavailable', new RetriableError('Not there.', { code: 'crm_timeout' })],
  ])('stops with %s, on record like any run', async (code, error) => {
    await openRefusing(() => Promise.reject(error));
    const report = await world.sync({ runId: 'asked' });
    expect(report).toMatchObject({
      ...{ id: 'asked', status: 'incomplete', reason: { code, message: error.message } },
    });
    expect(await findRunById(world.store.reader, 'asked')).toMatchObject({
      status: 'incomplete',
      reasonCode: code,
    });
    expect(await world.spent()).toBe(0);
  });

  it('throws what a person has to fix, and has it on record as failed', async () => {
    const error = new ConfigurationError('No such file.', { code: 'csv_missing' });
    await openRefusing(() => Promise.reject(error));
    await expect(world.sync({ runId: 'asked' })).rejects.toBe(error);
    expect(await findRunById(world.store.reader, 'asked')).toMatchObject({
      status: 'failed',
      reasonCode: 'csv_missing',
      reasonMessage: 'No such file.',
    });
  });

  it('is interrupted, and not failed, if a stop breaks the sign-in off', async () => {
    const stop = new AbortController();
    await openRefusing(() => {
      stop.abort();
      return Promise.reject(new Error('aborted'));
    });
    const report = await world.sync({ signal: stop.signal });
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'interrupted' } });
  });

  it('leaves the lease to the next', async () => {
    await openRefusing(() => Promise.reject(new RetriableError('No.', { code: 'crm_timeout' })));
    await world.sync();
    expect(await world.store.leases.holder(world.integration.id)).toBeNull();
  });
});
