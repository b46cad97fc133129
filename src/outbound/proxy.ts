/**
 * The proxies that the environment of the process names, by the variables that other programs read as well. They are
 * the process's own, so they are read here and not in the settings.
 */
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { ConfigurationError } from '../core/errors.ts';

/** Where requests are handed over. */
export interface Proxies {
  /** For `http:`; empty if there is none. */
  httpProxy: string;
  /** For `https:`; empty if there is none, and then `httpProxy` takes these requests as well. */
  httpsProxy: string;
  /** The hosts that are reached directly, with commas in between. */
  noProxy: string;
}

/** This machine is never reached through a proxy, which would reach itself instead. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/** The proxies of this environment; null if it names none. Throws a ConfigurationError for what cannot be one. */
export function readProxies(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Proxies | null {
  const httpProxy = readProxy(env, 'HTTP_PROXY');
  const httpsProxy = readProxy(env, 'HTTPS_PROXY');
  if (httpProxy + httpsProxy === '') return null;
  const { value: excluded } = readVariable(env, 'NO_PROXY');
  return { httpProxy, httpsProxy, noProxy: [excluded, ...THIS_MACHINE].join(',') };
}

function readProxy(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const { value, spelling } = readVariable(env, name);
  if (value === '') return '';
  // As curl reads it: `proxy.example.org:3128` is an address without its scheme.
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && PROXY_SCHEMES.has(new URL(address).protocol)) return address;
  // The value may hold a password.
  throw new ConfigurationError(
    `${spelling} is not the address of a proxy, so no request can be sent. Write it like http://proxy.example.org:3128, or unset it.`,
    { code: 'proxy_invalid' },
  );
}

const PROXY_SCHEMES = new Set(['http:', 'https:']);

/** Both spellings are in use, and the lower one wins, as in curl. */
function readVariable(env: Readonly<Record<string, string | undefined>>, name: string) {
  const lower = name.toLowerCase();
  const spelling = env[lower] === undefined ? name : lower;
  return { spelling, value: env[spelling]?.trim() ?? '' };
}

/** The proxies in words for a user, without their passwords: `proxy.example.org:3128 (HTTPS_PROXY)`. */
export function describeProxies({ httpProxy, httpsProxy }: Proxies): string {
  const named = [
    ['HTTPS_PROXY', httpsProxy],
    ['HTTP_PROXY', httpProxy],
  ].filter(([, address]) => address !== '');
  return named.map(([name, address = '']) => `${new URL(address).host} (${name})`).join(' and ');
}

/**
 * What sends requests: through the proxies if there are any, by a tunnel (CONNECT) in which a proxy sees the host and
 * port and nothing else of a request by https; otherwise directly. `lookup` finds the addresses of the hosts that are
 * reached directly.
 */
export async function createDispatcher(
  proxies: Proxies | null,
  lookup?: LookupFunction,
): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent, Pool } = await import('undici');
  const connect = lookup === undefined ? {} : { connect: { lookup } };
  if (proxies === null) return new Agent(connect);

  /** Connections to the proxy itself. */
  class Tunnels extends Pool {
    override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
    override connect(
      options: Dispatcher.ConnectOptions,
      callback: (error: Error | null, data: Dispatcher.ConnectData) => void,
    ): void;
    override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
      const answer = await super.connect(options);
      if (answer.statusCode === 200) return answer;
      answer.socket.destroy();
      throw new ProxyRefusal(answer.statusCode);
    }
  }

  return new EnvHttpProxyAgent({
    ...connect,
    ...proxies,
    // For http as well: a proxy is never handed a request with a token in it.
    proxyTunnel: true,
    clientFactory: (origin, options) => new Tunnels(origin, options),
  });
}

/** A proxy that makes no connection. Nothing was sent to the other side. */
class ProxyRefusal extends Error {
  override name = 'ProxyRefusal';
  /** As errors of the system have it, so that whoever sends knows that nothing has left (`exchange.ts`). */
  readonly syscall = 'connect';

  constructor(status: number) {
    super(`The proxy did not connect, and answered with status ${status}.`);
  }
}
