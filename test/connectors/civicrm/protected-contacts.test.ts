/**
 * An extension protects some contacts from every change. Tests these contacts together with contacts that have one
 * refused value.
 */
import { expect, it, onTestFinished } from 'vitest';
import type { WriteResult } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { openSite } from './site.ts';

const FIELDS = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];
const VALUES = Object.fromEntries(FIELDS.map((name) => [`Test.${name}`, 'ours']));

it.each(['untilFirst', 'whole'])(
  'ends no search for refused values of other contacts (%s)',
  async (saveMode) => {
    const site = await openSite();
    onTestFinished(() => site.close());
    await site.vary({ saveMode });
    for (const name of FIELDS) await site.addField(name);
    const ids = await site.addContacts(people(20));
    const guarded = ids.slice(0, 14).map(Number);
    await site.control('POST', 'rules', { kind: 'refuse', ids: guarded });
    // CiviCRM refuses a different value for each of the last contacts. donor-sync therefore learns nothing from an
    // earlier refusal.
    const picky = ids.slice(14).map((id, at) => ({ id, field: `Test.${FIELDS[at]}` }));
    for (const { id, field } of picky) {
      await site.control('POST', 'rules', { kind: 'refuseField', field, ids: [Number(id)] });
    }
    const connector = await site.open();
    onTestFinished(() => connector.close());
    const before = await site.countRequests();
    const results: WriteResult[] = [];
    const changes = ids.map((id) => ({ id, values: VALUES }));
    for await (const result of connector.write(changes)) results.push(result);
    const refused = results.filter(({ status }) => status === 'refused');
    expect(new Set(refused.map(({ id }) => Number(id)))).toEqual(new Set(guarded));
    const partly = results.flatMap((result) =>
      result.status === 'written_in_part'
        ? result.refusals.map(({ fields }) => ({ id: result.id, field: fields.join() }))
        : [],
    );
    expect(partly.toSorted((one, other) => Number(one.id) - Number(other.id))).toEqual(picky);
    // donor-sync sends only a few requests for each protected contact.
    expect((await site.countRequests()) - before).toBeLessThan(12 * ids.length);
  },
);
