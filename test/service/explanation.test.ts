import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import type { PartnerSandbox } from '../../sandbox/partner/index.ts';
import { aClock } from '../testbed/a-clock.ts';
import { ask, issueKey, personOf, startPartner, strangers, submitOne } from './partner.ts';

const world = createWorld({ seed: 1, donors: 50 });
const resultsSchema = z.object({
  job_id_to_state: z.record(
    z.string(),
    z.object({ match: z.object({ probability: z.number() }).nullable() }),
  ),
});

describe('the explanation of a match', () => {
  it.each([
    ['B', (id: string) => `/enhancements/${id}/explanation`],
    ['A', (id: string) => `/explanation/${id}`],
  ])('has the donor, the probability and the reasons, and is free (form %s)', async (_, path) => {
    const partner = await startPartner({ world });
    const id = await submitOne(partner, personOf(world.donor(3)));
    const before = await ask(partner, 'GET', '/credits');
    const { status, body } = await ask(partner, 'GET', path(id));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      job_state: { progress: { status: 'completed' } },
      donor_id: world.donor(3).id,
      match: { reasons: expect.arrayContaining(['The address is that of the same house']) },
    });
    expect((await ask(partner, 'GET', '/credits')).body).toEqual(before.body);
    expect(await probabilityOf(partner, id)).toBeGreaterThan(0.97);
  });

  it('says why none was found', async () => {
    const partner = await startPartner({ world });
    const id = await submitOne(partner, strangers(1)[0] ?? {});
    expect((await ask(partner, 'GET', `/enhancements/${id}/explanation`)).body).toMatchObject({
      donor_id: null,
      match: { probability: 0, reasons: ['No donor matches this person'], runner_up: null },
    });
  });

  it('is empty while the job runs', async () => {
    const clock = aClock();
    const partner = await startPartner({ world, clock: clock.read, jobTimeMs: 4000 });
    const id = await submitOne(partner, personOf(world.donor(3)));
    expect((await ask(partner, 'GET', `/enhancements/${id}/explanation`)).body).toMatchObject({
      donor_id: null,
      match: null,
    });
  });

  it('belongs to one team: for another the job does not exist', async () => {
    const partner = await startPartner({ world });
    const id = await submitOne(partner, personOf(world.donor(3)));
    const other = await issueKey(partner, { team: 'other' });
    const path = `/enhancements/${id}/explanation`;
    expect((await ask(partner, 'GET', path, undefined, other.apiKey)).status).toBe(404);
  });
});

async function probabilityOf(partner: PartnerSandbox, id: string): Promise<number | undefined> {
  const { body } = await ask(partner, 'POST', '/enhancements/results/batch', { job_ids: [id] });
  return resultsSchema.parse(body).job_id_to_state[id]?.match?.probability;
}
