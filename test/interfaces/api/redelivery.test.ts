/**
 * Tests how the API delivers stored profiles again. The product counts the contacts first. The delivery runs after
 * the response and costs nothing.
 */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { undoRun } from '../../../src/fields/undo.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { controlService } from '../../helpers/service-control.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);
const PATH = '/v1/integrations/riverside/redelivery';

const approvalSchema = z.object({ approval: z.looseObject({ id: z.string(), state: z.string() }) });
const previewSchema = z.object({
  preview: z.object({
    question: z.string(),
    counts: z.object({ contacts: z.int() }),
    digest: z.string(),
  }),
});
const countsSchema = z.strictObject({
  redelivery: z.strictObject({
    integration: z.literal('riverside'),
    fields: z.array(z.string()).nullable(),
    contacts: z.int(),
    unchanged: z.int(),
    values: z.array(z.strictObject({ field: z.string(), contacts: z.int() })),
    kept: z.array(z.looseObject({ field: z.string(), state: z.string(), text: z.string() })),
    excluded: z.array(z.looseObject({ reason: z.string(), text: z.string() })),
  }),
});
const runSchema = z.strictObject({
  run: z.looseObject({
    id: z.string(),
    status: z.string(),
    contacts: z.looseObject({ read: z.int(), written: z.int() }),
  }),
});

/** Returns the number of contacts in which the CRM has a value from a profile. */
function filled({ crm }: HttpWorld): number {
  return [...crm.records.values()].filter(({ values }) => Object.values(values).some(Boolean))
    .length;
}

/** Opens a client whose contacts were enhanced, and whose run was then undone. */
async function openUndone() {
  const world = await open({ integration: WITHOUT_TRIAL });
  await world.addPeople(20);
  const token = await world.addToken('admin');
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  const before = filled(world);
  expect(before).toBeGreaterThan(5);
  const { application } = world;
  const client = application.integrations.get('riverside');
  if (!client) throw new Error('there is no client');
  const opened = await application.open(client, AbortSignal.timeout(30_000));
  await withLease(opened.deps, client.id, async (lease) =>
    undoRun(await openCrm(opened.deps, lease), lease, runId),
  );
  await opened.close();
  expect(filled(world)).toBe(0);
  return { world, token, before };
}

async function resultOf<Result extends z.ZodType>(
  world: HttpWorld,
  token: string,
  id: string,
  result: Result,
): Promise<z.output<Result>> {
  const schema = z.object({
    approval: z.object({ state: z.string() }),
    result: z.unknown(),
  });
  const show = async () => (await world.request(`/v1/approvals/${id}`, { token })).read(schema);
  await expect.poll(async () => (await show()).approval.state, { timeout: 20_000 }).toBe('done');
  return result.parse((await show()).result);
}

it('says to how many it goes, and writes what was undone without a credit', async () => {
  const { world, token, before } = await openUndone();
  const control = controlService(world.service);
  const spent = await control.spent();
  const post = (path: string, body: object = {}) =>
    world.request(path, { method: 'POST', token, body });

  const counted = (await post(`${PATH}/counts`)).read(approvalSchema).approval;
  const { redelivery } = await resultOf(world, token, counted.id, countsSchema);
  expect(redelivery).toMatchObject({ fields: null, contacts: before, unchanged: 0 });
  expect(filled(world)).toBe(0);

  const { preview } = (await post(`${PATH}/preview`)).read(previewSchema);
  expect(preview.counts.contacts).toBeGreaterThanOrEqual(before);
  expect(preview.question).toContain('costs nothing');
  const asked = await post(`${PATH}?digest=${preview.digest}`);
  expect(asked.status).toBe(202);
  const { id } = asked.read(approvalSchema).approval;
  const { run } = await resultOf(world, token, id, runSchema);
  expect(run).toMatchObject({ status: 'succeeded', contacts: { read: 0, written: before } });
  expect(filled(world)).toBe(before);
  expect(await control.spent()).toBe(spent);
});

it('delivers one field, and refuses one that the field map does not have before anyone agrees', async () => {
  const { world, token } = await openUndone();
  const post = (path: string, body: object) => world.request(path, { method: 'POST', token, body });
  const unknown = await post(`${PATH}/preview`, { fields: ['Donor Hat Size'] });
  expect(unknown.status).toBe(422);
  expect(unknown.read(errorSchema).error.code).toBe('field_not_mapped');
  const fields = ['donor net worth'];
  const { digest } = (await post(`${PATH}/preview`, { fields })).read(previewSchema).preview;
  const other = await post(`${PATH}?digest=${digest}`, {});
  expect(other.read(errorSchema).error.code).toBe('preview_outdated');
  const { id } = (await post(`${PATH}?digest=${digest}`, { fields })).read(approvalSchema).approval;
  await resultOf(world, token, id, runSchema);
  const written = [...world.crm.records.values()].flatMap(({ values }) =>
    Object.entries(values).flatMap(([field, value]) => (value ? [field] : [])),
  );
  expect(new Set(written)).toEqual(new Set(['Donor Net Worth']));
});
