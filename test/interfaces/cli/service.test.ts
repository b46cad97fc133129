import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startPartnerSandbox } from '../../../sandbox/partner/index.ts';
import { openDatabase } from '../../../service/database.ts';
import { serviceCommands } from '../../../src/interfaces/cli/commands/service/service.ts';
import { form990 } from '../../service/record/form-990-file.ts';
import { runCommand, type Started, startCommand } from './run-command.ts';

let folder = '';
let started: Started | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-service-'));
});
afterEach(async () => {
  started?.stop();
  await started?.ended;
  started = undefined;
  await rm(folder, { recursive: true });
});

const run = (...words: string[]) =>
  runCommand(serviceCommands, ['service', ...words], { cwd: folder });

async function json(...words: string[]) {
  const { exitCode, stdout, stderr } = await run(...words, '--json');
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  return z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
}

async function serve(...options: string[]) {
  started = startCommand(serviceCommands, ['service', 'serve', '--port', '0', ...options], {
    cwd: folder,
  });
  await expect.poll(started.stdout).toContain('\n');
  const line = z.object({
    ready: z.literal(true),
    kind: z.literal('service'),
    baseUrl: z.url(),
    operatorUrl: z.url().nullable(),
    donors: z.number(),
  });
  return line.parse(JSON.parse(started.stdout()));
}

async function stop() {
  started?.stop();
  return await started?.ended;
}

const people = [
  { name: 'MARGUERITE OLDENQUIST', title: 'CHAIR' },
  { name: 'THADDEUS MCALLENBY', title: 'DIRECTOR' },
];

async function aService(): Promise<string> {
  await writeFile(join(folder, 'return.xml'), form990({ form: '990', people }));
  await run('import', '990', 'return.xml');
  await run('teams', 'add', 'riverside', '--credits', '5');
  return z.string().parse((await json('keys', 'issue', 'riverside', '--label', 'test'))['apiKey']);
}

const ask = (url: string, apiKey: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { 'x-api-key': apiKey, 'content-type': 'application/json' } });

describe('service', () => {
  it('imports people, issues a key, and answers with them; all is kept in one file', async () => {
    const apiKey = await aService();
    const { baseUrl, donors } = await serve();
    expect(donors).toBe(2);
    const submit = (baseOf: string) =>
      ask(`${baseOf}/enhancements`, apiKey, {
        method: 'POST',
        body: JSON.stringify({
          persons: [
            {
              tracking_id: '1',
              name: { first: 'Marguerite', last: 'Oldenquist' },
              employers: ['Lake View Food Bank'],
            },
          ],
        }),
      });
    const { tracking_id_to_job_id: jobs } = z
      .object({ tracking_id_to_job_id: z.record(z.string(), z.string()) })
      .parse(await (await submit(baseUrl)).json());
    await stop();
    const again = await serve();
    const results = await ask(`${again.baseUrl}/enhancements/results/batch`, apiKey, {
      method: 'POST',
      body: JSON.stringify({ job_ids: Object.values(jobs) }),
    });
    expect(JSON.stringify(await results.json())).toContain(
      '"field":"boards[0]","source":"irs-990","reference":"Form 990, EIN 36-4400001',
    );
    expect(await (await ask(`${again.baseUrl}/credits`, apiKey)).json()).toMatchObject({
      enhancements: 4,
    });
    expect((await stop())?.exitCode).toBe(0);
    expect(await json('verify')).toEqual({ problems: [] });
    expect(await json('stats')).toMatchObject({ donors: 2, teams: 1, keys: 1, jobs: 1 });
  });

  it('has no controls of a stand-in, and names itself', async () => {
    const apiKey = await aService();
    const { baseUrl } = await serve();
    const root = baseUrl.replace('/v1/partners', '');
    for (const path of ['/_sandbox/people', '/_sandbox/ledger', '/_sandbox/docs', '/metrics']) {
      expect((await fetch(root + path)).status, path).toBe(404);
    }
    expect(await (await ask(`${baseUrl}/openapi.json`, apiKey)).json()).toMatchObject({
      info: { title: 'Partner Data Service' },
    });
  });

  it('lets an operator add credits, end keys and close teams while it serves', async () => {
    const apiKey = await aService();
    const { baseUrl } = await serve();
    await run('credits', 'add', 'riverside', '10', '--bucket', 'searches', 'lists');
    expect(await (await ask(`${baseUrl}/credits`, apiKey)).json()).toMatchObject({
      searches: 15,
      lists: 15,
      donors: 5,
    });
    const second = await json('keys', 'issue', 'riverside');
    await run('keys', 'revoke', String(second['id']));
    expect((await ask(`${baseUrl}/test`, String(second['apiKey']))).status).toBe(403);
    expect((await ask(`${baseUrl}/test`, apiKey)).status).toBe(200);
    await run('teams', 'close', 'riverside');
    expect((await ask(`${baseUrl}/test`, apiKey)).status).toBe(403);
    await run('teams', 'open', 'riverside');
    expect((await ask(`${baseUrl}/test`, apiKey)).status).toBe(200);
    const keys = JSON.stringify(await json('keys', 'list'));
    const [{ id = '' } = {}] = z.array(z.object({ id: z.string() })).parse(JSON.parse(keys).keys);
    await run('keys', 'until', id, '2020-01-01');
    expect((await ask(`${baseUrl}/test`, apiKey)).status).toBe(401);
    expect(await json('verify')).toEqual({ problems: [] });
  });

  it('keeps no key in clear', async () => {
    const apiKey = await aService();
    const { baseUrl } = await serve();
    await ask(`${baseUrl}/search?q=oldenquist`, apiKey);
    await run('backup', 'copy.db');
    const { readFile } = await import('node:fs/promises');
    for (const file of ['service.db', 'service.db-wal', 'copy.db']) {
      const bytes = await readFile(join(folder, file));
      expect(bytes.includes(apiKey), file).toBe(false);
    }
  });

  it('serves metrics and health at a port of the operator, with no team in them', async () => {
    const apiKey = await aService();
    const { baseUrl, operatorUrl } = await serve('--operator-port', '0');
    await ask(`${baseUrl}/credits`, apiKey);
    expect((await fetch(`${operatorUrl}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${operatorUrl}/metrics`)).text();
    expect(metrics).toContain('partner_service_donors 2');
    expect(metrics).toMatch(/request_seconds_count\{method="GET",area="credits",status="2xx"\} 1/);
    expect(metrics).not.toContain('riverside');
  });

  it('reviews, joins, undoes, dry-runs and checks by words', async () => {
    const columns = 'id,first_name,last_name,birth,street,city,state,postal_code';
    const row = (id: string) => `${id},Ada,Oldenquist,1951-03-09,12 Elm Street,Evanston,IL,60201`;
    const write = (name: string, ...ids: string[]) =>
      writeFile(join(folder, name), `${columns}\n${ids.map(row).join('\n')}\n`);
    await write('gala.csv', 'G1', 'G2');
    await write('letters.csv', 'L1');
    expect((await run('import', 'csv', 'gala.csv', '--source', 'gala')).stdout).toContain(
      '1 pair to review, not joined: donor-sync service review list',
    );
    const dry = await run('import', 'csv', 'letters.csv', '--source', 'letters', '--dry-run');
    expect(dry.stdout).toMatch(
      /Dry run: nothing was imported\.[\s\S]*csv:letters:L1 → [0-9a-f]{32} {2}/,
    );
    expect(await json('stats')).toMatchObject({ donors: 2 });
    const { pairs } = z
      .object({ pairs: z.array(z.object({ id: z.string(), other: z.string() })) })
      .parse(await json('review', 'list'));
    const [{ id, other } = { id: '', other: '' }] = pairs;
    expect((await run('review', 'list')).stdout).toContain('csv:gala:G1 and csv:gala:G2');
    expect((await run('review', 'approve', id, other)).stdout).toContain('are one donor now');
    expect(await json('check-joins')).toMatchObject({ suspicious: [{ undo: other }] });
    expect((await run('join', '--undo', id)).stdout).toContain('are two donors again.');
    expect((await run('check-joins')).stdout).toContain('0 suspicious joins.');
    expect(await run('join', '--undo', id)).toMatchObject({
      ...{ exitCode: 2, stderr: expect.stringContaining('is not joined. Nothing was changed.') },
    });
    expect(await json('stats')).toMatchObject({ donors: 2 });
    expect((await run('verify')).stdout).toContain('No problems found.');
  });

  it('creates no database for a dry run', async () => {
    await writeFile(join(folder, 'return.xml'), form990({ form: '990', people }));
    const dry = await run('import', '990', 'return.xml', '--dry-run');
    expect(dry.exitCode).toBe(0);
    expect(dry.stdout).toContain('2 new');
    expect(await readdir(folder)).toEqual(['return.xml']);
  });

  it('asks whether a list has new ids, and takes the answer', async () => {
    const columns = 'id,first_name,last_name,birth,street,city,state,postal_code';
    const rows = (prefix: string) =>
      Array.from(
        { length: 12 },
        (_, n) =>
          `${prefix}${n},Ada,Oldenquist,19${51 + n}-03-09,${n + 1} Elm Street,Gary,IN,46401`,
      );
    const write = (name: string, prefix: string) =>
      writeFile(join(folder, name), `${columns}\n${rows(prefix).join('\n')}\n`);
    await write('before.csv', 'A');
    await write('after.csv', 'B');
    await run('import', 'csv', 'before.csv');
    expect(await run('import', 'csv', 'after.csv')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--ids-changed'),
    });
    expect(
      await run('import', 'csv', 'after.csv', '--ids-changed', '--other-people'),
    ).toMatchObject({ exitCode: 2 });
    expect(await json('import', 'csv', 'after.csv', '--ids-changed')).toMatchObject({ added: 0 });
    expect(await json('check-joins')).toEqual({ suspicious: [] });
    expect(await json('stats')).toMatchObject({ donors: 12 });
  });

  it('lists charges without jobs, and refunds one by its line, once', async () => {
    await aService();
    const db = openDatabase(join(folder, 'service.db'));
    db.exec(`insert into ledger (at_ms, kind, api_key, team, bucket, amount, what, request_id)
             values (${Date.now()}, 'charge', 'k', 'riverside', 'enhancements', 3, 'POST /enhancements', 'r');
             update balances set remaining = remaining - 3 where team = 'riverside' and bucket = 'enhancements'`);
    db.close();
    expect(await json('credits', 'check')).toMatchObject({
      missing: [{ line: 1, amount: 3, missing: 3, isCertain: false }],
    });
    expect((await run('credits', 'refund', '1')).stdout).toContain('Line 1: 3 credits refunded.');
    expect(await run('credits', 'refund', '1')).toMatchObject({
      ...{ exitCode: 2, stderr: expect.stringContaining('already refunded') },
    });
    expect((await run('credits', 'check')).stdout).toContain('Every charge has its jobs.');
    expect((await run('verify')).stdout).toContain('No problems found.');
  });

  it('copies itself while it serves, and the copy is a service of its own', async () => {
    const apiKey = await aService();
    await serve();
    expect((await run('backup', 'copy.db')).exitCode).toBe(0);
    expect((await run('backup', 'copy.db')).stderr).toContain('already exists');
    await stop();
    const { baseUrl } = await serve('--db', 'copy.db');
    expect((await ask(`${baseUrl}/credits`, apiKey)).status).toBe(200);
  });

  it('refuses to import into a file that a service has open', async () => {
    await aService();
    await serve();
    const { exitCode, stderr } = await run('import', '990', 'return.xml');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('in use'),
    });
  });

  it('erases a person for good, joins donors who turned out to be one, and says both in words', async () => {
    await aService();
    const columns = 'id,first_name,last_name,birth,street,city,state,postal_code';
    const home = '12 Elm Street,Evanston,IL,60201';
    const lists = {
      gala: `G1,Marguerite,Oldenquist,1951-03-09,${home}`,
      letters: 'L1,Marguerite,Oldenquist,1951-03-09,,,,',
    };
    const roles =
      'donor_id,kind,organization,ein,title,start,end,amount\nL1,board,Lake View Food Bank,36-4400001,Chair,2024-01-01,,\n';
    await writeFile(join(folder, 'roles.csv'), roles);
    for (const [name, line] of Object.entries(lists)) {
      await writeFile(join(folder, `${name}.csv`), `${columns}\n${line}\n`);
    }
    expect(await json('import', 'csv', 'gala.csv', '--source', 'gala')).toMatchObject({ added: 1 });
    await json('import', 'csv', 'letters.csv', '--source', 'letters', '--roles', 'roles.csv');
    // The date of birth alone is not enough to join them. A later edition of the list also has the address.
    expect(await json('stats')).toMatchObject({ donors: 4 });
    const later = `L1,Marguerite,Oldenquist,1951-03-09,${home}`;
    await writeFile(join(folder, 'letters.csv'), `${columns}\n${later}\n`);
    await json('import', 'csv', 'letters.csv', '--source', 'letters');
    const preview = await run('join', '--preview');
    expect(preview.stdout).toMatch(
      /[0-9a-f]{32} → [0-9a-f]{32} {2}[01]\.\d{4}\n {2}.*name is the same/,
    );
    expect(preview.stdout).toContain('1 pair would be joined.');
    const { joined } = z
      .object({ joined: z.array(z.object({ id: z.string(), joined: z.string() })) })
      .parse(await json('join'));
    expect(joined).toHaveLength(1);
    expect(await json('stats')).toMatchObject({ donors: 3 });
    const erased = await run('erase', joined[0]?.joined ?? '');
    expect(erased.stdout).toContain('no import adds them again');
    expect(await json('stats')).toMatchObject({ donors: 2 });
    await writeFile(join(folder, 'gala.csv'), `${columns}\n${lists.gala}\n\n`);
    const again = await run('import', 'csv', 'gala.csv', '--source', 'gala');
    expect(again.stdout).toContain(
      '1 person skipped, because they were erased or look like an erased person.',
    );
    expect(await json('verify')).toEqual({ problems: [] });
    const id = joined[0]?.id ?? '';
    expect((await run('erase', id)).stdout).toContain('no import adds them again');
    expect(await json('stats')).toMatchObject({ donors: 2 });
    expect((await run('erase', 'f'.repeat(32))).stderr).toContain('There is no donor');
    expect(await json('erase', id, '--allow-again')).toEqual({ id, mayComeBack: true });
  });

  it('says what is wrong with a file: money that is not explained, people that are not found', async () => {
    await aService();
    const db = openDatabase(join(folder, 'service.db'));
    db.exec("update balances set remaining = 3 where bucket = 'donors'; delete from donor_index");
    db.close();
    const { exitCode, stdout } = await run('verify');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('riverside, donors: 5 granted minus 3 remaining is not 0');
    expect(stdout).toContain('2 donors are not in the index');
  });

  it('says what to do where there is no database, no team, no key, or a newer version', async () => {
    expect((await run('stats')).stderr).toContain('There is no database');
    expect(existsSync(join(folder, 'service.db'))).toBe(false);
    await run('teams', 'add', 'riverside');
    expect((await run('keys', 'issue', 'lakeside')).stderr).toContain('service teams list');
    expect((await run('keys', 'revoke', 'key-1')).stderr).toContain('service keys list');
    expect((await run('teams', 'add', 'River Side')).stderr).toContain('cannot be a team name');
    expect((await run('teams', 'add', 'riverside')).exitCode).toBe(2);
    const db = openDatabase(join(folder, 'service.db'));
    db.exec("insert into schema_steps values ('9999 of the future')");
    db.close();
    expect(await run('stats')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('written by a newer version'),
    });
  });

  it("never takes a stand-in's file for its own, nor a stand-in its file", async () => {
    const file = join(folder, 'world.db');
    await (await startPartnerSandbox({ donors: 20, db: file })).close();
    for (const words of [
      ['serve', '--port', '0'],
      ['import', '990', folder],
    ]) {
      expect(await run(...words, '--db', 'world.db')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('The database belongs to a stand-in'),
      });
    }
    await (await startPartnerSandbox({ donors: 20, db: file })).close();
    await aService();
    const own = { donors: 20, db: join(folder, 'service.db') };
    await expect(startPartnerSandbox(own)).rejects.toThrow('imported people');
  });

  it('names the files of a folder that it left out, and ends with 1 then', async () => {
    await writeFile(join(folder, 'good.xml'), form990({ form: '990EZ', people }));
    await writeFile(join(folder, 'bad.xml'), '<Return');
    const { exitCode, stdout } = await run('import', '990', '.');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('2 files, 0 of them already imported: 2 people, 2 new');
    expect(stdout).toContain('not complete XML');
  });

  it('names the lines of a CSV file that are wrong, and ends with 2', async () => {
    await writeFile(join(folder, 'donors.csv'), 'id,first_name,last_name\n1,Ada,\n');
    const { exitCode, stderr } = await run('import', 'csv', 'donors.csv');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('donors.csv:2: last_name is empty');
  });
});
