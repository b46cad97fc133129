/** Tests the CRM's own fields that mark people who have died or who must not be contacted. */
import { expectEqual, expectThat, show } from '../expect.ts';
import { byId, collectPages, lastCursor } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

const KINDS = [
  { kind: 'deceased', exclusion: 'deceased', include: 'includeDeceased' },
  { kind: 'doNotContact', exclusion: 'do_not_contact', include: 'includeDoNotContact' },
] as const;

export function promiseOwnMarks({ describe, it, can, notShown }: Suite): void {
  describe('marks of the CRM itself', () => {
    it('declares the marks that it is tested for', async (t) => {
      await t.start([]);
      const declared = (t.connector.automaticMarks?.() ?? []).map(({ kind }) => kind);
      const tested = can('ownMarks') ? Object.keys(t.crm.ownMarks ?? {}) : [];
      const untested = [...new Set(declared)].filter((kind) => !tested.includes(kind));
      expectEqual(
        untested,
        [],
        'kinds of marks in `automaticMarks` that the harness cannot set',
        'Add `ownMarks` to the abilities, and to the harness a function for each kind that marks a contact as users of the CRM do.',
      );
    });

    if (!can('ownMarks')) {
      notShown(
        'not shown, because the harness has no `ownMarks`: people whom the CRM itself marks as deceased or not to be contacted',
      );
      return;
    }

    for (const { kind, exclusion, include } of KINDS) {
      it(`excludes a contact that the CRM marks (${kind}), unless ${include} is set`, async (t) => {
        const mark = t.crm.ownMarks?.[kind];
        if (mark === undefined) return;
        const [marked = '', late = '', free = ''] = await t.start(people(3));
        await mark(marked);
        const pages = await collectPages(t.connector, null);
        await mark(late);
        const later = t.connector.capabilities.incremental
          ? await collectPages(t.connector, lastCursor(pages))
          : await collectPages(t.connector, null);
        const lookups = await t.connector.readByIds([marked, late, free], []);
        const looked = lookups.map((each) => (each.state === 'found' ? each.contact : undefined));
        const hint =
          'Read the CRM’s own field for it in every way of reading, and set `excluded`; name the field in `automaticMarks`.';
        const expected = [exclusion, exclusion, exclusion, exclusion];
        const actual = [byId(pages).get(marked), byId(later).get(late), looked[0], looked[1]];
        const what = `\`excluded\` of marked contacts by pages, after the cursor, and by id`;
        expectEqual(
          actual.map((contact) => contact?.excluded),
          expected,
          what,
          hint,
        );
        for (const contact of [byId(pages).get(free), looked[2]]) {
          expectThat(contact !== undefined && contact.excluded == null, {
            ...{ what: '`excluded` of a contact without a mark', expected: 'nothing' },
            ...{ actual: show(contact?.excluded), hint },
          });
        }
        const including = await t.another({ contacts: { [include]: true } }).catch(() => undefined);
        if (including === undefined) return;
        const included = byId(await collectPages(including, null)).get(marked);
        // The CRM may set a second mark at the same time.
        expectThat(included !== undefined && included.excluded !== exclusion, {
          ...{ what: `\`excluded\` with ${include}: true`, expected: `not ${exclusion}` },
          actual: show(included?.excluded),
          hint: 'Obey the setting, or refuse it (requireKnown).',
        });
      });

      it(`keeps excluding a contact with another mark of the CRM if ${include} is set`, async (t) => {
        const other = KINDS.find((each) => each.kind !== kind) ?? KINDS[0];
        const [mark, markOtherwise] = [t.crm.ownMarks?.[kind], t.crm.ownMarks?.[other.kind]];
        if (mark === undefined || markOtherwise === undefined) return;
        const [single = '', both = ''] = await t.crm.addContacts(people(2));
        await markOtherwise(single);
        await markOtherwise(both);
        await mark(both);
        const including = await t.another({ contacts: { [include]: true } }).catch(() => undefined);
        if (including === undefined) return;
        const found = byId(await collectPages(including, null));
        const lookups = await including.readByIds([single, both], []);
        const looked = lookups.map((each) =>
          each.state === 'found' ? each.contact.excluded : each.state,
        );
        expectEqual(
          [found.get(single)?.excluded, found.get(both)?.excluded, ...looked],
          [other.exclusion, other.exclusion, other.exclusion, other.exclusion],
          `\`excluded\` with ${include}: true, of a contact with the mark ${other.kind}, and of one with both marks, by pages and by id`,
          `${include} concerns only the mark ${kind}. Test each mark with its own setting, and then look at the next mark: a contact can have several.`,
        );
      });
    }
  });
}
