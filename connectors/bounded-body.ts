import { RetriableError } from '../src/core/errors.ts';

/**
 * The largest reply of a CRM that is read at once, in bytes as they are after unpacking. The largest
 * good ones, a page of 2,000 records or the description of all fields, are a fraction of it.
 */
export const MAX_REPLY_BYTES = 32 * 1024 * 1024;

const MEGABYTES = MAX_REPLY_BYTES / 1024 / 1024;

/**
 * The text of a reply. `chunks` are what is left after unpacking: a small packed body may become
 * huge. Throws a RetriableError with the code `crm_reply_too_large` beyond the limit; the rest is
 * not read, and the connection is closed.
 */
export async function readBoundedText(
  crm: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_REPLY_BYTES) {
      const sentence = `${crm} answered one request with more than ${MEGABYTES} MB`;
      throw replyTooLarge(sentence, MAX_REPLY_BYTES);
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** True of the error above: asking again would bring the same flood. */
export function isReplyTooLarge(error: unknown): boolean {
  return error instanceof RetriableError && error.code === TOO_LARGE_CODE;
}

const TOO_LARGE_CODE = 'crm_reply_too_large';

/** `sentence` says what is too large. */
export function replyTooLarge(sentence: string, maxBytes: number): RetriableError {
  return new RetriableError(
    `${sentence}, and the rest was not read: no part of its API does that. See whether a proxy on the way is at fault. The next run goes on from there.`,
    { code: TOO_LARGE_CODE, details: { maxBytes } },
  );
}
