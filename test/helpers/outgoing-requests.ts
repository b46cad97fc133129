import http, { type ClientRequest, type IncomingMessage } from 'node:http';

/** A request that this process sends with `node:http`. */
export interface OutgoingRequest {
  method: string;
  url: URL;
}

/** Functions that are called before a request is sent and after its response has started. */
export interface RequestWatch {
  beforeRequest?(request: OutgoingRequest): void;
  /** Called before the sender receives the response. It can change the response's headers. */
  onResponse?(request: OutgoingRequest, response: IncomingMessage): void;
}

/**
 * Watches all requests that the product sends from this process over plain HTTP. Returns a function that ends the
 * watch.
 */
export function watchOutgoing({ beforeRequest, onResponse }: RequestWatch): () => void {
  const send = http.request;
  function sendWatched(...args: Parameters<typeof http.request>): ClientRequest {
    const [address, options] = args;
    // The product passes the address and the options as separate arguments.
    if (!(address instanceof URL)) return send(...args);
    const request = { method: options.method ?? 'GET', url: address };
    beforeRequest?.(request);
    const sent = send(...args);
    sent.prependOnceListener('response', (response) => onResponse?.(request, response));
    return sent;
  }
  Object.defineProperty(http, 'request', {
    value: sendWatched,
    configurable: true,
    writable: true,
  });
  return () => {
    Object.defineProperty(http, 'request', { value: send, configurable: true, writable: true });
  };
}
