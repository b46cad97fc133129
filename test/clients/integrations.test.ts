import { expect, it } from 'vitest';
import { applyIntegrations, readPresent } from '../../src/clients/apply-settings.ts';
import { collectIntegrations } from '../../src/clients/integrations.ts';
import { saveSealedSettings } from '../../src/clients/statements/integrations.ts';
import { integrationSchema } from '../../src/core/integration-settings.ts';
import { settingsSealContext } from '../../src/database/encryption/seal-contexts.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';

const open = closedAfterTest(openHttpWorld);

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
