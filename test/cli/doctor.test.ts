import { writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../helpers/cli.ts';
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
    const wrongKey = 'wrong-key-of-somebody-else';
    const { exitCode, stdout, stderr } = await world.run(['doctor', '--json'], {
      PARTNER_API_KEY: wrongKey,
    });
    expect(exitCode).toBe(2);
    const broken = brokenOf(stdout);
    expect(broken.map(({ subject }) => subject)).toEqual(['partner key', 'field Id']);
    for (const { mend } of broken) expect(mend).toBeTruthy();
    expect(stdout + stderr).not.toContain(wrongKey);
  });

  it('says that nobody answers, where the service is out of reach', async () => {
    world = await openCliWorld();
    await world.service.close();
    const { exitCode, stdout } = await world.run(['doctor', '--json']);
    expect(exitCode).toBe(2);
    expect(brokenOf(stdout)).toMatchObject([{ integration: 'riverside', subject: 'partner' }]);
    world = { ...world, service: { ...world.service, close: async () => undefined } };
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
