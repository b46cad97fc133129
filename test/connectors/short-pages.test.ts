/**
 * Tests the connector from the guide with a paged API on loopback. The API ends early or fails. Each reading must still
 * be complete and must report no removal.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector } from '../../connectors/contract.ts';
import { plainConnector } from '../../connectors/plain.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { plainField } from '../../src/core/crm-field.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { listBatches, recordBatchDecision } from '../../src/decisions/statements/batches.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);
const openApi = closedAfterTest(startApi);

const PEOPLE = 300;
const PAGE_SIZE = 50;

const rowSchema = z.object({
  id: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
  donor: z.string().nullable(),
});
type ApiRow = z.infer<typeof rowSchema>;
const pageSchema = z.object({ rows: z.array(rowSchema), next: z.number().nullable() });

/** The API's behaviour for the second page. */
type SecondPage = 'whole' | 'ends early' | 'fails' | 'is empty';

/** Starts the API: `GET /contacts?from=N`, `GET /contacts/ID`, `PUT /contacts/ID`. */
async function startApi() {
  const rows = new Map<string, ApiRow>();
  const state: { second: SecondPage } = { second: 'whole' };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const [, , id] = url.pathname.split('/');
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (id !== undefined) {
      const row = rows.get(id);
      if (row === undefined) return send(404, {});
      let text = '';
      for await (const part of request) text += part;
      if (request.method === 'PUT')
        row.donor = z.object({ donor: z.string().nullable() }).parse(JSON.parse(text)).donor;
      return send(200, row);
    }
    const from = Number(url.searchParams.get('from') ?? 0);
    const isShort = from > 0 && state.second !== 'whole';
    if (isShort && state.second === 'fails') return send(500, {});
    const found = isShort ? [] : [...rows.values()].slice(from, from + PAGE_SIZE);
    const next = from + PAGE_SIZE < rows.size ? from + PAGE_SIZE : null;
    return send(200, { rows: found, next: state.second === 'ends early' || isShort ? null : next });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z
    .object({ port: z.number() })
    .parse(server.address() satisfies AddressInfo | string | null);
  return {
    rows,
    state,
    url: `http://127.0.0.1:${port}/contacts`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Creates a connector for the API. If a page fails, the connector throws an error. If `isSloppy` is true, the
 * connector treats the failure as the end.
 */
function restConnector(url: string, { isSloppy }: { isSloppy: boolean }): Connector {
  return {
    ...plainConnector,
    kind: 'rest',
    account: { id: url, name: 'rest' },
    async *readPages() {
      for (let from: number | null = 0; from !== null; ) {
        const response = await fetch(`${url}?from=${from}`);
        if (!response.ok && isSloppy) return;
        if (!response.ok) throw new RetriableError('The API is away.', { code: 'crm_away' });
        const { rows, next }: z.infer<typeof pageSchema> = pageSchema.parse(await response.json());
        yield { contacts: rows.map(contactOf), removed: [], cursor: null };
        from = next;
      }
    },
    async readByIds(ids) {
      return Promise.all(
        ids.map(async (id) => {
          const response = await fetch(`${url}/${id}`);
          if (response.status === 404) return { state: 'missing', id } as const;
          const row = rowSchema.parse(await response.json());
          const values = { donor: row.donor };
          return { state: 'found', id, contact: contactOf(row), values } as const;
        }),
      );
    },
    async *write(changes) {
      for await (const { id, values } of changes) {
        await fetch(`${url}/${id}`, { method: 'PUT', body: JSON.stringify(values) });
        yield { status: 'written', id };
      }
    },
    describeFields: async () => [{ ...plainField('donor') }],
  };
}

function contactOf({ donor: _, ...contact }: ApiRow) {
  return { ...contact, optedOut: false };
}

async function start(isSloppy: boolean) {
  const api = await openApi();
  const world = await open({
    integration: { fields: [{ from: 'donorId', to: 'donor' }] },
    open: async () => restConnector(api.url, { isSloppy }),
  });
  await world.addPeople(PEOPLE);
  for (const [id, { contact }] of world.crm.records) {
    const { firstName, lastName, addresses, employers } = contact;
    const lists = { addresses: [...addresses], employers: [...employers] };
    api.rows.set(id, { id, firstName, lastName, ...lists, donor: null });
  }
  expect((await world.sync()).status).toBe('succeeded');
  const paid = new Map([...api.rows].map(([id, { donor }]) => [id, donor]));
  expect([...paid.values()].filter((donor) => donor !== null).length).toBeGreaterThan(200);
  const spent = await world.spent();
  return {
    api,
    world,
    async removed(): Promise<number> {
      const rows = await findContacts(world.store.reader, 'riverside', [...api.rows.keys()]);
      return [...rows.values()].filter(({ state }) => state === 'removed').length;
    },
    async expectWhole(): Promise<void> {
      api.state.second = 'whole';
      expect(await world.sync()).toMatchObject({ status: 'succeeded', reason: null });
      expect(new Map([...api.rows].map(([id, { donor }]) => [id, donor]))).toEqual(paid);
      expect(await world.spent()).toBe(spent);
      expect(await listBatches(world.store.reader)).toEqual([]);
    },
  };
}

it.each(['ends early', 'is empty', 'fails'] as const)(
  'loses none of 250 contacts if the second page %s and the connector takes that for the end',
  async (second) => {
    const { api, world, removed, expectWhole } = await start(true);
    api.state.second = second;
    expect(await world.sync()).toMatchObject({
      status: 'incomplete',
      reason: { code: 'contacts_missing' },
      contacts: { read: PAGE_SIZE, skipped: 0, held: PEOPLE - PAGE_SIZE },
    });
    expect(await removed()).toBe(0);
    const [batch] = await listBatches(world.store.reader);
    expect(batch).toMatchObject({ kind: 'contacts_missing', count: PEOPLE - PAGE_SIZE });
    await expectWhole();
    expect(await removed()).toBe(0);
  },
);

it('asks nothing if the page fails aloud', async () => {
  const { api, world, removed, expectWhole } = await start(false);
  api.state.second = 'fails';
  expect((await world.sync()).reason?.code).toBe('crm_unavailable');
  expect(await listBatches(world.store.reader)).toEqual([]);
  expect(await removed()).toBe(0);
  await expectWhole();
});

it('spends nothing on contacts that a user took for gone and that are back', async () => {
  const { api, world, removed, expectWhole } = await start(true);
  api.state.second = 'ends early';
  await world.sync();
  const [batch] = await listBatches(world.store.reader);
  await recordBatchDecision(world.store.act, batch?.id ?? '', 'approved');
  expect(await world.sync()).toMatchObject({ status: 'succeeded', reason: null });
  expect(await removed()).toBe(PEOPLE - PAGE_SIZE);
  await expectWhole();
  expect(await removed()).toBe(0);
});
