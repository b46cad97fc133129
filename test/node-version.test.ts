/** The start on a Node that is too old. */
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

const packageSchema = z.object({ engines: z.object({ node: z.string() }) });

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-node-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('the oldest Node', () => {
  it('is the one that package.json names', async () => {
    const text = await readFile(join(CHECKOUT, 'package.json'), 'utf8');
    expect(packageSchema.parse(JSON.parse(text)).engines.node).toBe(`>=${OLDEST_NODE}`);
  });

  it.each([
    ['20.20.2', true],
    ['23.11.0', true],
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
      const isTooOld = node.major < OLDEST_NODE;
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
