/**
 * Tests the erasure of a client over HTTP. Only signed-in owners can start the erasure. The service erases the client
 * after the response. The receipt is available for a day.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyIntegrations } from '../../../src/clients/apply-settings.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { aClient } from '../../operations/examples.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';
import { join } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);
const PATH = '/v1/integrations/lakeside/erase';

const previewSchema = z.object({
  preview: z.object({
    question: z.string(),
    counts: z.object({ contacts: z.int() }),
    digest: z.string(),
  }),
});
const approvalSchema = z.object({ approval: z.looseObject({ id: z.string(), state: z.string() }) });
const doneSchema = z.object({
  approval: z.object({ state: z.string() }),
  result: z
    .object({
      receipt: z.object({
        integration: z.literal('lakeside'),
        erasedEarlier: z.null(),
        erased: z.record(z.string(), z.int()),
        outside: z.array(z.string()),
      }),
    })
    .nullable(),
});

/** Opens a service with a client in the database. The client has a webhook address. */
async function openWithClient() {
  const world = await open({ isIdle: true });
  const { application } = world;
  const client = integrationSchema.parse(aClient('lakeside'));
  await applyIntegrations(application, application.settings, [client]);
  await application.refresh();
  const { cookie } = await join(world, 'Olga', 'owner');
  const post = (path: string) =>
    world.request(path, { method: 'POST', headers: { cookie, origin: world.url } });
  expect((await post('/v1/integrations/lakeside/webhook')).status).toBe(200);
  return { world, post };
}

function idsOf({ application }: HttpWorld): string[] {
  return [...application.integrations.keys()];
}

describe('POST /v1/integrations/:integration/erase', () => {
  it('says what it is about, erases all of it, and keeps the receipt for a day', async () => {
    const { world, post } = await openWithClient();
    expect(idsOf(world)).toContain('lakeside');
    const { preview } = (await post(`${PATH}/preview`)).read(previewSchema);
    expect(preview.question).toContain(
      'Permanently erase all data of "lakeside" from the database',
    );
    const asked = await post(`${PATH}?digest=${preview.digest}`);
    expect(asked.status).toBe(202);
    const { id } = asked.read(approvalSchema).approval;
    const { cookie } = await join(world, 'Odo', 'owner');
    const show = async () =>
      (await world.request(`/v1/approvals/${id}`, { headers: { cookie } })).read(doneSchema);
    await expect.poll(async () => (await show()).approval.state, { timeout: 20_000 }).toBe('done');
    const { result } = await show();
    expect(Object.keys(result?.receipt.erased ?? {})).not.toEqual([]);
    expect(idsOf(world)).not.toContain('lakeside');
    const entries = await listAuditEntries(world.application.store, {
      action: 'integration.erased',
      limit: 5,
    });
    expect(entries).toMatchObject([{ actor: { kind: 'session' }, integrationId: 'lakeside' }]);
    // An owner can repeat the erasure, for example after an interruption.
    const again = (await post(`${PATH}/preview`)).read(previewSchema).preview;
    expect(again.counts.contacts).toBe(0);
    const unknown = await post('/v1/integrations/lakeshore/erase/preview');
    expect([unknown.status, unknown.read(errorSchema).error.code]).toEqual([
      404,
      'integration_unknown',
    ]);
  });

  it('is refused for a client of the settings file, and to an access token', async () => {
    const { world, post } = await openWithClient();
    const inFile = await post('/v1/integrations/riverside/erase/preview');
    expect([inFile.status, inFile.read(errorSchema).error.code]).toEqual([
      409,
      'integration_in_settings',
    ]);
    const token = await world.addToken('owner');
    const byToken = await world.request(`${PATH}/preview`, { method: 'POST', token });
    expect([byToken.status, byToken.read(errorSchema).error.code]).toEqual([403, 'person_needed']);
    expect(idsOf(world)).toEqual(expect.arrayContaining(['riverside', 'lakeside']));
  });
});
