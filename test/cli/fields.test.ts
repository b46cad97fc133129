import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld, startAndSubmit } from '../helpers/cli.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';

const open = closedAfterTest(openCliWorld);

const checkSchema = z.strictObject({
  fields: z.array(
    z.strictObject({
      integration: z.string(),
      mapped: z.int(),
      findings: z.array(z.looseObject({ field: z.string(), message: z.string() })),
      optional: z.array(z.unknown()),
      createdBySync: z.array(z.string()),
    }),
  ),
});

const createSchema = z.strictObject({
  fields: z.array(
    z.strictObject({
      integration: z.string(),
      created: z.array(
        z.strictObject({ name: z.string(), result: z.string(), problem: z.string().nullable() }),
      ),
      findings: z.array(z.unknown()),
      viewers: z.null(),
      lists: z.null(),
    }),
  ),
});

describe('donor-sync fields', () => {
  it('finds nothing wrong with columns that a sync adds by itself', async () => {
    const world = await open();
    const { fields } = await world.runJson(['fields', 'check'], checkSchema);
    expect(fields).toMatchObject([{ integration: 'riverside', findings: [] }]);
    expect(fields[0]?.createdBySync).toContain('Donor Net Worth');
  });

  it('creates the columns on request, once', async () => {
    const world = await open();
    const first = await world.runJson(['fields', 'create'], createSchema);
    expect(first.fields[0]?.created).toContainEqual({
      name: 'Donor Net Worth',
      result: 'created',
      problem: null,
    });
    const second = await world.runJson(['fields', 'create'], createSchema);
    expect(second.fields).toMatchObject([{ created: [], findings: [] }]);
    const { fields } = await world.runJson(['fields', 'check'], checkSchema);
    expect(fields).toMatchObject([{ createdBySync: [] }]);
  });

  it('creates nothing while a sync is at work, and says who is', async () => {
    const world = await open({ service: { jobTimeMs: 3_000 } });
    const sync = await startAndSubmit(world);
    const { exitCode, stderr } = await world.run(['fields', 'create']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`is being synced right now by process ${sync.child.pid} on `);
    expect((await sync.ended).exitCode).toBe(0);
  });

  it('ends with 2 for an unknown integration', async () => {
    const world = await open();
    const { exitCode, stderr } = await world.run(['fields', 'check', 'riversied']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('did you mean "riverside"?');
  });
});
