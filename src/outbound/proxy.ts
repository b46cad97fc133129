/**
 * The proxies from the environment of the process, in the variables that other programs also read. They
 * belong to the process, so they are not in the settings.
 */
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { ConfigurationError } from '../core/errors.ts';

/** The proxies through which requests are sent. */
export interface Proxies {
  /** The proxy for `http:`. Empty if there is none. */
  httpProxy: string;
  /** The proxy for `https:`. If it is empty, `httpProxy` is used. */
  httpsProxy: string;
  /** The hosts that are reached directly, separated by commas. */
  noProxy: string;
}

/** This machine is never reached through a proxy, because the proxy would reach itself instead. */
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the proxies from this environment, or null if there are none. Throws a ConfigurationError if one is invalid.
 */
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
  // Read like curl does: `proxy.example.org:3128` is an address without its scheme.
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && PROXY_SCHEMES.has(new URL(address).protocol)) return address;
  // The value may contain a password.
  throw new ConfigurationError(
    `${spelling} is not the address of a proxy, so no request can be sent. Use an address such as http://proxy.example.org:3128, or unset the variable.`,
    { code: 'proxy_invalid' },
  );
}

const PROXY_SCHEMES = new Set(['http:', 'https:']);

/** Reads a variable. Both spellings are in use, and the lower-case one comes first, as in curl. */
function readVariable(env: Readonly<Record<string, string | undefined>>, name: string) {
  const lower = name.toLowerCase();
  const spelling = env[lower] === undefined ? name : lower;
  return { spelling, value: env[spelling]?.trim() ?? '' };
}

/** Describes the proxies to a user without their passwords, such as `proxy.example.org:3128 (HTTPS_PROXY)`. */
export function describeProxies({ httpProxy, httpsProxy }: Proxies): string {
  const named = [
    ['HTTPS_PROXY', httpsProxy],
    ['HTTP_PROXY', httpProxy],
  ].filter(([, address]) => address !== '');
  return named.map(([name, address = '']) => `${new URL(address).host} (${name})`).join(' and ');
}

/**
 * Creates a dispatcher that sends requests through the proxies, if any, and otherwise directly. For https it uses a
 * tunnel (CONNECT), so a proxy sees only the host and port. `lookup` resolves the hosts that are reached directly.
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
    // A tunnel is also used for http, so a proxy never receives a request with a token in it.
    proxyTunnel: true,
    clientFactory: (origin, options) => new Tunnels(origin, options),
  });
}

/** The error if a proxy did not connect. Nothing was sent to the other side. */
class ProxyRefusal extends Error {
  override name = 'ProxyRefusal';
  /** Set as in system errors, so the sender knows that nothing was sent (`exchange.ts`). */
  readonly syscall = 'connect';

  constructor(status: number) {
    super(`The proxy did not connect, and responded with status ${status}.`);
  }
}
