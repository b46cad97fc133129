/** Opening a connector. */
import assert from 'node:assert/strict';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

export function promiseOpening({ describe, it, can }: Suite): void {
  describe('opening', () => {
    it('names the same account every time', async (t) => {
      await t.start(people(1));
      const { account } = t.connector;
      assert.notEqual(account.id, '');
      assert.notEqual(account.name, '');
      await t.startAgain();
      assert.deepEqual(t.connector.account, account);
      await t.open();
      assert.deepEqual(t.connector.account, account);
    });

    it('declares the groups and the new fields that it is tested for, and no others', async (t) => {
      await t.start([]);
      const { groups, createsFields } = t.connector.capabilities;
      assert.equal(groups.length > 0, can('groups'));
      assert.equal(createsFields, can('newField'));
    });
  });
}
