import { access, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { demoCommand } from '../../../src/interfaces/cli/commands/demo/demo.ts';
import { runCommand, type Started, startCommand } from './run-command.ts';

const documentSchema = z.looseObject({
  folder: z.object({
    path: z.string(),
    settings: z.string(),
    contacts: z.string(),
    enhanced: z.string(),
  }),
  partner: z.looseObject({ rootUrl: z.string() }),
  runs: z.array(
    z.looseObject({
      status: z.string(),
      contacts: z.record(z.string(), z.number()),
      credits: z.looseObject({ enhancements: z.object({ spent: z.number() }).loose() }),
      calls: z.looseObject({ throttled: z.number() }),
    }),
  ),
  crms: z.array(
    z.looseObject({
      kind: z.string(),
      createdFields: z.array(z.string()),
      runs: z.array(
        z.looseObject({
          status: z.string(),
          contacts: z.record(z.string(), z.number()),
          credits: z.looseObject({ enhancements: z.object({ spent: z.number() }).loose() }),
        }),
      ),
      contacts: z.array(
        z.looseObject({
          name: z.string(),
          values: z.array(z.object({ field: z.string(), value: z.unknown() })),
        }),
      ),
    }),
  ),
  contacts: z.array(
    z.looseObject({
      id: z.string(),
      story: z.string().nullable(),
      reason: z.string(),
      fields: z.array(z.looseObject({ kept: z.boolean(), from: z.string(), to: z.string() })),
    }),
  ),
});

const folders: string[] = [];
const started: Started[] = [];
afterAll(async () => {
  for (const demo of started) {
    demo.stop();
    await demo.ended;
  }
  for (const folder of folders) await rm(folder, { recursive: true });
});

function start(...options: string[]): Started {
  const demo = startCommand(demoCommand, ['demo', ...options], { cwd: tmpdir() });
  started.push(demo);
  return demo;
}

async function playOnce(...options: string[]) {
  const { exitCode, stdout } = await runCommand(
    demoCommand,
    ['demo', '--once', '--json', ...options],
    { cwd: tmpdir() },
  );
  const document = documentSchema.parse(JSON.parse(stdout));
  folders.push(document.folder.path);
  return { exitCode, ...document };
}

let played: ReturnType<typeof playOnce>;
beforeAll(() => {
  played = playOnce('--contacts', '8');
});

// Runs at the same time as other demos, because a demo mostly waits for jobs.
describe.concurrent('demo', () => {
  it('enhances everybody once, spends nothing the second time, and keeps its files', async () => {
    const { exitCode, runs, folder, partner } = await playOnce();
    expect(exitCode).toBe(0);
    const [first, second] = runs;
    expect(first).toMatchObject({ status: 'succeeded', calls: { throttled: 0 } });
    expect(first?.contacts['read']).toBe(40);
    expect(first?.credits.enhancements.spent).toBe(first?.contacts['submitted']);
    expect(second).toMatchObject({ status: 'succeeded', credits: { enhancements: { spent: 0 } } });
    for (const file of [folder.settings, folder.contacts, folder.enhanced]) await access(file);
    await expect(fetch(partner.rootUrl)).rejects.toThrow();
  });

  it('tells a person what was written, what was not and why, in lines of at most 100', async () => {
    const { stdout } = await runCommand(demoCommand, ['demo', '--once', '--contacts', '8'], {
      cwd: tmpdir(),
    });
    const path = /(\S*donor-sync-demo-\w+)\/contacts\.csv/.exec(stdout)?.[1] ?? '';
    folders.push(path);
    expect(stdout).toContain('Donor Net Worth');
    expect(stdout).toContain('has no last name');
    expect(stdout).toContain('0 credits spent');
    expect(stdout).toMatch(
      /: 57 written, 3 failed\n {4}3: the service does not know anyone with this name/,
    );
    expect(stdout).toMatch(
      /\d+ profiles already paid for, with another contact of the same person/,
    );
    // One of the introductions is longer than a line.
    const introductions = [...stdout.matchAll(/introduced, for example\n(.*?)\n\n/gs)];
    expect(introductions).toHaveLength(2);
    for (const [text] of introductions) expect(text).not.toContain('…');
    const wide = stdout.split('\n').filter((line) => line.length > 100 && !line.includes(path));
    expect(wide).toEqual([]);
    expect(await readFile(`${path}/enhanced.csv`, 'utf8')).toContain('Donor Capacity');
  });

  it('says that an administrator has created the fields of a CRM that lets no program create them', async () => {
    const { exitCode, stdout } = await runCommand(
      demoCommand,
      ['demo', '--once', '--contacts', '8', '--crm', 'bloomerang'],
      { cwd: tmpdir() },
    );
    folders.push(/(\S*donor-sync-demo-\w+)\/contacts\.csv/.exec(stdout)?.[1] ?? '');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(', and a Bloomerang database (a stand-in: ');
    expect(stdout).toContain('The custom fields exist already: an administrator has created them');
    expect(stdout).not.toContain(' custom fields created');
    expect(stdout).toMatch(/First sync of the Bloomerang database \(.*\)\n {2}60 contacts read/);
  });

  it('refuses a tour of a demo that ends', async () => {
    const ended = await runCommand(demoCommand, ['demo', '--tour', '--once'], { cwd: tmpdir() });
    expect(ended).toMatchObject({ exitCode: 2 });
  });

  it('ends with 3 and without a service when it is stopped in the middle of a sync', async ({
    expect,
  }) => {
    const demo = start('--once');
    await expect.poll(demo.stdout).toContain('local stand-in');
    folders.push(/(\S*donor-sync-demo-\w+)\/contacts\.csv/.exec(demo.stdout())?.[1] ?? '');
    const { origin } = new URL(/http\S+/.exec(demo.stdout())?.[0] ?? '');
    const requests = () => fetch(`${origin}/_sandbox/requests`).then((reply) => reply.text());
    await expect.poll(requests).toContain('"method":"POST"');
    demo.stop();
    expect((await demo.ended).exitCode).toBe(3);
    await expect(requests()).rejects.toThrow();
  });

  it('shows the CRMs that a user names instead of the usual ones', async () => {
    const { exitCode, crms } = await playOnce('--contacts', '8', '--crm', 'civicrm', 'bloomerang');
    expect(exitCode).toBe(0);
    expect(crms.map(({ kind }) => kind)).toEqual(['civicrm', 'bloomerang']);
    for (const { runs } of crms) {
      const [first, second] = runs;
      expect(first).toMatchObject({ status: 'succeeded', contacts: { read: 60 } });
      expect(first?.contacts['written']).toBeGreaterThan(40);
      expect(second).toMatchObject({
        status: 'succeeded',
        credits: { enhancements: { spent: 0 } },
      });
    }
  });

  it('refuses a number of contacts that has no room for its people', async () => {
    const ended = await runCommand(demoCommand, ['demo', '--contacts', '3'], { cwd: tmpdir() });
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('from 8 to') });
  });
});

describe.concurrent('a demo of the shortest list', () => {
  it('creates the fields of both CRMs, fills them once, and reads them back', async () => {
    const { exitCode, crms } = await played;
    expect(exitCode).toBe(0);
    expect(crms.map(({ kind }) => kind)).toEqual(['salesforce', 'hubspot']);
    expect(crms[0]?.createdFields).toContain('Donor_Net_Worth__c');
    expect(crms[1]?.createdFields).toContain('donor_net_worth');
    for (const { runs, contacts } of crms) {
      const [first, second] = runs;
      expect(first).toMatchObject({ status: 'succeeded', contacts: { read: 60 } });
      expect(first?.contacts['written']).toBeGreaterThan(50);
      expect(second).toMatchObject({
        status: 'succeeded',
        credits: { enhancements: { spent: 0 } },
      });
      for (const { values } of contacts) {
        expect(values.some(({ value }) => value !== null)).toBe(true);
      }
    }
  });

  it('shows the same people of both CRMs, whatever the order of writing', async () => {
    const [salesforce, hubspot] = (await played).crms.map(({ contacts }) =>
      contacts.map(({ name }) => name),
    );
    expect(salesforce).toHaveLength(3);
    expect(hubspot).toEqual(salesforce);
  });

  it('pays once for each person in both CRMs', async () => {
    const { crms } = await played;
    const [salesforce, hubspot] = crms.map(({ runs }) => runs[0]);
    expect(salesforce?.credits.enhancements.spent).toBeGreaterThan(50);
    expect(hubspot?.credits.enhancements.spent).toBe(0);
    expect(hubspot?.contacts['enhanced']).toBe(salesforce?.contacts['enhanced']);
  });

  it('shows one contact of each kind of fate', async () => {
    const { contacts } = await played;
    expect(contacts.map(({ reason }) => reason)).toEqual([
      'fields_written',
      'fields_written',
      'fields_written',
      'fields_written',
      'fields_written',
      'name_mismatch',
      'last_name_missing',
      'no_match',
    ]);
    const kept = contacts.flatMap(({ id, fields }) =>
      fields.filter((field) => field.kept).map(({ from }) => ({ id, from })),
    );
    expect(kept).toEqual([{ id: 'C005', from: 'about $2M, says the board' }]);
    const [, , one, other] = contacts;
    expect(one?.['name']).toBe(other?.['name']);
    expect(one?.fields).not.toEqual(other?.fields);
  });
});

// These tests run after the other demos, because five demos at the same time would delay each other.
describe('a demo that goes on serving', () => {
  it('keeps the service running without --once, until it is asked to stop', async ({ expect }) => {
    const demo = start('--contacts', '8');
    await expect.poll(demo.stdout).toContain('/_sandbox/ledger');
    folders.push(/(\S*donor-sync-demo-\w+)\/contacts\.csv/.exec(demo.stdout())?.[1] ?? '');
    const [, ledgerUrl = ''] = /curl (\S+)/.exec(demo.stdout()) ?? [];
    expect((await fetch(ledgerUrl)).status).toBe(200);
    demo.stop();
    expect((await demo.ended).exitCode).toBe(0);
    await expect(fetch(ledgerUrl)).rejects.toThrow();
  });

  it('leads through six pages with --tour, and lists them after the syncs as well', async ({
    expect,
  }) => {
    const tour = start('--contacts', '8', '--tour');
    const full = start('--contacts', '8');
    try {
      await expect.poll(tour.stdout).toContain('Press Ctrl-C to stop');
      await expect.poll(full.stdout).toContain('/_sandbox/ledger');
      expect(tour.stdout()).not.toContain('First sync');
      for (const text of [tour.stdout(), full.stdout()]) {
        const stops = [...text.matchAll(/^ {2}(\d) {2}.*(http:\S+)$/gm)];
        expect(stops.map(([, place]) => place)).toEqual(['1', '2', '3', '4', '5', '6']);
        for (const [, , url = ''] of stops) {
          const answer = await fetch(url, { redirect: 'manual' });
          expect({ url, status: answer.status }).toEqual({ url, status: 200 });
        }
        expect(text).toMatch(/http:\S+\/runs\/\S+\n/);
        expect(text).toMatch(/http:\S+\/decisions\/\S+\n/);
      }
    } finally {
      for (const demo of [tour, full]) {
        folders.push(/(\S*donor-sync-demo-\w+)\/contacts\.csv/.exec(demo.stdout())?.[1] ?? '');
        demo.stop();
        expect((await demo.ended).exitCode).toBe(0);
      }
    }
  });
});
