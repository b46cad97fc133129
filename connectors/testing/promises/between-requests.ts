/** Tests what happens if users change contacts between two requests of the same reading. */
import { systemClock } from '../../../src/core/clock.ts';
import { expectEqual } from '../expect.ts';
import { openBehindProxy } from '../faults.ts';
import { collectPages, lastCursor, listIds, listRemoved } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

/** The wait is longer than a second, because many CRMs store times in whole seconds. */
const A_SECOND_MS = 1_100;

/** The tests change contacts after each of the first requests, up to this number. */
const MOST_REQUESTS = 6;

export function promiseBetweenRequests({ describe, it, can }: Suite): void {
  describe('changes between two requests of a reading', () => {
    it('are brought by it or after its cursor: deletions, merges and edits', async (t) => {
      const count = MOST_REQUESTS + 1;
      const ids = await t.crm.addContacts(people(4 * count));
      const { connector, proxy } = await openBehindProxy(t);
      if (!connector.capabilities.incremental) return;
      const before = lastCursor(await collectPages(connector, null));
      const part = (at: number) => ids.slice(at * count, (at + 1) * count);
      const [deletable, losers, winners, editable] = [part(0), part(1), part(2), part(3)];
      const gone: string[] = [];
      const edited: string[] = [];
      let at = 0;
      proxy.around({
        before: async () => {},
        async after() {
          if (at >= MOST_REQUESTS) return;
          const [deleted = '', loser = '', winner = '', changed = ''] = [
            ...[deletable[at], losers[at], winners[at], editable[at]],
          ];
          at += 1;
          await t.crm.deleteContact(deleted);
          gone.push(deleted);
          if (can('mergeContacts')) {
            await t.crm.mergeContacts?.(loser, winner);
            gone.push(loser);
          }
          await t.crm.editContact(changed, { lastName: 'Between' });
          edited.push(changed);
          await systemClock.sleep(A_SECOND_MS);
        },
      });
      const during = await collectPages(connector, before);
      proxy.around(null);
      const later = await collectPages(connector, lastCursor(during));
      const hint =
        'The cursor is the CRM’s own time before the first request of the reading, whichever list comes first: with a list of deletions that is read first, it is not the time of the first page of contacts.';
      const brought = new Set(
        [...during, ...later].flatMap(({ contacts }) =>
          contacts.filter(({ lastName }) => lastName === 'Between').map(({ id }) => id),
        ),
      );
      expectEqual(
        edited.filter((id) => !brought.has(id)),
        [],
        'contacts that were edited between two requests, and are neither in this reading nor after its cursor',
        hint,
      );
      if (connector.capabilities.reportsRemovals) {
        const told = new Set(listRemoved([...during, ...later]).map(({ id }) => id));
        expectEqual(
          gone.filter((id) => !told.has(id)),
          [],
          'contacts that were deleted or merged between two requests, and are in `removed` neither of this reading nor after its cursor',
          hint,
        );
      }
      const shown = new Set(listIds(later));
      expectEqual(
        gone.filter((id) => shown.has(id)),
        [],
        'contacts among those after the cursor, although they were deleted or merged before',
        hint,
      );
    });
  });
}
