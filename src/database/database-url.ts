import { ConfigurationError } from '../core/errors.ts';
import { isLoopback } from '../core/host.ts';

/** The location of the store, from the `database` setting (design, section 4.2). */
export type DatabaseLocation =
  /** A file. `path` is relative to the working directory. If it is null, everything stays in memory. */
  | { kind: 'sqlite'; path: string | null }
  /** A server. `name` tells users which database it is, and contains no password. */
  | { kind: 'postgres'; url: string; name: string; tls: DatabaseTls };

/**
 * How the connection to Postgres is protected. `verified`: it is encrypted, and the certificate is checked.
 * `unverified`: it is encrypted, but the server's identity is not checked. `none`: it is not encrypted. `local`: it
 * does not leave this machine.
 */
export type DatabaseTls = 'verified' | 'unverified' | 'none' | 'local';

const WHAT_TO_TYPE =
  'Write "sqlite:data/donor-sync.db" for a file or "postgres://user:password@host:5432/database" for Postgres.';

/**
 * Parses `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Throws a ConfigurationError for any other value. The
 * message never contains the value, because it may include a password.
 */
export function parseDatabaseUrl(url: string): DatabaseLocation {
  const [, scheme = '', rest = ''] = /^([a-z0-9+.-]+):(.*)$/is.exec(url.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite':
      return parseSqlitePath(rest);
    case 'postgres':
    case 'postgresql':
      return parsePostgresUrl(url.trim());
    case '':
      throw wrongUrl('The database setting does not name a kind of database.');
    default:
      throw wrongUrl(`The database setting starts with "${scheme}:", which is not supported.`);
  }
}

/**
 * Returns the Postgres URL in the form that the database client receives, with the TLS mode included. Other
 * URLs do not change.
 */
export function connectionUrl(url: string): string {
  const location = parseDatabaseUrl(url);
  return location.kind === 'postgres' ? location.url : url;
}

function parseSqlitePath(path: string): DatabaseLocation {
  if (path === ':memory:') return { kind: 'sqlite', path: null };
  if (path === '') throw wrongUrl('The database setting "sqlite:" lacks the path of the file.');
  if (path.startsWith('//')) {
    throw wrongUrl('The database setting "sqlite:" needs a plain path, without two slashes.');
  }
  return { kind: 'sqlite', path };
}

function parsePostgresUrl(url: string): DatabaseLocation {
  const parsed = URL.parse(url);
  if (parsed === null) {
    throw wrongUrl(
      'The database setting is not a valid Postgres URL. Write special characters in the password as %XX.',
    );
  }
  const host = parsed.host || (parsed.searchParams.get('host') ?? 'localhost');
  const tls = getTls(parsed);
  const name = `${host}${parsed.pathname}`;
  return { kind: 'postgres', url: tls === 'verified' ? withVerification(url) : url, name, tls };
}

/**
 * Returns how the connection is protected. For other machines, only the URL can turn off encryption or the certificate
 * check.
 */
function getTls({ hostname, searchParams }: URL): DatabaseTls {
  const named = hostname || (searchParams.get('host') ?? 'localhost');
  // A path is the folder of a socket.
  if (isLoopback(named) || named.startsWith('/') || named.startsWith('%2F')) return 'local';
  const mode = searchParams.get('sslmode');
  if (mode === 'no-verify') return 'unverified';
  const isOff = mode === 'disable' || ['0', 'false'].includes(searchParams.get('ssl') ?? '');
  return isOff ? 'none' : 'verified';
}

/**
 * Replaces the mode with its unambiguous name. The other modes mean the same to the database client, but it warns about
 * them.
 */
function withVerification(url: string): string {
  const bare = url.replace(/([?&])sslmode=[^&]*(&|$)/, '$1').replace(/[?&]$/, '');
  return `${bare}${bare.includes('?') ? '&' : '?'}sslmode=verify-full`;
}

function wrongUrl(problem: string): ConfigurationError {
  return new ConfigurationError(`${problem} ${WHAT_TO_TYPE}`, { code: 'database_url_invalid' });
}
