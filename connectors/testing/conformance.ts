/**
 * The promises of `contract.ts` as tests that any connector can be put through, under vitest,
 * node:test or any other runner with `describe` and `it`. A harness says how to make things happen in
 * its CRM; a kind of CRM declares what can happen in it, and only the tests of that are its tests.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../../src/core/clock.ts';
import type { Contact } from '../../src/core/contact.ts';
import type { FieldSpec, FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { isDonorSyncError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import type {
  Connector,
  ConnectorDefinition,
  ConnectorDeps,
  ConnectorOptions,
  ContactChange,
  ContactPage,
  ContactsSettings,
  Finding,
  GroupSelector,
  IdentityShape,
  IdentitySource,
  RecordLookup,
  WriteResult,
} from '../contract.ts';

/** A contact as a person would type it in. */
export type SeedContact = Omit<Contact, 'id' | 'optedOut' | 'excluded' | 'unreadable'>;

/** One CRM for one test, and the levers that people and faults pull in it. */
export interface ConformanceHarness {
  /** Opens a connector over the CRM; `testOptions` makes the options of the definition's `open`. */
  open(options?: { signal?: AbortSignal }): Promise<Connector>;
  /** What the definition's `check` finds with the same options. */
  check(): Promise<Finding[]>;
  /** Adds contacts and returns their ids in the same order. */
  addContacts(contacts: readonly SeedContact[]): Promise<string[]>;
  editContact(id: string, changes: Partial<SeedContact>): Promise<void>;
  deleteContact(id: string): Promise<void>;
  /** Types a text into a field; null clears it. */
  setValue(id: string, field: string, value: string | null): Promise<void>;
  /** What people see in a field, read without the connector; null if it is blank. */
  seenValue(id: string, field: string): Promise<string | null>;
  /** Two text fields that exist, are blank, and may be written. */
  textFields: readonly [string, string];
  /** Fields of other types that exist, each with a canonical value other than null. */
  typedFields?: readonly { name: string; value: FieldValue }[];
  /** How many contacts make at least three pages. */
  contactsForThreePages: number;
  /** A field that does not exist and can be created. */
  newField?: FieldSpec;
  /** A group of these contacts, and a well-formed selector of a group that cannot be read. */
  groups?: {
    add(members: readonly string[]): Promise<GroupSelector>;
    unknown: GroupSelector;
  };
  /** The loser goes, and lives on in the winner. */
  mergeContacts?(loser: string, winner: string): Promise<void>;
  /** From now on the CRM refuses writes to the contact. */
  refuseWrites?(id: string): Promise<void>;
  /** From now on the CRM refuses values in this field of the contact, and says that it is the field. */
  refuseField?(id: string, field: string): Promise<void>;
  /** The CRM refuses the next writes to the contact because another user is at it. */
  lock?(id: string, times: number): Promise<void>;
  /** A group whose reading begins well and fails before its end. */
  addBreakingGroup?(members: readonly string[]): Promise<GroupSelector>;
  /**
   * Takes the right to read this part of an identity from the integration's user; the names of the
   * sources that cannot be read then, none where the CRM has no such right.
   */
  hideSources?(part: IdentitySource['part']): Promise<readonly string[]>;
  /** Gives back what `hideSources` took. */
  showSources?(): Promise<void>;
  /** `canonicalId` of the connector's definition, and texts that it has to understand. */
  ids?: IdForms;
  close(): Promise<void>;
}

/** Ids that have more than one form. */
export interface IdForms {
  canonicalId(text: string): string | null;
  /** Other texts by which people and programs mean the same contact. */
  otherForms(id: string): readonly string[];
  /** Texts that cannot be the id of a contact. */
  noIds: readonly string[];
}

/** What can happen in some CRMs and not in others; the harness has the member of each. */
export type Ability =
  | 'groups'
  | 'newField'
  | 'mergeContacts'
  | 'refuseWrites'
  | 'refuseField'
  | 'lock'
  | 'addBreakingGroup'
  | 'hideSources'
  | 'ids';

/** What the kit needs of a test runner; that of vitest and that of node:test have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Declares the suite. `create` gives an empty CRM; one test runs after another. */
export function testConnector(
  runner: TestRunner,
  name: string,
  create: () => Promise<ConformanceHarness>,
  abilities: readonly Ability[] = [],
): void {
  const { describe } = runner;
  describe(`the ${name} connector`, () => {
    let crm: ConformanceHarness;
    /** Of the test that runs; opened by `open` and its like. */
    let connector: Connector;
    const opened: Connector[] = [];

    /** A test with a CRM of its own. */
    function it(title: string, body: () => Promise<void>): void {
      runner.it(title, async () => {
        crm = await create();
        try {
          await body();
        } finally {
          for (const each of opened.splice(0)) await each.close();
          await crm.close();
        }
      });
    }

    async function open(options?: { signal?: AbortSignal }): Promise<void> {
      connector = await crm.open(options);
      opened.push(connector);
    }

    /** Opens a connector that sees these contacts. */
    async function start(contacts: readonly SeedContact[]): Promise<string[]> {
      const ids = await crm.addContacts(contacts);
      await open();
      return ids;
    }

    /** Looks at the CRM as a later run would. */
    async function startAgain(): Promise<void> {
      await connector.finish();
      await connector.close();
      await open();
    }

    describe('opening', () => {
      it('names the same account every time', async () => {
        await start(people(1));
        const { account } = connector;
        assert.notEqual(account.id, '');
        assert.notEqual(account.name, '');
        await startAgain();
        assert.deepEqual(connector.account, account);
        await open();
        assert.deepEqual(connector.account, account);
      });

      it('declares the groups and the new fields that it is tested for, and no others', async () => {
        await start([]);
        const { groups, createsFields } = connector.capabilities;
        assert.equal(groups.length > 0, abilities.includes('groups'));
        assert.equal(createsFields, abilities.includes('newField'));
      });
    });

    describe('reading pages', () => {
      it('brings every contact with the identity that stands in the CRM', async () => {
        const [full, sparse] = await start([
          { ...MARIA, addresses: ['1 Elm Street, Springfield'], employers: ['Acme Foundation'] },
          { firstName: null, lastName: 'Özgür', addresses: [], employers: [] },
        ]);
        const contacts = byId(await collectPages(connector, null));
        assert.equal(contacts.size, 2);
        assert.partialDeepStrictEqual(contacts.get(full ?? ''), {
          firstName: 'Maria',
          lastName: 'Lopez',
          employers: ['Acme Foundation'],
          optedOut: false,
        });
        assert.match(contacts.get(full ?? '')?.addresses.join() ?? '', /Elm Street/);
        assert.partialDeepStrictEqual(contacts.get(sparse ?? ''), {
          firstName: null,
          lastName: 'Özgür',
          addresses: [],
          employers: [],
        });
      });

      it('brings all contacts of a CRM that takes several pages', async () => {
        const ids = await start(people(crm.contactsForThreePages));
        const pages = await collectPages(connector, null);
        assert.ok(pages.length >= 3);
        assert.deepEqual(new Set(idsOf(pages)), new Set(ids));
      });

      it('reads an empty CRM to its end', async () => {
        await start([]);
        assert.deepEqual(idsOf(await collectPages(connector, null)), []);
      });

      it('misses no contact while people edit others', async () => {
        const ids = await start(people(crm.contactsForThreePages));
        const seen = new Set<string>();
        let pageCount = 0;
        for await (const page of connector.readPages(null)) {
          for (const { id } of page.contacts) seen.add(id);
          const edited = [ids[pageCount], ids.at(-1 - pageCount)];
          pageCount += 1;
          if (pageCount > 3) continue;
          for (const id of edited) await crm.editContact(id ?? '', { lastName: `New${pageCount}` });
        }
        assert.deepEqual(
          ids.filter((id) => !seen.has(id)),
          [],
        );
      });

      it('goes on after the cursor of any page without losing a contact', async () => {
        const ids = await start(people(crm.contactsForThreePages));
        const pages = await collectPages(connector, null);
        await startAgain();
        for (const [at, { cursor }] of pages.entries()) {
          const seen = [...idsOf(pages.slice(0, at + 1))];
          seen.push(...idsOf(await collectPages(connector, cursor)));
          assert.deepEqual(new Set(seen), new Set(ids));
        }
      });

      it('brings what was added or edited after the cursor', async () => {
        const [first = ''] = await start(people(3));
        const cursor = lastCursor(await collectPages(connector, null));
        await crm.editContact(first, { lastName: 'Newname' });
        const [added = ''] = await crm.addContacts([MARIA]);
        await startAgain();
        const contacts = byId(await collectPages(connector, cursor));
        assert.equal(contacts.get(first)?.lastName, 'Newname');
        assert.equal(contacts.get(added)?.lastName, 'Lopez');
      });

      it('gives a cursor exactly if it understands one', async () => {
        await start(people(1));
        const cursor = lastCursor(await collectPages(connector, null));
        assert.equal(cursor !== null, connector.capabilities.incremental);
      });

      it('tells of contacts that left, or leaves them out', async () => {
        const [gone = '', kept = ''] = await start(people(2));
        const cursor = lastCursor(await collectPages(connector, null));
        await crm.deleteContact(gone);
        await startAgain();
        const pages = await collectPages(connector, cursor);
        assert.ok(!idsOf(pages).includes(gone));
        if (connector.capabilities.reportsRemovals) {
          assertIncludes(removedOf(pages), [{ id: gone, mergedInto: null }]);
        } else {
          assert.deepEqual(idsOf(await collectPages(connector, null)), [kept]);
        }
      });

      if (abilities.includes('mergeContacts')) {
        it('tells where a merged contact lives on', async () => {
          const [loser = '', winner = ''] = await start(people(2));
          const cursor = lastCursor(await collectPages(connector, null));
          await crm.mergeContacts?.(loser, winner);
          await startAgain();
          const removed = removedOf(await collectPages(connector, cursor));
          assertIncludes(removed, [{ id: loser, mergedInto: winner }]);
        });

        it('tells that in a reading of all, too', async () => {
          const [loser = '', winner = ''] = await start(people(2));
          await crm.mergeContacts?.(loser, winner);
          await startAgain();
          const removed = removedOf(await collectPages(connector, null));
          assertIncludes(removed, [{ id: loser, mergedInto: winner }]);
        });
      }

      it('throws when the run stops, instead of seeming complete', async () => {
        await crm.addContacts(people(crm.contactsForThreePages));
        const stop = new AbortController();
        await open({ signal: stop.signal });
        await assert.rejects(stopAfterFirst(connector.readPages(null), stop), isDonorSyncError);
      });
    });

    describe('identities', () => {
      it('are made of the same every time, and say so', async () => {
        await start([FULL]);
        const identity = connector.identity?.() ?? null;
        const names = identity?.sources.map(({ name }) => name) ?? [];
        assert.equal(new Set(names).size, names.length);
        assert.notEqual(identity?.mode, '');
        await startAgain();
        assert.deepEqual(connector.identity?.() ?? null, identity);
      });

      it('are unknown in nothing that can be read', async () => {
        const [full = '', sparse = ''] = await start([FULL, ...people(1)]);
        const unreadable = unreadableSources(connector.identity?.());
        const contacts = byId(await collectPages(connector, null));
        for (const id of [full, sparse]) {
          assert.deepEqual([...(contacts.get(id)?.unreadable ?? [])].sort(), unreadable);
        }
      });

      if (abilities.includes('hideSources')) {
        for (const part of ['addresses', 'employers'] as const) {
          it(`tell ${part} that cannot be read from none, until they can be read again`, async () => {
            const [full = '', sparse = ''] = await start([FULL, ...people(1)]);
            const before = connector.identity?.();
            const known = byId(await collectPages(connector, null));
            const names = (await crm.hideSources?.(part)) ?? [];
            await startAgain();
            const hidden = connector.identity?.();
            // A permission that changes is no other mapping.
            assert.deepEqual([hidden?.columns, hidden?.mode], [before?.columns, before?.mode]);
            assertIncludes(unreadableSources(hidden), [...names]);
            const contacts = byId(await collectPages(connector, null));
            const unknown = contacts.get(full)?.unreadable ?? [];
            assertIncludes(unknown, [...names]);
            for (const id of [full, sparse]) {
              const contact = contacts.get(id);
              const [lookup] = await connector.readByIds([id], []);
              assert.deepEqual(lookup, { state: 'found', id, contact, values: {} });
            }
            await crm.showSources?.();
            await startAgain();
            assert.deepEqual(connector.identity?.(), before);
            assert.deepEqual(byId(await collectPages(connector, null)), known);
          });
        }

        for (const part of ['addresses', 'employers'] as const) {
          it(`have no blanks for ${part} that are hidden while a run goes on`, async () => {
            const [full = ''] = await start([FULL]);
            const names = (await crm.hideSources?.(part)) ?? [];
            const contacts = await readUnlessRefused(connector, full);
            for (const contact of contacts) {
              assertIncludes(contact.unreadable ?? [], [...names]);
            }
          });
        }
      }

      if (abilities.includes('ids')) {
        it('belong to one id, whatever form of it is asked for', async () => {
          const ids = await start(people(3));
          for (const id of ids) {
            assert.equal(crm.ids?.canonicalId(id), id);
            for (const form of crm.ids?.otherForms(id) ?? []) {
              assert.equal(crm.ids?.canonicalId(form), id);
              const [lookup] = await connector.readByIds([form], []);
              assert.partialDeepStrictEqual(lookup, { state: 'found', id: form, contact: { id } });
            }
          }
          for (const text of crm.ids?.noIds ?? []) assert.equal(crm.ids?.canonicalId(text), null);
        });
      }
    });

    describe('reading by ids', () => {
      it('answers in the order of the ids, with the values of the fields asked for', async () => {
        const ids = await start(people(5));
        const [field, other] = crm.textFields;
        await crm.setValue(ids[3] ?? '', field, 'typed by a person');
        const wanted = [ids[3], ids[0], ids[4]].map((id) => id ?? '');
        const found = await connector.readByIds(wanted, [field, other]);
        assert.deepEqual(
          found.map(({ id }) => id),
          wanted,
        );
        assert.deepEqual(valuesOf(found[0]), { [field]: 'typed by a person', [other]: null });
        assert.deepEqual(valuesOf(found[1]), { [field]: null, [other]: null });
      });

      it('shows the same contact as the pages do', async () => {
        const ids = await start([MARIA, ...people(3)]);
        const contacts = byId(await collectPages(connector, null));
        const found = await connector.readByIds(ids, []);
        assert.deepEqual(
          found.map((lookup) => lookup.state === 'found' && lookup.contact),
          ids.map((id) => contacts.get(id)),
        );
      });

      it('says which contacts are gone, between those that are there', async () => {
        const [first = '', gone = '', last = ''] = await start(people(3));
        await crm.deleteContact(gone);
        const found = await connector.readByIds([first, gone, last], []);
        assert.deepEqual(
          found.map(({ id, state }) => [id, state]),
          [
            [first, 'found'],
            [gone, 'removed'],
            [last, 'found'],
          ],
        );
      });

      if (abilities.includes('mergeContacts')) {
        it('sends a caller that asks for a merged contact to the one it lives on in', async () => {
          const [loser = '', winner = ''] = await start(people(2));
          await crm.mergeContacts?.(loser, winner);
          const [lookup] = await connector.readByIds([loser], []);
          assert.deepEqual(lookup, { state: 'removed', id: loser, mergedInto: winner });
        });
      }

      it('sees what a person has just changed', async () => {
        const [id = ''] = await start(people(2));
        const [field] = crm.textFields;
        await connector.readByIds([id], [field]);
        await crm.setValue(id, field, 'new');
        await crm.editContact(id, { lastName: 'Newname' });
        const [lookup] = await connector.readByIds([id], [field]);
        assert.partialDeepStrictEqual(lookup, {
          contact: { lastName: 'Newname' },
          values: { [field]: 'new' },
        });
      });

      it('shows white space as blank', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        await crm.setValue(id, field, '   ');
        assert.deepEqual(valuesOf((await connector.readByIds([id], [field]))[0]), {
          [field]: null,
        });
      });

      it('takes as many ids as it says, and none at all', async () => {
        const { readBatch } = connector.capabilities;
        const ids = await start(people(readBatch));
        const found = await connector.readByIds(ids, [...crm.textFields]);
        assert.deepEqual(
          found.map(({ id }) => id),
          ids,
        );
        assert.deepEqual(await connector.readByIds([], [...crm.textFields]), []);
      });
    });

    describe('writing', () => {
      it('writes exactly the fields that a change names', async () => {
        const [id = '', other = ''] = await start(people(2));
        const [field, untouched] = crm.textFields;
        await crm.setValue(id, untouched, 'typed by a person');
        // As the sync does: it compares all mapped fields before it writes some of them.
        await connector.readByIds([id], [field, untouched]);
        assert.deepEqual(await write(connector, [{ id, values: { [field]: 'ours' } }]), [
          { status: 'written', id },
        ]);
        await startAgain();
        assert.equal(await crm.seenValue(id, field), 'ours');
        assert.equal(await crm.seenValue(id, untouched), 'typed by a person');
        assert.equal(await crm.seenValue(other, field), null);
      });

      it('clears a field with null', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        await crm.setValue(id, field, 'old');
        await write(connector, [{ id, values: { [field]: null } }]);
        await connector.finish();
        assert.equal(await crm.seenValue(id, field), null);
        assert.deepEqual(valuesOf((await connector.readByIds([id], [field]))[0]), {
          [field]: null,
        });
      });

      it('reads back what it wrote, before and after the run ends', async () => {
        const [id = ''] = await start(people(2));
        const [first, second] = crm.textFields;
        const values: FieldValues = {
          [first]: 'Zoë "Z" O’Neil, Jr.; 50% – done',
          [second]: 'plain',
          ...Object.fromEntries((crm.typedFields ?? []).map(({ name, value }) => [name, value])),
        };
        assert.deepEqual(await write(connector, [{ id, values }]), [{ status: 'written', id }]);
        const fields = Object.keys(values);
        assert.deepEqual(valuesOf((await connector.readByIds([id], fields))[0]), values);
        await startAgain();
        assert.deepEqual(valuesOf((await connector.readByIds([id], fields))[0]), values);
      });

      it('takes the same change twice', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        const change = { id, values: { [field]: 'ours' } };
        for (let time = 0; time < 2; time += 1) {
          assert.deepEqual(await write(connector, [change]), [{ status: 'written', id }]);
        }
        await connector.finish();
        assert.equal(await crm.seenValue(id, field), 'ours');
      });

      it('lets the later of two changes win and keeps what only the earlier one names', async () => {
        const [id = ''] = await start(people(1));
        const [field, other] = crm.textFields;
        await write(connector, [{ id, values: { [field]: 'first', [other]: 'kept' } }]);
        await write(connector, [{ id, values: { [field]: 'second' } }]);
        await connector.finish();
        assert.equal(await crm.seenValue(id, field), 'second');
        assert.equal(await crm.seenValue(id, other), 'kept');
      });

      it('gives one result for each change of a large batch', async () => {
        const { preferred, max } = connector.capabilities.writeBatch;
        const ids = await start(people(Math.min(preferred + 1, max)));
        const [field] = crm.textFields;
        const results = await write(
          connector,
          ids.map((id) => ({ id, values: { [field]: `value of ${id}` } })),
        );
        assert.deepEqual(results.map(({ id }) => id).sort(), [...ids].sort());
        assert.equal(
          results.every(({ status }) => status === 'written'),
          true,
        );
        await connector.finish();
        const last = ids.at(-1) ?? '';
        assert.equal(await crm.seenValue(last, field), `value of ${last}`);
      });

      it('takes changes that arrive one by one', async () => {
        const ids = await start(people(3));
        const [field] = crm.textFields;
        async function* arriving(): AsyncGenerator<ContactChange> {
          for (const id of ids) {
            await Promise.resolve();
            yield { id, values: { [field]: 'ours' } };
          }
        }
        const results = await collect(connector.write(arriving()));
        assert.deepEqual(results.map(({ id }) => id).sort(), [...ids].sort());
      });

      it('writes nothing when there is nothing to write', async () => {
        await start(people(1));
        assert.deepEqual(await write(connector, []), []);
      });

      it('refuses a contact that is gone and writes the others', async () => {
        const [gone = '', kept = ''] = await start(people(2));
        const [field] = crm.textFields;
        await crm.deleteContact(gone);
        const results = await write(connector, [
          { id: gone, values: { [field]: 'ours' } },
          { id: kept, values: { [field]: 'ours' } },
        ]);
        assert.partialDeepStrictEqual(resultOf(results, gone), {
          status: 'refused',
          retriable: false,
        });
        assert.deepEqual(resultOf(results, kept), { status: 'written', id: kept });
        await connector.finish();
        assert.equal(await crm.seenValue(kept, field), 'ours');
      });

      if (abilities.includes('refuseWrites')) {
        it('reports a refused record without disturbing the others', async () => {
          const [first = '', refused = '', last = ''] = await start(people(3));
          const [field] = crm.textFields;
          await crm.refuseWrites?.(refused);
          const changes = [first, refused, last].map((id) => ({ id, values: { [field]: 'ours' } }));
          const results = await write(connector, changes);
          const refusal = resultOf(results, refused);
          assert.partialDeepStrictEqual(refusal, { status: 'refused', retriable: false });
          assert.ok(refusal?.status === 'refused');
          assert.notEqual(refusal.code, '');
          assert.ok(!refusal.message.includes('ours'));
          await connector.finish();
          assert.equal(await crm.seenValue(first, field), 'ours');
          assert.equal(await crm.seenValue(refused, field), null);
          assert.equal(await crm.seenValue(last, field), 'ours');
        });
      }

      if (abilities.includes('refuseField')) {
        it('loses one value where the CRM refuses one value', async () => {
          const [refused = '', whole = ''] = await start(people(2));
          const [bad, good] = crm.textFields;
          await crm.refuseField?.(refused, bad);
          const changes = [refused, whole].map((id) => ({
            id,
            values: { [bad]: `of ${id}`, [good]: 'ours' },
          }));
          const results = await write(connector, changes);
          assert.equal(results.length, 2);
          assert.deepEqual(resultOf(results, whole), { status: 'written', id: whole });
          const part = resultOf(results, refused);
          assert.ok(part?.status === 'written_in_part');
          assert.deepEqual(
            part.refusals.map(({ fields }) => fields),
            [[bad]],
          );
          assert.ok(part.refusals.every(({ code, retriable }) => code !== '' && !retriable));
          assert.ok(part.refusals.every(({ message }) => !message.includes(refused)));
          await connector.finish();
          assert.equal(await crm.seenValue(refused, bad), null);
          assert.equal(await crm.seenValue(refused, good), 'ours');
          assert.equal(await crm.seenValue(whole, bad), `of ${whole}`);
        });

        it('says that nothing was written where the refused value was the only one', async () => {
          const [id = ''] = await start(people(1));
          const [bad] = crm.textFields;
          await crm.refuseField?.(id, bad);
          const [result] = await write(connector, [{ id, values: { [bad]: `of ${id}` } }]);
          assert.partialDeepStrictEqual(result, { status: 'refused', id, retriable: false });
        });
      }

      if (abilities.includes('lock')) {
        it('writes a locked record in the end, or says that trying again makes sense', async () => {
          const [locked = '', free = ''] = await start(people(2));
          const [field] = crm.textFields;
          await crm.lock?.(locked, 1);
          const changes = [locked, free].map((id) => ({ id, values: { [field]: 'ours' } }));
          const results = await write(connector, changes);
          assert.deepEqual(resultOf(results, free), { status: 'written', id: free });
          const first = resultOf(results, locked);
          if (first?.status === 'refused') {
            assert.equal(first.retriable, true);
            const again = await write(connector, changes.slice(0, 1));
            assert.deepEqual(again, [{ status: 'written', id: locked }]);
          }
          await connector.finish();
          assert.equal(await crm.seenValue(locked, field), 'ours');
        });
      }

      it('acknowledges nothing that it did not write when the run stops', async () => {
        const ids = await crm.addContacts(people(3));
        const [field] = crm.textFields;
        const stop = new AbortController();
        await open({ signal: stop.signal });
        stop.abort();
        const acknowledged: string[] = [];
        try {
          const changes = ids.map((id) => ({ id, values: { [field]: 'ours' } }));
          for await (const { id, status } of connector.write(changes)) {
            if (status === 'written') acknowledged.push(id);
          }
        } catch (error) {
          assert.ok(isDonorSyncError(error));
        }
        await connector.finish();
        for (const id of ids) {
          const expected = acknowledged.includes(id) ? 'ours' : null;
          assert.equal(await crm.seenValue(id, field), expected);
        }
      });
    });

    describe('fields', () => {
      it('describes the fields that can be written', async () => {
        await start(people(1));
        const fields = await connector.describeFields();
        const names = fields.map(({ name }) => name);
        assert.equal(new Set(names).size, names.length);
        for (const name of crm.textFields) {
          assert.partialDeepStrictEqual(
            fields.find((field) => field.name === name),
            { writable: true },
          );
        }
        if (crm.newField) assert.ok(!names.includes(crm.newField.name));
      });

      if (abilities.includes('newField')) {
        it('creates a field once, however often it is asked to', async () => {
          const [id = ''] = await start(people(1));
          const { newField } = crm;
          assert.ok(newField, 'The harness has no new field.');
          const { name } = newField;
          const created = [{ name, result: 'created', problem: null }];
          const existed = [{ name, result: 'existed', problem: null }];
          assert.deepEqual(await connector.createFields([newField]), created);
          assert.deepEqual(await connector.createFields([newField]), existed);
          await startAgain();
          assert.deepEqual(await connector.createFields([newField]), existed);
          const fields = await connector.describeFields();
          assert.equal(fields.filter((field) => field.name === name).length, 1);
          assert.deepEqual(valuesOf((await connector.readByIds([id], [name]))[0]), {
            [name]: null,
          });
        });
      }
    });

    if (abilities.includes('groups')) {
      describe('groups', () => {
        function groups(): NonNullable<ConformanceHarness['groups']> {
          assert.ok(crm.groups, 'The harness has no groups.');
          return crm.groups;
        }

        it('brings the members of a group, each once, and no others', async () => {
          const ids = await crm.addContacts(people(5));
          const selector = await groups().add(ids.slice(1, 4));
          await open();
          const members = (await collect(connector.readGroup(selector))).flat();
          assert.deepEqual([...members].sort(), ids.slice(1, 4).sort());
          const keys = Object.keys(selector);
          assertIncludes(connector.capabilities.groups, [keys[0]]);
        });

        it('throws for a group that it cannot read', async () => {
          await start(people(2));
          await assert.rejects(collect(connector.readGroup(groups().unknown)), isDonorSyncError);
        });

        if (abilities.includes('addBreakingGroup')) {
          it('throws for a group that breaks off, so that half of it never looks whole', async () => {
            const ids = await start(people(5));
            const selector = await crm.addBreakingGroup?.(ids);
            await assert.rejects(
              collect(connector.readGroup(selector ?? groups().unknown)),
              isDonorSyncError,
            );
          });
        }

        it('throws when the run stops, so that half a group never looks whole', async () => {
          const ids = await crm.addContacts(people(3));
          const selector = await groups().add(ids);
          const stop = new AbortController();
          await open({ signal: stop.signal });
          stop.abort();
          await assert.rejects(collect(connector.readGroup(selector)), isDonorSyncError);
        });

        it('lists groups that it can read', async () => {
          const ids = await crm.addContacts(people(4));
          await groups().add(ids.slice(0, 2));
          await open();
          for (const { selector, memberCount } of await connector.listGroups()) {
            const members = (await collect(connector.readGroup(selector))).flat();
            assert.equal(memberCount ?? members.length, members.length);
          }
        });
      });
    }

    describe('the rest', () => {
      it('knows its limits or says that there are none', async () => {
        await start(people(1));
        const limits = await connector.readLimits();
        if (limits === null) return;
        assert.ok(limits.daily.remaining <= limits.daily.max);
      });

      it('checks the prerequisites, and finds them met', async () => {
        await crm.addContacts(people(1));
        const findings = await crm.check();
        assert.ok(findings.length > 0);
        assert.deepEqual(
          findings.filter(({ ok }) => !ok),
          [],
        );
      });

      it('finishes and closes as often as it is called', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        await write(connector, [{ id, values: { [field]: 'ours' } }]);
        await connector.finish();
        await connector.finish();
        assert.equal(await crm.seenValue(id, field), 'ours');
        await connector.close();
        await connector.close();
      });
    });
  });
}

const MARIA: SeedContact = { firstName: 'Maria', lastName: 'Lopez', addresses: [], employers: [] };

/** A person with something in each part of an identity. */
const FULL: SeedContact = {
  ...MARIA,
  addresses: ['1 Elm Street, Springfield'],
  employers: ['Acme Foundation'],
};

/** So many different people. */
function people(count: number): SeedContact[] {
  return Array.from({ length: count }, (_, at) => ({
    firstName: `First${at}`,
    lastName: `Last${at}`,
    addresses: [],
    employers: [],
  }));
}

/** The longest reading that a test waits for; a cursor that does not move would go on for ever. */
const MOST_PORTIONS = 10_000;

/** Reads something to its end. */
async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) {
    collected.push(item);
    if (collected.length > MOST_PORTIONS) throw new Error('The reading does not end.');
  }
  return collected;
}

function collectPages(connector: Connector, cursor: string | null): Promise<ContactPage[]> {
  return collect(connector.readPages(cursor));
}

function write(connector: Connector, changes: readonly ContactChange[]): Promise<WriteResult[]> {
  return collect(connector.write(changes));
}

async function stopAfterFirst(items: AsyncIterable<unknown>, stop: AbortController): Promise<void> {
  for await (const _ of items) stop.abort();
}

/** The contact by pages and by id; nothing from a reading that ends in an error. */
async function readUnlessRefused(connector: Connector, id: string): Promise<Contact[]> {
  const contacts: Contact[] = [];
  const readings = [
    async () => contacts.push(...byId(await collectPages(connector, null)).values()),
    async () => {
      const [lookup] = await connector.readByIds([id], []);
      if (lookup?.state === 'found') contacts.push(lookup.contact);
    },
  ];
  for (const read of readings) {
    try {
      await read();
    } catch (error) {
      assert.ok(isDonorSyncError(error));
    }
  }
  return contacts;
}

function unreadableSources(identity: IdentityShape | undefined): string[] {
  const sources = identity?.sources ?? [];
  return sources.flatMap(({ name, readable }) => (readable ? [] : [name])).sort();
}

function idsOf(pages: readonly ContactPage[]): string[] {
  return pages.flatMap(({ contacts }) => contacts.map(({ id }) => id));
}

function removedOf(pages: readonly ContactPage[]): { id: string; mergedInto: string | null }[] {
  return pages.flatMap(({ removed }) => removed);
}

function lastCursor(pages: readonly ContactPage[]): string | null {
  return pages.at(-1)?.cursor ?? null;
}

function byId(pages: readonly ContactPage[]): Map<string, Contact> {
  return new Map(pages.flatMap(({ contacts }) => contacts.map((contact) => [contact.id, contact])));
}

function valuesOf(lookup: RecordLookup | undefined): FieldValues | null {
  return lookup?.state === 'found' ? lookup.values : null;
}

function resultOf(results: readonly WriteResult[], id: string): WriteResult | undefined {
  return results.find((result) => result.id === id);
}

/** Each of `some` is among `all`; says which one is not. */
function assertIncludes(all: Iterable<unknown>, some: readonly unknown[]): void {
  const known = [...all];
  const missing = some.filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  assert.deepEqual(missing, []);
}

/** What a connector is given in a test: the machine's clock, no log, no secrets. */
export function testDeps(deps: Partial<ConnectorDeps> = {}): ConnectorDeps {
  return {
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    secrets: { read: async () => null, write: async () => {} },
    onCall() {},
    ...deps,
  };
}

/** Options for `open` and `check` of a definition, made of settings as they stand in the file. */
export function testOptions<Settings>(
  { settingsSchema }: Pick<ConnectorDefinition<Settings>, 'settingsSchema'>,
  settings: unknown,
  { contacts, ...deps }: Partial<ConnectorDeps> & { contacts?: Partial<ContactsSettings> } = {},
): ConnectorOptions<Settings> {
  return {
    settings: settingsSchema.parse(settings),
    contacts: { filter: null, optOutField: null, ...contacts },
    deps: testDeps(deps),
  };
}
