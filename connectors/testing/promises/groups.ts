/** Tests whether connectors read groups of contacts. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { GroupSelector } from '../../contract.ts';
import { expectEqual, show } from '../expect.ts';
import type { ConformanceHarness } from '../harness.ts';
import {
  assertIncludes,
  collect,
  HIDDEN_PAGE_HINT,
  hidePages,
  SHORT_PAGE_HINT,
  someOf,
} from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

export function promiseGroups({ describe, it, can, notShown }: Suite): void {
  if (!can('groups')) return;
  describe('groups', () => {
    it('brings the members of a group, each once, and no others', async (t) => {
      const ids = await t.crm.addContacts(people(5));
      const selector = await requireGroups(t).add(ids.slice(1, 4));
      await t.open();
      const members = (await collect(t.connector.readGroup(selector))).flat();
      assert.deepEqual([...members].sort(), ids.slice(1, 4).sort());
      const keys = Object.keys(selector);
      assertIncludes(
        t.connector.capabilities.groups,
        [keys[0]],
        '`capabilities.groups`',
        'Name the kind of each group that can be selected.',
      );
    });

    it('brings all members of a large group', async (t) => {
      const count = Math.min(t.crm.contactsForThreePages, LARGE_GROUP);
      const ids = await t.crm.addContacts(people(count));
      const selector = await requireGroups(t).add(ids);
      await t.open();
      const members = (await collect(t.connector.readGroup(selector))).flat();
      assert.deepEqual(new Set(members), new Set(ids));
    });

    it('misses no member of a group while others leave it', async (t) => {
      const count = Math.min(t.crm.contactsForThreePages, LARGE_GROUP);
      const ids = await t.crm.addContacts(people(count));
      const { add, leave } = requireGroups(t);
      const selector = await add(ids);
      await t.open();
      const seen = new Set<string>();
      const left = new Set<string>();
      for await (const members of t.connector.readGroup(selector)) {
        for (const id of members) seen.add(id);
        if (left.size > 0) continue;
        for (const id of members.slice(0, MOST_LEAVING)) left.add(id);
        if (leave === undefined) for (const id of left) await t.crm.deleteContact(id);
        else await leave(selector, [...left]);
      }
      expectEqual(
        ids.filter((id) => !seen.has(id)),
        [],
        'members that were in the group all the time and are missing',
        'If members leave, the later ones move up, and an offset skips them: use `readOffsetPages`, `readIdPages`, or a cursor of the CRM.',
      );
    });

    it('throws for a group that it cannot read', async (t) => {
      await t.start(people(2));
      await assert.rejects(
        collect(t.connector.readGroup(requireGroups(t).unknown)),
        isDonorSyncError,
      );
    });

    it('brings nobody for a part of a name or an id of a group', async (t) => {
      const ids = await t.crm.addContacts(people(4));
      const { add, unknown } = requireGroups(t);
      const selectors = [await add(ids.slice(0, 2)), await add(ids.slice(2))];
      await t.open();
      for (const selector of selectors) {
        for (const part of partsOf(selector)) {
          if (isDeepStrictEqual(part, unknown)) continue;
          const found = await collect(t.connector.readGroup(part)).catch((error: unknown) => {
            if (!isDonorSyncError(error)) throw error;
            return [];
          });
          expectEqual(
            found.flat().filter((id) => ids.includes(id)),
            [],
            `the members that are read for ${show(part)}, while the group is ${show(selector)}`,
            NAME_HINT,
          );
        }
      }
    });

    if (can('namedGroups')) {
      it('tells groups apart whose names contain each other, or have special characters', async (t) => {
        const ids = await t.crm.addContacts(people(NAMES.length));
        const selectors: GroupSelector[] = [];
        for (const [at, name] of NAMES.entries()) {
          selectors.push(await requireGroups(t).add([ids[at] ?? ''], name));
        }
        await t.open();
        for (const [at, selector] of selectors.entries()) {
          const members = (await collect(t.connector.readGroup(selector))).flat();
          const what = `the members of the group "${NAMES[at]}", next to ${show(NAMES)}`;
          expectEqual(members, [ids[at]], what, NAME_HINT);
        }
      });
    } else {
      notShown(
        'not shown, because the harness has no `namedGroups`: groups whose names contain each other, or have special characters',
      );
    }

    it('leaves out a member who has left the group', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const { add, leave } = requireGroups(t);
      if (leave === undefined) return;
      const selector = await add(ids);
      await leave(selector, ids.slice(0, 1));
      await t.open();
      const members = (await collect(t.connector.readGroup(selector))).flat();
      const hint = 'Many CRMs keep former members with an end date or a status: leave them out.';
      const what = 'the members of a group after one has left it';
      expectEqual([...members].sort(), ids.slice(1).sort(), what, hint);
    });

    if (can('namedGroups')) {
      it('refuses a name that two groups have', async (t) => {
        const [first = '', second = ''] = await t.crm.addContacts(people(2));
        const selector = await requireGroups(t).add([first], 'Board');
        // The value is null if the CRM does not allow a second group with the same name.
        const twin = await requireGroups(t)
          .add([second], 'Board')
          .catch(() => null);
        if (twin === null) return;
        await t.open();
        expectEqual(
          await membersOrRefusal(t, selector),
          'refused',
          'the members of the group "Board", while two groups have this name',
          'Count the groups with this name, and throw a ConfigurationError unless there is exactly one: the first one may be the wrong one, and strangers would become a network.',
        );
      });

      it('never takes a group for another one whose name differs only in case or white space', async (t) => {
        const ids = await t.crm.addContacts(people(SIMILAR_NAMES.length));
        const made: { selector: GroupSelector; member: string; name: string }[] = [];
        for (const [at, name] of SIMILAR_NAMES.entries()) {
          const member = ids[at] ?? '';
          const selector = await requireGroups(t)
            .add([member], name)
            .catch(() => null);
          if (selector !== null) made.push({ selector, member, name });
        }
        await t.open();
        for (const { selector, member, name } of made) {
          const found = await membersOrRefusal(t, selector);
          if (found === 'refused') continue;
          const what = `the members of the group ${show(name)}, next to ${show(made.map((each) => each.name))}`;
          const hint =
            'Compare names exactly, with case and white space. If the CRM cannot tell them apart, throw a ConfigurationError for more than one match.';
          expectEqual(found, [member], what, hint);
        }
      });
    }

    if (can('vanish')) {
      it('never takes a page whose members are all hidden for the end of a group', async (t) => {
        const count = Math.min(t.crm.contactsForThreePages, LARGE_GROUP);
        const ids = await t.crm.addContacts(people(count));
        const selector = await requireGroups(t).add(ids);
        await t.open();
        const pages = await collect(t.connector.readGroup(selector));
        const size = Math.max(...pages.map(({ length }) => length));
        await hidePages(pages.flat(), size, t.crm.vanish, async (left) => {
          await t.startAgain();
          const found = await membersOrRefusal(t, selector);
          if (found === 'refused') return;
          const missing = left.filter((id) => !found.includes(id));
          const what = `members that are missing after pages of ${size} whose rows are all hidden`;
          expectEqual(missing, [], what, HIDDEN_PAGE_HINT);
        });
      });

      it('brings the other members of a group in which some are hidden', async (t) => {
        const count = Math.min(t.crm.contactsForThreePages, LARGE_GROUP);
        const ids = await t.crm.addContacts(people(count));
        const selector = await requireGroups(t).add(ids);
        const hidden = someOf(ids);
        for (const id of hidden) await t.crm.vanish?.(id);
        await t.open();
        const members = new Set((await collect(t.connector.readGroup(selector))).flat());
        expectEqual(
          ids.filter((id) => !members.has(id) && !hidden.includes(id)),
          [],
          `members that are missing from a group of ${count}, ${hidden.length} of whom are hidden`,
          SHORT_PAGE_HINT,
        );
      });
    }

    if (can('addBreakingGroup')) {
      it('throws for a group that breaks off, so that half of it never looks whole', async (t) => {
        const ids = await t.start(people(5));
        const selector = await t.crm.addBreakingGroup?.(ids);
        await assert.rejects(
          collect(t.connector.readGroup(selector ?? requireGroups(t).unknown)),
          isDonorSyncError,
        );
      });
    }

    it('throws when the run stops, so that half a group never looks whole', async (t) => {
      const ids = await t.crm.addContacts(people(3));
      const selector = await requireGroups(t).add(ids);
      const stop = new AbortController();
      await t.open({ signal: stop.signal });
      stop.abort();
      await assert.rejects(collect(t.connector.readGroup(selector)), isDonorSyncError);
    });

    it('lists groups that it can read', async (t) => {
      const ids = await t.crm.addContacts(people(4));
      await requireGroups(t).add(ids.slice(0, 2));
      await t.open();
      for (const { selector, memberCount } of await t.connector.listGroups()) {
        const members = (await collect(t.connector.readGroup(selector))).flat();
        assert.equal(memberCount ?? members.length, members.length);
      }
    });
  });
}

/**
 * Group names that are easily confused. A name is contained in the previous name, or differs from the previous name by
 * one ignored character.
 */
const NAMES = [
  ...['Friends of the Board 2026', 'Board 2026', 'Board', 'board & Co'],
  ...["O'Hara’s 50% (a+b)?", 'a+b', '"Gala" #1/2', 'Gala'],
];

const NAME_HINT =
  'Compare the whole name or id yourself: the search of a CRM often finds each name that contains the text, in any order. Without exactly one such group, throw a ConfigurationError. Encode the name in addresses and queries.';

/** Names that differ only in letter case or in a space. In many CRMs, they belong to different groups. */
const SIMILAR_NAMES = ['gala', 'Gala', 'GALA', 'Gala '];

/** Returns the sorted members of a group, or a text if the connector refuses to read the group. */
async function membersOrRefusal(
  { connector }: ConnectorTest,
  selector: GroupSelector,
): Promise<string[] | 'refused'> {
  try {
    return (await collect(connector.readGroup(selector))).flat().sort();
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    return 'refused';
  }
}

/** Returns copies of the selector in which a string is shortened. */
function partsOf(selector: GroupSelector): GroupSelector[] {
  return Object.entries(selector).flatMap(([key, value]) => {
    if (typeof value !== 'string' || value.length < 3) return [];
    const middle = Math.ceil(value.length / 2);
    const parts = [value.slice(0, middle), value.slice(middle), value.slice(0, -2)];
    // Shortened digits are left out, because they may be the ID of a different group.
    return parts
      .filter((part) => part.trim() !== '' && !/^\d+$/.test(part))
      .map((part) => ({ ...selector, [key]: part }));
  });
}

/** The number of members of a large group. Most CRMs return such a group in more than one response. */
const LARGE_GROUP = 251;

const MOST_LEAVING = 30;

function requireGroups({ crm }: ConnectorTest): NonNullable<ConformanceHarness['groups']> {
  assert.ok(crm.groups, 'The harness has no groups.');
  return crm.groups;
}
