/** Tests how the program starts with a Node version that is too old. */

import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { start } from '../scripts/replay-dockerfile/process.ts';
import { nodeProblem, OLDEST_NODE } from '../src/node-version.ts';
import { nodesOnPath } from './helpers/nodes-on-path.ts';

const CHECKOUT = join(import.meta.dirname, '..');

const LOCK = join(CHECKOUT, 'package-lock.json');

/** The oldest version in the form that the guides use. */
const OLDEST_SAID = `Node ${OLDEST_NODE.replace(/\.0$/, '')} or later`;

const OLDEST_MAJOR = Number.parseInt(OLDEST_NODE, 10);

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().optional(),
      // Very old packages have a list in `engines`.
      engines: z.object({ node: z.string().optional() }).optional().catch(undefined),
    }),
  ),
});

function compareVersions(left: string, right: string): number {
  const collator = new Intl.Collator('en', { numeric: true });
  return collator.compare(left, right);
}

const packageSchema = z.object({ engines: z.object({ node: z.string() }) });

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-node-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('the oldest Node', () => {
  it('is the highest that a package of the program asks for', () => {
    const { packages } = lockSchema.parse(JSON.parse(readFileSync(LOCK, 'utf8')));
    const floors = Object.entries(packages).flatMap(([path, { dev, engines }]) => {
      const [, floor] = /^>=\s*(\d+(?:\.\d+){0,2})$/.exec(engines?.node ?? '') ?? [];
      return path === '' || dev === true || floor === undefined ? [] : [floor];
    });
    const tooLow = floors.filter((floor) => compareVersions(floor, OLDEST_NODE) > 0);
    expect(tooLow).toEqual([]);
    expect(floors).toContain(OLDEST_NODE);
  });

  it('is the one that package.json names', async () => {
    const text = await readFile(join(CHECKOUT, 'package.json'), 'utf8');
    expect(packageSchema.parse(JSON.parse(text)).engines.node).toBe(`>=${OLDEST_NODE}`);
  });

  it.each([
    ['src/interfaces/cli/commands/connector/connector.ts', `'>=${OLDEST_NODE}'`],
    ['docs/guides/run-with-systemd.md', OLDEST_SAID],
    ['docs/guides/getting-started-csv.md', OLDEST_SAID],
    ['docs/guides/operating.md', OLDEST_SAID],
    ['CHANGELOG.md', OLDEST_SAID.replace(/^(Node [\d.]+)/, '**$1**')],
  ])('is the one of %s', async (file, said) => {
    expect(await readFile(join(CHECKOUT, file), 'utf8')).toContain(said);
  });

  it.each([
    ['20.20.2', true],
    ['22.18.0', true],
    ['22.19.0', false],
    ['22.20.1', false],
    ['24.0.0', false],
    ['26.10.0', false],
    ['124.0.0', false],
  ])('judges %s: too old is %s', (version, isTooOld) => {
    expect(nodeProblem(version) !== null).toBe(isTooOld);
  });

  it('is asked for by what starts first, which every Node of this machine can read', async () => {
    const folder = await aFolder();
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(folder, 'wiring.js'),
      'export async function runWired() { console.log("the program"); }',
    );
    await mkdir(join(folder, 'interfaces/cli'), { recursive: true });
    await writeFile(
      join(folder, 'interfaces/cli/commands.js'),
      'export function worksLong() { return false; }',
    );
    for (const name of ['main', 'process-memory', 'node-version']) {
      const source = await readFile(join(CHECKOUT, `src/${name}.ts`), 'utf8');
      const script = stripTypeScriptTypes(source).replaceAll(".ts'", ".js'");
      await writeFile(join(folder, `${name}.js`), script);
    }
    for (const node of [
      ...nodesOnPath(),
      { folder: join(CHECKOUT, 'node_modules/.bin'), major: 26 },
    ]) {
      const running = start([join(node.folder, 'node'), 'main.js'], { cwd: folder, env: {} });
      const isTooOld = node.major < OLDEST_MAJOR;
      expect(await running.ended).toBe(isTooOld ? 2 : 0);
      expect(running.output()).toContain(
        isTooOld
          ? `donor-sync needs Node ${OLDEST_NODE} or later, and this is Node ${node.major}.`
          : 'the program',
      );
    }
  });
});

describe('npm ci in a checkout', () => {
  it('has nothing to say of each package that needs a newer Node than the one of the machine', async () => {
    const folder = await aFolder();
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      await copyFile(join(CHECKOUT, file), join(folder, file));
    }
    for (const node of nodesOnPath()) {
      const env = { PATH: `${node.folder}:${process.env['PATH'] ?? ''}`, HOME: folder };
      const options = { cwd: folder, env, timeoutMs: 60_000 };
      const words = ['npm', 'ci', '--dry-run', '--offline', '--ignore-scripts'];
      const running = start(words, options);
      expect(await running.ended).toBe(0);
      expect(running.output()).not.toMatch(/EBADENGINE|npm warn/);
    }
  });
});
