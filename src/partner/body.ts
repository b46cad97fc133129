import type { Deadline } from './deadline.ts';

/** The body of an answer; a problem says what is wrong with it, and quotes nothing from it. */
export type Body =
  | { kind: 'json'; json: unknown }
  | { kind: 'file'; file: ReceivedFile }
  | { kind: 'unreadable'; problem: string };

/** A file on its way. Whoever gets it must read it: the connection is open until then. */
export interface ReceivedFile {
  chunks: AsyncIterable<Uint8Array>;
  /** For example `text/csv; charset=utf-8`; null if the service does not say. */
  contentType: string | null;
  /** The name that the service suggests, without any folder; null if it suggests none. */
  fileName: string | null;
}

/** The largest body that is read at once; ten profiles or a thousand states are a fraction of it. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;

/** Reads a whole body as JSON. Rejects if a body that counts breaks off. */
export async function readJsonBody(response: Response): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_REPLY_BYTES) return unreadable(`it is over ${MAX_REPLY_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    // A refusal is a refusal by its status, however its explanation ends.
    if (response.status >= 400) return unreadable('it breaks off');
    throw cause;
  }
  const contentType = response.headers.get('content-type');
  if (contentType !== null && !/\bjson\b/i.test(contentType)) {
    return unreadable('its content type is not JSON');
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}

/** Hands out a body as it comes; the deadline counts anew for each piece of it. */
export function openFile(response: Response, deadline: Deadline): Body {
  const { headers } = response;
  return {
    kind: 'file',
    file: {
      chunks: flow(response, deadline),
      contentType: headers.get('content-type'),
      fileName: fileNameIn(headers.get('content-disposition') ?? ''),
    },
  };
}

function unreadable(problem: string): Body {
  return { kind: 'unreadable', problem };
}

function parseJson(text: string): Body {
  try {
    return { kind: 'json', json: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text, which may be about a person.
    return unreadable(text === '' ? 'it is empty' : 'it is not valid JSON');
  }
}

async function* flow(response: Response, deadline: Deadline): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) {
      deadline.pause();
      yield chunk;
      deadline.restart();
    }
  } finally {
    deadline.stop();
  }
}

/** Only the last part of a suggested path: a service must not choose where a file is written. */
function fileNameIn(disposition: string): string | null {
  const name = /filename="?([^";]+)"?/i.exec(disposition)?.[1]?.trim();
  return name?.split(/[/\\]/).at(-1) || null;
}
