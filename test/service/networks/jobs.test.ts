import { describe, expect, it } from 'vitest';
import type { PartnerSandboxOptions } from '../../../sandbox/partner/index.ts';
import { aClock } from '../../testbed/a-clock.ts';
import { aDatabaseFile } from '../../testbed/a-database-file.ts';
import { control } from '../../testbed/asking.ts';
import { ask, readLedger, startPartner } from '../partner.ts';
import { anEngineOf, watchEngine } from './hand-made-engine.ts';
import {
  createNetwork,
  discover,
  endOfJob,
  membersByName,
  readJob,
  startBulk,
} from './networks.ts';
import { idsOf, WORLD } from './people.ts';

const NO_TIES = anEngineOf([]);
const DAY_MS = 24 * 3_600_000;

function start(options: PartnerSandboxOptions = {}) {
  return startPartner({ world: WORLD, engine: NO_TIES, networkJobTimeMs: 0, ...options });
}

describe('a bulk add job (section 2.3)', () => {
  it('is queued, then processing with rising progress, then completed', async () => {
    const clock = aClock();
    const partner = await start({ clock: clock.read, networkJobTimeMs: 10_000 });
    const id = await startBulk(partner, await createNetwork(partner), idsOf(0, 1, 2, 3));
    const seen: [string, number][] = [];
    for (let second = 0; second <= 10; second += 1) {
      const { status, progress } = await readJob(partner, id);
      seen.push([status, progress]);
      clock.advance(1000);
    }
    expect(seen[0]).toEqual(['queued', 0]);
    expect(seen.map(([status]) => status)).toContain('processing');
    expect(seen.at(-1)).toEqual(['completed', 4]);
    const counts = seen.map(([, progress]) => progress);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.some((count) => count > 0 && count < 4)).toBe(true);
  });

  it('goes on while no caller polls', async () => {
    const partner = await start({ networkJobTimeMs: 50 });
    await startBulk(partner, await createNetwork(partner), idsOf(0, 1));
    await expect.poll(async () => (await membersByName(partner))['Board']).toHaveLength(2);
  });

  it('lets other requests have their turn between two donors', async () => {
    let found = 0;
    let foundWhenAnswered: number | undefined;
    const engine = watchEngine(NO_TIES, () => {
      found += 1;
      if (found === 1) {
        void ask(partner, 'GET', '/networks').then(() => {
          foundWhenAnswered = found;
        });
      }
      const untilMs = performance.now() + 10;
      while (performance.now() < untilMs);
    });
    const partner = await start({ engine });
    const donors = idsOf(...Array.from({ length: 50 }, (_, number) => number));
    await endOfJob(partner, await startBulk(partner, await createNetwork(partner), donors));
    expect(foundWhenAnswered).toBeLessThan(50);
  });

  it('pays a donor who is listed twice twice, and finds them a member already', async () => {
    const partner = await start({ credits: 10 });
    const [one = ''] = idsOf(1);
    const id = await startBulk(partner, await createNetwork(partner), [one, one]);
    expect((await endOfJob(partner, id)).results).toMatchObject({
      added_ids: [one],
      already_member_ids: [one],
    });
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([2]);
  });

  it('leaves a donor whose connections cannot be computed to the failed ones', async () => {
    const reported: Error[] = [];
    const engine = watchEngine(NO_TIES, (donor) => {
      if (donor === 1) throw new Error('No roles are known');
    });
    const partner = await start({ engine, report: (error) => reported.push(error) });
    const id = await startBulk(partner, await createNetwork(partner), idsOf(0, 1, 2));
    const job = await endOfJob(partner, id);
    expect(job.status).toBe('completed');
    expect(job.results).toMatchObject({ added_ids: idsOf(0, 2), failed_ids: idsOf(1) });
    expect((await membersByName(partner))['Board']?.toSorted()).toEqual(idsOf(0, 2).toSorted());
    expect(reported.map(({ message }) => message)).toEqual(['No roles are known']);
  });

  it('fails when its network is deleted meanwhile', async () => {
    const clock = aClock();
    const partner = await start({ clock: clock.read, networkJobTimeMs: 1000 });
    const network = await createNetwork(partner);
    const id = await startBulk(partner, network, idsOf(0, 1));
    await ask(partner, 'DELETE', `/networks/${network}`);
    clock.advance(1000);
    expect(await endOfJob(partner, id)).toMatchObject({
      status: 'failed',
      results: { failed_ids: idsOf(0, 1) },
    });
  });

  it('is kept for seven days and then forgotten', async () => {
    const clock = aClock();
    const partner = await start({ clock: clock.read });
    const network = await createNetwork(partner);
    const id = await startBulk(partner, network, idsOf(0));
    await endOfJob(partner, id);
    clock.advance(7 * DAY_MS);
    expect((await readJob(partner, id)).status).toBe('completed');
    clock.advance(1);
    await startBulk(partner, network, idsOf(1));
    expect((await ask(partner, 'GET', `/networks/jobs/${id}`)).status).toBe(404);
  });
});

describe('a bulk add job over a restart', () => {
  it('goes on where it was, and asks for no donor twice', async () => {
    const db = await aDatabaseFile();
    const clock = aClock();
    const asked: number[] = [];
    const engine = watchEngine(anEngineOf([[0, 9, 0.8]]), (donor) => asked.push(donor));
    const options = { db, engine, clock: clock.read, networkJobTimeMs: 10_000 };
    const first = await start(options);
    const id = await startBulk(first, await createNetwork(first), idsOf(0, 1, 2, 3));
    clock.advance(6000);
    const { progress } = await readJob(first, id);
    expect(progress).toBeGreaterThan(0);
    expect(progress).toBeLessThan(4);
    await first.close();

    const second = await start(options);
    clock.advance(4000);
    expect(await endOfJob(second, id)).toMatchObject({
      status: 'completed',
      results: { added_ids: idsOf(0, 1, 2, 3) },
    });
    expect(asked).toEqual([0, 1, 2, 3]);
    expect(await discover(second)).toEqual([[WORLD.donor(9).id, 0.8]]);
  });
});

describe('faults of a bulk add', () => {
  const BATCH = { method: 'POST', path: '*/members/batch' };
  const PROGRESS = { method: 'GET', path: '/networks/jobs/*' };

  async function addFour(faults: unknown[], credits = 10) {
    const partner = await start({ faults, credits });
    const id = await startBulk(partner, await createNetwork(partner), idsOf(0, 1, 2, 3));
    return { partner, id };
  }

  it('fails the job after some donors; the charge stands', async () => {
    const fault = { kind: 'networkJobFails', afterMembers: 1 };
    const { partner, id } = await addFour([{ on: BATCH, fault }]);
    expect(await endOfJob(partner, id)).toMatchObject({
      status: 'failed',
      results: { added_ids: idsOf(0), failed_ids: idsOf(1, 2, 3) },
    });
    expect((await membersByName(partner))['Board']).toEqual(idsOf(0));
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([4]);
  });

  it('fails single donors of a job that completes', async () => {
    const fault = { kind: 'networkMembersFail', every: 2 };
    const { partner, id } = await addFour([{ on: BATCH, fault }]);
    expect(await endOfJob(partner, id)).toMatchObject({
      status: 'completed',
      results: { added_ids: idsOf(0, 2), failed_ids: idsOf(1, 3) },
    });
  });

  it('lets a job stay in processing', async () => {
    const { partner, id } = await addFour([{ on: BATCH, fault: { kind: 'jobsNeverEnd' } }]);
    expect(await readJob(partner, id)).toMatchObject({ status: 'processing', progress: 0 });
  });

  it('processes fewer donors than requested, and charges only those', async () => {
    const fault = { kind: 'processFewer', processed: 3 };
    const { partner, id } = await addFour([{ on: BATCH, fault }]);
    expect((await endOfJob(partner, id)).results).toMatchObject({
      added_ids: idsOf(0, 1, 2),
      unpaid_ids: idsOf(3),
    });
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([4, -1]);
  });

  it('shows an unknown state, and loses jobs', async () => {
    const { partner, id } = await addFour([
      { on: PROGRESS, nth: 1, fault: { kind: 'jobState', state: 'paused' } },
      { on: PROGRESS, nth: 2, fault: { kind: 'jobsVanish' } },
    ]);
    expect((await readJob(partner, id)).status).toBe('paused');
    expect((await ask(partner, 'GET', `/networks/jobs/${id}`)).status).toBe(404);
    expect((await endOfJob(partner, id)).status).toBe('completed');
  });

  it('does the work of a request whose answer was lost', async () => {
    const partner = await start({
      credits: 10,
      faults: [{ on: BATCH, fault: { kind: 'resetAfter' } }],
    });
    const network = await createNetwork(partner);
    await expect(startBulk(partner, network, idsOf(0, 1))).rejects.toThrow();
    await expect.poll(async () => (await membersByName(partner))['Board']).toHaveLength(2);
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([2]);
  });
});

describe('GET /_sandbox/networks', () => {
  it('lists the networks of all teams with their members', async () => {
    const partner = await start();
    const network = await createNetwork(partner);
    await endOfJob(partner, await startBulk(partner, network, idsOf(4)));
    expect((await control(partner, 'GET', '/networks')).body).toEqual({
      networks: [
        { network_id: network, team: 'team-default', name: 'Board', member_ids: idsOf(4) },
      ],
    });
  });
});
