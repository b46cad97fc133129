/** Tests readings of contacts page by page, from the start or from a cursor. */
import assert from 'node:assert/strict';
import { systemClock } from '../../../src/core/clock.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { ContactPage } from '../../contract.ts';
import { expectEqual, expectThat } from '../expect.ts';
import { endingOf } from '../faults.ts';
import {
  assertIncludes,
  byId,
  collect,
  collectPages,
  HIDDEN_PAGE_HINT,
  hidePages,
  lastCursor,
  listIds,
  listRemoved,
  SHORT_PAGE_HINT,
  someOf,
  stopAfterFirst,
} from '../readings.ts';
import { MARIA, people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';
import { canChangeZone, duringZone, ZONES } from '../time-zones.ts';

const A_SECOND_MS = 1_100;

export function promisePages({ describe, it, can, notShown }: Suite): void {
  describe('reading pages', () => {
    it('brings every contact with the identity that stands in the CRM', async (t) => {
      const [full, sparse] = await t.start([
        { ...MARIA, addresses: ['1 Elm Street, Springfield'], employers: ['Acme Foundation'] },
        { firstName: null, lastName: 'Özgür', addresses: [], employers: [] },
      ]);
      const contacts = byId(await collectPages(t.connector, null));
      expectEqual(
        [...contacts.keys()].sort(),
        [full, sparse].sort(),
        'the contacts that `readPages` returns, of two, one of whom has no first name',
        'Return every contact, also one without a name: donor-sync decides whether it can be enhanced.',
      );
      assert.partialDeepStrictEqual(contacts.get(full ?? ''), {
        firstName: 'Maria',
        lastName: 'Lopez',
        employers: ['Acme Foundation'],
        optedOut: false,
      });
      assert.match(contacts.get(full ?? '')?.addresses.join() ?? '', /Elm Street/);
      assert.partialDeepStrictEqual(contacts.get(sparse ?? ''), {
        firstName: null,
        lastName: 'Özgür',
        addresses: [],
        employers: [],
      });
    });

    it('brings all contacts of a CRM that takes several pages', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      const pages = await collectPages(t.connector, null);
      assert.ok(
        pages.length >= 3,
        `the contacts come in ${pages.length} pages, not three or more.`,
      );
      assert.deepEqual(new Set(listIds(pages)), new Set(ids));
    });

    if (can('vanish')) {
      it('brings all contacts that can be seen, if others on their pages are hidden', async (t) => {
        const ids = await t.crm.addContacts(people(t.crm.contactsForThreePages));
        const hidden = someOf(ids);
        for (const id of hidden) await t.crm.vanish?.(id);
        await t.open();
        const found = new Set(listIds(await collectPages(t.connector, null)));
        expectEqual(
          ids.filter((id) => !found.has(id) && !hidden.includes(id)),
          [],
          `contacts that are missing from the pages of ${ids.length}, ${hidden.length} of whom are hidden`,
          SHORT_PAGE_HINT,
        );
      });
    }

    if (can('vanish')) {
      it('never takes a page whose contacts are all hidden for the end', async (t) => {
        await t.start(people(t.crm.contactsForThreePages));
        const pages = await collectPages(t.connector, null);
        const size = Math.max(...pages.map(({ contacts }) => contacts.length));
        await hidePages(listIds(pages), size, t.crm.vanish, async (left) => {
          await t.startAgain();
          const { result } = await endingOf(() => collectPages(t.connector, null));
          // Contacts are lost only if an incomplete reading looks complete. A caller notices an error.
          if (result === null) return;
          const found = new Set(listIds(result));
          const missing = left.filter((id) => !found.has(id));
          const what = `contacts that are missing after pages of ${size} whose rows are all hidden`;
          expectEqual(missing, [], what, HIDDEN_PAGE_HINT);
        });
      });
    }

    if (can('vanish')) {
      it('never takes a page whose deletions are all hidden for the end of the list', async (t) => {
        const ids = await t.start(people(2 * MOST_DELETED));
        if (!t.connector.capabilities.reportsRemovals) return;
        const cursor = lastCursor(await collectPages(t.connector, null));
        for (const id of ids) await t.crm.deleteContact(id);
        for (const id of ids.slice(0, MOST_DELETED)) {
          const isHidden = await t.crm.vanish?.(id).then(
            () => true,
            () => false,
          );
          // This CRM shows all deletions to the key, even the deletion of a hidden contact.
          if (isHidden !== true) return;
        }
        await t.startAgain();
        const { result } = await endingOf(() => collectPages(t.connector, cursor));
        if (result === null) return;
        const told = new Set(listRemoved(result).map(({ id }) => id));
        expectEqual(
          ids.slice(MOST_DELETED).filter((id) => !told.has(id)),
          [],
          `contacts that are missing from \`removed\`, after ${MOST_DELETED} deletions that the key cannot see`,
          HIDDEN_PAGE_HINT,
        );
      });
    }

    it('names each contact that left, if many have', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      if (!t.connector.capabilities.reportsRemovals) return;
      const cursor = lastCursor(await collectPages(t.connector, null));
      const gone = ids.slice(0, MOST_DELETED);
      for (const id of gone) await t.crm.deleteContact(id);
      await t.startAgain();
      const removed = new Set(
        listRemoved(await collectPages(t.connector, cursor)).map(({ id }) => id),
      );
      expectEqual(
        gone.filter((id) => !removed.has(id)),
        [],
        `contacts that are missing from \`removed\`, of ${gone.length} that were deleted after the cursor`,
        'The list of deleted contacts has pages, too: read all of them.',
      );
    });

    it('names the contacts that left since the last reading, if all contacts are read again', async (t) => {
      const ids = await t.start(people(3));
      if (!t.connector.capabilities.reportsRemovals) return;
      const cursor = lastCursor(await collectPages(t.connector, null));
      assert.ok(cursor !== null, 'The last page of a reading has no cursor.');
      const [gone = ''] = ids;
      await t.crm.deleteContact(gone);
      await t.startAgain();
      for (const isSameSelection of [true, false]) {
        const known = {
          ...{ cursor, isSameSelection },
          ids: () => inOneBatch(ids),
          leftIds: () => inOneBatch([]),
        };
        const pages = await collect(t.connector.readPages(null, known));
        const what = `the contacts in \`removed\` of \`readPages(null, known)\`, after ${gone} was deleted`;
        const hint =
          'A later reading starts at its own cursor and does not report this deletion. Request the deletions since `known.cursor`, or look up `known.ids()`.';
        expectEqual(new Set(listRemoved(pages).map(({ id }) => id)), new Set([gone]), what, hint);
      }
    });

    it('reads an empty CRM to its end', async (t) => {
      await t.start([]);
      assert.deepEqual(listIds(await collectPages(t.connector, null)), []);
    });

    it('misses no contact while people edit others', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      const seen = new Set<string>();
      let pageCount = 0;
      for await (const page of t.connector.readPages(null)) {
        for (const { id } of page.contacts) seen.add(id);
        const edited = [ids[pageCount], ids.at(-1 - pageCount)];
        pageCount += 1;
        if (pageCount > 3) continue;
        for (const id of edited) await t.crm.editContact(id ?? '', { lastName: `New${pageCount}` });
      }
      assert.deepEqual(
        ids.filter((id) => !seen.has(id)),
        [],
      );
    });

    it('misses no contact while others are deleted', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      const seen = new Set<string>();
      const deleted = new Set<string>();
      for await (const page of t.connector.readPages(null)) {
        for (const { id } of page.contacts) seen.add(id);
        if (deleted.size > 0) continue;
        for (const { id } of page.contacts.slice(0, 30)) {
          deleted.add(id);
          await t.crm.deleteContact(id);
        }
      }
      assert.deepEqual(
        ids.filter((id) => !seen.has(id)),
        [],
      );
    });

    it('brings an edit that was made while it read, at once or after its cursor', async (t) => {
      const [edited = ''] = await t.start(people(3));
      if (!t.connector.capabilities.incremental) return;
      let cursor: string | null = null;
      let lastName: string | null = null;
      for await (const page of t.connector.readPages(null)) {
        const contact = page.contacts.find(({ id }) => id === edited);
        if (contact !== undefined) lastName = contact.lastName;
        if (cursor === null) await t.crm.editContact(edited, { lastName: 'Newname' });
        cursor = page.cursor;
      }
      if (lastName === 'Newname') return;
      await t.startAgain();
      const contacts = byId(await collectPages(t.connector, cursor));
      assert.equal(contacts.get(edited)?.lastName, 'Newname');
    });

    it('brings every edit of a moment in which several are made', async (t) => {
      const ids = await t.start(people(4));
      if (!t.connector.capabilities.incremental) return;
      let cursor = lastCursor(await collectPages(t.connector, null));
      for (const [at, id] of ids.entries()) {
        await t.crm.editContact(id, { lastName: `Newname${at}` });
        const pages = await collectPages(t.connector, cursor);
        assert.equal(byId(pages).get(id)?.lastName, `Newname${at}`);
        cursor = lastCursor(pages);
      }
    });

    it('depends on the clock of the CRM and not on ours', async (t) => {
      const [edited = ''] = await t.crm.addContacts(people(2));
      for (const aheadMs of [3_600_000, -3_600_000]) {
        const clock = { ...systemClock, now: () => Date.now() + aheadMs };
        const connector = await t.another({ clock });
        if (!connector.capabilities.incremental) return;
        const cursor = lastCursor(await collectPages(connector, null));
        const lastName = `Newname${aheadMs > 0 ? 'ahead' : 'behind'}`;
        await t.crm.editContact(edited, { lastName });
        const contacts = byId(await collectPages(connector, cursor));
        assert.equal(contacts.get(edited)?.lastName, lastName);
      }
    });

    it('brings an early edit of its reading even if it meets a later one, at once or after its cursor', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      if (!t.connector.capabilities.incremental) return;
      const unseen = new Set(ids);
      let edited: string | null = null;
      const brought = new Set<string>();
      let cursor: string | null = null;
      for await (const page of t.connector.readPages(null)) {
        for (const { id, lastName } of page.contacts) {
          unseen.delete(id);
          if (id === edited && lastName === 'Early') brought.add(id);
        }
        cursor = page.cursor;
        if (edited !== null || page.contacts.length === 0) continue;
        edited = page.contacts[0]?.id ?? '';
        await t.crm.editContact(edited, { lastName: 'Early' });
        // The wait is longer than a second, because many CRMs store times in whole seconds.
        await systemClock.sleep(A_SECOND_MS);
        for (const id of [...unseen].slice(-3)) await t.crm.editContact(id, { lastName: 'Late' });
      }
      await t.startAgain();
      const later = byId(await collectPages(t.connector, cursor)).get(edited ?? '');
      expectThat(brought.has(edited ?? '') || later?.lastName === 'Early', {
        what: 'an edit of a contact that was already read',
        expected: 'it in the same reading, or in the next one after its cursor',
        actual: 'a cursor that skips it',
        hint: 'The cursor is the time at which the reading started, by the clock of the CRM: not the newest edit that was read, because earlier edits can follow in rows that were already passed.',
      });
    });

    it('ends after its last page, also if that page is full', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      const sizes = (await collectPages(t.connector, null)).map(({ contacts }) => contacts.length);
      const size = Math.max(...sizes);
      // The remaining contacts fill whole pages, so no page is shorter than the others.
      const surplus = ids.slice(0, ids.length % size);
      for (const id of surplus.slice(0, MOST_DELETED)) await t.crm.deleteContact(id);
      if (surplus.length > MOST_DELETED) {
        ids.push(...(await t.crm.addContacts(people(size - surplus.length + MOST_DELETED))));
      }
      const left = ids.slice(Math.min(surplus.length, MOST_DELETED));
      await t.startAgain();
      const found = new Set(listIds(await collectPages(t.connector, null)));
      const hint =
        'The next page may be empty: read until the CRM says that nothing follows, and take an empty page for the end.';
      const missing = left.filter((id) => !found.has(id));
      expectEqual(missing, [], `contacts missing from full pages of ${size}`, hint);
    });

    it('reads again after a reading that was left early', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      for await (const _ of t.connector.readPages(null)) break;
      const found = new Set(listIds(await collectPages(t.connector, null)));
      const missing = ids.filter((id) => !found.has(id));
      const hint = 'Keep the position of a reading in `readPages`, not in the connector.';
      expectEqual(missing, [], 'contacts missing from the second reading', hint);
    });

    it('goes on after the cursor of any page without losing a contact', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      // If a CRM counts in whole seconds, all changes would have the same time as the cursor without this wait.
      if (t.connector.capabilities.incremental) await systemClock.sleep(A_SECOND_MS);
      const pages = await collectPages(t.connector, null);
      await t.startAgain();
      for (const [at, { cursor }] of pages.entries()) {
        const seen = [...listIds(pages.slice(0, at + 1))];
        seen.push(...listIds(await collectPages(t.connector, cursor)));
        assert.deepEqual(new Set(seen), new Set(ids));
      }
    });

    it('brings what was added or edited after the cursor', async (t) => {
      const [first = ''] = await t.start(people(3));
      const cursor = lastCursor(await collectPages(t.connector, null));
      await t.crm.editContact(first, { lastName: 'Newname' });
      const [added = ''] = await t.crm.addContacts([MARIA]);
      await t.startAgain();
      const contacts = byId(await collectPages(t.connector, cursor));
      assert.equal(contacts.get(first)?.lastName, 'Newname');
      assert.equal(contacts.get(added)?.lastName, 'Lopez');
    });

    if (canChangeZone()) {
      for (const zone of ZONES) {
        it(`brings what was edited or removed after its cursor on a server in ${zone}`, (t) =>
          duringZone(zone, () => bringsLaterChanges(t, zone)));
      }
    } else {
      notShown(
        'not shown, because this test runner uses threads, in which the time zone cannot change: cursors on servers in other time zones',
      );
    }

    it('gives a cursor exactly if it understands one', async (t) => {
      await t.start(people(1));
      const cursor = lastCursor(await collectPages(t.connector, null));
      assert.equal(cursor !== null, t.connector.capabilities.incremental);
    });

    it('tells of contacts that left, or leaves them out', async (t) => {
      const [gone = '', kept = ''] = await t.start(people(2));
      const cursor = lastCursor(await collectPages(t.connector, null));
      await t.crm.deleteContact(gone);
      await t.startAgain();
      const pages = await collectPages(t.connector, cursor);
      const hint =
        'A deleted contact is never among `contacts`: leave it out, or name it in `removed` (`reportsRemovals`). Many CRMs return deleted records with a mark.';
      const inContacts = listIds(pages).filter((id) => id === gone);
      expectEqual(inContacts, [], 'deleted contacts among `contacts` after the cursor', hint);
      if (t.connector.capabilities.reportsRemovals) {
        const removal = { id: gone, mergedInto: null };
        assertIncludes(listRemoved(pages), [removal], '`removed` after the cursor', hint);
      } else {
        const left = listIds(await collectPages(t.connector, null));
        expectEqual(left, [kept], 'the contacts in a reading of all, after a deletion', hint);
      }
    });

    it('tells of contacts that left before it brings others', async (t) => {
      const ids = await t.start(people(6));
      if (!t.connector.capabilities.reportsRemovals) return;
      const cursor = lastCursor(await collectPages(t.connector, null));
      const [gone = '', loser = '', winner = '', first = '', second = ''] = ids;
      await t.crm.editContact(first, { lastName: 'Newname' });
      await t.crm.deleteContact(gone);
      if (can('mergeContacts')) await t.crm.mergeContacts?.(loser, winner);
      await t.crm.editContact(winner, { lastName: 'Newname' });
      await t.crm.editContact(second, { lastName: 'Newname' });
      await t.startAgain();
      expectRemovedFirst(await collectPages(t.connector, cursor), 'after a cursor');
    });

    it('tells of contacts that left before it brings others, in a reading of several pages', async (t) => {
      const ids = await t.start(people(t.crm.contactsForThreePages));
      if (!t.connector.capabilities.reportsRemovals) return;
      if (can('mergeContacts')) await t.crm.mergeContacts?.(ids.at(-1) ?? '', ids.at(-2) ?? '');
      await t.crm.deleteContact(ids.at(-3) ?? '');
      await t.startAgain();
      expectRemovedFirst(await collectPages(t.connector, null), 'in a reading of all');
    });

    if (can('mergeContacts')) {
      it('tells where a merged contact lives on', async (t) => {
        const [loser = '', winner = ''] = await t.start(people(2));
        const cursor = lastCursor(await collectPages(t.connector, null));
        await t.crm.mergeContacts?.(loser, winner);
        await t.startAgain();
        const removed = listRemoved(await collectPages(t.connector, cursor));
        assertMerged(removed, loser, winner);
      });

      it('tells that in a reading of all, too', async (t) => {
        const [loser = '', winner = ''] = await t.start(people(2));
        await t.crm.mergeContacts?.(loser, winner);
        await t.startAgain();
        const removed = listRemoved(await collectPages(t.connector, null));
        assertMerged(removed, loser, winner);
      });
    }

    it('throws when the run stops, instead of seeming complete', async (t) => {
      await t.crm.addContacts(people(t.crm.contactsForThreePages));
      const stop = new AbortController();
      await t.open({ signal: stop.signal });
      await assert.rejects(stopAfterFirst(t.connector.readPages(null), stop), isDonorSyncError);
    });
  });
}

function assertMerged(
  removed: ReturnType<typeof listRemoved>,
  loser: string,
  winner: string,
): void {
  assertIncludes(
    removed,
    [{ id: loser, mergedInto: winner }],
    `\`removed\`, after contact ${loser} was merged into ${winner}`,
    'Name the contact in which it continues (`mergedInto`): with null it counts as deleted, and the other contact inherits nothing.',
  );
}

async function bringsLaterChanges(t: ConnectorTest, zone: string): Promise<void> {
  const [edited = '', gone = ''] = await t.start(people(3));
  if (!t.connector.capabilities.incremental) return;
  const cursor = lastCursor(await collectPages(t.connector, null));
  await t.crm.editContact(edited, { lastName: 'Newname' });
  await t.crm.deleteContact(gone);
  await t.startAgain();
  const pages = await collectPages(t.connector, cursor);
  const hint = `The cursor is an instant: send it with its zone (for example as an ISO text with Z), and read the times of the CRM with theirs. Local time, here of ${zone}, skips or repeats hours.`;
  const what = `the last name of a contact that was edited after the cursor ${cursor}`;
  expectEqual(byId(pages).get(edited)?.lastName, 'Newname', what, hint);
  if (!t.connector.capabilities.reportsRemovals) return;
  const whatRemoved = `\`removed\` after the cursor ${cursor}`;
  assertIncludes(listRemoved(pages), [{ id: gone, mergedInto: null }], whatRemoved, hint);
}

/**
 * The number of contacts that are deleted. If a page has thousands of contacts, a test with more deletions would take
 * too long.
 */
const MOST_DELETED = 120;

/**
 * Fails unless the removals come before the contacts. A page may contain both, because the caller handles its removals
 * first. A CRM may report a merge only together with the remaining contact.
 */
function expectRemovedFirst(pages: readonly ContactPage[], when: string): void {
  for (const [at, { removed }] of pages.entries()) {
    for (const { id, mergedInto } of removed) {
      const isLater = ({ contacts }: ContactPage) =>
        contacts.some((contact) => mergedInto === null || contact.id === mergedInto);
      const first = pages.findIndex(isLater);
      expectThat(first === -1 || at <= first, {
        what: `the page of the removed contact ${id} ${when}`,
        expected:
          mergedInto === null
            ? `page ${first + 1} at the latest, which has the first other contacts`
            : `page ${first + 1} at the latest, which has ${mergedInto}, in which it continues`,
        actual: `page ${at + 1}`,
        hint: 'Read deletions and merges first: the remaining contact of a merge inherits what was bought for the other one before a credit is spent on it.',
      });
    }
  }
}

async function* inOneBatch(ids: readonly string[]): AsyncGenerator<readonly string[]> {
  if (ids.length > 0) yield ids;
}
