/** Tests one decision about all contacts that wait for the same reason, over the API. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const holdsSchema = z.object({ holds: z.array(z.object({ id: z.string(), kind: z.string() })) });
const previewSchema = z.object({
  preview: z.object({
    question: z.string(),
    counts: z.object({ contacts: z.int(), credits: z.int() }),
    digest: z.string(),
  }),
});
const decidedSchema = z.object({
  contacts: z.int(),
  credits: z.int(),
  approval: z.object({ id: z.string(), state: z.string() }).nullable(),
});

const PATH = '/v1/integrations/riverside/decisions/lost_answer';

/** Creates three contacts whose responses were lost after the service had charged for them. */
async function openHeld(settings = {}) {
  const world = await open({ settings });
  const token = await world.addToken('admin');
  await world.addPeople(3);
  await world.putFaults([{ on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } }]);
  const started = await world.request('/v1/integrations/riverside/runs', { method: 'POST', token });
  await world.untilEnded(started.read(startedSchema).run.id);
  const post = (path: string, as = token) => world.request(path, { method: 'POST', token: as });
  return { world, token, post };
}

async function countHeld(world: HttpWorld, token: string): Promise<number> {
  return (await world.request('/v1/holds', { token })).read(holdsSchema).holds.length;
}

describe('deciding all contacts that wait for one reason', () => {
  it('says what it costs, decides them in the name of the caller, and nothing twice', async () => {
    const { world, token, post } = await openHeld();
    expect(await countHeld(world, token)).toBe(3);
    const { preview } = (await post(`${PATH}/resubmit/preview`)).read(previewSchema);
    expect(preview.counts).toEqual({ contacts: 3, credits: 3 });
    expect(preview.question).toContain('The next run spends at most 3 credits.');
    expect(await countHeld(world, token)).toBe(3);
    const decided = await post(`${PATH}/resubmit?digest=${preview.digest}`);
    expect(decided.status).toBe(200);
    expect(decided.read(decidedSchema)).toEqual({ contacts: 3, credits: 3, approval: null });
    expect(await countHeld(world, token)).toBe(0);
    const entries = await listAuditEntries(world.application.store, {
      limit: 10,
      action: 'hold.decided',
    });
    expect(entries).toHaveLength(3);
    expect(entries.every(({ actor }) => actor.kind === 'token')).toBe(true);
    const again = await post(`${PATH}/resubmit?digest=${preview.digest}`);
    expect(again.status).toBe(409);
  });

  it('refuses what cannot be decided at once, and a preview that is no longer true', async () => {
    const { world, token, post } = await openHeld();
    const approve = await post(`${PATH}/approve/preview`);
    expect(approve.status).toBe(409);
    expect(approve.read(errorSchema).error).toMatchObject({
      code: 'hold_not_decidable',
      message: expect.stringContaining('Possible: reject, resubmit'),
    });
    const { digest } = (await post(`${PATH}/reject/preview`)).read(previewSchema).preview;
    const [first] = (await world.request('/v1/holds', { token })).read(holdsSchema).holds;
    expect((await post(`/v1/holds/${first?.id}/reject`)).status).toBe(200);
    const outdated = await post(`${PATH}/reject?digest=${digest}`);
    expect(outdated.read(errorSchema).error.code).toBe('preview_outdated');
    expect(await countHeld(world, token)).toBe(2);
  });

  it('names the reasons that there are to those who write another one', async () => {
    const { post } = await openHeld();
    const unknown = await post('/v1/integrations/riverside/decisions/lost_anser/reject/preview');
    expect([unknown.status, unknown.read(errorSchema).error.code]).toEqual([404, 'reason_unknown']);
    const { message } = unknown.read(errorSchema).error;
    expect(message).toContain('did you mean "lost_answer"?');
    expect(message).toMatch(/The reasons for a decision: .*name_mismatch/);
  });

  it('waits for a second user where the settings say so', async () => {
    const { world, token, post } = await openHeld({ twoPeople: { approvals: 2 } });
    const second = await world.addToken('decider');
    const { digest } = (await post(`${PATH}/resubmit/preview`)).read(previewSchema).preview;
    const asked = (await post(`${PATH}/resubmit?digest=${digest}`)).read(decidedSchema);
    expect(asked).toMatchObject({ contacts: 0, approval: { state: 'waiting' } });
    expect(await countHeld(world, token)).toBe(3);
    const confirm = `/v1/approvals/${asked.approval?.id}/confirm`;
    expect((await post(confirm)).status).toBe(409);
    expect((await post(confirm, second)).status).toBe(200);
    expect(await countHeld(world, token)).toBe(0);
  });
});
