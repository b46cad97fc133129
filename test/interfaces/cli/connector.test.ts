/** Tests `connector new`. The guide must show the output of this command. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runToEnd } from '../../../scripts/replay-dockerfile/process.ts';
import { connectorCommand } from '../../../src/interfaces/cli/commands/connector/connector.ts';
import { errorSchema } from './documents.ts';
import { type Ended, runCommand } from './run-command.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');
const FILES = ['README.md', 'crm.js', 'index.js', 'index.test.js', 'package.json'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-connector-'));
});
afterEach(() => rm(folder, { recursive: true }));

function connector(...args: string[]): Promise<Ended> {
  return runCommand(connectorCommand, ['connector', 'new', ...args], { cwd: folder });
}

describe('connector new', () => {
  it('writes a package of the name of the folder', async () => {
    const { exitCode, stdout } = await connector('packages/ledger');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('crm: { kind: ledger');
    const place = join(folder, 'packages/ledger');
    expect((await readdir(place)).sort()).toEqual(FILES);
    expect(JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))).toMatchObject({
      name: 'ledger',
      type: 'module',
      exports: './index.js',
    });
    for (const file of FILES) {
      expect(await readFile(join(place, file), 'utf8')).not.toContain('my-crm');
    }
  });

  it('tells scripts where it is', async () => {
    const { stdout } = await connector('ledger', '--json');
    const { connector: written } = JSON.parse(stdout);
    expect(written).toMatchObject({ name: 'ledger', folder: join(folder, 'ledger') });
    expect(written.files.toSorted()).toEqual(FILES);
  });

  it('leaves a folder alone that is not empty', async () => {
    await mkdir(join(folder, 'ledger'));
    await writeFile(join(folder, 'ledger/notes.txt'), 'mine');
    const { exitCode, stdout } = await connector('ledger', '--json');
    expect(exitCode).toBe(2);
    expect(errorSchema.parse(JSON.parse(stdout)).error.code).toBe('folder_not_empty');
    expect(await readdir(join(folder, 'ledger'))).toEqual(['notes.txt']);
  });

  it.each(['Ledger', 'my ledger', 'csv', 'salesforce'])('refuses the name %s', async (name) => {
    const { exitCode, stderr } = await connector(name);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`"${name}" cannot be the name of a package`);
    expect(await readdir(folder)).toEqual([]);
  });

  it('says so if the folder cannot be made', async () => {
    await writeFile(join(folder, 'ledger'), 'a file');
    const { exitCode, stderr } = await connector('ledger');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('cannot be created or read');
  });
});

describe('the guide to connectors', () => {
  it('shows the files that the command writes', async () => {
    await connector('my-crm');
    const shown = await shownFiles();
    for (const [file, text] of Object.entries(shown)) {
      expect(text).toBe(await readFile(join(folder, 'my-crm', file), 'utf8'));
    }
  });

  it('has a connector of 60 lines that passes the kit under node:test', async () => {
    const shown = await shownFiles();
    expect(shown['index.js'].trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    const place = join(folder, 'my-crm');
    await mkdir(place);
    await writeFile(join(place, 'package.json'), '{ "type": "module" }');
    for (const [file, text] of Object.entries(shown)) await writeFile(join(place, file), text);
    await standIn();
    const output = await runToEnd([process.execPath, '--test', '--test-reporter=tap'], {
      ...{ cwd: place, env: {}, timeoutMs: 60_000 },
    });
    expect(output).toMatch(/^# pass 1\d\d$/m);
    expect(output).toMatch(/^# fail 0$/m);
  });
});

/** Returns each file's code as the guide shows it. */
async function shownFiles(): Promise<Record<'index.js' | 'crm.js' | 'index.test.js', string>> {
  const guide = await readFile(join(CHECKOUT, 'docs/guides/write-a-connector.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
  expect(blocks).toHaveLength(3);
  const [connector = '', crm = '', kit = ''] = blocks;
  return { 'index.js': connector, 'crm.js': crm, 'index.test.js': kit };
}

/** Provides the package's exports from its sources. `test/shipping` tests the packed files. */
async function standIn(): Promise<void> {
  const place = join(folder, 'node_modules/donor-sync');
  await mkdir(place, { recursive: true });
  await symlink(CHECKOUT, join(place, 'checkout'));
  const exports = {
    './connector': './checkout/connectors/public.ts',
    './connector/testing': './checkout/connectors/testing/public.ts',
    './errors': './checkout/src/core/errors.ts',
  };
  await writeFile(join(place, 'package.json'), JSON.stringify({ type: 'module', exports }));
}
