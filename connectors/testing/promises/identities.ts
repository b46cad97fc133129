/** Tests the parts of a contact's identity, and parts that the connector cannot read. */
import assert from 'node:assert/strict';
import type { Contact } from '../../../src/core/contact.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { Connector, IdentityShape } from '../../contract.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import { assertIncludes, byId, collectPages } from '../readings.ts';
import { FULL, people, SEVERAL } from '../seeds.ts';
import type { Suite } from '../suite.ts';

/**
 * A word from each address and each employer in `SEVERAL`. The tests search for these words, because a connector may
 * format an address differently.
 */
const WORDS = { addresses: ['Elm', 'Oak'], employers: ['Acme', 'Birch'] };

const HIDDEN_HINT =
  'Name each source that cannot be read, or end the reading with an error: otherwise `cannot be read` looks like `there are none`.';

const SEVERAL_OF = { addresses: 'severalAddresses', employers: 'severalEmployers' } as const;

export function promiseIdentities({ describe, it, can }: Suite): void {
  describe('identities', () => {
    it('are made of the same every time, and say so', async (t) => {
      await t.start([FULL]);
      const identity = t.connector.identity?.() ?? null;
      const names = identity?.sources.map(({ name }) => name) ?? [];
      assert.equal(new Set(names).size, names.length);
      assert.notEqual(identity?.mode, '');
      await t.startAgain();
      assert.deepEqual(t.connector.identity?.() ?? null, identity);
    });

    it('are unknown in nothing that can be read', async (t) => {
      const [full = '', sparse = ''] = await t.start([FULL, ...people(1)]);
      const unreadable = unreadableSources(t.connector.identity?.());
      const contacts = byId(await collectPages(t.connector, null));
      for (const id of [full, sparse]) {
        assert.deepEqual([...(contacts.get(id)?.unreadable ?? [])].sort(), unreadable);
      }
    });

    for (const part of ['addresses', 'employers'] as const) {
      const isComplete = can(SEVERAL_OF[part]);
      it(`have ${isComplete ? 'all ' : ''}${part} with the most significant one first`, async (t) => {
        const ids = await t.start(SEVERAL);
        const pages = byId(await collectPages(t.connector, null));
        for (const [at, lookup] of (await t.connector.readByIds(ids, [])).entries()) {
          const seeded = wordsOf(SEVERAL[at]?.[part], part);
          const looked = lookup.state === 'found' ? lookup.contact : undefined;
          for (const [how, contact] of [
            ['a page', pages.get(ids[at] ?? '')],
            ['a look-up', looked],
          ] as const) {
            const read = wordsOf(contact?.[part], part);
            const expected = isComplete ? seeded : seeded.filter((word) => read.includes(word));
            expectEqual(
              read,
              expected,
              `the ${part} of a contact in ${how}, in their order (${show(contact?.[part])})`,
              'Return all of them, the most significant one first: the primary address, and the current employer. The order in which the API returns them may be another.',
            );
          }
        }
      });
    }

    if (can('hideSources')) {
      for (const part of ['addresses', 'employers'] as const) {
        it(`tell ${part} that cannot be read from none, until they can be read again`, async (t) => {
          const [full = '', sparse = ''] = await t.start([FULL, ...people(1)]);
          const before = t.connector.identity?.();
          const known = byId(await collectPages(t.connector, null));
          const names = (await t.crm.hideSources?.(part)) ?? [];
          await t.startAgain();
          const hidden = t.connector.identity?.();
          // The mapping of the fields is the same with and without the permission.
          assert.deepEqual([hidden?.columns, hidden?.mode], [before?.columns, before?.mode]);
          assertIncludes(
            unreadableSources(hidden),
            [...names],
            'the sources that `identity()` calls unreadable',
            HIDDEN_HINT,
          );
          const contacts = byId(await collectPages(t.connector, null));
          const unknown = contacts.get(full)?.unreadable ?? [];
          assertIncludes(unknown, [...names], '`unreadable` of a contact', HIDDEN_HINT);
          for (const id of [full, sparse]) {
            const contact = contacts.get(id);
            const [lookup] = await t.connector.readByIds([id], []);
            assert.deepEqual(lookup, { state: 'found', id, contact, values: {} });
          }
          await t.crm.showSources?.();
          await t.startAgain();
          assert.deepEqual(t.connector.identity?.(), before);
          assert.deepEqual(byId(await collectPages(t.connector, null)), known);
        });
      }

      for (const part of ['addresses', 'employers'] as const) {
        it(`have no blanks for ${part} that are hidden while a run goes on`, async (t) => {
          const [full = ''] = await t.start([FULL]);
          const names = (await t.crm.hideSources?.(part)) ?? [];
          const contacts = await readUnlessRefused(t.connector, full);
          for (const contact of contacts) {
            const what = '`unreadable` of a contact';
            assertIncludes(contact.unreadable ?? [], [...names], what, HIDDEN_HINT);
          }
        });
      }
    }

    if (can('ids')) {
      it('belong to one id, whatever form of it is asked for', async (t) => {
        const ids = await t.start(people(3));
        for (const id of ids) {
          assert.equal(t.crm.ids?.canonicalId(id), id);
          for (const form of t.crm.ids?.otherForms(id) ?? []) {
            assert.equal(t.crm.ids?.canonicalId(form), id);
            const [lookup] = await t.connector.readByIds([form], []);
            assert.partialDeepStrictEqual(lookup, { state: 'found', id: form, contact: { id } });
          }
        }
        for (const text of t.crm.ids?.noIds ?? []) assert.equal(t.crm.ids?.canonicalId(text), null);
      });

      it('are not found by a text that only begins with an id', async (t) => {
        const ids = await t.start(people(3));
        for (const text of ids.flatMap((id) => [`${id}x`, `${id}.5`])) {
          const canonical = t.crm.ids?.canonicalId(text) ?? null;
          // If the connector accepts every string as an ID, this string may belong to a different contact.
          expectThat(canonical === null || !ids.includes(canonical), {
            what: `\`canonicalId\` of ${show(text)}, which nobody has`,
            expected: 'null',
            actual: show(canonical),
            hint: 'Another person would be read and written. Check the whole text, as with a pattern from ^ to $: `parseInt` ignores what follows the digits.',
          });
        }
      });
    }
  });
}

/** Returns the words from `WORDS` that these addresses or employers contain, in the same order. */
function wordsOf(texts: readonly string[] | undefined, part: keyof typeof WORDS): string[] {
  return (texts ?? []).flatMap((text) => WORDS[part].filter((word) => text.includes(word)));
}

/** Reads the contact by pages and by ID. Returns an empty list if the reading throws an error. */
async function readUnlessRefused(connector: Connector, id: string): Promise<Contact[]> {
  const contacts: Contact[] = [];
  const readings = [
    async () => contacts.push(...byId(await collectPages(connector, null)).values()),
    async () => {
      const [lookup] = await connector.readByIds([id], []);
      if (lookup?.state === 'found') contacts.push(lookup.contact);
    },
  ];
  for (const read of readings) {
    try {
      await read();
    } catch (error) {
      assert.ok(isDonorSyncError(error), `the error is none of the four kinds: ${error}`);
    }
  }
  return contacts;
}

function unreadableSources(identity: IdentityShape | undefined): string[] {
  const sources = identity?.sources ?? [];
  return sources.flatMap(({ name, readable }) => (readable ? [] : [name])).sort();
}
