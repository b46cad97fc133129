/**
 * A proxy between a connector and its CRM's API. The proxy causes faults and stores the requests that the connector
 * sends.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { parseJson } from '../../src/outbound/exchange.ts';

export interface SeenRequest {
  method: string;
  /** The request's address with its query, exactly as the connector sent it. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Fault =
  /** The proxy answers the request. The CRM does not receive the request. */
  | { kind: 'answer'; status: number; body?: string; headers?: Readonly<Record<string, string>> }
  /** The connection breaks before the request reaches the CRM. */
  | { kind: 'break' }
  | { kind: 'lose' }
  /** The CRM executes the request, but the connection breaks in the middle of the response. */
  | { kind: 'cutOff' }
  /** The CRM executes the request, but the proxy changes the body of the response. */
  | { kind: 'alter'; change(text: string): string }
  /** The CRM receives the request only after this time (ms). */
  | { kind: 'late'; ms: number };

/**
 * Returns the fault for a request, or null to pass the request on. `at` is the number of earlier requests since the
 * rule was set.
 */
export type FaultRule = (request: SeenRequest, at: number) => Fault | null;

export interface FaultProxy {
  /** The address with which a test opens a connector. */
  url: string;
  /** All requests that the connector has sent so far. */
  readonly requests: readonly SeenRequest[];
  /** The CRM's responses to the requests that the proxy has forwarded so far. */
  readonly replies: readonly SeenReply[];
  /** The value null removes the rule. */
  rule(rule: FaultRule | null): void;
  /**
   * Sets a function that runs before and after each forwarded request. The proxy then forwards only one request at a
   * time. The value null removes the function.
   */
  around(hook: RequestHook | null): void;
  /**
   * Replaces one of the CRM's strings in all responses, and restores the string in requests. The value null ends the
   * replacement.
   */
  rename(names: { own: string; shown: string } | null): void;
  /** Returns all keys and tokens in the requests so far. */
  secrets(): string[];
  close(): Promise<void>;
}

export interface SeenReply {
  request: SeenRequest;
  status: number;
  body: string;
}

export interface RequestHook {
  before(request: SeenRequest): Promise<void>;
  after(request: SeenRequest): Promise<void>;
}

/** Headers that apply to a single connection, so the proxy does not forward them. */
const HOP_HEADERS = [
  ...['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'],
  ...['accept-encoding', 'content-encoding', 'expect', 'te', 'upgrade'],
];

/** Starts a proxy in front of this address. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const requests: SeenRequest[] = [];
  const replies: SeenReply[] = [];
  let rule: FaultRule | null = null;
  let ruled = 0;
  let hook: RequestHook | null = null;
  let lastTurn: Promise<unknown> = Promise.resolve();
  let renamed: { own: string; shown: string } | null = null;
  const { origin, pathname } = new URL(target);
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const ownOrigin = `http://127.0.0.1:${port}`;

  return {
    url: ownOrigin + (pathname === '/' ? '' : pathname),
    requests,
    replies,
    rule(next) {
      rule = next;
      ruled = 0;
    },
    around(next) {
      hook = next;
    },
    rename(names) {
      renamed = names;
    },
    secrets: () => [...new Set(requests.flatMap(listSecrets))],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    const bytes = await readAll(incoming);
    const request = { method, url, headers, body: bytes.toString('utf8') };
    requests.push(request);
    const fault = rule === null ? null : rule(request, ruled);
    ruled += 1;
    if (fault?.kind === 'break') {
      response.destroy();
      return;
    }
    if (fault?.kind === 'answer') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(fault.body ?? '');
      return;
    }
    if (fault?.kind === 'late') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const reply = await (hook === null
      ? passOn(request, bytes)
      : inTurn(hook, request, () => passOn(request, bytes)));
    replies.push({ request, status: reply.status, body: reply.text });
    if (fault?.kind === 'lose') {
      response.destroy();
      return;
    }
    // A response may contain links to the CRM. A connector that follows these links would bypass the proxy.
    const text = reply.text.replaceAll(origin, ownOrigin);
    const shown = renamed ? text.replaceAll(renamed.own, renamed.shown) : text;
    const body = Buffer.from(fault?.kind === 'alter' ? fault.change(shown) : shown);
    response.writeHead(reply.status, { ...reply.headers, 'content-length': body.byteLength });
    if (fault?.kind === 'cutOff') {
      response.write(body.subarray(0, body.byteLength / 2), () => response.destroy());
      return;
    }
    response.end(body);
  }

  /**
   * Runs requests one after another. Before and after a request, a simulated user acts. Parallel requests would mix the
   * data that the user's two actions share.
   */
  function inTurn<Reply>(
    { before, after }: RequestHook,
    request: SeenRequest,
    send: () => Promise<Reply>,
  ): Promise<Reply> {
    const turn = lastTurn.then(async () => {
      await before(request);
      const reply = await send();
      await after(request);
      return reply;
    });
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async function passOn({ method, url, headers }: SeenRequest, bytes: Buffer) {
    const sent = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === 'string' && !HOP_HEADERS.includes(name)) sent.set(name, value);
    }
    const hasBody = method !== 'GET' && method !== 'HEAD' && bytes.byteLength > 0;
    const target = renamed ? url.replaceAll(renamed.shown, renamed.own) : url;
    const reply = await fetch(origin + target, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(hasBody ? { body: new Uint8Array(bytes) } : {}),
    });
    const received = [...reply.headers].filter(([name]) => !HOP_HEADERS.includes(name));
    return {
      status: reply.status,
      headers: Object.fromEntries(received),
      text: await reply.text(),
    };
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Headers that do not contain a secret. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([
  ...HOP_HEADERS,
  ...['accept', 'accept-language', 'cache-control', 'content-type', 'origin', 'pragma'],
  ...['referer', 'sec-fetch-mode', 'user-agent', 'x-requested-with'],
]);

/**
 * The names of secrets in JSON. The pattern has fewer names than the pattern for headers, because JSON names can also
 * be field names.
 */
const SECRET_NAME_IN_JSON = /(api|access|private).?key|token|secret|password|assertion/i;

const SECRET_NAME = /key|token|secret|password|assertion|auth/i;

/** The minimum length of a secret. A shorter string could occur in a text by chance. */
const SHORTEST_SECRET = 6;

function listSecrets({ url, headers, body }: SeenRequest): string[] {
  const inHeaders = Object.entries(headers).flatMap(([name, value]) =>
    OPEN_HEADERS.has(name) || (!SECRET_NAME.test(name) && name !== 'cookie') ? [] : [value],
  );
  const forms = [new URL(url, 'http://proxy').searchParams];
  const isForm = String(headers['content-type']).includes('form-urlencoded');
  if (isForm) forms.push(new URLSearchParams(body));
  const inForms = forms.flatMap((form) =>
    [...form].flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : [])),
  );
  const inJson = isForm ? [] : listJsonSecrets(parseJson(body));
  return [...inHeaders.flat(), ...inForms, ...inJson]
    .filter((value) => value !== undefined)
    .map((value) => value.replace(/^(Bearer|Basic|Token)\s+/i, ''))
    .filter((value) => value.length >= SHORTEST_SECRET);
}

function listJsonSecrets(json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) =>
    typeof value === 'string' && SECRET_NAME_IN_JSON.test(name) ? [value] : listJsonSecrets(value),
  );
}
