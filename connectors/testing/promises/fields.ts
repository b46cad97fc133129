/** Tests whether connectors describe and create fields. */
import assert from 'node:assert/strict';
import { getValues } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

export function promiseFields({ describe, it, can }: Suite): void {
  describe('fields', () => {
    it('describes the fields that can be written', async (t) => {
      await t.start(people(1));
      const fields = await t.connector.describeFields();
      const names = fields.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length);
      for (const name of t.crm.textFields) {
        assert.partialDeepStrictEqual(
          fields.find((field) => field.name === name),
          { writable: true },
        );
      }
      if (t.crm.newField)
        assert.ok(
          !names.includes(t.crm.newField.name),
          '`newField` of the harness exists already.',
        );
    });

    if (can('newField')) {
      it('creates a field once, however often it is asked to', async (t) => {
        const [id = ''] = await t.start(people(1));
        const { newField } = t.crm;
        assert.ok(newField, 'The harness has no new field.');
        const { name } = newField;
        const created = [{ name, result: 'created', problem: null }];
        const existed = [{ name, result: 'existed', problem: null }];
        assert.deepEqual(await t.connector.createFields([newField]), created);
        assert.deepEqual(await t.connector.createFields([newField]), existed);
        await t.startAgain();
        assert.deepEqual(await t.connector.createFields([newField]), existed);
        const fields = await t.connector.describeFields();
        assert.equal(fields.filter((field) => field.name === name).length, 1);
        assert.deepEqual(getValues((await t.connector.readByIds([id], [name]))[0]), {
          [name]: null,
        });
      });
    }
  });
}
