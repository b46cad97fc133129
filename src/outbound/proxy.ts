/**
 * Reads the proxies from environment variables. Proxies belong to the process, so they are not part of the settings.
 */
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { ConfigurationError } from '../core/errors.ts';

/** The proxies in the usual environment variables. */
export interface Proxies {
  /** The proxy for `http:` addresses. Empty if there is none. */
  httpProxy: string;
  /** The proxy for `https:` addresses. Defaults to `httpProxy`. */
  httpsProxy: string;
  /** The hosts that are reached directly, separated by commas. */
  noProxy: string;
}

/** The names of this machine. Through a proxy, they would lead to the proxy's machine. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the proxies, or null if there are none. Throws a ConfigurationError for an invalid proxy. */
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
  // Like curl, accepts an address without a scheme, such as `proxy.example.org:3128`.
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && PROXY_SCHEMES.has(new URL(address).protocol)) return address;
  throw new ConfigurationError(
    `${spelling} is not the address of a proxy, so no request can be sent. Use an address such as http://proxy.example.org:3128, or unset the variable.`,
    { code: 'proxy_invalid' },
  );
}

const PROXY_SCHEMES = new Set(['http:', 'https:']);

/** Reads a variable in both spellings. Like curl, prefers lower case. */
function readVariable(env: Readonly<Record<string, string | undefined>>, name: string) {
  const lower = name.toLowerCase();
  const spelling = env[lower] === undefined ? name : lower;
  return { spelling, value: env[spelling]?.trim() ?? '' };
}

/** Describes the proxies without their passwords, for example `proxy.example.org:3128 (HTTPS_PROXY)`. */
export function describeProxies({ httpProxy, httpsProxy }: Proxies): string {
  const named = [
    ['HTTPS_PROXY', httpsProxy],
    ['HTTP_PROXY', httpProxy],
  ].filter(([, address]) => address !== '');
  return named.map(([name, address = '']) => `${new URL(address).host} (${name})`).join(' and ');
}

/**
 * Creates the dispatcher, which uses the proxies if there are any. A tunnel (CONNECT) shows the proxy only the host and
 * the port.
 */
export async function createDispatcher(
  proxies: Proxies | null,
  lookup?: LookupFunction,
): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent, Pool } = await import('undici');
  const connect = lookup === undefined ? {} : { connect: { lookup } };
  if (proxies === null) return new Agent(connect);

  /** A pool of tunnels through the proxy. */
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
    // Tunnels are also used for HTTP, so that a proxy never sees a token.
    proxyTunnel: true,
    clientFactory: (origin, options) => new Tunnels(origin, options),
  });
}

/** The error if the proxy did not connect. Nothing was sent. */
class ProxyRefusal extends Error {
  override name = 'ProxyRefusal';
  readonly syscall = 'connect';

  constructor(status: number) {
    super(`The proxy did not connect, and responded with status ${status}.`);
  }
}
