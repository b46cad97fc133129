import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startHubspotSandbox } from '../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../sandbox/salesforce/index.ts';
import { sandboxControl } from './connectors/crm-sandbox.ts';
import { type CliWorld, openCliWorld } from './helpers/cli.ts';
import { folderBytes, marksIn } from './helpers/marks.ts';
import { type ProgramEnd, runWhole } from './helpers/whole-program.ts';

/** The service generates the contacts and the donors, so it knows every contact. */
const PEOPLE = { contacts: 25, donors: 500 };

/** Every message from the CRM contains one of these markers. */
const PLANTED = ['Plantedfirst Plantedlast', '$4,200,000 planted', 'planted@example.org'];
const PLANTED_TEXT = `${PLANTED.join(' owns ')} and wrote a novel of plants`;

const open: { close(): Promise<void> }[] = [];
const { TMPDIR = '/tmp' } = process.env;
afterEach(async () => {
  process.env['TMPDIR'] = TMPDIR;
  for (const one of open.splice(0).reverse()) await one.close();
});

const TIMEOUT_MS = 300_000;

/** Tests the CRM's error messages. They quote names, figures and notes about people. */
describe('CRM messages that quote people', () => {
  it('are neither shown nor stored if they come from a Salesforce org', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { world, control, said } = await openSalesforce();
    await command(world, said, 'fields', 'create');
    await world.putFaults([
      { on: { path: '/enhancements' }, fault: { kind: 'quotePersons', every: 2 }, times: 1 },
    ]);
    const rule = {
      kind: 'validation',
      type: 'Contact',
      when: 'LastName != null',
      message: `${PLANTED_TEXT}: {!FirstName} {!LastName} is worth {!Department}: {!Description}`,
    };
    await control('POST', 'rules', rule);
    await everyLook(world, said);
    expect(said.join('')).toContain('FIELD_CUSTOM_VALIDATION_EXCEPTION');
    expect(said.join('')).toContain('body.persons.0.name.?: ?');

    await control('DELETE', 'rules');
    await command(world, said, 'sync');
    const [id = ''] = await runIds(world);
    await control('POST', 'rules', { ...rule, statusCode: 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY' });
    await command(world, said, 'undo', id, '--yes');
    await command(world, said, 'forget', await writtenId(world, id), '--also-in-crm', '--yes');
    expect(said.join('')).toContain('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY');

    for (const errorCode of ['INVALID_FIELD', 'INVALID_QUERY_FILTER_OPERATOR', 'MALFORMED_QUERY']) {
      const message = `LastName = '${PLANTED_TEXT}' ERROR at Row:1:Column:9 No such column '${PLANTED[0]}'`;
      const body = [{ errorCode, message, fields: [`${PLANTED[0]}`] }];
      await control('PUT', 'faults', [
        { on: { path: '/query*' }, fault: { kind: 'answer', status: 400, body } },
      ]);
      await everyLook(world, said);
      expect(said.join('')).toContain(errorCode);
    }
    const refusal = { error: 'invalid_grant', error_description: PLANTED_TEXT };
    await control('PUT', 'faults', [
      { on: { path: '*/token' }, fault: { kind: 'answer', status: 400, body: refusal } },
    ]);
    await everyLook(world, said);
    expect(said.join('')).toContain('invalid_grant');
    await control('PUT', 'faults', []);
    const people = await peopleOf(control, 'Contact');
    await expectNothing(world, said, people);
  });

  it('are neither shown nor stored if they come from a HubSpot account', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { world, control, said } = await openHubspot();
    await command(world, said, 'fields', 'create');
    const message = `${PLANTED_TEXT}: {!firstname} {!lastname} is worth {!jobtitle}`;
    const ids = (await peopleOf(control, 'contacts')).map(({ id }) => id);
    await control('POST', 'rules', { kind: 'refuse', ids, message });
    await everyLook(world, said);
    expect(said.join('')).toContain('VALIDATION_ERROR');
    const body = {
      ...{ status: 'error', category: `${PLANTED[0]}`, message: PLANTED_TEXT },
      errors: [
        { message: PLANTED_TEXT, code: `${PLANTED[1]}`, context: { propertyName: PLANTED } },
      ],
      context: { requiredScopes: PLANTED },
    };
    await control('PUT', 'faults', [
      { on: { path: '*/contacts/*' }, fault: { kind: 'answer', status: 400, body } },
    ]);
    await everyLook(world, said);
    expect(said.join('')).toContain('HubSpot refused a request (UNKNOWN)');
    await expectNothing(world, said, await peopleOf(control, 'contacts'));
  });
});

interface Person {
  id: string;
  name: string;
}

const recordSchema = z.union([
  z.object({ properties: z.record(z.string(), z.unknown()) }),
  z.object({ FirstName: z.string().nullish(), LastName: z.string().nullish() }),
]);

/** Returns the people in a sandbox as they are now. */
async function peopleOf(control: Control, type: string): Promise<Person[]> {
  const { people } = z
    .object({ people: z.array(z.object({ id: z.string() })) })
    .parse(await control('GET', 'people?limit=1000'));
  return Promise.all(
    people.map(async ({ id }) => {
      const record = recordSchema.parse(await control('GET', `record/${type}/${id}`));
      const names =
        'properties' in record
          ? [record.properties['firstname'], record.properties['lastname']]
          : [record.FirstName, record.LastName];
      return { id, name: names.filter(Boolean).join(' ') };
    }),
  );
}

type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** Runs a command and records its output. */
async function command(world: CliWorld, said: string[], ...args: string[]): Promise<void> {
  const { stdout, stderr } = await run(world, ...args);
  said.push(stdout, stderr);
}

function run({ path, service }: CliWorld, ...args: string[]): Promise<ProgramEnd> {
  const env = { PARTNER_API_KEY: service.apiKey };
  return runWhole(args, { cwd: dirname(path('x')), env });
}

/** Runs a sync, and every command that reports about the sync. */
async function everyLook(world: CliWorld, said: string[]): Promise<void> {
  await command(world, said, 'sync', '--full');
  const [id = 'none'] = await runIds(world);
  for (const words of ['doctor', 'status', `runs ${id}`, 'holds']) {
    await command(world, said, ...words.split(' '));
    await command(world, said, ...words.split(' '), '--json');
  }
}

const runsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });
const writesSchema = z.object({
  runs: z.array(z.object({ writes: z.array(z.object({ crmId: z.string() })) })),
});

async function runIds(world: CliWorld): Promise<string[]> {
  const { stdout } = await run(world, 'runs', '--json');
  return runsSchema.parse(JSON.parse(stdout)).runs.map(({ id }) => id);
}

async function writtenId(world: CliWorld, id: string): Promise<string> {
  const { stdout } = await run(world, 'runs', id, '--json');
  const { runs } = writesSchema.parse(JSON.parse(stdout));
  return runs[0]?.writes[0]?.crmId ?? '';
}

/**
 * Expects that no file and no output contains a name or a marker in any form. IDs are allowed, and the check must
 * find them.
 */
async function expectNothing(world: CliWorld, said: string[], people: Person[]): Promise<void> {
  const names = people.map(({ name }) => name).filter((name) => name.includes(' '));
  expect(names.length).toBeGreaterThan(15);
  const marks = [...PLANTED, 'a novel of plants', ...names];
  const files = await folderBytes(dirname(world.path('x')));
  const outputs = Buffer.from(said.join('\n'));
  expect(marksIn(outputs, marks)).toEqual([]);
  expect(marksIn(files, marks)).toEqual([]);
  const ids = people.map(({ id }) => id);
  expect(marksIn(outputs, ids)).not.toEqual([]);
  expect(marksIn(files, ids)).not.toEqual([]);
}

async function openSalesforce() {
  const crm = await startSalesforceSandbox({ ...PEOPLE, shape: 'plain' });
  open.push(crm);
  const auth = `{ type: clientCredentials, clientId: "${crm.clientId}", clientSecret: "${crm.clientSecret}" }`;
  const fields = [
    '{ from: donorId, to: Donor_ID__c }',
    '{ from: netWorth.label, to: Department, when: always }',
    '{ from: bio, to: Description, when: always }',
  ];
  return openWorld(
    crm.rootUrl,
    `{ kind: salesforce, url: "${crm.baseUrl}", auth: ${auth} }`,
    fields,
  );
}

async function openHubspot() {
  const limits = { ratePer10s: 0, dailyLimit: 0, searchPerSecond: 0, searchLagMs: 0 };
  const crm = await startHubspotSandbox({ ...PEOPLE, ...limits });
  open.push(crm);
  const settings = `{ kind: hubspot, url: "${crm.baseUrl}", auth: { type: token, token: "${crm.token}" } }`;
  const fields = [
    '{ from: donorId, to: donor_id }',
    '{ from: netWorth.label, to: jobtitle, when: always }',
  ];
  return openWorld(crm.rootUrl, settings, fields);
}

async function openWorld(rootUrl: string, crm: string, fields: readonly string[]) {
  const world = await openCliWorld({ people: 0 });
  open.push(world);
  await mkdir(world.path('data'));
  await mkdir(world.path('temp'));
  process.env['TMPDIR'] = world.path('temp');
  const settings = `database: "sqlite:data/store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${world.service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: ${crm}
    settleAfterMs: 200
    fields: [${fields.join(', ')}]
`;
  await writeFile(world.path('donor-sync.yaml'), settings);
  const said: string[] = [];
  return { world, said, control: sandboxControl(rootUrl).control };
}
