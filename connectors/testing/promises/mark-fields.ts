/** Tests mark fields of each type, and contacts with several marks. */
import type { CrmField, FieldValue } from '../../../src/core/crm-field.ts';
import type { Connector } from '../../contract.ts';
import { expectEqual } from '../expect.ts';
import { byId, collectPages, write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';
import { describeTyped } from '../typed.ts';
import { isExcluded, MARKS, openUnlessRefused, VALUES_OF } from './settings.ts';

/** The expected meaning of a field's value under the given settings. */
interface Case {
  value: FieldValue;
  /**
   * The values that the settings define as marks. If the settings define no such values, all dates and all words such
   * as "yes" are marks.
   */
  values?: readonly string[];
  isMarked: boolean;
}

const HINT =
  'Pass the field to `readMarks` in every way of reading: a list for a field that can have several values, `yes` or `no` for a boolean, the text of any other value, and a blank for none. A joined text (`mail;research`) equals no listed value.';

const WORDS: readonly (readonly [text: string, isMarked: boolean])[] = [
  ...['yes', 'YES', 'true', '1', '2026-11-20'].map((text) => [text, true] as const),
  ...['no', 'No', 'false', '0'].map((text) => [text, false] as const),
];

export function promiseMarkFields({ describe, it, can, notShown }: Suite): void {
  describe('marks in fields', () => {
    for (const setting of MARKS) {
      it(`are found in fields of each type, if ${setting} names them`, async (t) => {
        await t.start([]);
        for (const field of await describeTyped(t)) {
          for (const { value, values, isMarked } of casesOf(field)) {
            const [id = ''] = await t.crm.addContacts(people(1));
            const writer = await t.another();
            const results =
              value === null ? [] : await write(writer, [{ id, values: { [field.name]: value } }]);
            await writer.finish();
            if (results.some(({ status }) => status !== 'written')) continue;
            const connector = await openUnlessRefused(t, {
              [setting]: field.name,
              ...(values === undefined ? {} : { [VALUES_OF[setting]]: values }),
            });
            if (connector === null) break;
            const what = `with ${setting}: ${field.name} (${field.type})${values === undefined ? '' : ` and ${VALUES_OF[setting]}: [${values}]`}, the mark of a contact whose value is ${JSON.stringify(value)}`;
            for (const [how, contact] of await bothWays(connector, id)) {
              expectEqual(isExcluded(contact, setting), isMarked, `${what}, in ${how}`, HINT);
            }
            await connector.close();
          }
        }
      });
    }

    if (can('anyTextMarks')) {
      notShown(
        'not shown, because each text in a field of a mark is a mark (`anyTextMarks`): words for no',
      );
    }

    it('are set by words for yes and by dates, and not by words for no', async (t) => {
      // In this CRM, users mark contacts in a special field and not in a text field.
      if (t.crm.markField !== undefined) return;
      const [field] = t.crm.textFields;
      const words = WORDS.filter(([, isMarked]) => isMarked || !can('anyTextMarks'));
      const ids = await t.crm.addContacts(people(words.length));
      for (const [at, [text]] of words.entries()) await t.crm.setValue(ids[at] ?? '', field, text);
      const connector = await openUnlessRefused(t, { optOutField: field });
      if (connector === null) return;
      const contacts = byId(await collectPages(connector, null));
      for (const [at, [text, isMarked]] of words.entries()) {
        const { optedOut, excluded = null } = contacts.get(ids[at] ?? '') ?? {};
        const what = `\`optedOut\` and \`excluded\` of a contact with "${text}" in the opt-out field`;
        expectEqual([optedOut, excluded], [isMarked, null], what, HINT);
      }
    });

    it('count in their order if a contact has several', async (t) => {
      if (t.crm.markField !== undefined) return;
      const [first, second] = t.crm.textFields;
      const [id = ''] = await t.crm.addContacts(people(2));
      for (const field of [first, second]) await t.crm.setValue(id, field, 'yes');
      const hint =
        '`deceased` comes before `do_not_contact`, and `optedOut` is independent of both: one mark must not hide another.';
      const both = { doNotContactField: first, deceasedField: second };
      const optOut = { optOutField: first, deceasedField: second };
      const cases = [
        { contacts: both, expected: [false, 'deceased'] },
        { contacts: optOut, expected: [true, 'deceased'] },
      ];
      for (const { contacts, expected } of cases) {
        const connector = await openUnlessRefused(t, contacts);
        if (connector === null) continue;
        for (const [how, contact] of await bothWays(connector, id)) {
          const what = `\`optedOut\` and \`excluded\` in ${how}, with ${Object.keys(contacts).join(' and ')} both marked`;
          expectEqual([contact?.optedOut, contact?.excluded], expected, what, hint);
        }
      }
      if (!can('ownMarks')) return;
      for (const [kind, exclusion] of [
        ['deceased', 'deceased'],
        ['doNotContact', 'do_not_contact'],
      ] as const) {
        const mark = t.crm.ownMarks?.[kind];
        const connector = await openUnlessRefused(t, { optOutField: first });
        if (mark === undefined || connector === null) continue;
        const [owned = ''] = await t.crm.addContacts(people(1));
        await t.crm.setValue(owned, first, 'yes');
        await mark(owned);
        for (const [how, contact] of await bothWays(connector, owned)) {
          const what = `\`optedOut\` and \`excluded\` in ${how}, of a contact that has opted out and that the CRM marks (${kind})`;
          expectEqual([contact?.optedOut, contact?.excluded], [true, exclusion], what, hint);
        }
      }
    });
  });
}

/** Returns the contact as read in a page and as read by its ID. */
async function bothWays(connector: Connector, id: string) {
  const [lookup] = await connector.readByIds([id], []);
  return [
    ['a page', byId(await collectPages(connector, null)).get(id)],
    ['a look-up', lookup?.state === 'found' ? lookup.contact : undefined],
  ] as const;
}

function casesOf({ type, options }: CrmField): Case[] {
  const [first, second, third] = options.filter((option) => !/[;,]/.test(option));
  if (type === 'boolean') {
    return [
      { value: true, isMarked: true },
      { value: false, isMarked: false },
    ];
  }
  if (type === 'date') {
    return [
      { value: '2026-11-20', isMarked: true },
      { value: null, isMarked: false },
    ];
  }
  if (first === undefined || second === undefined) return [];
  if (type === 'picklist') {
    return [
      { value: second, values: [second], isMarked: true },
      { value: first, values: [second], isMarked: false },
    ];
  }
  if (type !== 'multiPicklist') return [];
  return [
    { value: `${first};${second}`, values: [first], isMarked: true },
    { value: `${first};${second}`, values: [second], isMarked: true },
    { value: first, values: [second], isMarked: false },
    ...(third === undefined
      ? []
      : [{ value: `${first};${second}`, values: [third], isMarked: false }]),
  ];
}
