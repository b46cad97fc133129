import { ConfigurationError } from '../core/errors.ts';
import { isLoopback } from '../core/host.ts';

/** The location of a database, parsed from the `database` setting (design, section 4.2). */
export type DatabaseLocation =
  /** A file. `path` is relative to the working directory. Null means a database in memory. */
  | { kind: 'sqlite'; path: string | null }
  /** A database on a Postgres server. */
  | { kind: 'postgres'; url: string; name: string; tls: DatabaseTls };

/**
 * How the Postgres connection is protected. `verified`: encrypted, with a checked certificate. `unverified`: encrypted,
 * without a check of the server's identity. `none`: not encrypted. `local`: within this machine.
 */
export type DatabaseTls = 'verified' | 'unverified' | 'none' | 'local';

const WHAT_TO_TYPE =
  'Write "sqlite:data/donor-sync.db" for a file or "postgres://user:password@host:5432/database" for Postgres.';

/**
 * Parses `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Throws a ConfigurationError for other values. The message
 * never quotes the value, because it may contain a password.
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

/** Returns the Postgres URL with the TLS mode. Returns any other URL unchanged. */
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
 * Returns how the connection is protected. For other machines, only the URL can turn off encryption or the check of the
 * certificate.
 */
function getTls({ hostname, searchParams }: URL): DatabaseTls {
  const named = hostname || (searchParams.get('host') ?? 'localhost');
  // A host name that is a path means the folder of a socket.
  if (isLoopback(named) || named.startsWith('/') || named.startsWith('%2F')) return 'local';
  const mode = searchParams.get('sslmode');
  if (mode === 'no-verify') return 'unverified';
  const isOff = mode === 'disable' || ['0', 'false'].includes(searchParams.get('ssl') ?? '');
  return isOff ? 'none' : 'verified';
}

/** Returns the URL with the unambiguous name of the TLS mode. The database client warns about all other names. */
function withVerification(url: string): string {
  const bare = url.replace(/([?&])sslmode=[^&]*(&|$)/, '$1').replace(/[?&]$/, '');
  return `${bare}${bare.includes('?') ? '&' : '?'}sslmode=verify-full`;
}

function wrongUrl(problem: string): ConfigurationError {
  return new ConfigurationError(`${problem} ${WHAT_TO_TYPE}`, { code: 'database_url_invalid' });
}
