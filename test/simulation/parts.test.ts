import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardName } from '../../src/mapping/name-guard.ts';
import { createHumans } from './people/humans.ts';
import { createRandom } from './random.ts';
import { swarmOf } from './swarm/draw.ts';
import { shrink } from './swarm/shrink.ts';
import { createTimeline } from './timeline.ts';
import { simulateInWorkers } from './workers.ts';

describe('createRandom', () => {
  it('draws the same from the same seed', () => {
    const draw = () => Array.from({ length: 5 }, createRandom('seed').next);
    expect(draw()).toEqual(draw());
  });

  it('has streams that do not shift each other', () => {
    const one = createRandom('seed');
    one.split('a').next();
    expect(one.split('b').next()).toBe(createRandom('seed').split('b').next());
  });
});

describe('createTimeline', () => {
  it('takes what is due first, whenever it was planned', async () => {
    const timeline = createTimeline(1_000, createRandom('ties'));
    const seen: string[] = [];
    timeline.after(20, () => seen.push(`late at ${timeline.now()}`));
    timeline.after(10, () => seen.push(`early at ${timeline.now()}`));
    while (await timeline.step());
    expect(seen).toEqual(['early at 1010', 'late at 1020']);
  });

  it('leaves out what was taken back, and what belongs to the dead', async () => {
    const timeline = createTimeline(0, createRandom('ties'));
    const seen: string[] = [];
    timeline.after(1, () => seen.push('cancelled')).cancel();
    timeline.after(1, () => seen.push('dead'), { state: 'gone', park: () => undefined });
    while (await timeline.step());
    expect(seen).toEqual([]);
  });
});

describe('createHumans', () => {
  it('gives no two human beings names of which one may be the other, misspelled', () => {
    const humans = createHumans(createRandom('humans'));
    const last = Array.from({ length: 200 }, () => humans.another().last);
    const alike = last.flatMap((name, at) =>
      last.slice(at + 1).flatMap((other) => {
        const profile = { first: 'Anna', middle: null, last: name };
        const { match } = guardName(profile, { firstName: 'Anna', lastName: other });
        return match ? `${name} and ${other}` : [];
      }),
    );
    expect(alike).toEqual([]);
  });
});

describe('shrink', () => {
  it('leaves of a failing night what it fails by', async () => {
    const large = { ...swarmOf(1), contacts: 20, hosts: 4 };
    const simulate = async (swarm: typeof large) => ({
      swarm,
      violations: swarm.contacts >= 3 ? [{ invariant: 'paid once', what: 'twice' }] : [],
      ...{ story: [], hash: '', steps: 0, runs: 0, credits: 0, reached: [] },
    });
    const { swarm } = await shrink(await simulate(large), simulate);
    expect(swarm).toMatchObject({ contacts: 3, hosts: 1, networks: false });
    expect(swarm.faults.kill).toBe(0);
  });
});

describe('simulateInWorkers', () => {
  it('counts a worker that was killed as failed, and says which seeds were not simulated', async () => {
    const program = join(import.meta.dirname, 'dying-worker.ts');
    const worked = await simulateInWorkers(2, 1, 8, [], program);
    expect(worked).toEqual({
      exitCode: 1,
      sum: { nights: 5, runs: 6, credits: 10, failed: 1, seconds: 2 },
      notSimulated: [{ from: 6, to: 8, why: 'SIGKILL' }],
    });
  });
});
