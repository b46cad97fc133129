import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sandboxCommand } from '../../../src/interfaces/cli/commands/sandbox/sandbox.ts';
import { runCommand, type Started, startCommand } from './run-command.ts';

let folder = '';
let started: Started | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-sandbox-'));
});
afterEach(async () => {
  started?.stop();
  await started?.ended;
  started = undefined;
  await rm(folder, { recursive: true });
});

/** Runs the sandbox until the end of the test. Returns the line that the sandbox prints when it is ready. */
async function serve(...options: string[]) {
  const sandbox = startCommand(
    sandboxCommand,
    ['sandbox', 'partner', '--donors', '50', ...options],
    {
      cwd: folder,
    },
  );
  started = sandbox;
  await expect.poll(sandbox.stdout).toContain('\n');
  return JSON.parse(sandbox.stdout());
}

function refuse(...options: string[]) {
  return runCommand(sandboxCommand, ['sandbox', 'partner', ...options], { cwd: folder });
}

function get(url: string, apiKey: string): Promise<Response> {
  return fetch(url, { headers: { 'x-api-key': apiKey } });
}

describe('sandbox partner', () => {
  it('says in one line that it is ready, serves, and ends with 0 when asked to', async () => {
    const { baseUrl, apiKey, ...line } = await serve();
    expect(line).toEqual({ ready: true, kind: 'partner' });
    expect((await get(`${baseUrl}/credits`, apiKey)).status).toBe(200);
    started?.stop();
    const { exitCode, stdout } = (await started?.ended) ?? {};
    expect(exitCode).toBe(0);
    expect(stdout?.trim().split('\n')).toHaveLength(1);
    await expect(get(`${baseUrl}/credits`, apiKey)).rejects.toThrow();
  });

  it('gives every team the credits of its option', async () => {
    const { baseUrl, apiKey } = await serve('--credits', '7');
    const credits = await (await get(`${baseUrl}/credits`, apiKey)).text();
    expect(credits).toContain('7');
    expect(credits).not.toContain('100000');
  });

  it('limits requests as its options say, with or without Retry-After', async () => {
    const { baseUrl, apiKey } = await serve('--rate', '1', '--burst', '1', '--no-retry-after');
    await get(`${baseUrl}/credits`, apiKey);
    const limited = await get(`${baseUrl}/credits`, apiKey);
    expect(limited.status).toBe(429);
    expect(limited.headers.get('retry-after')).toBeNull();
  });

  it.each([
    ['--rate', '0'],
    ['--burst', '0'],
  ])('has no limit with %s %s', async (...options) => {
    const { baseUrl, apiKey } = await serve(...options);
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => get(`${baseUrl}/credits`, apiKey)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(200));
  });

  it('is as far away as its options say', async () => {
    const { baseUrl, apiKey } = await serve('--latency', '100', '--latency-tail', '1:150');
    const startedAt = performance.now();
    expect((await get(`${baseUrl}/credits`, apiKey)).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(245);
  });

  it('plays the faults of a file', async () => {
    const rules = [{ on: { path: '/credits' }, fault: { kind: 'error' } }];
    await writeFile(join(folder, 'faults.json'), JSON.stringify(rules));
    const { baseUrl, apiKey } = await serve('--faults', 'faults.json');
    expect((await get(`${baseUrl}/credits`, apiKey)).status).toBe(500);
  });

  it('has the contact list of its option', async () => {
    const { baseUrl } = await serve('--contacts', '3', '--seed', '-4');
    const people = await (await fetch(new URL('/_sandbox/people', baseUrl))).json();
    expect(people).toMatchObject({ total: 3, people: [{}, {}, {}] });
  });

  it('has only the form of the paths that its option names', async () => {
    async function countPaths(...options: string[]): Promise<number> {
      const { baseUrl, apiKey } = await serve(...options);
      const document = await (await get(`${baseUrl}/openapi.json`, apiKey)).json();
      started?.stop();
      return Object.keys(z.object({ paths: z.looseObject({}) }).parse(document).paths).length;
    }
    expect(await countPaths('--forms', 'b')).toBeLessThan(await countPaths('--forms', 'both'));
  });

  it('keeps its state in the file it is given, and refuses one of another world', async () => {
    const { apiKey } = await serve('--db', join(folder, 'sandbox.db'));
    started?.stop();
    await started?.ended;
    const other = await refuse('--db', join(folder, 'sandbox.db'), '--donors', '60');
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('50 donors') });
    expect((await serve('--db', join(folder, 'sandbox.db'))).apiKey).toBe(apiKey);
  });

  it('says which file another sandbox has', async () => {
    const file = join(folder, 'sandbox.db');
    await serve('--db', file);
    const { exitCode, stdout, stderr } = await refuse('--db', file, '--donors', '50');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`The database ${file} is in use`);
  });

  it('says which port is in use', async () => {
    const { baseUrl } = await serve();
    const { port } = new URL(baseUrl);
    const { exitCode, stdout, stderr } = await refuse('--port', port, '--donors', '5');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`Port ${port} is in use`);
  });

  it.each([
    [['--port', '70000'], 'from 0 to 65535'],
    [['--seed', 'x'], 'whole number'],
    [['--donors', '-1'], 'whole number'],
    [['--contacts', '1.5'], 'whole number'],
    [['--rate', ''], 'whole number'],
    [['--job-time', 'soon'], 'whole number'],
    [['--credits', '1e3'], 'whole number'],
    [['--latency', 'far'], 'whole number'],
    [['--jitter', '-1'], 'whole number'],
    [['--latency-tail', '2:100'], 'from 0 to 1'],
    [['--latency-tail', '100'], 'from 0 to 1'],
    [['--latency-tail', ' :100'], 'from 0 to 1'],
    [['--latency-tail', '0.1:soon'], 'whole number'],
    [['--submit-latency', '1.5'], 'whole number'],
    [['--forms', 'c'], 'Allowed choices are a, b, both'],
    [['--faults', 'nowhere.json'], 'nowhere.json'],
    [['--portt', '1'], '--port'],
  ])('refuses %j', async (options, words) => {
    const { exitCode, stdout, stderr } = await refuse(...options);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('refuses faults that make no sense', async () => {
    await writeFile(join(folder, 'faults.json'), '[{"fault":{"kind":"earthquake"}}]');
    const { exitCode, stderr } = await refuse('--faults', 'faults.json', '--donors', '5');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('fault rules make no sense');
  });
});
