import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPasswordJudge } from '../../../src/people/sign-in/password-judge.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-judge-'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('the thread that judges passwords', () => {
  it('judges one password at a time, in their order, however many come at once', async () => {
    // It answers with true for the first password that it has alone, and with false for one that came too early.
    const program = await programOf('one-at-a-time', [
      'let busy = false;',
      "parentPort.on('message', () => {",
      '  const isAlone = !busy;',
      '  busy = true;',
      '  setTimeout(() => { busy = false; parentPort.postMessage(isAlone); }, 5);',
      '});',
    ]);
    const judge = createPasswordJudge({ program });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((each) => judge(about(each))))).toEqual([
      ...[true, true, true, true],
    ]);
  });

  it('is kept for the next password, ends when none has come for a while, and begins again', async () => {
    const judge = createPasswordJudge({ program: await firstOfThread(), idleMs: 200 });
    expect(await judge(about('a'))).toBe(true);
    expect(await judge(about('b'))).toBe(false);
    await vi.waitFor(async () => {
      await sleep(250);
      expect(await judge(about('c'))).toBe(true);
    });
  });

  it.each([
    ['never answers', ["parentPort.on('message', () => {});"]],
    ['answers with nonsense', ["parentPort.on('message', () => parentPort.postMessage('yes'));"]],
    ['fails', ["parentPort.on('message', () => { throw new Error('broken'); });"]],
    ['ends', ["parentPort.on('message', () => process.exit(0));"]],
    ['cannot begin', ["import './that-is-nowhere.mjs';"]],
    [
      'takes all memory',
      ["parentPort.on('message', () => { const all = []; for (;;) all.push({}); });"],
    ],
  ])(
    'refuses a password, and says so, if it %s; the next one gets another thread',
    async (what, lines) => {
      const broken = await programOf(what.replaceAll(' ', '-'), lines);
      const judge = createPasswordJudge({ program: broken, mostTimeMs: 2_000, mostMemoryMb: 32 });
      for (const password of ['first', 'second']) {
        await expect(judge(about(password))).rejects.toMatchObject({
          kind: 'retriable',
          code: 'password_unchecked',
          message: expect.stringContaining('Nothing was changed'),
        });
      }
    },
  );

  it('refuses what would wait behind too many others', async () => {
    const judge = createPasswordJudge({ program: await firstOfThread(), mostWaiting: 2 });
    const [first, second, third] = await Promise.allSettled(
      ['a', 'b', 'c'].map((each) => judge(about(each))),
    );
    expect([first?.status, second?.status, third?.status]).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(await judge(about('d'))).toBe(false);
  });
});

function about(password: string) {
  return { password, own: [], minLength: 12 };
}

/** A thread that answers its first question with true, and all others with false. */
function firstOfThread(): Promise<URL> {
  return programOf('first-of-thread', [
    'let isFirst = true;',
    "parentPort.on('message', () => { parentPort.postMessage(isFirst); isFirst = false; });",
  ]);
}

async function programOf(name: string, lines: readonly string[]): Promise<URL> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, ["import { parentPort } from 'node:worker_threads';", ...lines].join('\n'));
  return pathToFileURL(path);
}
