import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type Owner,
  ownerIsGone,
  ownerText,
  ownerWords,
  readProcessSpace,
} from '../../src/core/owner.ts';

const BOOT = '3f1c8a52-7a0e-4f0e-9d55-2f6f2d3f4a11';
const SPACE = `${BOOT}/pid:[4026531836]`;
const SELF: Owner = { host: 'worker', processId: 1, start: 'second', space: SPACE };
const nothingRuns = () => false;
const everythingRuns = () => true;

/** Returns the owner of the lease, by default a previous process. */
function other(changes: Partial<Owner> = {}): string {
  return ownerText({ ...SELF, start: 'first', ...changes });
}

describe('an owner', () => {
  it.each<[string, Partial<Owner>, (processId: number) => boolean]>([
    ['a process that has ended', { processId: 4711 }, nothingRuns],
    ['a process that had our id before us', {}, everythingRuns],
  ])('counts as dead if it is %s', (_, changes, isRunning) => {
    expect(ownerIsGone(other(changes), SELF, isRunning)).toBe(true);
  });

  it.each<[string, Partial<Owner>]>([
    ['a process that runs', { processId: 4711 }],
    ['this process', { start: SELF.start }],
  ])('counts as alive if it is %s', (_, changes) => {
    expect(ownerIsGone(other(changes), SELF, everythingRuns)).toBe(false);
  });

  it.each<[string, Partial<Owner>]>([
    ['in another container of the same name', { space: `${BOOT}/pid:[4026532801]` }],
    ['on another machine of the same name', { space: SPACE.replace('3f1c', '77aa') }],
    ['on a machine of another name', { host: 'elsewhere' }],
    ['from a version that does not say where its ids are known', { space: null }],
  ])('is left to its lease if it is %s', (_, changes) => {
    expect(ownerIsGone(other(changes), SELF, nothingRuns)).toBe(false);
    expect(ownerIsGone(other({ ...changes, processId: 4711 }), SELF, nothingRuns)).toBe(false);
  });

  it('is left to its lease where the system does not say what its process ids mean', () => {
    const self = { ...SELF, space: null };
    expect(ownerIsGone(other({ space: null }), self, nothingRuns)).toBe(false);
    expect(ownerIsGone(other(), self, nothingRuns)).toBe(false);
  });

  it('is described in words without what only machines read', () => {
    expect(ownerWords(other({ processId: 4711 }))).toBe('process 4711 on worker');
  });
});

describe('where process ids are known', () => {
  it('is the same for all processes of this machine', async () => {
    const program = `import('${new URL('../../src/core/owner.ts', import.meta.url).href}')
      .then(({ readProcessSpace }) => console.log(readProcessSpace()))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
    expect(stdout.trim()).toBe(String(readProcessSpace()));
  });
});
