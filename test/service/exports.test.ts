import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import type { PartnerSandbox } from '../../sandbox/partner/index.ts';
import type { Donor } from '../../service/donor.ts';
import { aWorldOf } from './hand-made-world.ts';
import { ask, issueKey, startPartner } from './partner.ts';
import { createList, creditsIn, donorIds, UNKNOWN_DONOR } from './saved-donors.ts';
import { readZipEntry } from './zip-entry.ts';

const FORMULA = '=HYPERLINK("http://evil.example")';

describe('POST /exports', () => {
  it('writes the asked columns of donors as CSV, one credit for each donor', async () => {
    const partner = await startPartner({ credits: 10 });
    const donor = createWorld({ seed: 1, donors: 50 }).donor(0);
    const made = await order(partner, {
      fields: ['last_name', 'city', 'net_worth_low'],
      donor_ids: [donor.id, UNKNOWN_DONOR],
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        status: 'completed',
        donor_count: 1,
        not_found_ids: [UNKNOWN_DONOR],
        meta: { processed: 2 },
      },
    });
    expect(parse(await download(partner, made.body))).toEqual([
      ['last_name', 'city', 'net_worth_low'],
      [donor.name.last, donor.addresses[0]?.city ?? '', String(donor.netWorth?.low)],
    ]);
    expect(await creditsIn(partner, 'exports')).toBe(8);
  });

  it('writes who is on a list as XLSX, one credit for each of them', async () => {
    const partner = await startPartner({ credits: 10 });
    const list_id = await createList(partner, 'Gala');
    const donor_ids = donorIds(3);
    await ask(partner, 'POST', `/lists/${list_id}/donors`, { donor_ids });
    const made = await order(partner, { fields: ['id', 'age'], format: 'xlsx', list_id });
    expect(made).toMatchObject({ status: 201, body: { format: 'xlsx', donor_count: 3 } });
    const texts = readZipEntry(await download(partner, made.body), 'xl/worksheets/sheet1.xml');
    for (const id of donor_ids) {
      expect(texts).toContain(id);
    }
    expect(await creditsIn(partner, 'exports')).toBe(7);
  });

  it('exports from the front as many as the balance covers, then answers 402', async () => {
    const partner = await startPartner({ credits: 2 });
    const [one, two, three] = donorIds(3);
    const wanted = { fields: ['id'], donor_ids: [one, two, three] };
    const made = await order(partner, wanted);
    expect(made.body).toMatchObject({
      donor_count: 2,
      unpaid_ids: [three],
      meta: { partial: true },
    });
    expect(parse(await download(partner, made.body))).toEqual([['id'], [one], [two]]);
    expect(await order(partner, wanted)).toMatchObject({
      status: 402,
      body: { bucket: 'exports' },
    });
  });

  it.each([{}, { fields: null }, { fields: [] }])(
    'answers 400 without fields (%j) and refunds',
    async (fields) => {
      const partner = await startPartner({ credits: 10 });
      const answer = await order(partner, { ...fields, donor_ids: donorIds(2) });
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining('fields') },
      });
      expect(await creditsIn(partner, 'exports')).toBe(10);
    },
  );

  it.each([
    ['an unknown field', { fields: ['shoe_size'], donor_ids: [UNKNOWN_DONOR] }, 422],
    ['an unknown format', { fields: ['id'], format: 'pdf', donor_ids: [UNKNOWN_DONOR] }, 422],
    ['neither donors nor a list', { fields: ['id'] }, 422],
    [
      'donors and a list at once',
      { fields: ['id'], donor_ids: [UNKNOWN_DONOR], list_id: 'x' },
      422,
    ],
    ['an unknown list', { fields: ['id'], list_id: 'x' }, 404],
    ['too many donors', { fields: ['id'], donor_ids: Array(10_001).fill('x') }, 400],
  ])('refuses %s and takes nothing', async (_, body, status) => {
    const partner = await startPartner({ credits: 20_000 });
    expect((await order(partner, body)).status).toBe(status);
    expect(await creditsIn(partner, 'exports')).toBe(20_000);
  });

  it('has nothing to export of an empty list: 400', async () => {
    const partner = await startPartner();
    const list_id = await createList(partner, 'Gala');
    expect((await order(partner, { fields: ['id'], list_id })).status).toBe(400);
  });

  it('lets no spreadsheet run a name as a formula', async () => {
    const donor = aDonorNamed(FORMULA);
    const partner = await startPartner({ world: aWorldOf([donor]) });
    const wanted = { fields: ['last_name'], donor_ids: [donor.id] };
    const csv = await download(partner, (await order(partner, wanted)).body);
    expect(parse(csv)).toEqual([['last_name'], [`'${FORMULA}`]]);

    const book = await order(partner, { ...wanted, format: 'xlsx' });
    const sheet = readZipEntry(await download(partner, book.body), 'xl/worksheets/sheet1.xml');
    expect(sheet).toContain('<c r="A2"');
    expect(sheet).not.toContain('<f>');
  });
});

describe('past exports', () => {
  it('are listed for nothing, the latest first, page by page', async () => {
    const partner = await startPartner({ credits: 2 });
    const [id] = donorIds(1);
    const first = await order(partner, { fields: ['id'], donor_ids: [id] });
    const second = await order(partner, { fields: ['age'], donor_ids: [id] });
    const page = await ask(partner, 'GET', '/exports?limit=1');
    expect(page.body).toMatchObject({ exports: [{ export_id: idOf(second.body) }] });
    const { next_cursor } = z.object({ next_cursor: z.string() }).parse(page.body);
    const rest = await ask(partner, 'GET', `/exports?limit=1&cursor=${next_cursor}`);
    expect(rest.body).toMatchObject({
      exports: [{ export_id: idOf(first.body), fields: ['id'] }],
      next_cursor: null,
    });
    const one = await ask(partner, 'GET', `/exports/${idOf(first.body)}`);
    expect(one).toMatchObject({ status: 200, body: { donor_count: 1, format: 'csv' } });
  });

  it('belong to one team: for another they do not exist', async () => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, {});
    const made = await order(partner, { fields: ['id'], donor_ids: donorIds(1) });
    for (const path of ['', '/download']) {
      const answer = await ask(
        partner,
        'GET',
        `/exports/${idOf(made.body)}${path}`,
        undefined,
        apiKey,
      );
      expect(answer.status).toBe(404);
    }
    const list = await ask(partner, 'GET', '/exports', undefined, apiKey);
    expect(list.body).toEqual({ exports: [], next_cursor: null });
  });
});

function order(partner: PartnerSandbox, body: object) {
  return ask(partner, 'POST', '/exports', body);
}

function idOf(body: unknown): string {
  return z.object({ export_id: z.string() }).parse(body).export_id;
}

async function download(partner: PartnerSandbox, made: unknown): Promise<Buffer> {
  const { download_path } = z.object({ download_path: z.string() }).parse(made);
  const response = await fetch(partner.baseUrl + download_path, {
    headers: { 'x-api-key': partner.apiKey },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="donors-/);
  return Buffer.from(await response.arrayBuffer());
}

function aDonorNamed(last: string): Donor {
  const donor = createWorld({ seed: 1, donors: 1 }).donor(0);
  return { ...donor, name: { ...donor.name, last } };
}
