import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { renderReport } from '../../../src/interfaces/cli/commands/doctor/report.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { findingsSchema } from './documents.ts';

let world: CliWorld | undefined;
let crm: { close(): Promise<void> } | undefined;
afterEach(async () => {
  await crm?.close();
  await world?.close();
  world = undefined;
  crm = undefined;
});

/** The test puts this string into each place where a user or a customer can write a value. */
const MARK = /planted/i;

describe('donor-sync doctor --report', () => {
  it('is a checklist with versions, limits, counts and each check of a HubSpot account', async () => {
    world = await openCliWorld();
    await openHubspot(world, { contacts: 30 });
    const { exitCode, stdout } = await world.run(['doctor', '--report', '-']);
    expect(exitCode).toBe(2);
    for (const line of [
      /^# donor-sync doctor: report$/m,
      /^\| donor-sync \| \d+\.\d+\.\d+/m,
      new RegExp(`^\\| Node \\| ${process.version}`, 'm'),
      /^\| platform \| \w+ \w+ \|$/m,
      /^## Integration 1: hubspot$/m,
      /^\| API version \| 2026-09 \|$/m,
      /^\| account type \| STANDARD \|$/m,
      /^\| contacts that the token sees \| 30 \|$/m,
      /^\| requests left \| 649,\d{3} \|$/m,
      /^- \[x\] \*\*scopes\*\*: The token has all scopes/m,
      /^- \[ \] \*\*field donor_id\*\* \(fields_missing\): /m,
      /^- \[x\] \*\*contacts read\*\*: 30 contacts read as a run reads them/m,
      /^- \[ \] .*donor-sync plan/m,
      /^1 problem to fix, in 14 findings\.$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
  });

  it('says the edition of a Salesforce org, and what its contacts are', async () => {
    world = await openCliWorld();
    await openSalesforce(world, { contacts: 40 });
    const { stdout } = await world.run(['doctor', '--report', '-']);
    expect(stdout).toMatch(/^\| edition \| Enterprise Edition \|$/m);
    expect(stdout).toMatch(/^\| sandbox \| no \|$/m);
    expect(stdout).toMatch(/^\| model of people \| npsp \|$/m);
    expect(stdout).toMatch(/^\| contacts that the user sees \| 40 \|$/m);
  });

  it('goes into a file that only its user can read, beside what a person sees', async () => {
    world = await openCliWorld();
    const { exitCode, stdout } = await world.run(['doctor', '--report', 'report.md']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('The report is in report.md');
    expect(stdout).toContain('All is well.');
    const report = world.path('report.md');
    expect(await readFile(report, 'utf8')).toContain('# donor-sync doctor: report');
    expect((await stat(report)).mode & 0o077).toBe(0);
    const both = await world.run(['doctor', '--json', '--report', '-']);
    expect(both.exitCode).toBe(2);
    const json = await world.run(['doctor', '--json', '--report', 'other.md']);
    expect(findingsSchema.parse(JSON.parse(json.stdout)).causes).toBe(0);
    expect((await world.run(['doctor', '--report', 'none/report.md'])).exitCode).toBe(2);
  });

  it('has no name, value, id, address or key of a CRM whose checks all fail', async () => {
    world = await openCliWorld();
    await openSalesforce(world, { contacts: 0, more: PLANTED });
    for (const type of ['Campaign', 'Account']) await hideObject(type);
    const report = await reportOf(world);
    expect(report).toMatch(/\*\*objects\*\* \(crm_object_hidden\)/);
    expect(report).toMatch(/\*\*contacts\*\* \(crm_filter_invalid\)/);
    expect(report).toMatch(
      /\*\*group\*\* \(crm_request_refused\): The CRM's code is INVALID_FIELD/,
    );
    expect(report).not.toMatch(MARK);
    expectNoPlaces(report, world);
  });

  it('has no name or id of the contacts that it reads', async () => {
    world = await openCliWorld();
    const people = await openSalesforce(world, { contacts: 25 });
    const report = await reportOf(world);
    expect(report).toContain('25 contacts read as a run reads them');
    expect(people.length).toBeGreaterThan(50);
    expect(people.filter((text) => report.includes(text))).toEqual([]);
    expectNoPlaces(report, world);
  });

  it('has no path, heading or setting of a CSV file, nor the id of its integration', async () => {
    world = await openCliWorld({
      integrations: ['planted-food-bank'],
      settings: `    fields: [{ from: age, to: "Age of Planted" }]
    contacts: { optOutField: "Planted opt-out" }`,
    });
    const report = await reportOf(world);
    expect(report).toContain('- [ ] ');
    expect(report).not.toMatch(MARK);
    expectNoPlaces(report, world);
  });

  it('has neither the heading of a column nor the message of a finding that says nothing for it', () => {
    const finding = {
      integration: 'planted',
      ok: false,
      message: 'Planted message.',
      fix: 'Planted fix.',
      command: 'donor-sync fields check planted',
      cause: 'fields_unfit',
    };
    const findings = [
      { ...finding, subject: 'field Age of Planted' },
      { ...finding, subject: 'field Age__c', report: 'Two | lines\n*of* <it>.' },
    ];
    const kind = './connectors/planted.ts';
    const integrations = [{ id: 'planted', kind, facts: [] }];
    const report = renderReport({ madeAt: 'today', installation: [], integrations }, findings);
    expect(report).toContain('- [ ] **field (its name is not shown)** (fields_unfit)\n');
    expect(report).toContain('- [ ] **field Age__c** (fields_unfit): Two  lines of it.\n');
    expect(report).toContain('## Integration 1\n');
    expect(report).not.toMatch(MARK);
  });

  it('has nothing of a settings file that cannot be read', async () => {
    world = await openCliWorld();
    await writeFile(world.path('donor-sync.yaml'), 'integrations: [{ id: Planted, crm: planted }]');
    const { exitCode, stdout } = await world.run(['doctor', '--report', '-']);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^- \[ \] \*\*settings\*\* \(/m);
    expect(stdout).not.toMatch(MARK);
  });

  async function hideObject(type: string): Promise<void> {
    await hands?.control('PUT', 'object-access', { type, access: 'hidden' });
  }
});

const peopleSchema = z.object({
  people: z.array(
    z.object({
      id: z.string(),
      firstName: z.string().nullable(),
      lastName: z.string().nullable(),
      addresses: z.array(z.string()),
      employers: z.array(z.string()),
    }),
  ),
});

/** The settings contain the planted text in every place where a customer can write a value. */
const PLANTED = `    contacts: { filter: "Planted__c = 'Planted Value'" }
    networks:
      - { name: Planted board, group: { campaign: Planted Gala } }
      - { name: Planted staff, group: { where: "Title = 'Planted' AND Nothing__c = 'planted'" } }
    fields:
      - { from: age, to: "Age of Planted" }
      - { from: bio, to: Bio__c }
`;

let hands: ReturnType<typeof sandboxControl> | undefined;

/** Returns the report and all other output, with every check. */
async function reportOf({ run }: CliWorld): Promise<string> {
  const { stdout } = await run(['doctor', '--report', '-']);
  return stdout;
}

function expectNoPlaces(report: string, { path, service }: CliWorld): void {
  expect(report).not.toContain(path(''));
  expect(report).not.toContain('127.0.0.1');
  expect(report).not.toContain('riverside');
  expect(report).not.toContain(service.apiKey);
}

async function openHubspot(
  { path, service }: CliWorld,
  { contacts }: { contacts: number },
): Promise<void> {
  const sandbox = await startHubspotSandbox({ contacts, donors: 50, ratePer10s: 0 });
  crm = sandbox;
  const auth = `{ type: token, token: "${sandbox.token}" }`;
  await writeFile(
    path('donor-sync.yaml'),
    settingsWith(service, `{ kind: hubspot, url: "${sandbox.baseUrl}", auth: ${auth} }`, ''),
  );
}

/** Opens an org. Returns all strings that identify its people. */
async function openSalesforce(
  { path, service }: CliWorld,
  { contacts, more = '' }: { contacts: number; more?: string },
): Promise<string[]> {
  const sandbox = await startSalesforceSandbox({ contacts, donors: 50, shape: 'npsp' });
  crm = sandbox;
  hands = sandboxControl(sandbox.rootUrl);
  const { baseUrl, clientId, clientSecret } = sandbox;
  const auth = `{ type: clientCredentials, clientId: "${clientId}", clientSecret: "${clientSecret}" }`;
  const text = settingsWith(
    service,
    `{ kind: salesforce, url: "${baseUrl}", auth: ${auth} }`,
    more,
  );
  await writeFile(path('donor-sync.yaml'), text);
  const asked = await hands.control('GET', `people?limit=${Math.max(contacts, 1)}`);
  const { people } = peopleSchema.parse(asked);
  return people.flatMap(({ id, firstName, lastName, addresses, employers }) =>
    [id, firstName, lastName, ...addresses, ...employers].flatMap((one) =>
      one !== null && one.length > 4 ? [one] : [],
    ),
  );
}

function settingsWith(service: CliWorld['service'], settings: string, more: string): string {
  return `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: ${settings}
${more}`;
}
