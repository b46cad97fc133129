/** Tests the opening of a connector. */
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

    it('names another account for another CRM, because a client belongs to one account', async (t) => {
      await t.start(people(1));
      const { account } = t.connector;
      const other = await (await t.otherCrm()).open();
      await other.close();
      if (other.account.id !== account.id) return;
      // The harness may use the same account for every test. If every test uses the same account, the account's ID
      // comes from a response.
      assert.ok(t.crm.api, 'Each harness must have an account with its own id.');
      const proxy = await t.proxy();
      proxy.rename({ own: account.id, shown: similarId(account.id) });
      const renamed = await t.another({ url: proxy.url });
      assert.notEqual(renamed.account.id, account.id, 'The account must come from the CRM.');
    });

    it('declares the groups and the new fields that it is tested for, and no others', async (t) => {
      await t.start([]);
      const { groups, createsFields } = t.connector.capabilities;
      assert.equal(groups.length > 0, can('groups'));
      assert.equal(createsFields, can('newField'));
    });
  });
}

/** Returns a similar ID, with a different last digit or letter. */
function similarId(id: string): string {
  const at = id.search(/\d\D*$/);
  if (at === -1) return `${id.slice(0, -1)}${id.endsWith('a') ? 'b' : 'a'}`;
  return `${id.slice(0, at)}${(Number(id[at]) + 1) % 10}${id.slice(at + 1)}`;
}
