import { writeFile } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { send } from '../../testbed/asking.ts';
import { findingsSchema, valuesWaitingSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);
const openOrg = closedAfterTest(startSalesforceSandbox);

const runsSchema = z.object({
  runs: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      contacts: z.looseObject({ written: z.int() }),
      credits: z.looseObject({ enhancements: z.looseObject({ spent: z.int() }) }),
      valuesWaiting: valuesWaitingSchema,
    }),
  ),
});

const contactsSchema = z.object({ records: z.array(z.record(z.string(), z.unknown())) });

/** Opens an org with the mapped fields and with people whom the service knows. */
async function anOrg() {
  const crm = await openOrg({ contacts: 12, donors: 500, shape: 'plain' });
  const world = await open({ people: 0 });
  const auth = `{ type: clientCredentials, clientId: "${crm.clientId}", clientSecret: "${crm.clientSecret}" }`;
  const settings = (filter: string) => `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${world.service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: { kind: salesforce, url: "${crm.baseUrl}", auth: ${auth} }
    settleAfterMs: 200
    contacts: { filter: "${filter}", optOutField: null }
    fields: [{ from: donorId, to: Donor_ID__c }, { from: profileUrl, to: Donor_Profile__c }]
`;
  const setFilter = (filter: string) => writeFile(world.path('donor-sync.yaml'), settings(filter));
  await setFilter('LastName != null');
  await world.run(['fields', 'create']);
  const { control } = sandboxControl(crm.rootUrl);
  const access = (to: string) =>
    control('PUT', 'field-access', { type: 'Contact', field: 'Donor_Profile__c', access: to });
  const soql =
    'SELECT Id, LastName, Donor_ID__c, Donor_Profile__c FROM Contact WHERE Donor_ID__c != null ORDER BY Id';
  const headers = { authorization: `Bearer ${crm.token}` };
  const enhanced = async () => {
    const url = `${crm.baseUrl}/services/data/v67.0/query?q=${encodeURIComponent(soql)}`;
    return contactsSchema.parse((await send(url, 'GET', { headers })).body).records;
  };
  return { world, control, access, setFilter, enhanced };
}

async function sync({ world }: Awaited<ReturnType<typeof anOrg>>, ...more: string[]) {
  const { runs } = await world.runJson(['sync', ...more], runsSchema);
  const [run] = runs;
  if (run === undefined) throw new Error('no run');
  return run;
}

describe('values that wait to be written', () => {
  it('are told everywhere, with what ends the waiting, and arrive for no credit', async () => {
    const org = await anOrg();
    const { world, access } = org;
    await access('hidden');
    const first = await sync(org);
    const known = first.contacts.written;
    expect(known).toBeGreaterThan(5);
    expect(first.valuesWaiting).toMatchObject({
      values: known,
      reasons: [{ field: 'Donor_Profile__c', cause: 'no_such_field', code: null, contacts: known }],
    });
    const spent = await world.spent();

    const counted = new RegExp(
      `${known} values? of Donor_Profile__c (is|are) waiting to be written`,
    );
    const because = /the CRM does not have this field, or hides it/;
    for (const words of [['status'], ['fields', 'check']]) {
      const { stdout } = await world.run(words);
      expect(stdout).toMatch(counted);
      expect(stdout).toMatch(because);
      expect(stdout).toMatch(/the next run writes the values,\s+at no cost/);
    }
    for (const words of [['plan'], ['runs', first.id]]) {
      const { stdout } = await world.run(words);
      expect(stdout).toMatch(new RegExp(`${known} values? (is|are) waiting to be written`));
      expect(stdout).toMatch(because);
    }
    const { stdout: detail } = await world.run(['runs', first.id]);
    expect(detail).toContain('After that, the next run writes the values, at no cost.');
    const doctor = async () => {
      const { stdout } = await world.run(['doctor', '--json']);
      const { findings } = findingsSchema.parse(JSON.parse(stdout));
      return findings.filter(({ subject }) => subject.startsWith('values'));
    };
    expect(await doctor()).toMatchObject([
      { ok: false, subject: 'values of Donor_Profile__c', cause: 'fields_missing' },
    ]);

    await access('visible');
    expect(await doctor()).toMatchObject([
      {
        ok: true,
        message: expect.stringContaining('the next run tries the values again, at no cost'),
      },
    ]);
    const second = await sync(org);
    expect(second).toMatchObject({ contacts: { written: known }, valuesWaiting: { values: 0 } });
    expect(await doctor()).toMatchObject([
      { ok: true, message: 'No values are waiting to be written.' },
    ]);
    expect((await world.run(['status'])).stdout).not.toContain('Values:');
    expect(await world.spent()).toBe(spent);
  });

  it('names the CRM code of a rule, and how often it is tried', async () => {
    const org = await anOrg();
    const rule = { kind: 'validation', type: 'Contact', when: 'Donor_Profile__c != null' };
    await org.control('POST', 'rules', { ...rule, message: 'No.', field: 'Donor_Profile__c' });
    const { valuesWaiting } = await sync(org);
    expect(valuesWaiting.reasons).toMatchObject([
      { cause: 'refused', code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' },
    ]);
    const { stdout } = await org.world.run(['status']);
    expect(stdout).toMatch(/try five\s+contacts\s+daily/);
    await org.control('DELETE', 'rules');
    const [waiting] = await org.enhanced();
    const named = await sync(org, '--contact', String(waiting?.['Id']));
    expect(named.valuesWaiting.values).toBe(valuesWaiting.values - 1);
  });
});

describe('donor-sync doctor', () => {
  it('tells which fields automation changes after every write, and that another tool uses our user', async () => {
    const org = await anOrg();
    const change = { kind: 'upperCase' };
    await org.control('POST', 'automation', { field: 'Donor_Profile__c', change });
    await sync(org);
    const findings = async () => {
      const { stdout } = await org.world.run(['doctor', '--json']);
      return findingsSchema.parse(JSON.parse(stdout)).findings;
    };
    const before = await findings();
    expect(before.find(({ subject }) => subject === 'field Donor_Profile__c')).toMatchObject({
      ok: true,
      message: expect.stringContaining('changes Donor_Profile__c after every write'),
    });
    expect(before.some(({ subject }) => subject === 'CRM user')).toBe(false);
    const setNoticed = (days: number) => {
      const db = new Sqlite(org.world.path('store.db'));
      db.prepare('update integrations set other_tool_at = ?').run(Date.now() - days * 86_400_000);
      db.close();
    };
    setNoticed(1);
    expect((await findings()).find(({ subject }) => subject === 'CRM user')).toMatchObject({
      ok: true,
      message: expect.stringContaining("Another tool writes to the CRM as donor-sync's user"),
      fix: 'Give donor-sync its own user in the CRM.',
    });
    setNoticed(40);
    expect((await findings()).some(({ subject }) => subject === 'CRM user')).toBe(false);
  });
});

describe('a delivery on request', () => {
  it('brings back what was undone, but not to contacts that a narrowed filter has left out', async () => {
    const org = await anOrg();
    const { world, setFilter, enhanced: read } = org;
    const first = await sync(org);
    const before = await read();
    await world.run(['undo', first.id, '--yes']);
    expect(await read()).toEqual([]);
    const names = before.map((record) => String(record['LastName'])).toSorted();
    const middle = names[Math.floor(names.length / 2)] ?? '';
    await setFilter(`LastName < '${middle}'`);
    await sync(org);
    const asked = await world.run(['sync', '--redeliver']);
    expect(asked.stdout).toMatch(/is no longer among the contacts of contacts\.filter/);
    const done = await world.run(['sync', '--redeliver', '--yes']);
    expect(done.exitCode).toBe(0);
    const given = await read();
    expect(given.length).toBeGreaterThan(0);
    for (const record of given) expect(String(record['LastName']) < middle).toBe(true);
    const spent = await world.spent();
    await setFilter('LastName != null');
    await sync(org);
    await world.run(['sync', '--redeliver', '--yes']);
    expect(await read()).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });
});
