/** The export endpoints. Each donor in an export costs a credit, and the team can download the file again later. */

import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import type { PartnerEnv } from '../context.ts';
import type { Database } from '../database.ts';
import type { World } from '../donor.ts';
import { batchMeta, countDonorIds, resolveInPieces } from '../donors/batch.ts';
import type { DonorList, Lists } from '../lists/list-store.ts';
import type { ChargedEndpoint } from '../metering.ts';
import { toPage } from '../pages.ts';
import { createRouter } from '../router.ts';
import { createSlices, inSlices, type Slices } from '../slices.ts';
import {
  createExportRoute,
  downloadRoute,
  type ExportOrder,
  exportRoute,
  exportsRoute,
  MAX_EXPORTED_DONORS,
} from './export-api.ts';
import { toRow } from './export-fields.ts';
import { CONTENT_TYPES, writeExport } from './export-file.ts';
import type { DonorExport, Exports } from './export-store.ts';

export interface ExportOptions {
  db: Database;
  exports: Exports;
  lists: Lists;
  world: World;
  clock: () => number;
  /** Returns 32 random hexadecimal characters. */
  createId: () => string;
}

/**
 * Returns the price of exports, which is one credit for each donor. The donors come from a list or from IDs in the
 * request.
 */
export function chargedExports(lists: Pick<Lists, 'find'>): ChargedEndpoint[] {
  return [
    {
      method: 'POST',
      path: /^\/exports$/,
      bucket: 'exports',
      items: (body, team) => countDonorIds(body) || countListed(lists, body, team),
    },
  ];
}

/** Creates the export endpoints. */
export function exportRoutes(options: ExportOptions): OpenAPIHono<PartnerEnv> {
  const { exports, lists } = options;
  const router = createRouter();
  router.openapi(createExportRoute, async (c) => {
    const order = c.req.valid('json');
    const { team } = c.var.key;
    const list = order.list_id === undefined ? null : lists.find(team, order.list_id);
    if (list === undefined) {
      return c.json({ detail: 'List not found' }, 404);
    }
    const refusal = list === null ? undefined : refuseSize(list.donorCount);
    if (refusal !== undefined) {
      return c.json({ detail: refusal }, 400);
    }
    return c.json(await makeExport(options, order, list, c.var), 201);
  });
  router.openapi(exportsRoute, (c) => {
    const { limit, cursor } = c.req.valid('query');
    const read = exports.latest(c.var.key.team, cursor ?? null, limit + 1);
    const page = toPage(read, limit, ({ position }) => position);
    return c.json({ exports: page.entries.map(describe), next_cursor: page.nextCursor }, 200);
  });
  router.openapi(exportRoute, (c) => {
    const found = exports.find(c.var.key.team, c.req.valid('param').id);
    return found === undefined
      ? c.json({ detail: 'Export not found' }, 404)
      : c.json(describe(found), 200);
  });
  router.openapi(downloadRoute, (c) => {
    const found = exports.find(c.var.key.team, c.req.valid('param').id);
    const file = found === undefined ? undefined : exports.file(found.id);
    if (found === undefined || file === undefined) {
      return c.json({ detail: 'Export not found' }, 404);
    }
    return c.body(new Uint8Array(file), 200, {
      'content-type': CONTENT_TYPES[found.format],
      'content-disposition': `attachment; filename="donors-${found.id}.${found.format}"`,
    });
  });
  return router;
}

const listNamed = z.object({ list_id: z.string() });

function countListed(lists: Pick<Lists, 'find'>, body: unknown, team: string): number {
  const named = listNamed.safeParse(body);
  return named.success ? (lists.find(team, named.data.list_id)?.donorCount ?? 0) : 0;
}

function refuseSize(donorCount: number): string | undefined {
  if (donorCount === 0) {
    return 'The list is empty: there is nothing to export';
  }
  return donorCount > MAX_EXPORTED_DONORS
    ? `Too many donors: ${donorCount} on the list, at most ${MAX_EXPORTED_DONORS} are allowed`
    : undefined;
}

/** The donors that an export contains. */
interface Chosen {
  numbers: readonly number[];
  notFoundIds: string[];
  unpaidIds: string[];
  /** The number of donors in the request, and the number of donors that were paid for. */
  requested: number;
  paid: number;
}

async function chooseNamed(
  { world }: ExportOptions,
  ids: readonly string[],
  charged: number,
  slices: Slices,
): Promise<Chosen> {
  const paid = Math.min(charged, ids.length);
  const named = await inSlices(resolveInPieces(world, ids.slice(0, paid)), slices);
  return { ...named, unpaidIds: ids.slice(paid), requested: ids.length, paid };
}

async function chooseListed(
  { lists, world }: ExportOptions,
  list: DonorList,
  charged: number,
  slices: Slices,
): Promise<Chosen> {
  const entries = lists.entries(list, 0, MAX_EXPORTED_DONORS);
  // After the price was calculated, donors may have been removed from the list.
  const paid = Math.min(charged, entries.length);
  const numbers = entries.map(({ donorNumber }) => donorNumber);
  const unpaidIds: string[] = [];
  for (const number of numbers.slice(paid)) {
    if (slices.isOver()) await slices.next();
    unpaidIds.push(world.donor(number).id);
  }
  const requested = entries.length;
  return { numbers: numbers.slice(0, paid), notFoundIds: [], unpaidIds, requested, paid };
}

async function makeExport(
  options: ExportOptions,
  order: ExportOrder,
  list: DonorList | null,
  { key, charged, settle }: Pick<PartnerEnv['Variables'], 'key' | 'charged' | 'settle'>,
) {
  const { db, world, exports } = options;
  const createdAtMs = options.clock();
  const slices = createSlices();
  const { numbers, notFoundIds, unpaidIds, requested, paid } =
    list === null
      ? await chooseNamed(options, order.donor_ids ?? [], charged, slices)
      : await chooseListed(options, list, charged, slices);
  const rows: ReturnType<typeof toRow>[] = [];
  for (const number of numbers) {
    if (slices.isOver()) await slices.next();
    rows.push(toRow(world.donor(number), order.fields, createdAtMs));
  }
  const file = await writeExport(order.format, order.fields, rows, slices);
  const made = {
    id: options.createId(),
    team: key.team,
    format: order.format,
    fields: order.fields,
    donorCount: numbers.length,
    createdAtMs,
  };
  db.transaction(() => {
    exports.add(made, file, numbers);
    settle(paid);
  }).immediate();
  return {
    ...describe({ ...made, sizeBytes: file.length }),
    not_found_ids: notFoundIds,
    unpaid_ids: unpaidIds,
    meta: batchMeta(requested, paid),
  };
}

function describe(made: DonorExport) {
  return {
    export_id: made.id,
    status: 'completed' as const,
    format: made.format,
    fields: made.fields,
    donor_count: made.donorCount,
    size_bytes: made.sizeBytes,
    created_at: new Date(made.createdAtMs).toISOString(),
    download_path: `/exports/${made.id}/download`,
  };
}
