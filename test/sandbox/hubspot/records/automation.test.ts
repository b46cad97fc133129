import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { HubspotSandbox } from '../../../../sandbox/hubspot/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import { control, edit } from '../../../testbed/asking.ts';
import { ask, CONTACTS, contactIds, readRecord, startAccount } from '../account.ts';

const historySchema = z.object({
  propertiesWithHistory: z.record(
    z.string(),
    z.array(
      z.object({ value: z.string(), sourceType: z.string(), sourceId: z.string().optional() }),
    ),
  ),
});

async function historyOf(account: HubspotSandbox, id: string, name: string) {
  const path = `${CONTACTS}/${id}?propertiesWithHistory=${name}`;
  const { body } = await ask(account, 'GET', path);
  // Values from before the test come from the account's import.
  const history = historySchema.parse(body).propertiesWithHistory[name] ?? [];
  return history.filter(({ sourceType }) => sourceType !== 'IMPORT');
}

async function write(account: HubspotSandbox, id: string, properties: Record<string, string>) {
  const { body } = await ask(account, 'POST', `${CONTACTS}/batch/update`, {
    body: { inputs: [{ id, properties }] },
  });
  return z
    .object({ results: z.array(z.object({ properties: z.record(z.string(), z.string()) })) })
    .parse(body).results[0]?.properties;
}

async function readValue(account: HubspotSandbox, id: string, name: string) {
  const answer = await ask(account, 'GET', `${CONTACTS}/${id}?properties=${name}`);
  return readRecord(answer).properties[name];
}

describe('a workflow', () => {
  it('rounds and capitalises after a write, and stands in the history with its source', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    for (const workflow of [
      { property: 'annualrevenue', change: { kind: 'round', to: 1000 } },
      { property: 'jobtitle', change: { kind: 'upperCase' } },
    ]) {
      expect((await control(account, 'POST', '/automation', workflow)).status).toBe(201);
    }
    const written = await write(account, id, { annualrevenue: '1234567', jobtitle: 'Mayor' });
    expect(written).toMatchObject({ annualrevenue: '1234567', jobtitle: 'Mayor' });
    expect(await readValue(account, id, 'annualrevenue')).toBe('1235000');
    expect(await historyOf(account, id, 'jobtitle')).toMatchObject([
      { value: 'MAYOR', sourceType: 'AUTOMATION_PLATFORM' },
      { value: 'Mayor', sourceType: 'INTEGRATION' },
    ]);
  });

  it('runs with a delay, only where its condition holds, and not after it was removed', async () => {
    const clock = aClock();
    const account = await startAccount({ clock: clock.read });
    const [id = '', other = ''] = await contactIds(account, 2);
    await control(account, 'POST', '/automation', {
      name: 'late',
      property: 'jobtitle',
      change: { kind: 'set', value: 'Set' },
      delayMs: 5000,
      when: { property: 'city', equals: 'Rome' },
    });
    await write(account, id, { jobtitle: 'Mayor', city: 'Rome' });
    await write(account, other, { jobtitle: 'Mayor', city: 'Paris' });
    expect(await readValue(account, id, 'jobtitle')).toBe('Mayor');
    clock.advance(5000);
    expect(await readValue(account, id, 'jobtitle')).toBe('Set');
    expect(await readValue(account, other, 'jobtitle')).toBe('Mayor');
    expect((await control(account, 'DELETE', '/automation?name=late')).status).toBe(200);
    await write(account, id, { jobtitle: 'Free' });
    clock.advance(5000);
    expect(await readValue(account, id, 'jobtitle')).toBe('Free');
  });

  it('that makes no sense is refused', async () => {
    const account = await startAccount();
    for (const order of [
      { property: 'foo', change: { kind: 'clear' } },
      { property: 'jobtitle', change: { kind: 'round' } },
    ]) {
      expect((await control(account, 'POST', '/automation', order)).status).toBe(422);
    }
  });
});

describe('an edit', () => {
  it('names its source in the history', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { jobtitle: 'By hand' } });
    const values = { jobtitle: 'By a tool' };
    await edit(account, { action: 'update', id, values, source: 'INTEGRATION', sourceId: '77' });
    expect(await historyOf(account, id, 'jobtitle')).toMatchObject([
      { value: 'By a tool', sourceType: 'INTEGRATION', sourceId: '77' },
      { value: 'By hand', sourceType: 'CRM_UI' },
    ]);
  });

  it('merges, fills blanks and renames in one step', async () => {
    const account = await startAccount();
    const [primaryId = '', otherId = ''] = await contactIds(account, 2);
    await edit(account, { action: 'update', id: primaryId, values: { jobtitle: '' } });
    await edit(account, { action: 'update', id: otherId, values: { jobtitle: 'Filled' } });
    const values = { lastname: 'Renamed' };
    const id = await edit(account, { action: 'merge', primaryId, otherId, values });
    expect(await readValue(account, id, 'jobtitle')).toBe('Filled');
    expect(await readValue(account, id, 'lastname')).toBe('Renamed');
  });
});

describe('a contact that the app may see no more', () => {
  it('is found nowhere, not among the archived ones either, until it may see it again', async () => {
    const account = await startAccount();
    const [id = '', other = ''] = await contactIds(account, 2);
    const order = { ids: [id], access: 'hidden' };
    expect((await control(account, 'PUT', '/record-access', order)).status).toBe(200);
    for (const query of ['', '?archived=true']) {
      expect((await ask(account, 'GET', `${CONTACTS}/${id}${query}`)).status).toBe(404);
      const list = await ask(account, 'GET', `${CONTACTS}${query}`);
      expect(JSON.stringify(list.body)).not.toContain(`"id":"${id}"`);
    }
    const inputs = [{ id }, { id: other }];
    const read = await ask(account, 'POST', `${CONTACTS}/batch/read`, { body: { inputs } });
    expect(read).toMatchObject({ status: 207, body: { results: [{ id: other }], numErrors: 1 } });
    const search = await ask(account, 'POST', `${CONTACTS}/search`, { body: { limit: 100 } });
    expect(search.body).toMatchObject({ total: 19 });
    expect((await control(account, 'GET', `/record/contacts/${id}`)).status).toBe(200);
    await control(account, 'PUT', '/record-access', { ids: [id], access: 'visible' });
    expect((await ask(account, 'GET', `${CONTACTS}/${id}`)).status).toBe(200);
    const unknown = { ids: ['1'], access: 'hidden' };
    expect((await control(account, 'PUT', '/record-access', unknown)).status).toBe(422);
  });
});

describe('PUT /_sandbox/property', () => {
  it("changes properties while the account runs, even HubSpot's own", async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const change = async (order: object) => {
      const { status, body } = await control(account, 'PUT', '/property', order);
      if (status !== 200) throw new Error(JSON.stringify(body));
    };
    const update = (properties: object) =>
      ask(account, 'PATCH', `${CONTACTS}/${id}`, { body: { properties } });
    await change({ property: 'jobtitle', readOnly: true });
    expect((await update({ jobtitle: 'x' })).body).toMatchObject({
      errors: [{ code: 'READ_ONLY_VALUE' }],
    });
    await change({ property: 'jobtitle', readOnly: false });
    expect((await update({ jobtitle: 'x' })).status).toBe(200);
    await change({ property: 'hs_lead_status', options: ['A', 'B'] });
    expect((await update({ hs_lead_status: 'NEW' })).status).toBe(400);
    expect((await update({ hs_lead_status: 'B' })).status).toBe(200);
    await change({ property: 'jobtitle', archived: true });
    expect((await update({ jobtitle: 'y' })).body).toMatchObject({
      errors: [{ code: 'PROPERTY_DOESNT_EXIST' }],
    });
    await change({ property: 'jobtitle', archived: false });
    expect(await readValue(account, id, 'jobtitle')).toBe('x');
  });
});
