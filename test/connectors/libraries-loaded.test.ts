/** Checks that a process loads a vendor's library only if one of its clients needs the library. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { openCsvFolder } from '../helpers/csv-folder.ts';
import { answerJson, listen } from './library-probes.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A module that, at exit, prints the names of the loaded libraries. */
const SAY_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/(jsforce|@hubspot\\/api-client)\\//.exec(url) ?? [];
      if (name !== undefined) loaded.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write('\\nloaded: ' + [...loaded].join(', ') + '\\n'));
`)}`;

/** A program that opens a connector and tries to read all contacts. */
const READ_ALL = `
  const { findConnectorDefinition } = await import(${JSON.stringify(toUrl('connectors/index.ts'))});
  const { testDeps } = await import(${JSON.stringify(toUrl('connectors/testing/conformance.ts'))});
  const settings = JSON.parse(process.argv[1]);
  const definition = await findConnectorDefinition(settings.kind);
  const connector = await definition.open({
    settings: definition.settingsSchema.parse(settings),
    contacts: { filter: null, optOutField: null },
    deps: testDeps(),
  });
  for await (const page of connector.readPages(null)) console.log(page.contacts.length);
  await connector.close();
`;

function toUrl(file: string): string {
  return pathToFileURL(join(ROOT, file)).href;
}

/** Runs a Node process and waits until it ends. */
async function run(words: readonly string[]): Promise<{ loaded: string; said: string }> {
  const child = spawn(process.execPath, ['--import', SAY_LOADED, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { said, loaded: /\nloaded: (.*)/.exec(errors)?.[1] ?? `neither known: ${errors}` };
}

const read = (settings: object) =>
  run(['--eval', READ_ALL, '--input-type=module', JSON.stringify(settings)]);

describe("the vendors' libraries", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-loaded-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('are not loaded for help', async () => {
    const { said, loaded } = await run([join(ROOT, 'src/main.ts'), '--help']);
    expect(said).toContain('Usage: donor-sync');
    expect(loaded).toBe('');
  });

  it('are not loaded for a CSV file', async () => {
    const path = join(folder, 'in.csv');
    await writeFile(path, 'Id,First,Last\n1,Ada,Byrd\n2,Ben,Cole\n');
    const columns = { id: 'Id', firstName: 'First', lastName: 'Last' };
    const { said, loaded } = await read({ kind: 'csv', path, columns });
    expect(said).toBe('2\n');
    expect(loaded).toBe('');
  });

  it('are not loaded for a whole run of a client with a CSV file', async () => {
    const sandbox = await startPartnerSandbox({ donors: 20, rate: 0, jobTimeMs: 50 });
    onTestFinished(sandbox.close);
    const client = await openCsvFolder(sandbox, {
      people: 3,
      integration: { id: 'riverside', settleAfterMs: 50 },
    });
    onTestFinished(client.remove);
    const words = ['sync', '--json', '--config', client.settings];
    const { loaded } = await run([join(ROOT, 'src/main.ts'), ...words]);
    expect(await client.service.spent()).toBe(3);
    expect(await readFile(join(client.folder, 'out.csv'), 'utf8')).toContain('Donor ID');
    expect(loaded).toBe('');
  });

  it.each([
    ['salesforce', 'jsforce', { type: 'clientCredentials', clientId: 'c', clientSecret: 's' }],
    ['hubspot', '@hubspot/api-client', { type: 'token', token: 't' }],
  ])('are loaded for a client of %s: %s', async (kind, library, auth) => {
    const { url, close } = await listen(answerJson(200, { portalId: 1, results: [] }));
    onTestFinished(close);
    const { loaded } = await read({ kind, url, auth });
    expect(loaded).toBe(library);
  });
});
