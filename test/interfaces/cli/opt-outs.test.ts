/** Tests an opt-out field that is wrong for one night. The tests use a file, Salesforce and HubSpot. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdsSchema, runsSchema } from './documents.ts';

const PEOPLE = 60;
const DONORS = 500;

const open = closedAfterTest(openCliWorld);
const openOrg = closedAfterTest(startSalesforceSandbox);
const openAccount = closedAfterTest(startHubspotSandbox);

/** A CRM with people. The test reads the CRM directly. */
interface Crm {
  settings: Record<string, unknown>;
  /** A field that marks every contact, although nobody has opted out. */
  wrongField: string;
  /** The CRM's fields for the donor's ID and for other values. */
  fields: { from: string; to: string }[];
  /** Returns the values of these fields, by contact. */
  values(): Promise<Map<string, Record<string, unknown>>>;
}

type World = Awaited<ReturnType<typeof openCliWorld>>;

const SOURCES = ['donorId', 'netWorth.low', 'netWorth.high', 'profileUrl', 'age'] as const;

function toFields(names: readonly string[]) {
  return SOURCES.map((from, at) => ({ from, to: names[at] ?? '' }));
}

async function aFile(world: World): Promise<Crm> {
  await world.saveRows((await world.rows()).map((row) => ({ ...row, Newsletter: 'yes' })));
  const names = { id: 'Id', firstName: 'First', lastName: 'Last' };
  const lists = { addresses: ['Address'], employers: ['Employer'] };
  const columns = { ...names, ...lists };
  return {
    settings: { kind: 'csv', path: 'riverside.csv', output: 'out.csv', columns },
    wrongField: 'Newsletter',
    fields: toFields(['Donor ID', 'Worth Low', 'Worth High', 'Profile', 'Age']),
    values: async () =>
      new Map((await world.rows('out.csv')).map((row) => [row['Id'] ?? '', { ...row }])),
  };
}

const recordSchema = z.record(z.string(), z.unknown());

async function salesforce(): Promise<Crm> {
  const org = await openOrg({ contacts: PEOPLE, donors: DONORS });
  const { control, people } = sandboxControl(org.rootUrl);
  const ids = (await people()).map(({ id }) => id);
  const values = { HasOptedOutOfEmail: true };
  for (const id of ids) await control('POST', 'edit', { action: 'update', id, values });
  return {
    settings: { kind: 'salesforce', url: org.rootUrl, auth: { type: 'token', token: org.token } },
    wrongField: 'HasOptedOutOfEmail',
    fields: toFields([
      ...['Donor_ID__c', 'Donor_Net_Worth_Low__c', 'Donor_Net_Worth_High__c'],
      ...['Donor_Profile__c', 'Donor_Age__c'],
    ]),
    async values() {
      const all = new Map<string, Record<string, unknown>>();
      for (const id of ids) {
        all.set(id, recordSchema.parse(await control('GET', `record/Contact/${id}`)));
      }
      return all;
    },
  };
}

async function hubspot(): Promise<Crm> {
  const account = await openAccount({ contacts: PEOPLE, donors: DONORS, ratePer10s: 0 });
  const { control, people } = sandboxControl(account.rootUrl);
  const ids = (await people()).map(({ id }) => id);
  const auth = { type: 'token', token: account.token };
  return {
    settings: { kind: 'hubspot', url: account.rootUrl, auth, requestsPerTenSeconds: 0 },
    // In a text field, any value counts as a mark.
    wrongField: 'lastname',
    fields: toFields([
      ...['donor_id', 'donor_net_worth_low', 'donor_net_worth_high'],
      ...['donor_profile', 'donor_age'],
    ]),
    async values() {
      const all = new Map<string, Record<string, unknown>>();
      const schema = z.object({ properties: recordSchema });
      for (const id of ids) {
        const record = schema.parse(await control('GET', `record/contacts/${id}`));
        all.set(id, record.properties);
      }
      return all;
    },
  };
}

describe.each([
  ['a file', aFile],
  ['Salesforce', salesforce],
  ['HubSpot', hubspot],
])('a wrong opt-out field in %s', (_, openCrm) => {
  it('deletes and writes nothing, and all values are right once it is corrected, for no credit', async () => {
    const { whole, spent } = await syncedAtOnce();
    const world = await open({ people: PEOPLE, service: { donors: DONORS } });
    const crm = await openCrm(world);
    const save = (fields: number, optOutField: string | null) =>
      saveSettings(world, crm, fields, optOutField);
    await save(SOURCES.length, null);
    if (crm.settings['kind'] !== 'csv') await world.run(['fields', 'create', 'riverside']);
    await save(2, null);
    await sync(world);
    const before = valuesOf(await crm.values(), crm.fields.slice(0, 2));
    // The user adds lines to the field map on the same night.
    await save(SOURCES.length, crm.wrongField);
    // If a file marks most contacts, the product also asks whether the column is correct.
    const report = await sync(world, crm.settings['kind'] === 'csv' ? 3 : 0);
    expect(report.contacts).toMatchObject({ written: 0, skipped: PEOPLE });
    expect(valuesOf(await crm.values(), crm.fields.slice(0, 2))).toEqual(before);
    expect(Object.values(valuesOf(await crm.values(), crm.fields.slice(2))).flat()).toEqual([]);

    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'mass_opt_out', credits: 0 }]);
    expect(batches[0]?.reason).toContain(`by the field "${crm.wrongField}"`);
    expect(batches[0]?.count).toBeGreaterThan(25);
    const { stdout } = await world.run(['holds']);
    expect(stdout).toContain('opted out at once');
    expect(stdout).toContain('reject it if they are a mistake');

    await save(SOURCES.length, null);
    await sync(world);
    const { holds, batches: left } = await world.runJson(['holds'], holdsSchema);
    expect([holds.filter(({ batch }) => batch !== null), left]).toEqual([[], []]);
    expect(valuesOf(await crm.values(), crm.fields)).toEqual(whole);
    expect(await world.spent()).toBe(spent);

    /** Opens a different CRM with the same people. It was synced with the whole map and never had a wrong field. */
    async function syncedAtOnce() {
      const other = await open({ people: PEOPLE, service: { donors: DONORS } });
      const place = await openCrm(other);
      await saveSettings(other, place, SOURCES.length, null);
      if (place.settings['kind'] !== 'csv') await other.run(['fields', 'create', 'riverside']);
      await sync(other);
      const all = valuesOf(await place.values(), place.fields);
      expect(Object.values(all).filter((each) => each.length > 0).length).toBeGreaterThan(25);
      return { whole: all, spent: await other.spent() };
    }
  }, 120_000);
});

async function saveSettings(
  world: World,
  { settings: crm, fields }: Crm,
  count: number,
  optOutField: string | null,
): Promise<void> {
  const integration = {
    ...{ id: 'riverside', crm, settleAfterMs: 200, contacts: { optOutField } },
    fields: fields.slice(0, count),
    partner: { baseUrl: world.service.baseUrl, apiKey: world.service.apiKey },
  };
  const settings = { database: 'sqlite:store.db', integrations: [integration] };
  await writeFile(world.path('donor-sync.yaml'), JSON.stringify(settings));
}

async function sync(world: World, expected = 0) {
  const { exitCode, stdout, stderr } = await world.run(['sync', '--json']);
  if (exitCode !== expected) throw new Error(`The sync ended with ${exitCode}: ${stderr}`);
  const [report] = runsSchema.parse(JSON.parse(stdout)).runs;
  if (report === undefined) throw new Error('No run was reported');
  return report;
}

/** Returns each contact's values in these fields, in the order of the fields. Omits blank values. */
function valuesOf(
  values: ReadonlyMap<string, Record<string, unknown>>,
  fields: readonly { to: string }[],
): Record<string, string[]> {
  return Object.fromEntries(
    [...values].map(([id, record]) => [
      id,
      fields.flatMap(({ to }) => {
        const value = record[to] ?? '';
        return value === '' ? [] : [`${to}: ${String(value)}`];
      }),
    ]),
  );
}
