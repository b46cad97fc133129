import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sendJson } from '../../../connectors/crm-sandbox.ts';
import {
  ask,
  CONTACTS,
  contactIds,
  readError,
  readRecord,
  readResults,
  startAccount,
} from '../account.ts';

const PROPERTIES = '/crm/properties/2026-09/contacts';

const WORTH = {
  name: 'net_worth',
  label: 'Net worth',
  type: 'number',
  fieldType: 'number',
  groupName: 'contactinformation',
  dataSensitivity: 'sensitive',
};

const USUAL = [
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.schemas.contacts.write',
];
const READ = 'crm.objects.contacts.sensitive.read';
const WRITE = 'crm.objects.contacts.sensitive.write';

/**
 * Starts an account with a property that stores Sensitive Data, and a token with these scopes in addition to the usual
 * scopes.
 */
async function start(...scopes: string[]) {
  const account = await startAccount();
  const created = await ask(account, 'POST', PROPERTIES, { body: WORTH });
  expect(created).toMatchObject({ status: 201, body: { dataSensitivity: 'sensitive' } });
  const reply = await sendJson('POST', `${account.rootUrl}/_sandbox/tokens`, {
    scopes: [...USUAL, ...scopes],
  });
  const { token } = z.object({ token: z.string() }).parse(reply);
  const [id = ''] = await contactIds(account, 1);
  const body = { properties: { net_worth: '7' } };
  expect((await ask(account, 'PATCH', `${CONTACTS}/${id}`, { body })).status).toBe(200);
  return { account, token, id };
}

describe('properties that store Sensitive Data', () => {
  it('are listed to those who ask for them, whatever their scopes', async () => {
    const { account, token } = await start();
    const usual = await ask(account, 'GET', PROPERTIES);
    expect(JSON.stringify(usual.body)).not.toContain('net_worth');
    const path = `${PROPERTIES}?dataSensitivity=sensitive`;
    const { body } = await ask(account, 'GET', path, { token });
    expect(body).toMatchObject({ results: [{ name: 'net_worth' }] });
    expect((await ask(account, 'GET', `${PROPERTIES}/net_worth`, { token })).status).toBe(200);
  });

  it.each([[[]], [[`${READ}.v2`]], [[READ]]])('show their values by scope (%s)', async (scopes) => {
    const { account, token, id } = await start(...scopes);
    const path = `${CONTACTS}/${id}?properties=net_worth,city`;
    const one = readRecord(await ask(account, 'GET', path, { token }));
    expect(Object.hasOwn(one.properties, 'city')).toBe(true);
    expect(one.properties['net_worth']).toBe(scopes.length > 0 ? '7' : undefined);
    const body = { inputs: [{ id }], properties: ['net_worth'] };
    const batch = await ask(account, 'POST', `${CONTACTS}/batch/read`, { body, token });
    expect(readResults(batch).results[0]?.properties['net_worth']).toBe(
      one.properties['net_worth'],
    );
  });

  it('are made and written by scope', async () => {
    const { account, token, id } = await start(`${READ}.v2`);
    const body = { inputs: [{ id, properties: { net_worth: '8', city: 'Nome' } }] };
    const other = { ...WORTH, name: 'other' };
    for (const refused of [
      await ask(account, 'POST', `${CONTACTS}/batch/update`, { body, token }),
      await ask(account, 'POST', PROPERTIES, { body: other, token }),
      await ask(account, 'PATCH', `${PROPERTIES}/net_worth`, { body: { label: 'L' }, token }),
    ]) {
      expect(readError(refused)).toMatchObject({ status: 403, category: 'MISSING_SCOPES' });
      expect(JSON.stringify(refused.body)).toContain(WRITE);
    }
    const granted = await start(WRITE);
    const good = { inputs: [{ id: granted.id, properties: { net_worth: '8' } }] };
    const writer = { token: granted.token };
    const update = await ask(granted.account, 'POST', `${CONTACTS}/batch/update`, {
      body: good,
      ...writer,
    });
    expect(update.status).toBe(200);
  });
});
