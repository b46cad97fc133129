/** CiviCRM has stored only some values of a different person. Tests that donor-sync then restores the former values. */
import { expect, it, onTestFinished } from 'vitest';
import { startFaultProxy } from '../../../connectors/testing/proxy.ts';
import { collect } from '../../../connectors/testing/readings.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { openSite } from './site.ts';

const OTHER = { 'Test.Note': 'other', 'Test.Loud': 'other' };

/**
 * Opens a site that changes values of the field Loud before it stores them. `isFailing` determines which write
 * requests fail.
 */
async function openWorld(isFailing: (saves: number) => boolean) {
  const site = await openSite();
  onTestFinished(() => site.close());
  for (const name of ['Note', 'Loud']) await site.addField(name);
  const [id = ''] = await site.addContacts(people(1));
  for (const field of Object.keys(OTHER)) await site.setValue(id, field, 'former');
  await site.control('POST', 'rules', { kind: 'upperCase', field: 'Test.Loud' });
  const proxy = await startFaultProxy(site.sandbox.baseUrl);
  onTestFinished(() => proxy.close());
  const connector = await site.open({ url: proxy.url });
  onTestFinished(() => connector.close());
  let saves = 0;
  proxy.rule(({ url }) => {
    if (!url.includes('/Contact/save')) return null;
    saves += 1;
    const body = JSON.stringify({ error_code: 1, error_message: 'Sorry', status: 500 });
    return isFailing(saves) ? { kind: 'answer', status: 500, body } : null;
  });
  const write = () => collect(connector.write([{ id, values: OTHER, together: true }]));
  const custom = async () => {
    const { 'Test.Note': note, 'Test.Loud': loud } = await site.record(id);
    return { note, loud };
  };
  return { id, write, custom, heal: () => proxy.rule(() => null) };
}

it('restores them with a further request if CiviCRM refuses the first one', async () => {
  const { write, custom } = await openWorld((saves) => saves === 2);
  expect(await write()).toMatchObject([
    { status: 'refused', code: 'VALUE_STORED_DIFFERENTLY', fields: ['Test.Loud'] },
  ]);
  // The site also changes the restored former value, as the site does for a value that a user types.
  expect(await custom()).toEqual({ note: 'former', loud: 'FORMER' });
});

it('names the contact and the fields if CiviCRM refuses each request, and tries again in the next write', async () => {
  const { id, write, custom, heal } = await openWorld((saves) => saves > 1);
  const fields = ['Test.Note', 'Test.Loud'];
  expect(await write()).toMatchObject([
    { status: 'refused', id, code: 'FORMER_VALUES_NOT_RESTORED', fields, retriable: true },
  ]);
  expect(await custom()).toEqual({ note: 'other', loud: 'OTHER' });
  heal();
  expect(await write()).toMatchObject([
    { code: 'VALUE_NOT_STORED', fields: ['Test.Loud'], retriable: false },
  ]);
});
