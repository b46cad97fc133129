import { z } from 'zod';
import { PartnerUnavailable } from './errors.ts';
import type { ReceivedFile } from './exchange.ts';
import { parseReply, type Reply, unreadable } from './reply.ts';
import type { MayLeave } from './request.ts';
import { operation } from './routes.ts';
import { type Send, sendFor } from './send.ts';
import {
  bareOrUnder,
  idSchema,
  listUnder,
  nextCursorSchema,
  type Page,
  type PageRequest,
  pageQuery,
  withIdAs,
} from './wire.ts';

/** Exports donors as files (service document, section 4.4). The document does not describe the payloads. */
export interface Exports {
  /**
   * Orders an export. Costs credits from the exports bucket. The document states one credit per request (section 4.5,
   * rule 1), but one credit per donor is likely. Throws `RangeError` if there are no fields or donors, and
   * `PartnerBadRequest` if the service refuses the number of donors. After `AnswerLost`, the export may have been
   * created and paid for.
   */
  create(order: ExportOrder, signal?: AbortSignal, mayLeave?: MayLeave): Promise<CreatedExport>;
  /** Lists past exports. Costs no credits. */
  list(page?: PageRequest, signal?: AbortSignal): Promise<Page<DonorExport>>;
  /** Reads one past export. Costs no credits. Throws `PartnerNotFound` for an unknown export. */
  read(exportId: string, signal?: AbortSignal): Promise<DonorExport>;
  /**
   * Opens an export's file. Costs no credits. The caller must read all chunks. If the caller stops early, the
   * connection stays open for the time of one request. Reading rejects with `PartnerUnavailable` if the file is
   * incomplete.
   */
  download(exportId: string, signal?: AbortSignal): Promise<ReceivedFile>;
}

export type ExportOrder = {
  /** The columns of the export. At least one column is required. The document does not list the available columns. */
  fields: readonly string[];
  format: 'csv' | 'xlsx';
} & ({ donorIds: readonly string[] } | { listId: string });

/** An export that exists at the service. */
export interface DonorExport {
  exportId: string;
  /** The service's word for the status. */
  status: string | null;
  /** The file format. This property and all properties below are null if the service does not report them. */
  format: string | null;
  donorCount: number | null;
  createdAt: string | null;
}

/** A new export. The export lists donors without a result, if the service names them. */
export interface CreatedExport extends DonorExport {
  /** IDs that belong to no donor. */
  notFound: readonly string[];
  /** Donors that the balance did not cover (section 4.5, rule 3). */
  unpaid: readonly string[];
}

/** Creates an export. Costs credits from the exports bucket. */
export const CREATE_EXPORT = operation('create an export', { charges: 'exports' }, [
  { method: 'POST', path: '/exports' },
]);

export const EXPORTS = operation('past exports', { charges: null, namesThings: false }, [
  { method: 'GET', path: '/exports' },
]);

export const EXPORT = operation('one export', { charges: null }, [
  { method: 'GET', path: '/exports/{id}' },
]);

/**
 * Downloads an export. The cost is not documented. donor-sync assumes that the download is free, like other requests
 * about past exports (service document, section 4.4).
 */
export const DOWNLOAD = operation('download an export', { charges: null, reads: 'file' }, [
  { method: 'GET', path: '/exports/{id}/download' },
]);

export function createExports(send: Send): Exports {
  return {
    async create(order, signal, mayLeave) {
      const reply = await send(CREATE_EXPORT, { fields: toWire(order) }, signal, mayLeave);
      const { not_found_ids: notFound, unpaid_ids: unpaid } = parseReply(leftOutSchema, reply);
      const made = parseReply(bareOrUnder('export', exportSchema), reply);
      return { ...made, notFound: notFound ?? [], unpaid: unpaid ?? [] };
    },
    async list(page = {}, signal) {
      return sendFor(send, EXPORTS, { query: pageQuery(page) }, pageIn, signal);
    },
    async read(exportId, signal) {
      return sendFor(send, EXPORT, { id: exportId }, exportIn, signal);
    },
    async download(exportId, signal) {
      const reply = await send(DOWNLOAD, { id: exportId }, signal);
      if (reply.file === null) throw unreadable(reply, 'it is not a file');
      return { ...reply.file, chunks: translated(reply.file.chunks, reply.endpoint, signal) };
    },
  };
}

function pageIn(reply: Reply): Page<DonorExport> {
  return {
    entries: parseReply(listUnder('exports', exportSchema), reply),
    nextCursor: parseReply(nextCursorSchema, reply),
  };
}

function exportIn(reply: Reply): DonorExport {
  return parseReply(bareOrUnder('export', exportSchema), reply);
}

function toWire(order: ExportOrder) {
  const { fields, format } = order;
  if (fields.length === 0) throw new RangeError('An export needs at least one field');
  if ('listId' in order) return { fields, format, list_id: order.listId };
  const donorIds = [...new Set(order.donorIds)];
  if (donorIds.length === 0) throw new RangeError('An export needs at least one donor');
  return { fields, format, donor_ids: donorIds };
}

const idsSchema = z.array(idSchema).nullish().catch(null);

const leftOutSchema = z.object({ not_found_ids: idsSchema, unpaid_ids: idsSchema });

const exportSchema = withIdAs(
  'export_id',
  'id',
  z.object({
    export_id: idSchema,
    status: z.string().nullish().catch(null),
    format: z.string().nullish().catch(null),
    donor_count: z.int().nonnegative().nullish().catch(null),
    created_at: z.string().nullish().catch(null),
  }),
).transform(
  (wire): DonorExport => ({
    exportId: wire.export_id,
    status: wire.status ?? null,
    format: wire.format ?? null,
    donorCount: wire.donor_count ?? null,
    createdAt: wire.created_at ?? null,
  }),
);

/**
 * Yields a file's chunks. If the file is incomplete, throws donor-sync's own error, because the caller must not mistake
 * the received part for the whole file.
 */
async function* translated(
  chunks: AsyncIterable<Uint8Array>,
  endpoint: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new PartnerUnavailable(endpoint, 'the file was cut off', null, cause);
  }
}
