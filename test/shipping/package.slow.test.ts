/** What `npm pack` gives, and whether it works where nothing else is. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bringInstalledModules } from '../../scripts/replay-dockerfile/installed-modules.ts';
import { runToEnd } from '../../scripts/replay-dockerfile/process.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/** It compiles and installs, on a machine that does other things as well. */
const TIMEOUT_MS = 300_000;

const packedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

const manifestSchema = z.object({
  version: z.string(),
  devDependencies: z.record(z.string(), z.string()),
});

describe('the package', () => {
  let folder: string;
  /** An empty folder in which the package was installed. */
  let place: string;
  let tarball: string;
  let files: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-package-'));
    const source = join(folder, 'source');
    await copySources(source);
    const [packed] = packedSchema.parse(
      JSON.parse(await run(['npm', 'pack', '--silent', '--json'], source)),
    );
    tarball = join(source, packed.filename);
    files = packed.files.map(({ path }) => path);
    place = join(folder, 'place');
    await mkdir(place);
    await bringInstalledModules(CHECKOUT, place);
    // All it may take is there already; npm removes what the package does not ask for.
    await run(['npm', 'install', '--offline', '--omit=dev', tarball], place);
  }, TIMEOUT_MS);

  afterAll(() => rm(folder, { recursive: true }));

  it('has the program, the types of the contract, settings, the unit and the data of the demo', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json'],
        ...['dist/src/main.js', 'dist/connectors/contract.d.ts', 'dist/src/core/errors.d.ts'],
        ...['config/donor-sync.example.yaml', 'config/settings.schema.json'],
        ...['dist/src/http/assets/status-page.css', 'dist/src/http/assets/status-page.js'],
        ...['dist/src/mapping/nicknames.csv', 'dist/src/mapping/common-names.csv'],
        ...['deploy/donor-sync.service', 'people/data/surnames.csv'],
      ]),
    );
  });

  it('has nothing else', () => {
    const isExpected =
      /^(LICENSE|README\.md|CHANGELOG\.md|package\.json|config\/[\w.-]+\.(yaml|json)|deploy\/donor-sync\.service|sandbox\/people\/data\/.+\.(csv|md)|dist\/package\.json|dist\/config\/[\w.]+\.json|dist\/(src|connectors|migrations|sandbox)\/.+\.js|dist\/src\/.+\.(css|csv|svg)|dist\/connectors\/contract\.d\.ts|dist\/src\/core\/[\w-]+\.d\.ts)$/;
    expect(files.filter((file) => !isExpected.test(file))).toEqual([]);
    expect(files.filter((file) => /test|bench/i.test(file))).toEqual([]);
  });

  it('has no complaint of publint', async () => {
    const bytes = new Uint8Array(await readFile(tarball));
    const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it('asks for nothing that is for development', async () => {
    const { devDependencies } = manifestSchema.parse(
      await readJson(join(CHECKOUT, 'package.json')),
    );
    const installed = await readdir(join(place, 'node_modules'));
    expect(installed).toEqual(expect.arrayContaining(['donor-sync', 'better-sqlite3', 'kysely']));
    const tools = Object.keys(devDependencies).filter((name) => !name.startsWith('@'));
    expect(tools.filter((name) => installed.includes(name))).toEqual([]);
  });

  it('runs by npx, and knows its version', async () => {
    const { version } = manifestSchema.parse(await readJson(join(CHECKOUT, 'package.json')));
    expect((await run(['npx', 'donor-sync', '--version'], place)).trim()).toBe(version);
  });

  it('plays the demo to its end', { timeout: TIMEOUT_MS }, async () => {
    const output = await run(['npx', 'donor-sync', 'demo', '--once'], place);
    expect(output).toContain('First sync');
  });

  it('compiles a connector that is written against its contract', async () => {
    const connector = `
      import type { Connector } from 'donor-sync/connector';
      import { ConfigurationError } from 'donor-sync/errors';
      export const close: Connector['close'] = async () => { throw new ConfigurationError('closed', { code: 'x' }); };
      // @ts-expect-error: a connector has no such thing, and an unknown type would have anything.
      export type Wrong = Connector['wrong'];
    `;
    await writeFile(join(place, 'connector.ts'), connector);
    const compiler = join(CHECKOUT, 'node_modules/.bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', ''];
    await run([compiler, ...options, 'connector.ts'], place);
  });

  /** npm and npx on the Node of the tests, without what they have cached; all files stay in the folder. */
  function run(words: readonly string[], cwd: string): Promise<string> {
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const env = { PATH: path, HOME: folder, TMPDIR: folder };
    return runToEnd(words, { cwd, env, timeoutMs: TIMEOUT_MS });
  }
});

/** The checkout as a fresh clone has it, and its modules: packing compiles, which must not disturb others. */
async function copySources(target: string): Promise<void> {
  const left = new Set(
    ['node_modules', '.git', 'dist', 'data', 'coverage'].map((name) => join(CHECKOUT, name)),
  );
  await cp(CHECKOUT, target, { recursive: true, filter: (path) => !left.has(path) });
  await bringInstalledModules(CHECKOUT, target);
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}
