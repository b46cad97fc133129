import { describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../../connectors/memory/crm.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import {
  findOtherTool,
  listNormalisedFields,
} from '../../../src/fields/statements/normalised-fields.ts';
import { previewRun } from '../../../src/sync/preview.ts';
import { open } from '../worlds.ts';
import {
  BIO,
  breaks,
  DONOR,
  donorsIn,
  FIELDS,
  identityOf,
  openMarked,
  openTwo,
  WORK,
} from './one-person-world.ts';

describe('a contact that becomes another person, where automation of the CRM changes values', () => {
  it('loses a value that automation of the CRM has changed', async () => {
    const { world, first, second, identity } = await openTwo();
    world.crm.automate(WORK, (value) => (typeof value === 'string' ? value.toUpperCase() : value));
    const [third = ''] = [...world.crm.records.keys()].filter(
      (id) => id !== first && id !== second && world.crm.valueOf(id, DONOR) !== null,
    );
    const donor = world.crm.valueOf(third, DONOR);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(world.crm.valueOf(first, WORK)).toMatch(/^WORK OF /);
    expect(await listNormalisedFields(world.store.reader, 'riverside')).toMatchObject([
      { field: WORK },
    ]);
    const next = world.crm.records.get(third)?.contact;
    if (next === undefined) throw new Error('the third contact is gone');
    const { firstName, lastName, addresses, employers } = next;
    world.crm.deleteContact(third);
    world.crm.editContact(first, { firstName, lastName, addresses, employers });
    expect((await world.sync()).contacts).toMatchObject({ written: 1 });
    expect(world.crm.valueOf(first, WORK)).toBe(`WORK OF ${String(donor).toUpperCase()}`);
    expect(donorsIn(world, first).filter((id) => id !== donor)).toEqual([]);
  });

  it('is planned like it is written, where a flow has changed a value long after the run', async () => {
    const late = { id: '', madeFrom: {} };
    const { world, first } = await openTwo({
      connector(crm, signal) {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          async *write(changes) {
            if (breaks.isOn) throw new RetriableError('No answer.', { code: 'crm_unavailable' });
            yield* connector.write(changes);
          },
          findAutomated: async (wanted) =>
            wanted.filter(({ id }) => id === late.id).map(() => late),
        };
      },
    });
    const ours = world.crm.valueOf(first, WORK);
    world.crm.setValue(first, WORK, 'CHANGED BY A FLOW');
    Object.assign(late, { id: first, madeFrom: { [WORK]: ours } });
    const [stranger = ''] = await world.addPeople(1, 20);
    world.crm.editContact(first, identityOf(world, stranger));
    world.crm.deleteContact(stranger);
    breaks.isOn = true;
    expect((await world.sync()).status).toBe('incomplete');
    breaks.isOn = false;
    const { waiting } = await previewRun(world.deps(), {
      integration: world.integration,
      mappings: FIELDS,
      partnerKey: world.store.fingerprint('partner_key', world.integration.partner.apiKey),
      full: false,
      only: null,
    });
    await world.sync();
    const written = world.crm.valueOf(first, WORK);
    expect(written).toMatch(/^Work of /);
    expect(waiting.changes).toContainEqual({
      ...{ crmId: first, field: WORK, from: 'CHANGED BY A FLOW', to: written },
    });
  });

  it('keeps a value that a user typed into a field which automation changes', async () => {
    const { world, first, second, identity } = await openTwo();
    world.crm.automate(WORK, (value) => (typeof value === 'string' ? value.toUpperCase() : value));
    world.crm.setValue(first, WORK, 'TYPED');
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(world.crm.valueOf(first, WORK)).toBe('TYPED');
  });
});

describe('reading back what was written', () => {
  it('notes once that another tool writes as our user of the CRM', async () => {
    const world = await open({
      connector: (crm, signal) => {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          async readBack(writes) {
            const read = (await connector.readBack?.(writes)) ?? [];
            return read.map((each) => ({ ...each, sharesUser: true }));
          },
        };
      },
    });
    await world.addPeople(3);
    expect(await findOtherTool(world.store.reader, 'riverside')).toBeNull();
    await world.sync();
    const noticedAt = await findOtherTool(world.store.reader, 'riverside');
    expect(Date.now() - (noticedAt ?? 0)).toBeLessThan(60_000);
  });

  it('recognises automation in a field that the first batch of a run did not bring', async () => {
    const writes = { count: 0 };
    const world = await openMarked(() => {}, {
      connector: (crm, signal) => {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          async *write(changes) {
            writes.count += 1;
            const isFirst = writes.count === 1;
            for await (const change of changes) {
              const { [BIO]: _, ...values } = change.values;
              const refusal = { retriable: false, code: 'RULE', message: 'No.', fields: [BIO] };
              for await (const result of connector.write([
                isFirst ? { ...change, values } : change,
              ])) {
                if (!isFirst) yield result;
                else yield { status: 'written_in_part', id: result.id, refusals: [refusal] };
              }
            }
          },
        };
      },
    });
    world.crm.automate(BIO, (value) => (typeof value === 'string' ? value.toUpperCase() : value));
    await world.addPeople(40);
    await world.sync();
    expect(writes.count).toBeGreaterThan(1);
    expect(await listNormalisedFields(world.store.reader, 'riverside')).toMatchObject([
      { field: BIO },
    ]);
  });

  it.each([
    ['is deleted', (crm: MemoryCrm, id: string) => crm.deleteContact(id)],
    ['is out of sight', (crm: MemoryCrm, id: string) => crm.vanish(id)],
    ['has another value by a user', (crm: MemoryCrm, id: string) => crm.setValue(id, BIO, 'TYPED')],
  ] as const)(
    'recognises automation in a later batch if the first one %s before it is read back',
    async (_, disturb) => {
      const batches: (readonly string[])[] = [];
      const world = await openMarked(() => {}, {
        connector: (crm, signal) => {
          const connector = createMemoryConnector(crm, signal);
          return {
            ...connector,
            async readBack(writes) {
              batches.push(writes.map(({ id }) => id));
              if (batches.length === 1) for (const { id } of writes) disturb(crm, id);
              return (await connector.readBack?.(writes)) ?? [];
            },
          };
        },
      });
      world.crm.automate(BIO, (value) => (typeof value === 'string' ? `${value} (a flow)` : value));
      await world.addPeople(40);
      await world.sync();
      expect(batches.length).toBeGreaterThan(1);
      expect(await listNormalisedFields(world.store.reader, 'riverside')).toMatchObject([
        { field: BIO },
      ]);
      // A later person's profile replaces the flow's value, because the product recognises that value as ours.
      const [first = '', second = ''] = batches[1] ?? [];
      const donor = world.crm.valueOf(second, DONOR);
      const identity = identityOf(world, second);
      world.crm.deleteContact(second);
      world.crm.editContact(first, identity);
      await world.sync();
      expect(world.crm.valueOf(first, BIO)).toBe(`Bio of ${donor} (a flow)`);
    },
  );

  it('reads each field back once in a run where automation changes nothing', async () => {
    const reads: (readonly string[])[] = [];
    const world = await openMarked(() => {}, {
      connector: (crm, signal) => {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          async readBack(writes) {
            reads.push([...new Set(writes.flatMap(({ fields }) => fields))]);
            return (await connector.readBack?.(writes)) ?? [];
          },
        };
      },
    });
    await world.addPeople(40);
    await world.sync();
    expect(reads.flat().toSorted()).toEqual([...new Set(reads.flat())].toSorted());
  });
});
