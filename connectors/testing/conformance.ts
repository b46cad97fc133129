/**
 * The promises of `contract.ts` as tests that any connector can be put through. A harness says
 * how to make things happen in its CRM; a kind of CRM declares what can happen in it, and only the
 * tests of that are its tests.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Contact } from '../../src/core/contact.ts';
import type { FieldSpec, FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { DonorSyncError } from '../../src/core/errors.ts';
import type {
  Connector,
  ContactChange,
  ContactPage,
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
  /** A connector over the CRM that nobody has prepared yet. */
  connector(options?: { signal?: AbortSignal }): Connector;
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
  /** A field that does not exist and can be created. */
  newField: FieldSpec;
  /** How many contacts make at least three pages. */
  contactsForThreePages: number;
  /** A group of these contacts. */
  addGroup(members: readonly string[]): Promise<GroupSelector>;
  /** A selector that is well formed and selects no group that could be read. */
  unknownGroup: GroupSelector;
  /** The loser goes, and lives on in the winner. */
  mergeContacts?(loser: string, winner: string): Promise<void>;
  /** From now on the CRM refuses writes to the contact. */
  refuseWrites?(id: string): Promise<void>;
  /** The CRM refuses the next writes to the contact because somebody else is at it. */
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
  | 'mergeContacts'
  | 'refuseWrites'
  | 'lock'
  | 'addBreakingGroup'
  | 'hideSources'
  | 'ids';

/** Declares the suite. `create` gives an empty CRM. */
export function testConnector(
  name: string,
  create: () => Promise<ConformanceHarness>,
  abilities: readonly Ability[],
): void {
  describe(`the ${name} connector`, () => {
    let crm: ConformanceHarness;
    let connector: Connector;

    beforeEach(async () => {
      crm = await create();
      connector = crm.connector();
    });

    afterEach(async () => {
      await connector.close();
      await crm.close();
    });

    /** A prepared connector that sees these contacts. */
    async function start(contacts: readonly SeedContact[]): Promise<string[]> {
      const ids = await crm.addContacts(contacts);
      await connector.prepare();
      return ids;
    }

    /** Looks at the CRM as a later run would. */
    async function startAgain(): Promise<void> {
      await connector.finish();
      await connector.close();
      connector = crm.connector();
      await connector.prepare();
    }

    describe('preparing', () => {
      it('names the same account every time', async () => {
        await crm.addContacts(people(1));
        const account = await connector.prepare();
        expect(account.id).not.toBe('');
        expect(account.name).not.toBe('');
        await startAgain();
        const other = crm.connector();
        expect(await other.prepare()).toEqual(account);
        await other.close();
      });

      it('opens nothing before it is called', async () => {
        await crm.connector().close();
        await connector.finish();
      });
    });

    describe('reading pages', () => {
      it('brings every contact with the identity that stands in the CRM', async () => {
        const [full, sparse] = await start([
          { ...MARIA, addresses: ['1 Elm Street, Springfield'], employers: ['Acme Foundation'] },
          { firstName: null, lastName: 'Özgür', addresses: [], employers: [] },
        ]);
        const contacts = byId(await collectPages(connector, null));
        expect(contacts.size).toBe(2);
        expect(contacts.get(full ?? '')).toMatchObject({
          firstName: 'Maria',
          lastName: 'Lopez',
          employers: ['Acme Foundation'],
          optedOut: false,
        });
        expect(contacts.get(full ?? '')?.addresses.join()).toContain('Elm Street');
        expect(contacts.get(sparse ?? '')).toMatchObject({
          firstName: null,
          lastName: 'Özgür',
          addresses: [],
          employers: [],
        });
      });

      it('brings all contacts of a CRM that takes several pages', async () => {
        const ids = await start(people(crm.contactsForThreePages));
        const pages = await collectPages(connector, null);
        expect(pages.length).toBeGreaterThanOrEqual(3);
        expect(new Set(idsOf(pages))).toEqual(new Set(ids));
      });

      it('reads an empty CRM to its end', async () => {
        await start([]);
        expect(idsOf(await collectPages(connector, null))).toEqual([]);
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
        expect(ids.filter((id) => !seen.has(id))).toEqual([]);
      });

      it('goes on after the cursor of any page without losing a contact', async () => {
        const ids = await start(people(crm.contactsForThreePages));
        const pages = await collectPages(connector, null);
        await startAgain();
        for (const [at, { cursor }] of pages.entries()) {
          const seen = [...idsOf(pages.slice(0, at + 1))];
          seen.push(...idsOf(await collectPages(connector, cursor)));
          expect(new Set(seen)).toEqual(new Set(ids));
        }
      });

      it('brings what was added or edited after the cursor', async () => {
        const [first = ''] = await start(people(3));
        const cursor = lastCursor(await collectPages(connector, null));
        await crm.editContact(first, { lastName: 'Newname' });
        const [added = ''] = await crm.addContacts([MARIA]);
        await startAgain();
        const contacts = byId(await collectPages(connector, cursor));
        expect(contacts.get(first)?.lastName).toBe('Newname');
        expect(contacts.get(added)?.lastName).toBe('Lopez');
      });

      it('gives a cursor exactly if it understands one', async () => {
        await start(people(1));
        const cursor = lastCursor(await collectPages(connector, null));
        expect(cursor !== null).toBe(connector.capabilities.incremental);
      });

      it('tells of contacts that left, or leaves them out', async () => {
        const [gone = '', kept = ''] = await start(people(2));
        const cursor = lastCursor(await collectPages(connector, null));
        await crm.deleteContact(gone);
        await startAgain();
        const pages = await collectPages(connector, cursor);
        expect(idsOf(pages)).not.toContain(gone);
        if (connector.capabilities.reportsRemovals) {
          expect(removedOf(pages)).toContainEqual({ id: gone, mergedInto: null });
        } else {
          expect(idsOf(await collectPages(connector, null))).toEqual([kept]);
        }
      });

      if (abilities.includes('mergeContacts')) {
        it('tells where a merged contact lives on', async () => {
          const [loser = '', winner = ''] = await start(people(2));
          const cursor = lastCursor(await collectPages(connector, null));
          await crm.mergeContacts?.(loser, winner);
          await startAgain();
          const removed = removedOf(await collectPages(connector, cursor));
          expect(removed).toContainEqual({ id: loser, mergedInto: winner });
        });

        it('tells that in a reading of all, too', async () => {
          const [loser = '', winner = ''] = await start(people(2));
          await crm.mergeContacts?.(loser, winner);
          await startAgain();
          const removed = removedOf(await collectPages(connector, null));
          expect(removed).toContainEqual({ id: loser, mergedInto: winner });
        });
      }

      it('throws when the run stops, instead of looking complete', async () => {
        await crm.addContacts(people(crm.contactsForThreePages));
        const stop = new AbortController();
        connector = crm.connector({ signal: stop.signal });
        await connector.prepare();
        await expect(stopAfterFirst(connector.readPages(null), stop)).rejects.toBeInstanceOf(
          DonorSyncError,
        );
      });
    });

    describe('identities', () => {
      it('are made of the same every time, and say so', async () => {
        await start([FULL]);
        const identity = connector.identity?.() ?? null;
        const names = identity?.sources.map(({ name }) => name) ?? [];
        expect(new Set(names).size).toBe(names.length);
        expect(identity?.mode).not.toBe('');
        await startAgain();
        expect(connector.identity?.() ?? null).toEqual(identity);
      });

      it('are unknown in nothing that can be read', async () => {
        const [full = '', sparse = ''] = await start([FULL, ...people(1)]);
        const unreadable = unreadableSources(connector.identity?.());
        const contacts = byId(await collectPages(connector, null));
        for (const id of [full, sparse]) {
          expect([...(contacts.get(id)?.unreadable ?? [])].sort()).toEqual(unreadable);
        }
      });

      if (abilities.includes('hideSources')) {
        it.each(['addresses', 'employers'] as const)(
          'tell %s that cannot be read from none, until they can be read again',
          async (part) => {
            const [full = '', sparse = ''] = await start([FULL, ...people(1)]);
            const before = connector.identity?.();
            const known = byId(await collectPages(connector, null));
            const names = (await crm.hideSources?.(part)) ?? [];
            await startAgain();
            const hidden = connector.identity?.();
            // A permission that changes is no other mapping.
            expect([hidden?.columns, hidden?.mode]).toEqual([before?.columns, before?.mode]);
            expect(unreadableSources(hidden)).toEqual(expect.arrayContaining([...names]));
            const contacts = byId(await collectPages(connector, null));
            const unknown = contacts.get(full)?.unreadable ?? [];
            expect(unknown).toEqual(expect.arrayContaining([...names]));
            for (const id of [full, sparse]) {
              const contact = contacts.get(id);
              const [lookup] = await connector.readByIds([id], []);
              expect(lookup).toEqual({ state: 'found', id, contact, values: {} });
            }
            await crm.showSources?.();
            await startAgain();
            expect(connector.identity?.()).toEqual(before);
            expect(byId(await collectPages(connector, null))).toEqual(known);
          },
        );

        it.each(['addresses', 'employers'] as const)(
          'have no blanks for %s that are hidden while a run goes on',
          async (part) => {
            const [full = ''] = await start([FULL]);
            const names = (await crm.hideSources?.(part)) ?? [];
            const contacts = await readUnlessRefused(connector, full);
            for (const contact of contacts) {
              expect(contact.unreadable ?? []).toEqual(expect.arrayContaining([...names]));
            }
          },
        );
      }

      if (abilities.includes('ids')) {
        it('belong to one id, whatever form of it is asked for', async () => {
          const ids = await start(people(3));
          for (const id of ids) {
            expect(crm.ids?.canonicalId(id)).toBe(id);
            for (const form of crm.ids?.otherForms(id) ?? []) {
              expect(crm.ids?.canonicalId(form)).toBe(id);
              const [lookup] = await connector.readByIds([form], []);
              expect(lookup).toMatchObject({ state: 'found', id: form, contact: { id } });
            }
          }
          for (const text of crm.ids?.noIds ?? []) expect(crm.ids?.canonicalId(text)).toBeNull();
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
        expect(found.map(({ id }) => id)).toEqual(wanted);
        expect(valuesOf(found[0])).toEqual({ [field]: 'typed by a person', [other]: null });
        expect(valuesOf(found[1])).toEqual({ [field]: null, [other]: null });
      });

      it('shows the same contact as the pages do', async () => {
        const ids = await start([MARIA, ...people(3)]);
        const contacts = byId(await collectPages(connector, null));
        const found = await connector.readByIds(ids, []);
        expect(found.map((lookup) => lookup.state === 'found' && lookup.contact)).toEqual(
          ids.map((id) => contacts.get(id)),
        );
      });

      it('says which contacts are gone, between those that are there', async () => {
        const [first = '', gone = '', last = ''] = await start(people(3));
        await crm.deleteContact(gone);
        const found = await connector.readByIds([first, gone, last], []);
        expect(found.map(({ id, state }) => [id, state])).toEqual([
          [first, 'found'],
          [gone, 'removed'],
          [last, 'found'],
        ]);
      });

      if (abilities.includes('mergeContacts')) {
        it('sends whoever asks for a merged contact to the one it lives on in', async () => {
          const [loser = '', winner = ''] = await start(people(2));
          await crm.mergeContacts?.(loser, winner);
          const [lookup] = await connector.readByIds([loser], []);
          expect(lookup).toEqual({ state: 'removed', id: loser, mergedInto: winner });
        });
      }

      it('sees what a person has just changed', async () => {
        const [id = ''] = await start(people(2));
        const [field] = crm.textFields;
        await connector.readByIds([id], [field]);
        await crm.setValue(id, field, 'new');
        await crm.editContact(id, { lastName: 'Newname' });
        const [lookup] = await connector.readByIds([id], [field]);
        expect(lookup).toMatchObject({
          contact: { lastName: 'Newname' },
          values: { [field]: 'new' },
        });
      });

      it('shows white space as blank', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        await crm.setValue(id, field, '   ');
        expect(valuesOf((await connector.readByIds([id], [field]))[0])).toEqual({ [field]: null });
      });

      it('takes as many ids as it says, and none at all', async () => {
        const { readBatch } = connector.capabilities;
        const ids = await start(people(readBatch));
        const found = await connector.readByIds(ids, [...crm.textFields]);
        expect(found.map(({ id }) => id)).toEqual(ids);
        expect(await connector.readByIds([], [...crm.textFields])).toEqual([]);
      });
    });

    describe('writing', () => {
      it('writes exactly the fields that a change names', async () => {
        const [id = '', other = ''] = await start(people(2));
        const [field, untouched] = crm.textFields;
        await crm.setValue(id, untouched, 'typed by a person');
        // As the sync does: it compares all mapped fields before it writes some of them.
        await connector.readByIds([id], [field, untouched]);
        expect(await write(connector, [{ id, values: { [field]: 'ours' } }])).toEqual([
          { status: 'written', id },
        ]);
        await startAgain();
        expect(await crm.seenValue(id, field)).toBe('ours');
        expect(await crm.seenValue(id, untouched)).toBe('typed by a person');
        expect(await crm.seenValue(other, field)).toBeNull();
      });

      it('clears a field with null', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        await crm.setValue(id, field, 'old');
        await write(connector, [{ id, values: { [field]: null } }]);
        await connector.finish();
        expect(await crm.seenValue(id, field)).toBeNull();
        expect(valuesOf((await connector.readByIds([id], [field]))[0])).toEqual({ [field]: null });
      });

      it('reads back what it wrote, before and after the run ends', async () => {
        const [id = ''] = await start(people(2));
        const [first, second] = crm.textFields;
        const values: FieldValues = {
          [first]: 'Zoë "Z" O’Neil, Jr.; 50% – done',
          [second]: 'plain',
          ...Object.fromEntries((crm.typedFields ?? []).map(({ name, value }) => [name, value])),
        };
        expect(await write(connector, [{ id, values }])).toEqual([{ status: 'written', id }]);
        const fields = Object.keys(values);
        expect(valuesOf((await connector.readByIds([id], fields))[0])).toEqual(values);
        await startAgain();
        expect(valuesOf((await connector.readByIds([id], fields))[0])).toEqual(values);
      });

      it('takes the same change twice', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        const change = { id, values: { [field]: 'ours' } };
        for (let time = 0; time < 2; time += 1) {
          expect(await write(connector, [change])).toEqual([{ status: 'written', id }]);
        }
        await connector.finish();
        expect(await crm.seenValue(id, field)).toBe('ours');
      });

      it('lets the later of two changes win and keeps what only the earlier one names', async () => {
        const [id = ''] = await start(people(1));
        const [field, other] = crm.textFields;
        await write(connector, [{ id, values: { [field]: 'first', [other]: 'kept' } }]);
        await write(connector, [{ id, values: { [field]: 'second' } }]);
        await connector.finish();
        expect(await crm.seenValue(id, field)).toBe('second');
        expect(await crm.seenValue(id, other)).toBe('kept');
      });

      it('gives one result for each change of a large batch', async () => {
        const { preferred, max } = connector.capabilities.writeBatch;
        const ids = await start(people(Math.min(preferred + 1, max)));
        const [field] = crm.textFields;
        const results = await write(
          connector,
          ids.map((id) => ({ id, values: { [field]: `value of ${id}` } })),
        );
        expect(results.map(({ id }) => id).sort()).toEqual([...ids].sort());
        expect(results.every(({ status }) => status === 'written')).toBe(true);
        await connector.finish();
        const last = ids.at(-1) ?? '';
        expect(await crm.seenValue(last, field)).toBe(`value of ${last}`);
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
        expect(results.map(({ id }) => id).sort()).toEqual([...ids].sort());
      });

      it('writes nothing when there is nothing to write', async () => {
        await start(people(1));
        expect(await write(connector, [])).toEqual([]);
      });

      it('refuses a contact that is gone and writes the others', async () => {
        const [gone = '', kept = ''] = await start(people(2));
        const [field] = crm.textFields;
        await crm.deleteContact(gone);
        const results = await write(connector, [
          { id: gone, values: { [field]: 'ours' } },
          { id: kept, values: { [field]: 'ours' } },
        ]);
        expect(resultOf(results, gone)).toMatchObject({ status: 'refused', retriable: false });
        expect(resultOf(results, kept)).toEqual({ status: 'written', id: kept });
        await connector.finish();
        expect(await crm.seenValue(kept, field)).toBe('ours');
      });

      if (abilities.includes('refuseWrites')) {
        it('reports a refused record without disturbing the others', async () => {
          const [first = '', refused = '', last = ''] = await start(people(3));
          const [field] = crm.textFields;
          await crm.refuseWrites?.(refused);
          const changes = [first, refused, last].map((id) => ({ id, values: { [field]: 'ours' } }));
          const results = await write(connector, changes);
          const refusal = resultOf(results, refused);
          expect(refusal).toMatchObject({ status: 'refused', retriable: false });
          expect(refusal).toHaveProperty('code', expect.stringMatching(/./));
          expect(refusal).toHaveProperty('message', expect.not.stringContaining('ours'));
          await connector.finish();
          expect(await crm.seenValue(first, field)).toBe('ours');
          expect(await crm.seenValue(refused, field)).toBeNull();
          expect(await crm.seenValue(last, field)).toBe('ours');
        });
      }

      if (abilities.includes('lock')) {
        it('writes a locked record in the end, or says that trying again makes sense', async () => {
          const [locked = '', free = ''] = await start(people(2));
          const [field] = crm.textFields;
          await crm.lock?.(locked, 1);
          const changes = [locked, free].map((id) => ({ id, values: { [field]: 'ours' } }));
          const results = await write(connector, changes);
          expect(resultOf(results, free)).toEqual({ status: 'written', id: free });
          const first = resultOf(results, locked);
          if (first?.status === 'refused') {
            expect(first.retriable).toBe(true);
            const again = await write(connector, changes.slice(0, 1));
            expect(again).toEqual([{ status: 'written', id: locked }]);
          }
          await connector.finish();
          expect(await crm.seenValue(locked, field)).toBe('ours');
        });
      }

      it('acknowledges nothing that it did not write when the run stops', async () => {
        const ids = await crm.addContacts(people(3));
        const [field] = crm.textFields;
        const stop = new AbortController();
        connector = crm.connector({ signal: stop.signal });
        await connector.prepare();
        stop.abort();
        const acknowledged: string[] = [];
        try {
          const changes = ids.map((id) => ({ id, values: { [field]: 'ours' } }));
          for await (const { id, status } of connector.write(changes)) {
            if (status === 'written') acknowledged.push(id);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(DonorSyncError);
        }
        await connector.finish();
        for (const id of ids) {
          const expected = acknowledged.includes(id) ? 'ours' : null;
          expect(await crm.seenValue(id, field)).toBe(expected);
        }
      });
    });

    describe('fields', () => {
      it('describes the fields that can be written', async () => {
        await start(people(1));
        const fields = await connector.describeFields();
        const names = fields.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const name of crm.textFields) {
          expect(fields.find((field) => field.name === name)).toMatchObject({ writable: true });
        }
        expect(names).not.toContain(crm.newField.name);
      });

      it('creates a field once, however often it is asked to', async () => {
        const [id = ''] = await start(people(1));
        const { name } = crm.newField;
        const created = [{ name, result: 'created', problem: null }];
        const existed = [{ name, result: 'existed', problem: null }];
        expect(await connector.createFields([crm.newField])).toEqual(created);
        expect(await connector.createFields([crm.newField])).toEqual(existed);
        await startAgain();
        expect(await connector.createFields([crm.newField])).toEqual(existed);
        const fields = await connector.describeFields();
        expect(fields.filter((field) => field.name === name)).toHaveLength(1);
        expect(valuesOf((await connector.readByIds([id], [name]))[0])).toEqual({ [name]: null });
      });
    });

    describe('groups', () => {
      it('brings the members of a group, each once, and nobody else', async () => {
        const ids = await crm.addContacts(people(5));
        const selector = await crm.addGroup(ids.slice(1, 4));
        await connector.prepare();
        const members = (await collect(connector.readGroup(selector))).flat();
        expect([...members].sort()).toEqual(ids.slice(1, 4).sort());
        const keys = Object.keys(selector);
        expect(connector.capabilities.groups).toContain(keys[0]);
      });

      it('throws for a group that it cannot read', async () => {
        await start(people(2));
        await expect(collect(connector.readGroup(crm.unknownGroup))).rejects.toBeInstanceOf(
          DonorSyncError,
        );
      });

      if (abilities.includes('addBreakingGroup')) {
        it('throws for a group that breaks off, so that half of it never looks whole', async () => {
          const ids = await start(people(5));
          const selector = await crm.addBreakingGroup?.(ids);
          await expect(
            collect(connector.readGroup(selector ?? crm.unknownGroup)),
          ).rejects.toBeInstanceOf(DonorSyncError);
        });
      }

      it('throws when the run stops, so that half a group never looks whole', async () => {
        const ids = await crm.addContacts(people(3));
        const selector = await crm.addGroup(ids);
        const stop = new AbortController();
        connector = crm.connector({ signal: stop.signal });
        await connector.prepare();
        stop.abort();
        await expect(collect(connector.readGroup(selector))).rejects.toBeInstanceOf(DonorSyncError);
      });

      it('lists groups that it can read', async () => {
        const ids = await crm.addContacts(people(4));
        await crm.addGroup(ids.slice(0, 2));
        await connector.prepare();
        for (const { selector, memberCount } of await connector.listGroups()) {
          const members = (await collect(connector.readGroup(selector))).flat();
          expect(memberCount ?? members.length).toBe(members.length);
        }
      });
    });

    describe('the rest', () => {
      it('knows its limits or says that there are none', async () => {
        await start(people(1));
        const limits = await connector.readLimits();
        if (limits === null) return;
        expect(limits.daily.remaining).toBeLessThanOrEqual(limits.daily.max);
      });

      it('checks the prerequisites before it is prepared, and finds them met', async () => {
        await crm.addContacts(people(1));
        const findings = await connector.check();
        expect(findings.length).toBeGreaterThan(0);
        expect(findings.filter(({ ok }) => !ok)).toEqual([]);
      });

      it('finishes and closes as often as it is told to', async () => {
        const [id = ''] = await start(people(1));
        const [field] = crm.textFields;
        await write(connector, [{ id, values: { [field]: 'ours' } }]);
        await connector.finish();
        await connector.finish();
        expect(await crm.seenValue(id, field)).toBe('ours');
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
      expect(error).toBeInstanceOf(DonorSyncError);
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
