import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CliWorld, openCliWorld, startAndSubmit } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';
import { openHubspot } from './an-empty-hubspot.ts';
import { valuesWaitingSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const checkSchema = z.strictObject({
  fields: z.array(
    z.strictObject({
      integration: z.string(),
      fields: z.array(
        z.strictObject({
          from: z.string(),
          to: z.string(),
          when: z.string(),
          label: z.string().nullable(),
          type: z.string().nullable(),
          writable: z.boolean().nullable(),
          problem: z.looseObject({ message: z.string(), fix: z.string() }).nullable(),
          createdBySync: z.boolean(),
          writtenAt: z.string().nullable(),
          filled: z.unknown(),
        }),
      ),
      valuesWaiting: valuesWaitingSchema,
    }),
  ),
});

type Check = z.output<typeof checkSchema>['fields'][number];

const createdBySync = ({ fields }: Check) =>
  fields.filter((line) => line.createdBySync).map(({ to }) => to);

const createSchema = z.strictObject({
  fields: z.array(
    z.strictObject({
      integration: z.string(),
      created: z.array(
        z.strictObject({ name: z.string(), result: z.string(), problem: z.string().nullable() }),
      ),
      findings: z.array(z.unknown()),
      viewers: z.null(),
      lists: z.array(z.unknown()).nullable(),
    }),
  ),
});

describe('donor-sync fields', () => {
  it('finds nothing wrong with columns that a sync adds by itself', async () => {
    const world = await open();
    const { fields } = await world.runJson(['fields', 'check'], checkSchema);
    expect(fields.map(({ integration }) => integration)).toEqual(['riverside']);
    const [check = { integration: '', fields: [], valuesWaiting: { values: 0, reasons: [] } }] =
      fields;
    expect(check.fields.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(createdBySync(check)).toContain('Donor Net Worth');
    const { exitCode, stdout } = await world.run(['fields', 'check']);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('The next sync adds the columns'),
    ]);
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
    expect(fields.map(createdBySync)).toEqual([[]]);
  });

  it('creates nothing while a sync is at work, and says who is', async () => {
    const jobs = holdJobs();
    const world = await open({ service: jobs.service });
    const sync = await startAndSubmit(world);
    const { exitCode, stderr } = await world.run(['fields', 'create']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`is currently being synced by process ${sync.child.pid} on `);
    jobs.letEnd();
    expect((await sync.ended).exitCode).toBe(0);
  });

  it('makes lists in HubSpot when it is asked to, once', async () => {
    const world = await open();
    await using _crm = await openHubspot(world);
    const plain = await world.runJson(['fields', 'create'], createSchema);
    expect(plain.fields[0]?.lists).toBeNull();
    const create = ['fields', 'create', '--with-lists', '--capacity-above', '250000'];
    const { stdout, exitCode } = await world.run([...create, '--warm-path-above', '60']);
    expect(exitCode).toBe(0);
    for (const name of ['capacity above $250,000', 'needs a decision']) {
      expect(stdout).toContain(`List “donor-sync: ${name}”: created`);
    }
    expect(stdout).toContain('warm path above 60%”: left out');
    const again = await world.run(create);
    expect(again.stdout).toContain('needs a decision”: already existed');
    expect(again.exitCode).toBe(0);
  });

  it('says of a file that it has no lists, and refuses a bound that is no number', async () => {
    const world = await open();
    const { stdout, exitCode } = await world.run(['fields', 'create', '--with-lists']);
    expect(stdout).toContain('has no lists that donor-sync can create');
    expect(exitCode).toBe(0);
    const wrong = await world.run(['fields', 'create', '--with-lists', '--capacity-above', 'much']);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('whole number');
  });

  it('finds nothing wrong with an account that lacks the status alone, and says how to add it', async () => {
    const world = await open();
    await using crm = await openHubspot(world);
    await world.runJson(['fields', 'create'], createSchema);
    const address = `${crm.baseUrl}/crm/properties/2026-09/contacts/donor_sync_status`;
    const headers = { authorization: `Bearer ${crm.token}` };
    expect((await fetch(address, { method: 'DELETE', headers })).status).toBe(204);
    const { stdout, exitCode } = await world.run(['fields', 'check']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('15 mapped fields, all of them writable');
    expect(stdout).toMatch(/donor_sync_status.*`donor-sync fields create`/);
    const doctor = await world.run(['doctor', '--json']);
    expect(doctor.stdout).toMatch(/"subject": ?"field donor_sync_status",\s*"ok": ?true/);
  });

  it('ends with 2 for an unknown integration', async () => {
    const world = await open();
    const { exitCode, stderr } = await world.run(['fields', 'check', 'riversied']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('did you mean "riverside"?');
  });
});

const sourceSchema = z.strictObject({
  source: z.strictObject({
    integration: z.string(),
    folder: z.string(),
    files: z.array(z.string()),
    leftOut: z.array(z.strictObject({ name: z.string(), problem: z.string() })),
    next: z.array(z.string()),
  }),
});

const FIELDS = 'force-app/main/default/objects/Contact/fields';

describe('donor-sync fields source', () => {
  it('writes the field map as a project for sf, and asks the CRM nothing', async () => {
    const world = await open();
    await useSalesforce(world);
    const { source } = await world.runJson(['fields', 'source', 'project'], sourceSchema);
    expect(source.folder).toBe(world.path('project'));
    expect(source.files).toContain('sfdx-project.json');
    expect(source.files).toContain(`${FIELDS}/Donor_Net_Worth__c.field-meta.xml`);
    // Without networks, the product would never fill the warm-path fields.
    expect(source.files.filter((file) => file.includes('Warm_Path'))).toEqual([]);
    expect(source.next.join()).toContain('sf project deploy start');
    for (const file of source.files) {
      expect(await readFile(world.path(`project/${file}`), 'utf8')).not.toBe('');
    }
  });

  it('takes the map and the version of the settings, and names what no source can bring', async () => {
    const world = await open();
    await useSalesforce(
      world,
      `    fields: [{ from: netWorth.label, to: Wealth__c }, { from: bio, to: Description }]
`,
      'apiVersion: "66.0"',
    );
    const { exitCode, stdout } = await world.run(['fields', 'source', 'project']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Description is not included.');
    expect(stdout).toContain('1. Sign in as an administrator: sf org login web');
    expect(await readFile(world.path('project/sfdx-project.json'), 'utf8')).toContain('"66.0"');
    const field = await readFile(world.path(`project/${FIELDS}/Wealth__c.field-meta.xml`), 'utf8');
    expect(field).toContain('<label>Donor Net Worth</label>');
  });

  it('writes over nothing', async () => {
    const world = await open();
    await useSalesforce(world);
    expect((await world.run(['fields', 'source', 'project'])).exitCode).toBe(0);
    const { exitCode, stderr } = await world.run(['fields', 'source', 'project']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is not empty. Choose a new folder.');
  });

  it('says of another CRM what to do instead', async () => {
    const world = await open();
    const { exitCode, stderr } = await world.run(['fields', 'source', 'project']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('csv fields cannot be deployed as source. Run');
  });
});

/** Writes settings for an org at an address that does not respond. */
async function useSalesforce({ path, service }: CliWorld, more = '', crm = ''): Promise<void> {
  const auth = 'auth: { type: token, token: "unused" }';
  const settings = `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: { ${['kind: salesforce', 'url: "http://127.0.0.1:9"', auth, crm].filter(Boolean).join(', ')} }
${more}`;
  await writeFile(path('donor-sync.yaml'), settings);
}
