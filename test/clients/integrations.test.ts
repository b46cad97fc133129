import { expect, it } from 'vitest';
import { applyIntegrations, applySchedule, readPresent } from '../../src/clients/apply-settings.ts';
import { collectIntegrations } from '../../src/clients/integrations.ts';
import { saveSealedSettings } from '../../src/clients/statements/integrations.ts';
import { type Integration, integrationSchema } from '../../src/core/integration-settings.ts';
import { settingsSealContext } from '../../src/database/encryption/seal-contexts.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';

const open = closedAfterTest(openHttpWorld);

it('changes the schedule of a client and nothing else of it, whatever it was given meanwhile', async () => {
  const { application } = await open();
  const { store, sealer } = application;
  const client = (extra: object) =>
    integrationSchema.parse({
      ...application.integrations.get('riverside'),
      ...{ id: 'harbor', schedule: null, ...extra },
    });
  const schedule = client({ schedule: { cron: '0 3 * * 1' } }).schedule;
  const save = (integration: Integration) =>
    store.act((trx) =>
      saveSealedSettings(
        trx,
        'harbor',
        sealer.seal(JSON.stringify(integration), settingsSealContext('harbor')),
      ),
    );
  const meanwhile = client({ budget: { perMonth: 7 } });
  await save(meanwhile);
  await applySchedule(application, 'harbor', schedule);
  const present = (await readPresent(application)).get('harbor') ?? '{}';
  expect(JSON.parse(present)).toEqual(JSON.parse(JSON.stringify({ ...meanwhile, schedule })));
  await expect(applySchedule(application, 'nobody', null)).rejects.toMatchObject({
    code: 'integration_unknown',
  });
});

it('knows every client whose settings can be read, and names the others, which can be replaced or removed', async () => {
  const here = await open();
  const { application } = here;
  const { store, sealer, settings } = application;
  const riverside = application.integrations.get('riverside');
  const client = (id: string) => integrationSchema.parse({ ...riverside, id, schedule: null });
  const save = (id: string, sealed: string) =>
    store.act((trx) => saveSealedSettings(trx, id, sealed));
  const seal = (id: string, json: object) =>
    sealer.seal(JSON.stringify(json), settingsSealContext(id));
  await save('damaged', 'nothing that was sealed');
  await save('newer', seal('newer', { ...client('newer'), ofALaterVersion: 'hush-hush' }));
  await save('well', seal('well', client('well')));

  const lines: unknown[] = [];
  const log = { error: (...line: unknown[]) => void lines.push(line) };
  const collected = await collectIntegrations(settings, store.reader, sealer, log);
  expect([...collected.integrations.keys()]).toEqual(['well', 'riverside']);
  expect([...collected.unreadable.keys()].sort()).toEqual(['damaged', 'newer']);
  expect(collected.unreadable.get('newer')).toContain('ofALaterVersion');
  expect(JSON.stringify(lines)).toContain('"damaged"');
  expect(JSON.stringify(lines)).not.toContain('hush-hush');

  await application.refresh();
  const doctor = await here.request('/v1/doctor', { method: 'POST' });
  expect(doctor.text).toContain('The settings of \\"newer\\" in the database cannot be read');
  const removed = await removeOverHttp('newer');
  expect([removed.status, removed.text]).toEqual([200, expect.stringContaining('"newer"')]);
  const [applied] = await applyIntegrations(application, settings, [client('damaged')]);
  expect(applied?.change).toBe('changed');
  await application.refresh();
  expect([...application.unreadable.keys()]).toEqual([]);
  expect([...(await readPresent(application)).keys()]).toEqual(['damaged', 'well']);

  async function removeOverHttp(id: string) {
    const path = `/v1/integrations/${id}`;
    const { text } = await here.request(`${path}/preview`, { method: 'POST' });
    const digest = /"digest":"([^"]+)"/.exec(text)?.[1];
    return here.request(`${path}?digest=${digest}`, { method: 'DELETE' });
  }
});
