import { describe, expect, it } from 'vitest';
import type { ReceivedFile } from '../../../src/partner/exchange.ts';
import { holdTimeouts } from '../../helpers/held-timeouts.ts';
import { aClient, rejectionOf } from '../test-client.ts';
import { json, rawAnswer, startRawService, startService } from '../test-service.ts';

const MADE = {
  export_id: 'e1',
  status: 'completed',
  format: 'csv',
  donor_count: 2,
  created_at: '2026-11-20T02:00:00.000Z',
};
const OURS = {
  exportId: 'e1',
  status: 'completed',
  format: 'csv',
  donorCount: 2,
  createdAt: '2026-11-20T02:00:00.000Z',
};

describe('exports.create', () => {
  it('sends fields, format and donors, and tells who is not in it', async () => {
    const { baseUrl, received } = await startService(
      json({ ...MADE, not_found_ids: ['d3'], unpaid_ids: ['d4'] }, 201),
    );
    const order = { fields: ['id'], format: 'csv', donorIds: ['d1', 'd2', 'd1'] } as const;
    expect(await aClient(baseUrl).exports.create(order)).toEqual({
      ...OURS,
      notFound: ['d3'],
      unpaid: ['d4'],
    });
    expect(received).toMatchObject([
      {
        method: 'POST',
        path: '/exports',
        body: { fields: ['id'], format: 'csv', donor_ids: ['d1', 'd2'] },
      },
    ]);
  });

  it('exports a list', async () => {
    const { baseUrl, received } = await startService(json({ export: { id: 'e1' } }, 201));
    const made = await aClient(baseUrl).exports.create({
      fields: ['id'],
      format: 'xlsx',
      listId: 'l1',
    });
    expect(made).toMatchObject({ exportId: 'e1', status: null, notFound: [] });
    expect(received).toMatchObject([{ body: { fields: ['id'], format: 'xlsx', list_id: 'l1' } }]);
  });

  it.each([
    { fields: [], format: 'csv', donorIds: ['d1'] } as const,
    { fields: ['id'], format: 'csv', donorIds: [] } as const,
  ])('refuses %j without asking', async (order) => {
    const { baseUrl, received } = await startService(json(MADE, 201));
    expect(await rejectionOf(aClient(baseUrl).exports.create(order))).toBeInstanceOf(RangeError);
    expect(received).toEqual([]);
  });

  it('is lost, and sent once, when the connection breaks', async () => {
    const service = await startRawService((socket) => socket.resetAndDestroy());
    const order = { fields: ['id'], format: 'csv', listId: 'l1' } as const;
    const error = await rejectionOf(aClient(service.baseUrl).exports.create(order));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: 'exports' });
    expect(service.requests()).toBe(1);
  });
});

describe('exports.list and exports.read', () => {
  it('read past exports', async () => {
    const { baseUrl, received } = await startService(
      json({ exports: [MADE], next_cursor: null }),
      json(MADE),
    );
    const client = aClient(baseUrl);
    expect(await client.exports.list({ limit: 5 })).toEqual({ entries: [OURS], nextCursor: null });
    expect(await client.exports.read('e1')).toEqual(OURS);
    expect(received).toMatchObject([
      { path: '/exports', query: 'limit=5' },
      { path: '/exports/e1' },
    ]);
  });
});

describe('exports.download', () => {
  it('hands out the file as it is, with its type and name', async () => {
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="../../etc/donors-e1.csv"',
    };
    const { baseUrl, received } = await startService(() => new Response('id\r\nd1', { headers }));
    const file = await aClient(baseUrl).exports.download('e1');
    expect(file).toMatchObject({
      contentType: 'text/csv; charset=utf-8',
      fileName: 'donors-e1.csv',
    });
    expect(await textOf(file)).toBe('id\r\nd1');
    expect(received).toMatchObject([{ method: 'GET', path: '/exports/e1/download' }]);
  });

  it('says that the export is unknown', async () => {
    const { baseUrl } = await startService(json({ detail: 'Export not found' }, 404));
    expect(await rejectionOf(aClient(baseUrl).exports.download('e1'))).toMatchObject({
      code: 'partner_not_found',
    });
  });

  it('is asked for again when a gateway answers', async () => {
    const { baseUrl } = await startService(
      () => new Response('Bad Gateway', { status: 502 }),
      () => new Response('id'),
    );
    expect(await textOf(await aClient(baseUrl).exports.download('e1'))).toBe('id');
  });

  it('says that the file broke off', async () => {
    const service = await startRawService((socket) => socket.end(rawAnswer('id\r\nd1', 100)));
    const file = await aClient(service.baseUrl).exports.download('e1');
    expect(await rejectionOf(textOf(file))).toMatchObject({
      code: 'partner_unavailable',
      details: { endpoint: 'GET /exports/{id}/download' },
    });
  });

  it('breaks off when nothing comes any more', async () => {
    const timeouts = holdTimeouts();
    const service = await startRawService((socket) => socket.write(rawAnswer('id', 100)));
    const client = aClient(service.baseUrl, { requestTimeoutMs: 100 });
    const { chunks } = await client.exports.download('e1');
    const reading = chunks[Symbol.asyncIterator]();
    expect(Buffer.from((await reading.next()).value ?? []).toString()).toBe('id');
    const broken = rejectionOf(reading.next());
    timeouts.pass(100);
    expect(await broken).toMatchObject({ code: 'partner_unavailable' });
  });

  it('stops with the reason of its signal', async () => {
    const stop = new AbortController();
    const service = await startRawService((socket) => socket.write(rawAnswer('id', 100)));
    const file = await aClient(service.baseUrl).exports.download('e1', stop.signal);
    const read = rejectionOf(textOf(file));
    stop.abort('no longer needed');
    expect(await read).toBe('no longer needed');
  });

  it('does not count the time that the reader takes', async () => {
    const timeouts = holdTimeouts();
    const { baseUrl } = await startService(() => new Response('id'));
    const client = aClient(baseUrl, { requestTimeoutMs: 50 });
    const { chunks } = await client.exports.download('e1');
    const read: string[] = [];
    for await (const chunk of chunks) {
      timeouts.pass(150);
      read.push(Buffer.from(chunk).toString());
    }
    expect(read).toEqual(['id']);
  });
});

async function textOf({ chunks }: ReceivedFile): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}
