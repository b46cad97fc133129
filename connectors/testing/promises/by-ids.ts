/** Tests whether connectors read contacts by their IDs. */
import assert from 'node:assert/strict';
import type { RecordLookup } from '../../contract.ts';
import { expectEqual } from '../expect.ts';
import { byId, collectPages, getValues } from '../readings.ts';
import { MARIA, people } from '../seeds.ts';
import type { Suite } from '../suite.ts';

function statesById(lookups: readonly RecordLookup[]): [string, RecordLookup['state']][] {
  return lookups.map(({ id, state }) => [id, state]);
}

export function promiseByIds({ describe, it, can }: Suite): void {
  describe('reading by ids', () => {
    it('answers in the order of the ids, with the values of the fields asked for', async (t) => {
      const ids = await t.start(people(5));
      const [field, other] = t.crm.textFields;
      await t.crm.setValue(ids[3] ?? '', field, 'typed by a person');
      const wanted = [ids[3], ids[0], ids[4]].map((id) => id ?? '');
      const found = await t.connector.readByIds(wanted, [field, other]);
      assert.deepEqual(
        found.map(({ id }) => id),
        wanted,
      );
      assert.deepEqual(getValues(found[0]), { [field]: 'typed by a person', [other]: null });
      assert.deepEqual(getValues(found[1]), { [field]: null, [other]: null });
    });

    it('answers twice if it is asked twice for one id', async (t) => {
      const [first = '', second = ''] = await t.start(people(2));
      const wanted = [first, second, first];
      const found = await t.connector.readByIds(wanted, []);
      expectEqual(
        found.map(({ id, state }) => [id, state]),
        wanted.map((id) => [id, 'found']),
        'the look-ups',
        'Build the answer from the ids that were asked for, and not from the rows of the CRM.',
      );
    });

    it('shows the same contact as the pages do', async (t) => {
      const ids = await t.start([MARIA, ...people(3)]);
      const contacts = byId(await collectPages(t.connector, null));
      const found = await t.connector.readByIds(ids, []);
      assert.deepEqual(
        found.map((lookup) => lookup.state === 'found' && lookup.contact),
        ids.map((id) => contacts.get(id)),
      );
    });

    it('says which contacts are gone, between those that are there', async (t) => {
      const [first = '', gone = '', last = ''] = await t.start(people(3));
      await t.crm.deleteContact(gone);
      const found = await t.connector.readByIds([first, gone, last], []);
      // If a single record is missing, some CRMs confirm its deletion and other CRMs do not.
      assert.deepEqual(
        found.map(({ id, state }) => [id, state === 'found']),
        [
          [first, true],
          [gone, false],
          [last, true],
        ],
      );
    });

    it('does not take a record that it cannot find for a deleted one', async (t) => {
      const [there = ''] = await t.start(people(2));
      const unknown = `${there}0`;
      assert.deepEqual(await t.connector.readByIds([unknown, there], []).then(statesById), [
        [unknown, 'missing'],
        [there, 'found'],
      ]);
    });

    if (can('vanish')) {
      it('does not take a contact that lost its visibility for a deleted one', async (t) => {
        const [hidden = '', there = ''] = await t.start(people(2));
        await t.crm.vanish?.(hidden);
        assert.deepEqual(await t.connector.readByIds([hidden, there], []).then(statesById), [
          [hidden, 'missing'],
          [there, 'found'],
        ]);
      });
    }

    if (can('mergeContacts')) {
      it('names what was merged into a contact, if it can', async (t) => {
        const [loser = '', winner = ''] = await t.start(people(2));
        await t.crm.mergeContacts?.(loser, winner);
        await t.startAgain();
        if (t.connector.findMerged === undefined) return;
        assert.deepEqual(await t.connector.findMerged(winner), [loser]);
        assert.deepEqual(await t.connector.findMerged(loser), []);
      });

      it('sends a caller that asks for a merged contact to the one it lives on in', async (t) => {
        const [loser = '', winner = ''] = await t.start(people(2));
        await t.crm.mergeContacts?.(loser, winner);
        const [lookup] = await t.connector.readByIds([loser], []);
        assert.deepEqual(lookup, { state: 'removed', id: loser, mergedInto: winner });
      });
    }

    it('sees what a person has just changed', async (t) => {
      const [id = ''] = await t.start(people(2));
      const [field] = t.crm.textFields;
      await t.connector.readByIds([id], [field]);
      await t.crm.setValue(id, field, 'new');
      await t.crm.editContact(id, { lastName: 'Newname' });
      const [lookup] = await t.connector.readByIds([id], [field]);
      assert.partialDeepStrictEqual(lookup, {
        contact: { lastName: 'Newname' },
        values: { [field]: 'new' },
      });
    });

    it('shows white space as blank', async (t) => {
      const [id = ''] = await t.start(people(1));
      const [field] = t.crm.textFields;
      await t.crm.setValue(id, field, '   ');
      assert.deepEqual(getValues((await t.connector.readByIds([id], [field]))[0]), {
        [field]: null,
      });
    });

    it('says of each contact that the filter includes it where there is none, and of no other id', async (t) => {
      const ids = await t.start(people(3));
      if (t.connector.findIncluded === undefined) return;
      const included = await t.connector.findIncluded([...ids, `${ids[0]}0`]);
      assert.deepEqual([...included].sort(), [...ids].sort());
    });

    it('finds contacts by the beginnings of the words of their names, if it can search', async (t) => {
      const seeds = [
        { ...MARIA, firstName: 'Maria Anna', lastName: "O'Hara-Lopez" },
        { ...MARIA, firstName: 'Marian', lastName: 'Hundred' },
        { ...MARIA, firstName: 'Zoë', lastName: 'Hundredth' },
      ];
      const [maria = '', marian = '', zoe = ''] = await t.start([...seeds, ...people(30)]);
      const { search } = t.connector;
      if (search === undefined) return;
      const find = async (text: string, most = 20) => [...(await search(text, most))].sort();
      assert.deepEqual(await find('Maria Lopez'), [maria]);
      assert.deepEqual(await find('mari'), [maria, marian].sort());
      assert.deepEqual(await find('hundred'), [marian, zoe].sort());
      assert.deepEqual(await find('First Last'), await find('last first'));
      assert.equal((await find('Last', 20)).length, 20);
      assert.deepEqual(await find('hara lop zzz'), []);
    });

    it('gives no character of a searched text a meaning, if it can search', async (t) => {
      const [maria = ''] = await t.start([{ ...MARIA, lastName: "O'Hara" }, ...people(5)]);
      const { search } = t.connector;
      if (search === undefined) return;
      for (const text of [
        ...["Maria O'Hara", 'maria {ohara*} OR', 'maria" AND "o', "maria'; hara", 'Maria\\_%_Hara'],
        ...['(maria) [o] ^hara~', 'Maria*', 'maria AND NOT hara'],
      ]) {
        const found = await search(text, 20);
        assert.ok(
          found.every((id) => id === maria),
          text,
        );
      }
      assert.deepEqual(await search("Maria O'Hara", 20), [maria]);
      assert.deepEqual(await search('%%% ___ *** \'"{}', 20), []);
    });

    it('takes as many ids as it says, and none at all', async (t) => {
      await t.open();
      const { readBatch } = t.connector.capabilities;
      const ids = await t.start(people(readBatch));
      const found = await t.connector.readByIds(ids, [...t.crm.textFields]);
      assert.deepEqual(
        found.map(({ id }) => id),
        ids,
      );
      assert.deepEqual(await t.connector.readByIds([], [...t.crm.textFields]), []);
    });
  });
}
