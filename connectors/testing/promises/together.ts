/** Tests values that belong together, and the reasons for rejected values. */
import assert from 'node:assert/strict';
import { isConfigurationError } from '../../../src/core/errors.ts';
import type { RefusalCause, WriteResult } from '../../contract.ts';
import { show } from '../expect.ts';
import { findResult, write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

const CAUSES: readonly RefusalCause[] = ['rule', 'does_not_fit', 'no_permission', 'no_such_field'];

/** Declares the promises about `together`. The promises apply only to connectors with `writesTogether`. */
export function promiseTogether({ describe, it, can }: Suite): void {
  describe('writing values together', () => {
    it('writes all of them, null as well', async (t) => {
      const [id = ''] = await t.start(people(1));
      if (t.connector.capabilities.writesTogether !== true) return;
      const [field, cleared] = t.crm.textFields;
      await t.crm.setValue(id, cleared, 'of the former person');
      const change = { id, values: { [field]: 'ours', [cleared]: null }, together: true };
      assert.deepEqual(await write(t.connector, [change]), [{ status: 'written', id }]);
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(id, field), 'ours');
      assert.equal(await t.crm.seenValue(id, cleared), null);
    });

    it('writes none of them into a contact that is gone, and all into the others', async (t) => {
      const [gone = '', kept = ''] = await t.start(people(2));
      if (t.connector.capabilities.writesTogether !== true) return;
      const [field, other] = t.crm.textFields;
      await t.crm.deleteContact(gone);
      const results = await write(
        t.connector,
        [gone, kept].map((id) => ({ id, values: { [field]: 'a', [other]: 'b' }, together: true })),
      );
      assert.equal(findResult(results, gone)?.status, 'refused');
      assert.deepEqual(findResult(results, kept), { status: 'written', id: kept });
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(kept, other), 'b');
    });

    it('writes none of them where one names a field that cannot be written', async (t) => {
      const [id = ''] = await t.start(people(1));
      if (t.connector.capabilities.writesTogether !== true) return;
      const [field] = t.crm.textFields;
      // In a CRM, no field can have this name. In a file, no column can have this name.
      const values = { [field]: 'ours', ['\u0000']: 'x' };
      // Some CRMs then reject the whole request. The user has to remove the unknown field.
      const status = await write(t.connector, [{ id, values, together: true }]).then(
        ([result]) => result?.status,
        (error: unknown) => (isConfigurationError(error) ? 'refused' : String(error)),
      );
      assert.equal(status, 'refused');
      await t.connector.finish();
      assert.equal(await t.crm.seenValue(id, field), null);
    });

    if (can('refuseField')) {
      it('writes none of them where the CRM refuses one, and says which and why', async (t) => {
        const [refused = '', whole = '', parted = ''] = await t.start(people(3));
        if (t.connector.capabilities.writesTogether !== true) return;
        const [bad, good] = t.crm.textFields;
        await t.crm.setValue(refused, bad, 'former');
        for (const id of [refused, parted]) await t.crm.refuseField?.(id, bad);
        const results = await write(
          t.connector,
          [refused, whole, parted].map((id) => ({
            id,
            values: { [bad]: `of ${id}`, [good]: 'ours' },
            together: id !== parted,
          })),
        );
        const refusal = findResult(results, refused);
        assert.ok(
          refusal?.status === 'refused',
          `the result is ${show(refusal)}, not \`refused\`.`,
        );
        assert.deepEqual(refusal.fields, [bad]);
        assert.equal(refusal.retriable, false);
        assert.deepEqual(findResult(results, whole), { status: 'written', id: whole });
        assert.equal(findResult(results, parted)?.status, 'written_in_part');
        await t.connector.finish();
        assert.equal(await t.crm.seenValue(refused, bad), 'former');
        assert.equal(await t.crm.seenValue(refused, good), null);
        assert.equal(await t.crm.seenValue(whole, good), 'ours');
        assert.equal(await t.crm.seenValue(parted, good), 'ours');
      });

      it('tells the cause of a refused value by one of four words', async (t) => {
        const [id = ''] = await t.start(people(1));
        const [bad, good] = t.crm.textFields;
        await t.crm.refuseField?.(id, bad);
        const values = { [bad]: `of ${id}`, [good]: 'ours' };
        const [result] = await write(t.connector, [{ id, values }]);
        const causes = listCauses(result);
        assert.ok(causes.length > 0, `the result has no refusal: ${show(result)}`);
        assert.ok(
          causes.every((cause) => cause === undefined || CAUSES.includes(cause)),
          `a cause is another word: ${show(causes)}`,
        );
      });
    }
  });
}

function listCauses(result: WriteResult | undefined): (RefusalCause | undefined)[] {
  if (result?.status === 'written_in_part') return result.refusals.map(({ cause }) => cause);
  return result?.status === 'refused' ? [result.cause] : [];
}
