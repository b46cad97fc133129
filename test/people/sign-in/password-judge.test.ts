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

describe('the thread that checks passwords', () => {
  it('judges one password at a time, in their order, however many come at once', async () => {
    // The thread answers true if it is idle when a password arrives. It answers false if it is still busy with an
    // earlier password.
    const program = await programOf('one-at-a-time', [
      'let busy = false;',
      "parentPort.on('message', () => {",
      '  const isAlone = !busy;',
      '  busy = true;',
      '  setTimeout(() => { busy = false; parentPort.postMessage(isAlone); }, 5);',
      '});',
    ]);
    const judge = createPasswordJudge({ program });
    expect(
      await Promise.all(['a', 'b', 'c', 'd'].map((each) => judge.isGuessable(about(each)))),
    ).toEqual([...[true, true, true, true]]);
  });

  it('is kept for the next password, ends when none has come for a while, and begins again', async () => {
    const judge = createPasswordJudge({ program: await firstOfThread(), idleMs: 1_000 });
    expect(await judge.isGuessable(about('a'))).toBe(true);
    expect(await judge.isGuessable(about('b'))).toBe(false);
    const isAnotherThread = async () => {
      await sleep(1_100);
      expect(await judge.isGuessable(about('c'))).toBe(true);
    };
    await vi.waitFor(isAnotherThread, { timeout: 20_000 });
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
        await expect(judge.isGuessable(about(password))).rejects.toMatchObject({
          kind: 'retriable',
          code: 'password_unchecked',
          message: expect.stringContaining('Nothing was changed'),
        });
      }
    },
  );

  it('loads its lists before the first question, once, if a password is expected', async () => {
    // A thread that counts how often it was told to load. It answers whether that happened exactly once.
    const program = await programOf('prepared', [
      'let loads = 0;',
      "parentPort.on('message', ({ password }) => {",
      '  if (password === null) loads += 1;',
      '  else parentPort.postMessage(loads === 1);',
      '});',
    ]);
    const judge = createPasswordJudge({ program });
    judge.prepare(12);
    judge.prepare(12);
    expect(await judge.isGuessable(about('a'))).toBe(true);
  });

  it('refuses a password check if too many other checks are waiting', async () => {
    const judge = createPasswordJudge({ program: await firstOfThread(), mostWaiting: 2 });
    const [first, second, third] = await Promise.allSettled(
      ['a', 'b', 'c'].map((each) => judge.isGuessable(about(each))),
    );
    expect([first?.status, second?.status, third?.status]).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(await judge.isGuessable(about('d'))).toBe(false);
  });
});

function about(password: string) {
  return { password, own: [], minLength: 12 };
}

/** Creates a thread that answers its first question with true and all others with false. */
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
