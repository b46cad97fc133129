/** Tests marks in custom fields with options, as users of a site create them. */
import { expect, it, onTestFinished } from 'vitest';
import type { ContactsSettings } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { openSite } from './site.ts';

/** CiviCRM proposes numbers as option values, and users see only the labels. */
const WISHES = [
  { id: '1', name: 'Newsletter', label: 'Newsletter' },
  { id: '2', name: 'No_research', label: 'No research' },
  { id: '3', name: 'No_calls', label: 'No calls' },
];

async function openMarked(choices: Partial<ContactsSettings>) {
  const site = await openSite();
  onTestFinished(() => site.close());
  await site.addField('Wishes', { html_type: 'CheckBox', serialize: 1, option_values: WISHES });
  await site.addField('Wish', { html_type: 'Select', option_values: WISHES });
  const ids = await site.addContacts(people(3));
  const contacts: Partial<ContactsSettings> = { optOutField: 'Test.Wishes', ...choices };
  const connector = await site.open({ contacts });
  onTestFinished(() => connector.close());
  return {
    site,
    ids,
    async optedOut() {
      const lookups = await connector.readByIds(ids, []);
      return lookups.map((each) => each.state === 'found' && each.contact.optedOut);
    },
  };
}

it('finds an opt-out among several options of a contact', async () => {
  const { site, ids, optedOut } = await openMarked({ optOutValues: ['2'] });
  const [several = '', alone = ''] = ids;
  await site.setValue(several, 'Test.Wishes', ['1', '2']);
  await site.setValue(alone, 'Test.Wishes', ['2']);
  expect(await optedOut()).toEqual([true, true, false]);
});

it('understands the labels of options in the settings, because users do not see the values', async () => {
  const { site, ids, optedOut } = await openMarked({
    optOutField: 'Test.Wish',
    optOutValues: ['No research'],
  });
  const [out = '', other = ''] = ids;
  await site.setValue(out, 'Test.Wish', '2');
  await site.setValue(other, 'Test.Wish', '3');
  expect(await optedOut()).toEqual([true, false, false]);
});
