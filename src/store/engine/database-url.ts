import { ConfigurationError } from '../../core/errors.ts';

/** Where the store lives, as the setting `database` names it (design, section 4.2). */
export type DatabaseLocation =
  /** `path` is relative to the working directory; null keeps everything in memory. */
  | { kind: 'sqlite'; path: string | null }
  /** `name` tells people which database is meant; unlike the URL it holds no password. */
  | { kind: 'postgres'; url: string; name: string };

const WHAT_TO_TYPE =
  'Write "sqlite:data/donor-sync.db" for a file or "postgres://user:password@host:5432/database" for Postgres.';

/**
 * Reads `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Anything else is a
 * ConfigurationError; its message never repeats the value, which may hold a password.
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
      throw wrongUrl('The database setting does not say which kind of database it means.');
    default:
      throw wrongUrl(`The database setting begins with "${scheme}:", which is not known here.`);
  }
}

function parseSqlitePath(path: string): DatabaseLocation {
  if (path === ':memory:') return { kind: 'sqlite', path: null };
  if (path === '') throw wrongUrl('The database setting "sqlite:" lacks the path of the file.');
  if (path.startsWith('//')) {
    throw wrongUrl('The database setting "sqlite:" takes a plain path, without two slashes.');
  }
  return { kind: 'sqlite', path };
}

function parsePostgresUrl(url: string): DatabaseLocation {
  const parsed = URL.parse(url);
  if (parsed === null) {
    throw wrongUrl(
      'The database setting is not a valid Postgres URL. Special characters in the password are written as %XX.',
    );
  }
  const host = parsed.host || (parsed.searchParams.get('host') ?? 'localhost');
  return { kind: 'postgres', url, name: `${host}${parsed.pathname}` };
}

function wrongUrl(problem: string): ConfigurationError {
  return new ConfigurationError(`${problem} ${WHAT_TO_TYPE}`, { code: 'database_url_invalid' });
}
