import { chmod, readFile, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { openHubspot } from './an-empty-hubspot.ts';
import { openSalesforce } from './an-empty-salesforce.ts';
import { findingsSchema } from './documents.ts';

let world: CliWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

function brokenOf(stdout: string) {
  const { findings } = findingsSchema.parse(JSON.parse(stdout));
  return findings.filter(({ ok }) => !ok);
}

describe('donor-sync doctor', () => {
  it('finds nothing wrong where all is well, and spends nothing', async () => {
    world = await openCliWorld();
    const { exitCode, stdout } = await world.run(['doctor', '--json']);
    expect(brokenOf(stdout)).toEqual([]);
    expect(exitCode).toBe(0);
    const { findings } = findingsSchema.parse(JSON.parse(stdout));
    const subjects = findings.map(({ subject }) => subject);
    expect(subjects).toEqual(
      expect.arrayContaining(['settings', 'database', 'secret key', 'partner key', 'credits']),
    );
    expect(subjects).toEqual(expect.arrayContaining(['input', 'field map', 'runs', 'holds']));
    expect(await world.spent()).toBe(0);
  });

  it('goes on after a key that is not accepted, and shows it nowhere', async () => {
    world = await openCliWorld({ settings: '    fields: [{ from: age, to: Id }]' });
    const wrongKey = 'wrong-key-of-another-team';
    const { exitCode, stdout, stderr } = await world.run(['doctor', '--json'], {
      PARTNER_API_KEY: wrongKey,
    });
    expect(exitCode).toBe(2);
    const broken = brokenOf(stdout);
    expect(broken.map(({ subject }) => subject)).toEqual(['partner key', 'field Id']);
    for (const { fix } of broken) expect(fix).toBeTruthy();
    expect(stdout + stderr).not.toContain(wrongKey);
  });

  it('reports each group that cannot be read, although the connector checks no group', async () => {
    const group = (column: string) => `group: { column: ${column}, equals: Board }`;
    world = await openCliWorld({
      settings: `    networks: [{ name: Board, ${group('Committee')} }, { name: Staff, ${group('Id')} }]`,
    });
    const { exitCode, stdout } = await world.run(['doctor', '--json']);
    expect(exitCode).toBe(2);
    expect(brokenOf(stdout)).toMatchObject([
      { subject: 'group', message: expect.stringContaining('Committee') },
    ]);
  });

  it('refuses an address with plain http for the service key, unless its host is allowed', async () => {
    world = await openCliWorld();
    const path = world.path('donor-sync.yaml');
    const file = await readFile(path, 'utf8');
    // The address 0.0.0.0 also reaches this machine but is not a loopback address.
    const insecure = file.replaceAll('127.0.0.1', '0.0.0.0');
    await writeFile(path, insecure);
    for (const command of [['doctor', '--json'], ['sync']]) {
      const { exitCode, stdout, stderr } = await world.run(command);
      expect(exitCode).toBe(2);
      expect(stdout + stderr).toMatch(/partner\.baseUrl: over plain http to .*allowInsecureHttp/);
    }
    await writeFile(path, `${insecure}allowInsecureHttp: ["0.0.0.0"]\n`);
    expect(await world.run(['doctor', '--json'])).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('plain http'),
    });
  });

  it('says that there is no answer, where the service is out of reach', async () => {
    world = await openCliWorld({ clock: { ...systemClock, sleep: () => Promise.resolve() } });
    await world.service.close();
    const { exitCode, stdout } = await world.run(['doctor', '--json']);
    expect(exitCode).toBe(2);
    expect(brokenOf(stdout)).toMatchObject([{ integration: 'riverside', subject: 'partner' }]);
    world = { ...world, service: { ...world.service, close: async () => undefined } };
  });

  it('says that the clock of this machine is not that of the service', async () => {
    world = await openCliWorld();
    await world.putFaults([{ fault: { kind: 'date', offsetMs: -3_600_000 } }]);
    const { stdout, exitCode } = await world.run(['doctor', '--json']);
    expect(exitCode).toBe(2);
    expect(brokenOf(stdout)).toMatchObject([
      { subject: 'clock', message: expect.stringMatching(/ahead of the Partner Data Service's/) },
    ]);
  });

  it('says once what all fields of a new CRM lack, and one by one for scripts', async () => {
    world = await openCliWorld();
    await using _crm = await openHubspot(world);
    const { exitCode, stdout } = await world.run(['doctor']);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(
      /✗ field donor_id: .*\n {4}The same for 13 others: donor_profile, donor_age/,
    );
    expect(stdout.match(/→ Create it with/g)).toHaveLength(1);
    expect(stdout).toContain('1 problem to fix (14 findings).');
    expect(stdout.match(/^ {6}donor-sync fields create riverside$/gm)).toHaveLength(1);
    const broken = brokenOf((await world.run(['doctor', '--json'])).stdout);
    expect(broken).toHaveLength(14);
    for (const { fix, command, cause } of broken) {
      expect(fix).toContain('fields create');
      expect({ command, cause }).toEqual({
        command: 'donor-sync fields create riverside',
        cause: 'fields_missing',
      });
    }
  });

  it('finds fields that the user may not read, and looks at the rest all the same', async () => {
    world = await openCliWorld();
    await using crm = await openSalesforce(world);
    const field = 'npsp__Primary_Affiliation__c';
    const hidden = { type: 'Contact', field, access: 'hidden' };
    await crm.control('PUT', 'field-access', hidden);
    const { exitCode, stdout } = await world.run(['doctor', '--json']);
    expect(exitCode).toBe(2);
    const broken = brokenOf(stdout);
    expect(broken[0]).toMatchObject({
      subject: 'employer',
      message: expect.stringMatching(
        /npsp__Primary_Affiliation__c.*left out of submissions to the service/,
      ),
      fix: expect.stringContaining('permission set'),
    });
    expect(broken.slice(1).every(({ subject }) => subject.startsWith('field '))).toBe(true);
    expect(broken.length).toBeGreaterThan(10);
  });

  it('says that no person can see the values, until people are given the fields', async () => {
    world = await openCliWorld();
    await using _crm = await openSalesforce(world);
    const viewers = async () => {
      const broken = brokenOf((await world?.run(['doctor', '--json']))?.stdout ?? '');
      return broken.filter(({ subject }) => subject === 'field viewers');
    };
    const { stdout } = await world.run(['fields', 'create', 'riverside']);
    expect(stdout).toContain('“donor-sync viewers” lets users see the fields: 0 users have it');
    expect(await viewers()).toMatchObject([
      {
        fix: expect.stringContaining('“donor-sync viewers”'),
        command: 'donor-sync fields create riverside --assign-viewers "System Administrator"',
      },
    ]);
    const profile = ['--assign-viewers', 'System Administrator'];
    const given = await world.run(['fields', 'create', 'riverside', ...profile]);
    expect(given).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 user has it') });
    expect(await viewers()).toEqual([]);
  });

  it('tells the healthy areas of the service and the requests that are left in a line each', async () => {
    world = await openCliWorld();
    await using _crm = await openHubspot(world);
    const { stdout } = await world.run(['doctor']);
    expect(stdout.match(/ealthy: /g)).toHaveLength(1);
    expect(stdout).toMatch(/service health: Healthy: donors, search, enhancements/);
    expect(stdout.match(/ requests .*are left/g)).toHaveLength(1);
  });

  it('names the area of the service that is not well', async () => {
    world = await openCliWorld();
    const on = { method: 'GET', path: '/search/health' };
    await world.putFaults([{ on, fault: { kind: 'error' } }]);
    const { stdout } = await world.run(['doctor', '--json']);
    expect(brokenOf(stdout)).toMatchObject([{ subject: 'health of search' }]);
    const { findings } = findingsSchema.parse(JSON.parse(stdout));
    const healthy = findings.find(({ subject }) => subject === 'service health');
    expect(healthy?.message).toContain('donors');
    expect(healthy?.message).not.toContain('search');
  });

  it('reports a key file that other users of the machine can read, and how to protect it', async () => {
    world = await openCliWorld();
    await world.run(['status']);
    for (const mode of [0o644, 0o640]) {
      await chmod(world.path('store.db.key'), mode);
      const { exitCode, stdout } = await world.run(['doctor', '--json']);
      expect(exitCode).toBe(2);
      expect(brokenOf(stdout)).toMatchObject([
        {
          subject: 'secret key',
          message: expect.stringContaining(`mode ${mode.toString(8)}`),
          fix: `chmod 600 ${world.path('store.db.key')}`,
        },
      ]);
    }
    await chmod(world.path('store.db.key'), 0o600);
    expect((await world.run(['doctor', '--json'])).exitCode).toBe(0);
  });

  it('finds the same in what all clients share alone, without a request to any of them', async () => {
    world = await openCliWorld();
    await world.run(['status']);
    await world.service.close();
    const shared = [
      'database',
      'secret key',
      'ports',
      'log of erasures',
      'log of writes',
      'spending journal',
    ];
    const command = ['doctor', 'installation'];
    const well = await world.run([...command, '--json']);
    expect(well).toMatchObject({ exitCode: 0, stderr: '' });
    const { findings } = findingsSchema.parse(JSON.parse(well.stdout));
    expect(findings.map(({ subject }) => subject)).toEqual(shared);
    await chmod(world.path('store.db.key'), 0o644);
    const broken = await world.run(command);
    expect([broken.exitCode, broken.stdout]).toEqual([2, expect.stringContaining('chmod 600')]);
    expect(broken.stdout).toContain('1 problem to fix.');
    world = { ...world, service: { ...world.service, close: async () => undefined } };
  });

  it('leads to init where there is no settings file', async () => {
    world = await openCliWorld();
    const { exitCode, stdout } = await world.run(['doctor', '--config', 'none.yaml', '--json']);
    expect(exitCode).toBe(2);
    expect(brokenOf(stdout)).toMatchObject([{ subject: 'settings', fix: 'donor-sync init' }]);
  });

  it('says how a variable is set that the settings name', async () => {
    world = await openCliWorld();
    const { stdout } = await world.run(['doctor', '--json'], { PARTNER_API_KEY: '' });
    expect(brokenOf(stdout)).toMatchObject([
      {
        message: expect.stringContaining('variable PARTNER_API_KEY is empty'),
        fix: expect.stringContaining('export NAME=value'),
      },
    ]);
  });

  it('lists what is wrong with the settings', async () => {
    world = await openCliWorld();
    await writeFile(world.path('donor-sync.yaml'), 'integrations: [{ id: Riverside }]');
    const { exitCode, stdout } = await world.run(['doctor', '--json']);
    expect(exitCode).toBe(2);
    expect(brokenOf(stdout)).toMatchObject([
      { integration: null, subject: 'settings', message: expect.stringContaining('partner') },
    ]);
  });
});
