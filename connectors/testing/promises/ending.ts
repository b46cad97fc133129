/** Tests request limits, missing prerequisites, and closing a connector. */
import assert from 'node:assert/strict';
import type { ConnectorUses, Finding } from '../../contract.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import { byId, collectPages, write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';

export function promiseEnding({ describe, it, can }: Suite): void {
  describe('the rest', () => {
    it('knows its limits or says that there are none', async (t) => {
      await t.start(people(1));
      const limits = await t.connector.readLimits();
      if (limits === null) return;
      const { max, remaining } = limits.daily;
      assert.ok(remaining <= max, `${remaining} of ${max} requests are left.`);
    });

    it('has no more requests left after further requests', async (t) => {
      const ids = await t.start(people(1));
      const rises: number[] = [];
      // A new day can start between the two readings. The second attempt is on the same day.
      for (let look = 0; look < 2; look += 1) {
        const before = await t.connector.readLimits();
        if (before === null) return;
        for (let request = 0; request < 3; request += 1) await t.connector.readByIds(ids, []);
        const after = await t.connector.readLimits();
        rises.push((after?.daily.remaining ?? 0) - before.daily.remaining);
      }
      expectThat(
        rises.some((rise) => rise <= 0),
        {
          what: 'the change of `remaining` in `readLimits` by requests that were sent in between, twice',
          ...{ expected: 'no increase', actual: show(rises) },
          hint: '`remaining` is what is left of `max`. Some CRMs report the number of requests that are used up: subtract it from `max`. Otherwise, donor-sync uses up the requests of the nonprofit’s other tools.',
        },
      );
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

    it('finds nothing wrong with the fields and groups of the settings, if it can use them', async (t) => {
      const ids = await t.crm.addContacts(people(1));
      const groups = can('groups') ? [await t.crm.groups?.add(ids)] : [];
      const typed = (t.crm.typedFields ?? []).map(({ name }) => name);
      const findings = await findingsAbout(t, {
        fields: [...t.crm.textFields, ...typed],
        groups: groups.filter((group) => group !== undefined),
      });
      expectEqual(
        findings.filter(({ ok }) => !ok),
        [],
        'the findings with `ok: false`, while the CRM has each field and group of `options.uses`',
        'Compare fields by their names, as in `describeFields`, and groups as `readGroup` does. A false alarm keeps a user from starting.',
      );
    });

    it('returns findings, and does not throw, if the CRM lacks a field or a group of the settings', async (t) => {
      await t.crm.addContacts(people(1));
      const groups = can('groups') && t.crm.groups ? [t.crm.groups.unknown] : [];
      const findings = await findingsAbout(t, { fields: [NO_SUCH_FIELD], groups });
      expectThat(findings.length > 0, {
        what: '`check`, while the CRM lacks a field and a group of `options.uses`',
        ...{ expected: 'findings', actual: 'none' },
        hint: CHECK_HINT,
      });
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

const NO_SUCH_FIELD = 'no_such_field_of_the_kit';

const CHECK_HINT =
  '`options.uses` contains names from the settings, so the CRM may lack them. Return a finding about them, or none: `doctor` itself reports each missing field and group. Catch each error in `check`.';

async function findingsAbout({ crm }: ConnectorTest, uses: ConnectorUses): Promise<Finding[]> {
  const { findings, thrown } = await crm.check({ uses }).then(
    (found) => ({ findings: found, thrown: 'none' }),
    (error: unknown) => ({ findings: [], thrown: String(error) }),
  );
  expectEqual(thrown, 'none', 'the error of `check` with `options.uses`', CHECK_HINT);
  return findings;
}
