/** Tests client data that admins can read. This data is the settings and the stored data of one contact. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const aboutSchema = z.object({
  about: z.object({
    crmId: z.string(),
    integrations: z.array(
      z.object({ integration: z.string(), contacts: z.array(z.object({ state: z.string() })) }),
    ),
    holdings: z.array(z.object({ where: z.string(), what: z.string() })),
  }),
});
const startedSchema = z.object({ run: z.object({ id: z.string() }) });

it('has the settings of a client with variables in place of its secrets', async () => {
  const world = await open({ isIdle: true });
  const token = await world.addToken('admin');
  const { status, text } = await world.request('/v1/integrations/riverside/settings', { token });
  expect(status).toBe(200);
  expect(text).toMatch(/"apiKey":"\$\{RIVERSIDE_PARTNER_API_KEY\}"/);
  expect(text).not.toContain(world.service.apiKey);
});

it('says what is held of a contact, without names, and records who asked', async () => {
  const world = await open();
  const [contact = ''] = await world.addPeople(1);
  const token = await world.addToken('admin');
  const runs = '/v1/integrations/riverside/runs';
  const started = await world.request(runs, { method: 'POST', token });
  await world.untilEnded(started.read(startedSchema).run.id);
  const ask = (id: string) =>
    world.request(`/v1/integrations/riverside/contacts/${id}/about`, { method: 'POST', token });
  const shown = await ask(contact);
  const { about } = shown.read(aboutSchema);
  expect(about).toMatchObject({
    crmId: contact,
    integrations: [{ integration: 'riverside', contacts: [{ state: 'settled' }] }],
  });
  expect(about.holdings.map(({ where }) => where)).toContain('service');
  const { lastName } = world.crm.records.get(contact)?.contact ?? {};
  expect(lastName).toBeTruthy();
  expect(shown.text).not.toContain(lastName);
  const filter = { action: 'contact.shown', limit: 5 };
  expect(await listAuditEntries(world.application.store, filter)).toMatchObject([
    { crmId: contact, actor: { kind: 'token' } },
  ]);
  expect((await ask('nowhere')).read(aboutSchema).about.holdings).toEqual([]);
  expect(await listAuditEntries(world.application.store, filter)).toHaveLength(1);
});
