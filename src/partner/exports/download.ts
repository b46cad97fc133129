import { PartnerUnavailable } from '../errors.ts';
import type { ReceivedFile } from '../exchange.ts';
import { unreadable } from '../reply.ts';
import { type Operation, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';

/** Not documented; free as everything about past exports (service document, section 4.4). */
export const DOWNLOAD: Operation = {
  name: 'download an export',
  lane: 'queries',
  charges: null,
  reads: 'file',
  namesThings: true,
  routes: withSlashes([{ method: 'GET', path: '/exports/{id}/download' }]),
};

/** Opens the file of an export. */
export async function downloadExport(
  send: Send,
  exportId: string,
  signal?: AbortSignal,
): Promise<ReceivedFile> {
  const reply = await send(DOWNLOAD, { id: exportId }, signal);
  if (reply.file === null) throw unreadable(reply, 'it is no file');
  return { ...reply.file, chunks: translated(reply.file.chunks, reply.endpoint, signal) };
}

/** A file that breaks off says so in our words: what was read so far is not the whole. */
async function* translated(
  chunks: AsyncIterable<Uint8Array>,
  endpoint: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new PartnerUnavailable(endpoint, 'the file broke off', null, cause);
  }
}
