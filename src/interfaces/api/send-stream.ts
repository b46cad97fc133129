/** Sends a file in parts. An error must not look like the end of the file. */
import type { Context } from 'hono';
import { messageOf } from '../../core/errors.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';

export interface StreamedFile {
  /** The name of the file, for example `audit.csv`. */
  file: string;
  mediaType: string;
  parts: AsyncIterable<string | Uint8Array>;
}

/**
 * Responds with a file to download. Throws errors of the first part, so that the caller gets an error response. Later
 * errors close the connection, because a normal end would look complete. If the reader disconnects, nothing is logged.
 */
export async function sendStream(
  c: Context<HttpEnv>,
  { log }: Pick<HttpDeps, 'log'>,
  { file, mediaType, parts }: StreamedFile,
): Promise<Response> {
  const iterator = parts[Symbol.asyncIterator]();
  let next: IteratorResult<string | Uint8Array> | null = await iterator.next();
  let hasLeft = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = next ?? (await iterator.next());
          next = null;
          if (hasLeft) return;
          if (done) controller.close();
          else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        } catch (error) {
          if (hasLeft) return;
          const { requestId } = c.var;
          log.error({ requestId, file, ...describe(error) }, 'a download was cut off by an error');
          cut(c, controller);
        }
      },
      async cancel() {
        hasLeft = true;
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return c.body(body, 200, {
    'Cache-Control': 'no-store',
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${file}"`,
    // The headers are sent immediately, so that readers notice an incomplete file.
    ...(isChunked(c) && { 'Transfer-Encoding': 'chunked' }),
  });
}

/**
 * Closes the connection, because the server would send the error message as part of the file. In HTTP/1.0, closing the
 * connection means the end of the file, so the connection is reset. If the response has no server connection, the
 * body's stream fails.
 */
function cut(c: Context<HttpEnv>, controller: ReadableStreamDefaultController): void {
  const { incoming, outgoing } = c.env ?? {};
  if (incoming === undefined || outgoing === undefined) {
    controller.error(new Error('The file is not complete.'));
    return;
  }
  // The collected parts are sent at the end of this tick.
  setImmediate(() => {
    if (isChunked(c)) outgoing.destroy();
    else incoming.socket.resetAndDestroy();
  });
}

/** True if the response itself marks its end. */
function isChunked(c: Context<HttpEnv>): boolean {
  return c.env?.incoming?.httpVersion === '1.1';
}

function describe(error: unknown) {
  return { error: messageOf(error), ...(error instanceof Error && { stack: error.stack }) };
}
