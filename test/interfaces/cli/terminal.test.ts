import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { ACTING, ACTS, FEW_ACTS } from '../../helpers/acting.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runWhole } from '../../helpers/whole-program.ts';

const open = closedAfterTest(openCliWorld);
const openOrg = closedAfterTest(startSalesforceSandbox);

/** Matches everything that is allowed to act on a terminal: our own colours, and the redrawing of progress lines. */
const OURS = new RegExp(`${'\u001b'}\\[(?:(?:[12]|22|3[123]|39)m|\\d+A|0J)`, 'g');

describe('a terminal', () => {
  it('obeys nothing that an org says, or has in its names', async () => {
    const { world, control, run } = await anOrg();
    const rule = { kind: 'validation', type: 'Contact', when: 'LastName != null' };
    await run('fields', 'create');
    // The profiles have arrived, and one contact is renamed before they are delivered.
    await control('PUT', 'faults', [
      { on: { path: '/composite*' }, fault: { kind: 'answer', status: 503, body: [] } },
    ]);
    await run('sync');
    await control('PUT', 'faults', []);
    const id = await firstContact(control);
    const values = { FirstName: `Zq${FEW_ACTS}vxo`, LastName: `Quarter${FEW_ACTS}main` };
    await control('POST', 'edit', { action: 'update', id, values });
    await control('POST', 'rules', { ...rule, message: `Ask${ACTS} Ann.` });
    await run('sync');
    const runId = await latestRun(run);
    expect(await run('runs', runId)).toContain('FIELD_CUSTOM_VALIDATION_EXCEPTION');
    expect(await run('runs', runId, '--show')).toContain('Ask Ann.');
    await control('DELETE', 'rules');
    expect(await run('holds', '--show')).toContain('Zqvxo Quartermain');
    for (const words of ['status', 'holds', 'runs', 'networks', 'plan', 'credits'])
      await run(words);

    const body = [{ errorCode: 'MALFORMED_QUERY', message: `No${ACTS}pe`, fields: [ACTS] }];
    await control('PUT', 'faults', [
      { on: { path: '/query*' }, fault: { kind: 'answer', status: 400, body } },
    ]);
    await run('sync', '--full');
    expect(await run('doctor')).toContain('(MALFORMED_QUERY)');
    expect(await run('doctor', '--show')).toContain("The CRM's message: Nope");
    expect(await run('status')).toContain('MALFORMED_QUERY');
    expect(await run('runs', await latestRun(run), '--show')).toContain('Nope');

    const refusal = { error: `invalid${ACTS}_grant`, error_description: ACTS };
    await control('PUT', 'faults', [
      { on: { path: '*/token' }, fault: { kind: 'answer', status: 400, body: refusal } },
    ]);
    await run('sync');
    await run('doctor', '--show');
    await world.putFaults([
      { on: { path: '/enhancements' }, fault: { kind: 'quotePersons', around: ACTS } },
    ]);
    await control('PUT', 'faults', []);
    await run('sync', '--full');
    await run('status');
  });

  it('obeys nothing in the ids, names and employers of a file', async () => {
    const world = await open({ people: 6 });
    const run = runner(world);
    const rows = await world.rows();
    await world.saveRows(
      rows.map((row) => ({
        ...row,
        Id: `${row['Id']}${ACTS}`,
        Employer: `${row['Employer']}${ACTS}`,
      })),
    );
    await run('sync');
    const id = await latestRun(run);
    expect(await run('runs', id)).toContain(rows[1]?.['Id']);
    await run('forget', `unknown${ACTS}`, '--yes');
    await run('sync', '--contact', `unknown${ACTS}`);
    await run(`nonsense${ACTS}`);
    await run('doctor');
    expect(await run('undo', id, '--yes')).toContain('Restored');
  });

  it('is the only place where the words of a CRM are shown, and only if asked', async () => {
    const { world, control, run } = await anOrg();
    const rule = { kind: 'validation', type: 'Contact', when: 'LastName != null' };
    await control('POST', 'rules', { ...rule, message: 'Ask Ann.' });
    await run('fields', 'create');
    await run('sync');
    const id = await latestRun(run);
    expect(await run('runs', id)).toContain(`donor-sync runs ${id.slice(-8)} --show`);
    expect(await run('runs', id)).not.toContain('Ann');
    expect(await run('runs', id, '--show')).toMatch(
      /Messages from the CRM\n {2}003\w+ {2}Ask Ann\./,
    );
    for (const words of [`runs ${id} --show`, `runs ${id} --show --json`, 'doctor --show']) {
      const piped = await world.run(words.split(' '));
      expect(piped.exitCode).toBe(2);
      expect(piped.stderr).toContain('--show works only on a terminal');
      expect(piped.stdout + piped.stderr).not.toContain('Ann');
    }
    expect(await run('runs', id, '--show', '--json')).not.toContain('Ann');
    expect(await run('runs', '--show')).toContain('--show needs a run');
    // The shown messages of the CRM can quote names. The audit therefore contains one entry with the number of shown
    // names.
    const audit = await world.run(['audit', '--action', 'names.shown', '--json']);
    expect(entriesSchema.parse(JSON.parse(audit.stdout)).entries).toMatchObject([
      { integration: 'riverside', details: { command: 'runs', names: expect.any(Number) } },
    ]);
    expect(audit.stdout).not.toContain('Ann');
    await control('PUT', 'faults', [
      {
        on: { path: '/query*' },
        fault: { kind: 'answer', status: 400, body: [{ errorCode: 'X', message: 'Ask Ben.' }] },
      },
    ]);
    expect(await run('doctor', '--show')).toContain("The CRM's message: Ask Ben.");
    expect(await run('audit', '--action', 'names.shown')).toMatch(/command doctor, names 1/);
  });
});

const entriesSchema = z.object({ entries: z.array(z.unknown()) });

type Run = (...args: string[]) => Promise<string>;

/**
 * Returns a function that runs a command at a terminal. The function checks that the output contains no sequences
 * that a terminal executes, and returns the output without colours.
 */
function runner({ path, service }: CliWorld): Run {
  return async (...args) => {
    const env = { PARTNER_API_KEY: service.apiKey };
    const { stdout, stderr } = await runWhole(args, { cwd: dirname(path('x')), env, isTTY: true });
    const written = (stdout + stderr).replaceAll(OURS, '');
    expect(written).not.toBe('');
    expect(ACTING.exec(written)?.input ?? '').toBe('');
    return written;
  };
}

const runsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });

async function latestRun(run: Run): Promise<string> {
  const { runs } = runsSchema.parse(JSON.parse(await run('runs', '--json')));
  return runs[0]?.id ?? '';
}

const peopleSchema = z.object({ people: z.array(z.object({ id: z.string() })) });

async function firstContact(
  control: ReturnType<typeof sandboxControl>['control'],
): Promise<string> {
  return peopleSchema.parse(await control('GET', 'people?limit=1')).people[0]?.id ?? '';
}

/** Opens an org with some people whom the service knows, and writes settings for it. */
async function anOrg() {
  const crm = await openOrg({ contacts: 10, donors: 500, shape: 'plain' });
  const world = await open({ people: 0 });
  const auth = `{ type: clientCredentials, clientId: "${crm.clientId}", clientSecret: "${crm.clientSecret}" }`;
  const settings = `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${world.service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: { kind: salesforce, url: "${crm.baseUrl}", auth: ${auth} }
    settleAfterMs: 200
    contacts: { filter: "LastName != null", optOutField: null }
    fields: [{ from: donorId, to: Donor_ID__c }]
`;
  await writeFile(world.path('donor-sync.yaml'), settings);
  return { world, run: runner(world), control: sandboxControl(crm.rootUrl).control };
}
