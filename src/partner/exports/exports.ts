import type { ReceivedFile } from '../exchange.ts';
import type { Page, PageRequest } from '../pages.ts';
import type { MayLeave } from '../request.ts';
import type { Send } from '../send.ts';
import { downloadExport } from './download.ts';
import {
  type CreatedExport,
  createExport,
  type DonorExport,
  type ExportOrder,
  readExport,
  readExports,
} from './export.ts';

/** Exports of donors as files (service document, section 4.4). Payloads are not documented. */
export interface Exports {
  /**
   * Orders an export; costs credits of the exports bucket: one for the request by the document
   * (section 4.5, rule 1), but count with one for each donor. `RangeError` without fields or donors;
   * `PartnerBadRequest` if the service finds too many. After `AnswerLost` it may be made and paid for.
   */
  create(order: ExportOrder, signal?: AbortSignal, mayLeave?: MayLeave): Promise<CreatedExport>;
  /** A page of past exports. Free. */
  list(page?: PageRequest, signal?: AbortSignal): Promise<Page<DonorExport>>;
  /** One past export. Free. `PartnerNotFound` for an unknown one. */
  read(exportId: string, signal?: AbortSignal): Promise<DonorExport>;
  /**
   * Opens the file of an export. Free. The chunks must be read, or the connection stays open for the
   * time of one request; they reject with `PartnerUnavailable` if the file breaks off.
   */
  download(exportId: string, signal?: AbortSignal): Promise<ReceivedFile>;
}

export function createExports(send: Send): Exports {
  return {
    create: (order, signal, mayLeave) => createExport(send, order, signal, mayLeave),
    list: (page = {}, signal) => readExports(send, page, signal),
    read: (exportId, signal) => readExport(send, exportId, signal),
    download: (exportId, signal) => downloadExport(send, exportId, signal),
  };
}
