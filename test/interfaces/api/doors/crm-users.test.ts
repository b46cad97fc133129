/** Tests that owners can list the users who are linked to a CRM user, and can end a link through the API. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listContactIds } from '../../../../src/contacts/contacts.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { join } from '../people-world.ts';
import { type HubspotWorld, openHubspotWorld } from './hubspot-world.ts';

const open = closedAfterTest(openHubspotWorld);

const linksSchema = z.object({
  name: z.string(),
  links: z.array(z.object({ id: z.string(), crm: z.string(), account: z.string() })),
});

async function firstContact({ application: { store } }: HubspotWorld): Promise<string> {
  for await (const [id = ''] of listContactIds(store.reader, 'riverside')) return id;
  return '';
}

async function openLinked() {
  const world = await open({ contacts: 1 });
  await world.syncAll();
  const contact = await firstContact(world);
  const ada = await world.linkAs('Ada', 'admin', contact);
  const token = await world.addToken('owner');
  const ask = (method: string, path: string) =>
    fetch(`${world.url}/v1/users/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
  return { world, contact, ada, ask };
}

describe('an owner', () => {
  it('sees the user of the CRM, and ends the link: the card shows no more values', async () => {
    const { world, contact, ada, ask } = await openLinked();
    expect((await world.show(contact)).contact.values).not.toBeNull();
    const shown = linksSchema.parse(await (await ask('GET', `${ada.id}/crm-users`)).json());
    expect(shown).toMatchObject({ name: 'Ada', links: [{ crm: 'HubSpot' }] });
    const ended = await ask('DELETE', `${ada.id}/crm-users/${shown.links[0]?.id}`);
    expect([ended.status, await ended.json()]).toMatchObject([200, { name: 'Ada' }]);
    expect((await world.show(contact)).contact.values).toBeNull();
    const left = linksSchema.parse(await (await ask('GET', `${ada.id}/crm-users`)).json());
    expect(left.links).toEqual([]);
  });

  it('does not end a link under the name of another user', async () => {
    const { world, contact, ada, ask } = await openLinked();
    const { links } = linksSchema.parse(await (await ask('GET', `${ada.id}/crm-users`)).json());
    const { id: bo } = await join(world, 'Bo', 'viewer');
    const refused = await ask('DELETE', `${bo}/crm-users/${links[0]?.id}`);
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      { error: { code: 'crm_link_unknown', details: { link: links[0]?.id } } },
    ]);
    expect((await world.show(contact)).contact.values).not.toBeNull();
  });
});
