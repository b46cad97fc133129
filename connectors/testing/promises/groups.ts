/** Reading groups of contacts. */
import assert from 'node:assert/strict';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import { expectEqual } from '../expect.ts';
import type { ConformanceHarness } from '../harness.ts';
import { assertIncludes, collect } from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

export function promiseGroups({ describe, it, can }: Suite): void {
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

/** The size of a group with more members than most CRMs return together. */
const LARGE_GROUP = 251;

const MOST_LEAVING = 30;

function requireGroups({ crm }: ConnectorTest): NonNullable<ConformanceHarness['groups']> {
  assert.ok(crm.groups, 'The harness has no groups.');
  return crm.groups;
}
