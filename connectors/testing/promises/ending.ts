/** Limits, prerequisites, and the end. */
import assert from 'node:assert/strict';
import { write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

export function promiseEnding({ describe, it }: Suite): void {
  describe('the rest', () => {
    it('knows its limits or says that there are none', async (t) => {
      await t.start(people(1));
      const limits = await t.connector.readLimits();
      if (limits === null) return;
      assert.ok(limits.daily.remaining <= limits.daily.max);
    });

    it('checks the prerequisites, and finds them met', async (t) => {
      await t.crm.addContacts(people(1));
      const findings = await t.crm.check();
      assert.ok(findings.length > 0);
      assert.deepEqual(
        findings.filter(({ ok }) => !ok),
        [],
      );
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
