import { describe, expect, it } from 'vitest';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';
import { ageJobs, leaveJobsRunning, open } from './worlds.ts';

/** The integration with a new key of the service. */
async function withNewKey(world: SyncWorld, options: Record<string, unknown> = {}) {
  const apiKey = await world.issueKey(options);
  return { ...world.integration, partner: { ...world.integration.partner, apiKey } };
}

/** A world whose jobs were all submitted with the first key, and are old enough for the service to know them. */
async function openWithJobs(count: number): Promise<SyncWorld> {
  const world = await open();
  await world.addPeople(count);
  await leaveJobsRunning(world);
  await ageJobs(world, 11);
  await world.putFaults([]);
  return world;
}

describe('a service key that is replaced while jobs are running', () => {
  it('buys nothing again that the new key cannot see, and asks about it once', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    const integration = await withNewKey(world);
    expect(await world.sync({ integration })).toMatchObject({
      status: 'succeeded',
      contacts: { submitted: 0, held: 4, waiting: 0 },
    });
    for (let night = 0; night < 2; night += 1) {
      expect((await world.sync({ integration, full: true })).contacts.submitted).toBe(0);
    }
    expect(await world.spentInAll()).toBe(spent);
    const questions = await listOpenQuestions(world.store.reader);
    expect(questions).toHaveLength(4);
    for (const { kind, detail } of questions) {
      expect({ kind, detail }).toEqual({ kind: 'paid_since_backup', detail: 'former_key' });
    }
  });

  it('buys with the new key what a user decides to buy, each once', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    const integration = await withNewKey(world);
    await world.sync({ integration });
    for (const question of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, question, 'approved');
    }
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 4, held: 0 });
    await world.sync({ integration });
    expect((await world.spentInAll()) - spent).toBe(4);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('delivers what was paid for if the new key belongs to the same team', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    const integration = await withNewKey(world, { team: 'team-default' });
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 0, held: 0 });
    expect(await world.spentInAll()).toBe(spent);
    expect(world.crm.writes).not.toEqual([]);
  });

  it('delivers it once the former key is back, without an answer', async () => {
    const world = await openWithJobs(4);
    const spent = await world.spentInAll();
    await world.sync({ integration: await withNewKey(world) });
    expect(world.crm.writes).toEqual([]);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, held: 0, waiting: 0 });
    expect(world.crm.writes).not.toEqual([]);
    expect(await world.spentInAll()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('buys nothing again either if the jobs had ended, and only their results were missing', async () => {
    const world = await open();
    await world.addPeople(4);
    await leaveJobsRunning(world);
    await ageJobs(world, 11);
    await world.putFaults([]);
    await world.database.db.updateTable('jobs').set({ state: 'completed' }).execute();
    await world.database.db.updateTable('contacts').set({ state: 'ready' }).execute();
    const spent = await world.spentInAll();
    const integration = await withNewKey(world);
    expect((await world.sync({ integration })).contacts).toMatchObject({ submitted: 0, held: 4 });
    await world.sync({ integration, full: true });
    expect(await world.spentInAll()).toBe(spent);
  });
});
