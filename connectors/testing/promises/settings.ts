/** Promises about the settings under `contacts`. A connector must apply each setting or refuse it. */
import assert from 'node:assert/strict';
import { isConfigurationError } from '../../../src/core/errors.ts';
import type { Connector, ContactsSettings } from '../../contract.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import type { ConformanceHarness } from '../harness.ts';
import { byId, collect, collectPages, lastCursor, listIds } from '../readings.ts';
import { MARIA, people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

export const MARKS = ['optOutField', 'deceasedField', 'doNotContactField'] as const;

const MOST_OUTSIDE = 450;

export const VALUES_OF = {
  optOutField: 'optOutValues',
  deceasedField: 'deceasedValues',
  doNotContactField: 'doNotContactValues',
} as const;

export function promiseSettings({ describe, it }: Suite): void {
  describe('settings of contacts', () => {
    for (const setting of MARKS) {
      it(`obeys ${setting}, or refuses it`, async (t) => {
        const { field, mark, values } = markOf(t);
        const [marked = '', free = ''] = await t.crm.addContacts(people(2));
        await mark(marked);
        const connector = await openUnlessRefused(t, {
          [setting]: field,
          ...(values === undefined ? {} : { [VALUES_OF[setting]]: values }),
        });
        if (connector === null) return;
        const contacts = byId(await collectPages(connector, null));
        const lookups = await connector.readByIds([marked, free], []);
        for (const lookup of lookups) {
          const isMarked = lookup.id === marked;
          const found = lookup.state === 'found' ? lookup.contact : undefined;
          for (const [how, contact] of [
            ['a page', contacts.get(lookup.id)],
            ['a look-up', found],
          ] as const) {
            const member = setting === 'optOutField' ? 'optedOut' : 'excluded';
            expectEqual(
              isExcluded(contact, setting),
              isMarked,
              `whether ${setting} marks ${isMarked ? 'a marked' : 'another'} contact in ${how} (\`${member}\`)`,
              'Read the field in pages and in look-ups alike (`readMarks`), or people who must not be enhanced are.',
            );
          }
        }
      });
    }

    it('refuses a mark field that does not exist', async (t) => {
      for (const setting of MARKS) {
        const connector = await openUnlessRefused(t, { [setting]: 'no_such_field' });
        assert.ok(connector === null, `Nobody would seem to be marked: refuse this ${setting}.`);
      }
    });

    it('refuses values that mean an opt-out, without their field', async (t) => {
      const connector = await openUnlessRefused(t, { optOutValues: ['yes'] });
      assert.ok(connector === null, 'Nobody would seem to have opted out (requireMarkFields).');
    });

    it('brings an opt-out that was set after the cursor', async (t) => {
      const { mark, settings } = optOutOf(t);
      const [marked = ''] = await t.crm.addContacts(people(3));
      const connector = await openUnlessRefused(t, settings);
      if (connector === null || !connector.capabilities.incremental) return;
      const cursor = lastCursor(await collectPages(connector, null));
      await mark(marked);
      const contacts = byId(await collectPages(connector, cursor));
      assert.equal(contacts.get(marked)?.optedOut, true);
    });

    it('obeys the values that mean an opt-out, or refuses them', async (t) => {
      const { mark, settings } = optOutOf(t);
      const [marked = '', free = ''] = await t.crm.addContacts(people(2));
      await mark(marked);
      const optOutValues = ['a value that no contact has'];
      const connector = await openUnlessRefused(t, { ...settings, optOutValues });
      if (connector === null) return;
      const contacts = byId(await collectPages(connector, null));
      for (const id of [marked, free]) assert.equal(contacts.get(id)?.optedOut, false);
    });

    it('obeys contacts.filter, or refuses it', async (t) => {
      const { filter } = t.crm;
      if (filter === undefined) {
        const connector = await openUnlessRefused(t, { filter: 'no such condition' });
        assert.ok(
          connector === null,
          'The connector accepts contacts.filter. Add `filter` to the harness, or refuse the setting (requireKnown).',
        );
        return;
      }
      const [included = '', excluded = ''] = await t.crm.addContacts([
        filter.included,
        filter.excluded,
      ]);
      const connector = await t.another({ contacts: { filter: filter.text } });
      const pages = await collectPages(connector, null);
      const hint = 'Send `contacts.filter` with the request for the pages.';
      expectEqual(listIds(pages), [included], 'the contacts that `readPages` returns', hint);
      if (connector.capabilities.incremental) {
        const cursor = lastCursor(await collectPages(connector, null));
        for (const id of [included, excluded]) await t.crm.editContact(id, { firstName: 'Anna' });
        const ids = listIds(await collectPages(connector, cursor));
        expectEqual(
          [...new Set(ids)],
          [included],
          'the contacts that `readPages` returns after a cursor',
          'Send `contacts.filter` in an incremental reading too, in addition to the time.',
        );
      }
      // A look-up by ID returns the contact even if the filter excludes the contact.
      const [lookup] = await connector.readByIds([excluded], []);
      assert.equal(lookup?.state, 'found');
    });

    it('says which contacts the filter includes now, if it can', async (t) => {
      const { filter } = t.crm;
      if (filter === undefined) return;
      const [leaving = '', excluded = ''] = await t.crm.addContacts([
        filter.included,
        filter.excluded,
      ]);
      const connector = await t.another({ contacts: { filter: filter.text } });
      if (connector.findIncluded === undefined) return;
      const ids = [leaving, excluded];
      const hint =
        'Ask the CRM for each call, with the filter: a contact that has left it must not cost a credit.';
      const before = [...(await connector.findIncluded(ids))];
      expectEqual(before, [leaving], 'the contacts that `findIncluded` returns', hint);
      await t.crm.editContact(leaving, filter.excluded);
      const after = [...(await connector.findIncluded(ids))];
      expectEqual(after, [], 'the contacts after the last one has left the filter', hint);
      await t.crm.editContact(excluded, filter.included);
      const joined = [...(await connector.findIncluded(ids))];
      expectEqual(joined, [excluded], 'the contacts after another one has joined', hint);
    });

    it('searches only among the contacts that the filter includes, if it can search', async (t) => {
      const { filter } = t.crm;
      if (filter === undefined) return;
      const [included = '', excluded = ''] = await t.crm.addContacts([
        filter.included,
        filter.excluded,
      ]);
      const connector = await t.another({ contacts: { filter: filter.text } });
      if (connector.search === undefined) return;
      for (const [id, { lastName }, expected] of [
        [excluded, filter.excluded, false],
        [included, filter.included, true],
      ] as const) {
        if (lastName === null) continue;
        const found = await connector.search(lastName, 20);
        expectThat(found.includes(id) === expected, {
          what: `search("${lastName}") with contacts.filter "${filter.text}"`,
          expected: expected
            ? 'the contact, which the filter includes'
            : 'without the contact, which the filter excludes',
          actual: show(found),
          hint: 'Send `contacts.filter` with the search, as for the pages.',
        });
      }
    });

    it('sees that a mark was removed', async (t) => {
      const { mark, unmark, settings } = optOutOf(t);
      const [id = ''] = await t.crm.addContacts(people(2));
      await mark(id);
      const connector = await openUnlessRefused(t, settings);
      if (connector === null || unmark === undefined) return;
      const pages = await collectPages(connector, null);
      await unmark(id);
      const [lookup] = await connector.readByIds([id], []);
      const contact = lookup?.state === 'found' ? lookup.contact : undefined;
      const hint = 'Read the mark field anew for each contact, and take a blank for no mark.';
      expectEqual(byId(pages).get(id)?.optedOut, true, '`optedOut` of a marked contact', hint);
      expectEqual(contact?.optedOut, false, '`optedOut` after the mark was removed', hint);
    });

    it('finds each opt-out outside the filter, also on later pages', async (t) => {
      const { filter } = t.crm;
      if (filter === undefined) return;
      const { mark, settings } = optOutOf(t);
      const most = Math.min(t.crm.contactsForThreePages, MOST_OUTSIDE);
      const ids = await t.crm.addContacts(Array.from({ length: most }, () => filter.excluded));
      const marked = [ids[0] ?? '', ids[Math.floor(most / 2)] ?? '', ids.at(-1) ?? ''];
      for (const id of marked) await mark(id);
      const connector = await openUnlessRefused(t, { filter: filter.text, ...settings });
      if (connector?.findMarked === undefined) return;
      const found = (await collect(connector.findMarked(null))).flat();
      expectEqual(
        marked.filter((id) => !found.includes(id)),
        [],
        `marked contacts that \`findMarked\` does not return, of ${most} outside the filter`,
        'Read all pages, without `contacts.filter`.',
      );
    });

    it('finds opt-outs outside the filter', async (t) => {
      const { filter } = t.crm;
      if (filter === undefined) return;
      const { mark, settings } = optOutOf(t);
      const [excluded = ''] = await t.crm.addContacts([filter.excluded, MARIA]);
      await mark(excluded);
      const connector = await openUnlessRefused(t, { filter: filter.text, ...settings });
      if (connector === null) return;
      assert.ok(connector.findMarked, 'With a filter, `readPages` does not show every mark.');
      const marked = (await collect(connector.findMarked(null))).flat();
      assert.ok(marked.includes(excluded), 'The opt-out outside the filter is missing.');
    });
  });
}

/** Returns the way in which users of this CRM mark an opt-out, and the settings for it. */
export function optOutOf(t: ConnectorTest) {
  const { field, values, ...acts } = markOf(t);
  const settings = {
    optOutField: field,
    ...(values === undefined ? {} : { optOutValues: values }),
  };
  return { ...acts, settings };
}

function markOf({ crm }: ConnectorTest): NonNullable<ConformanceHarness['markField']> {
  const [field] = crm.textFields;
  return (
    crm.markField ?? {
      field,
      mark: (id) => crm.setValue(id, field, 'yes'),
      unmark: (id) => crm.setValue(id, field, null),
    }
  );
}

/** Opens a connector. Returns null if the connector refuses these settings. */
export async function openUnlessRefused(
  t: ConnectorTest,
  contacts: Partial<ContactsSettings>,
): Promise<Connector | null> {
  try {
    return await t.another({ contacts });
  } catch (error) {
    assert.ok(
      isConfigurationError(error),
      `It must refuse a setting as a mistake in the settings: ${error}`,
    );
    return null;
  }
}

export function isExcluded(
  contact: { optedOut: boolean; excluded?: string | null } | undefined,
  setting: (typeof MARKS)[number],
): boolean | undefined {
  if (contact === undefined) return undefined;
  if (setting === 'optOutField') return contact.optedOut;
  return contact.excluded === (setting === 'deceasedField' ? 'deceased' : 'do_not_contact');
}
