import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { enhancedId, ourColumns } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);

const aboutSchema = z.object({
  about: z.object({
    crmId: z.string(),
    integrations: z.array(
      z.object({
        integration: z.string(),
        contacts: z.array(
          z.object({
            state: z.string(),
            paidAt: z.iso.datetime().nullable(),
            ourFields: z.array(z.string()),
          }),
        ),
        jobs: z.array(z.object({ submittedAt: z.iso.datetime() })),
        writes: z.array(z.object({ fields: z.array(z.string()), hasValuesBefore: z.boolean() })),
        auditEntries: z.int(),
        blocks: z.array(z.object({ state: z.string(), since: z.iso.datetime() })),
      }),
    ),
    holdings: z.array(
      z.object({
        integration: z.string(),
        where: z.enum(['database', 'CRM', 'service', 'audit']),
        what: z.string(),
        kept: z.string(),
      }),
    ),
  }),
});

describe('donor-sync about', () => {
  it('shows what is held of a contact, where and for how long, and no name', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    const person = (await world.rows()).find((row) => row['Id'] === id);
    const { stdout } = await world.run(['about', id]);
    expect(stdout).toMatch(/database +its status: settled/);
    expect(stdout).toMatch(/CRM +values from donor-sync in .*Donor ID/);
    expect(stdout).toMatch(/service +1 job result +7 days after the job/);
    expect(stdout).toMatch(/1 record of what a run did +90 days, or until `forget`/);
    expect(person?.['Last']).not.toBe('');
    expect(stdout).not.toContain(person?.['Last']);
    const { about } = await world.runJson(['about', id], aboutSchema);
    const [only] = about.integrations;
    expect(only?.jobs).toHaveLength(1);
    expect(only?.contacts[0]?.ourFields.toSorted()).toEqual(
      (await ourColumns(world, id)).toSorted(),
    );
    expect(only?.writes).toEqual([{ fields: expect.any(Array), hasValuesBefore: true }]);
    // The audit records the user who requested the data. This entry also belongs to the contact.
    expect(only?.auditEntries).toBe(1);
  });

  it('shows of a person who was erased the block alone', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    await world.run(['forget', id, '--also-in-crm', '--yes']);
    const { about } = await world.runJson(['about', id], aboutSchema);
    expect(about.integrations[0]?.blocks).toMatchObject([{ state: 'erased' }]);
    expect(about.holdings.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^blocked since .*, by a fingerprint of its ID$/),
    ]);
  });

  it('says of an unknown id that nothing is held, and holds nothing afterwards either', async () => {
    const world = await open();
    await world.run(['sync']);
    const { exitCode, stdout } = await world.run(['about', 'unknown-id']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('No data is held about unknown-id.');
    const { about } = await world.runJson(['about', 'unknown-id'], aboutSchema);
    expect(about.holdings).toEqual([]);
  });
});
