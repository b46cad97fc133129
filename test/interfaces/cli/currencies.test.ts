/**
 * Tests amounts in a contact's currency. The tests cover a dry run, the contact's stored data, and the contact's
 * erasure.
 */
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { databaseText, forgetSchema } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);
const openOrg = closedAfterTest(startSalesforceSandbox);

const FIELD = 'Donor_Net_Worth_Low__c';
const YEN = 150;

const recordSchema = z.record(z.string(), z.unknown());
const planSchema = z.object({
  plans: z.array(
    z.object({
      waiting: z.object({
        profiles: z.int(),
        changes: z.array(
          z.object({ crmId: z.string(), field: z.string(), from: z.unknown(), to: z.unknown() }),
        ),
      }),
    }),
  ),
});
const aboutSchema = z.object({
  about: z.object({
    integrations: z.array(
      z.object({ contacts: z.array(z.object({ ourFields: z.array(z.string()) })) }),
    ),
  }),
});

/** The settings convert amounts, unless a test changes them. */
async function anOrgInYen(mode = 'convert') {
  const crm = await openOrg({ contacts: 12, donors: 500, shape: 'plain', currencies: true });
  const world = await open({ people: 0 });
  const auth = `{ type: clientCredentials, clientId: "${crm.clientId}", clientSecret: "${crm.clientSecret}" }`;
  const settings = `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${world.service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: { kind: salesforce, url: "${crm.baseUrl}", currency: ${mode}, auth: ${auth} }
    settleAfterMs: 200
    fields: [{ from: netWorth.low, to: ${FIELD} }]
`;
  await writeFile(world.path('donor-sync.yaml'), settings);
  await world.run(['fields', 'create']);
  const { control, people } = sandboxControl(crm.rootUrl);
  const ids = (await people()).map(({ id }) => id);
  const edit = (id: string, values: object) =>
    control('POST', 'edit', { action: 'update', id, values });
  for (const id of ids) await edit(id, { CurrencyIsoCode: 'JPY' });
  const amountOf = async (id: string) =>
    recordSchema.parse(await control('GET', `record/Contact/${id}`))[FIELD] ?? null;
  const amounts = async () => new Map(await Promise.all(ids.map(readAmount)));
  const readAmount = async (id: string) => [id, await amountOf(id)] as const;
  return { world, control, edit, amountOf, amounts };
}

/** Returns an enhanced contact that has an amount, together with the amount. */
async function anEnhanced({ amounts }: Awaited<ReturnType<typeof anOrgInYen>>) {
  const [found] = [...(await amounts())].filter(([, amount]) => amount !== null);
  if (found === undefined) throw new Error('No contact has an amount');
  return { id: found[0], amount: Number(found[1]) };
}

describe('amounts in another currency', () => {
  it('are shown by a dry run as they would be written', async () => {
    const org = await anOrgInYen();
    const { world, control } = org;
    const noWrites = { on: { path: '/composite*' }, fault: { kind: 'requestLimit' } };
    await control('PUT', 'faults', [noWrites]);
    expect((await world.run(['sync'])).exitCode).toBe(3);
    await control('PUT', 'faults', []);
    const { plans } = await world.runJson(['plan'], planSchema);
    const changes = plans[0]?.waiting.changes ?? [];
    const shown = changes.filter(({ field }) => field === FIELD);
    expect(shown.length).toBeGreaterThan(3);
    for (const { from, to } of shown) {
      expect(from).toBe(null);
      // The amount in yen is a converted amount of whole thousands of dollars.
      expect(Number(to) % (1_000 * YEN)).toBe(0);
    }
    expect((await world.run(['sync'])).exitCode).toBe(0);
    for (const { crmId, to } of shown) expect(await org.amountOf(crmId)).toBe(to);
  });

  it('are named by "about" without a figure, and erased by "forget" whatever the rate and the currency are by then', async () => {
    const org = await anOrgInYen();
    const { world, control, edit, amountOf } = org;
    expect((await world.run(['sync'])).exitCode).toBe(0);
    const { id, amount } = await anEnhanced(org);
    const { about } = await world.runJson(['about', id], aboutSchema);
    expect(about.integrations[0]?.contacts[0]?.ourFields).toContain(FIELD);
    const { stdout } = await world.run(['about', id]);
    expect(stdout).toContain(FIELD);
    expect(stdout).not.toContain(String(amount));
    expect(stdout).not.toContain(String(amount / YEN));

    const hidden = { type: 'CurrencyType', access: 'hidden' };
    await control('PUT', 'object-access', hidden);
    // A user has changed the currency, but no run has read the change yet. The product still recognises the number as
    // its own value.
    await edit(id, { CurrencyIsoCode: 'EUR' });
    const args = ['forget', id, '--integration', 'riverside', '--also-in-crm', '--yes'];
    const { forget } = await world.runJson(args, forgetSchema);
    expect(forget.cleared).toContain(FIELD);
    expect(forget.receipt).toMatchObject({
      complete: true,
      crm: { verified: true, stillPresent: [] },
    });
    expect(await amountOf(id)).toBe(null);
    expect(await databaseText(world)).not.toContain(id);
    // After the rate is available again, the product does not write the value again.
    await control('PUT', 'object-access', { ...hidden, access: 'visible' });
    await world.run(['sync', '--full']);
    expect(await amountOf(id)).toBe(null);
  });

  it('leave an amount alone that a user has typed, when the contact is erased', async () => {
    const org = await anOrgInYen();
    const { world, edit, amountOf } = org;
    await world.run(['sync']);
    const { id } = await anEnhanced(org);
    await edit(id, { [FIELD]: 777 });
    const args = ['forget', id, '--integration', 'riverside', '--also-in-crm', '--yes'];
    const { forget } = await world.runJson(args, forgetSchema);
    expect(forget.editedSince).toContain(FIELD);
    expect(await amountOf(id)).toBe(777);
  });

  it('have their rate shown by doctor with an example before a user chooses to convert, and the other way', async () => {
    const { world } = await anOrgInYen('usdOnly');
    const { stdout } = await world.run(['doctor']);
    expect(stdout).toMatch(/JPY/);
    expect(stdout).toMatch(/150/);
    expect(stdout).toMatch(/number field/);
  });
});
