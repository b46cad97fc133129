/** Tests contacts that were merged into other contacts. The CRM still accepts the loser's ID. */
import { expectEqual, expectThat, show } from '../expect.ts';
import {
  assertIncludes,
  collectPages,
  findResult,
  getValues,
  lastCursor,
  listRemoved,
  write,
} from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

const HINT =
  'Many CRMs answer the id of a merged contact with the contact that remains. Switch this off in each request, or compare the id in the response with the id that was asked for.';

/**
 * The number of merges if the harness does not specify one. The number of merges is larger than a page of most lists.
 */
const MERGES = 25;

export function promiseMerged({ describe, it, can, notShown }: Suite): void {
  if (!can('mergeContacts')) return;
  describe('merged contacts', () => {
    if (can('followsMerges')) {
      notShown(
        'not shown, because the CRM itself writes a change of a merged contact into the one that remains (`followsMerges`): that the one that remains is left alone',
      );
    }

    it('are not taken for the contacts in which they live on, if both are looked up', async (t) => {
      const [loser = '', winner = '', other = ''] = await t.start(people(3));
      const [field] = t.crm.textFields;
      await t.crm.setValue(winner, field, 'of the winner');
      await t.crm.mergeContacts?.(loser, winner);
      await t.startAgain();
      const seen = await t.crm.seenValue(winner, field);
      const lookups = await t.connector.readByIds([loser, winner, other], [field]);
      expectEqual(
        lookups.map(({ id, state }) => [id, state]),
        [
          [loser, 'removed'],
          [winner, 'found'],
          [other, 'found'],
        ],
        'the look-ups of a merged contact, of the one in which it continues, and of another',
        HINT,
      );
      const what = `${field} of the contact that remains`;
      expectEqual(getValues(lookups[1])?.[field], seen, what, HINT);
    });

    it('are not written, and neither is the contact in which they live on', async (t) => {
      const [loser = '', winner = '', other = ''] = await t.start(people(3));
      const [field] = t.crm.textFields;
      await t.crm.mergeContacts?.(loser, winner);
      await t.crm.setValue(winner, field, 'of the winner');
      await t.startAgain();
      const changes = [loser, other].map((id) => ({ id, values: { [field]: `for ${id}` } }));
      const results = await write(t.connector, changes);
      await t.connector.finish();
      const seen = can('followsMerges') ? 'of the winner' : await t.crm.seenValue(winner, field);
      expectEqual(
        seen,
        'of the winner',
        `${field} of contact ${winner}, after a change of contact ${loser}, which was merged into it`,
        `The value was meant for another person. ${HINT}`,
      );
      const refusal = findResult(results, loser);
      expectThat(refusal?.status === 'refused', {
        what: 'the result of a change of a merged contact',
        expected: 'a refusal',
        actual: show(refusal),
        hint: HINT,
      });
      const what = 'the result of the other change in the same call';
      expectEqual(findResult(results, other)?.status, 'written', what, HINT);
    });

    it('are all named, if several were merged into one contact', async (t) => {
      const [first = '', second = '', winner = ''] = await t.start(people(3));
      const cursor = lastCursor(await collectPages(t.connector, null));
      for (const loser of [first, second]) await t.crm.mergeContacts?.(loser, winner);
      await t.startAgain();
      const hint =
        'Return each of them: a list of merges has pages, and a contact several former ids.';
      const merged = [first, second].map((id) => ({ id, mergedInto: winner }));
      for (const start of cursor === null ? [null] : [null, cursor]) {
        const removed = listRemoved(await collectPages(t.connector, start));
        assertIncludes(removed, merged, `\`removed\` after two merges into ${winner}`, hint);
      }
      const lookups = await t.connector.readByIds([first, second], []);
      const expected = merged.map((one) => ({ state: 'removed', ...one }));
      expectEqual(
        lookups,
        expected,
        'the look-ups of two contacts that were merged into one',
        hint,
      );
      const found = await t.connector.findMerged?.(winner);
      if (found === undefined) return;
      const what = `the contacts that \`findMerged\` returns for ${winner}`;
      expectEqual([...found].sort(), [first, second].sort(), what, hint);
    });

    it('are all found by `findMerged`, if more were merged into one contact than a page holds', async (t) => {
      await t.start([]);
      if (t.connector.findMerged === undefined) return;
      const count = t.crm.mergesForTwoPages ?? MERGES;
      const [winner = '', ...losers] = await t.crm.addContacts(people(count + 1));
      for (const loser of losers) await t.crm.mergeContacts?.(loser, winner);
      await t.startAgain();
      const found = new Set(await t.connector.findMerged?.(winner));
      expectEqual(
        losers.filter((loser) => !found.has(loser)),
        [],
        `contacts that are missing from \`findMerged\`, of ${count} that were merged into ${winner}`,
        'The list of merges has pages, too: read all of them, or an erasure leaves the rest behind. `mergesForTwoPages` of the harness must fill more than one page.',
      );
    });

    it('are in no filter, and are not read back', async (t) => {
      const [loser = '', winner = ''] = await t.start(people(2));
      const [field] = t.crm.textFields;
      const sentAtMs = Date.now();
      const changes = [loser, winner].map((id) => ({ id, values: { [field]: `for ${id}` } }));
      await write(t.connector, changes);
      await t.crm.mergeContacts?.(loser, winner);
      await t.startAgain();
      const included = await t.connector.findIncluded?.([loser, winner]);
      if (included !== undefined) {
        const what =
          'the contacts that `findIncluded` returns, after one was merged into the other';
        expectEqual([...included], [winner], what, HINT);
      }
      const read = await t.connector.readBack?.([{ id: loser, fields: [field], sentAtMs }]);
      if (read === undefined) return;
      const what = 'the values that `readBack` returns of a merged contact';
      expectEqual(read[0]?.values, null, what, HINT);
    });
  });
}
