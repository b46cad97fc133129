/** Limits, prerequisites, and the end. */
import assert from 'node:assert/strict';
import { expectEqual } from '../expect.ts';
import { byId, collectPages, write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

export function promiseEnding({ describe, it }: Suite): void {
  describe('the rest', () => {
    it('knows its limits or says that there are none', async (t) => {
      await t.start(people(1));
      const limits = await t.connector.readLimits();
      if (limits === null) return;
      const { max, remaining } = limits.daily;
      assert.ok(remaining <= max, `${remaining} of ${max} requests are left.`);
    });

    it('checks the prerequisites, and finds them met', async (t) => {
      await t.crm.addContacts(people(1));
      const findings = await t.crm.check();
      assert.ok(findings.length > 0, '`check` returns no finding.');
      assert.deepEqual(
        findings.filter(({ ok }) => !ok),
        [],
      );
    });

    it('changes nothing when it opens or is checked', async (t) => {
      const [id = ''] = await t.crm.addContacts(people(1));
      for (const field of t.crm.textFields) await t.crm.setValue(id, field, 'typed by a user');
      await t.open();
      const before = byId(await collectPages(t.connector, null)).get(id);
      await t.crm.check();
      const hint = 'Only `write` and `createFields` change the CRM: check rights by reading them.';
      for (const field of t.crm.textFields) {
        const what = `${field} after \`open\` and \`check\``;
        expectEqual(await t.crm.seenValue(id, field), 'typed by a user', what, hint);
      }
      const after = byId(await collectPages(t.connector, null)).get(id);
      expectEqual(after, before, 'a contact after `check`', hint);
    });

    it('finishes and closes as often as it is called', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      await write(t.connector, [{ id, values: { [field]: 'ours' } }]);
      await t.connector.finish();
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(id, field), 'ours');
      await t.connector.close();
      await t.connector.close();
    });
  });
}
