/** Checks which files use the vendors' libraries, and which parts of the libraries they use. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const CLIENTS = ['connectors/hubspot/client.ts', 'connectors/salesforce/client.ts'];

const SOURCES = globSync(
  '{src,connectors,migrations,people,testbed,service,sandbox}/**/*.{ts,tsx}',
  {
    cwd: ROOT,
  },
);

/** Matches a library module that is imported, required or named in a type. */
const LIBRARY =
  /(?:from|import|require)\s*\(?\s*['"](?:jsforce|@hubspot\/api-client)(?:\/[^'"]*)?['"]/;

/**
 * These library calls would break a promise of the product. Some calls hold complete results in memory, follow
 * addresses in responses, or wait without a limit. Other calls sign in or renew a session automatically, or send a
 * token in an address.
 */
const DANGEROUS =
  /\.(?:query|queryMore|queryAll|search|poll|result|uploadData|get\w*Results|loadAndWaitForResults|login\w*|authorize|identity|refreshToken|authenticate|logout\w*|metadata|soap|streaming)\s*\(|\.(?:metadata|soap|streaming)\b|new (?:\w+\.)?Client\(|\bSignature\.|accessToken\s*:|refreshToken\s*:|refreshFn|httpProxy|proxyUrl/;

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

describe("the vendors' libraries", () => {
  it('are imported by the client of their connector, and nowhere else', () => {
    expect(SOURCES.filter((file) => LIBRARY.test(read(file))).sort()).toEqual(CLIENTS);
  });

  it('are loaded with the first request: a client is imported for its types, or lazily', () => {
    const eager = /^import (?!type\b)[^;]*from '[^']*\/client\.ts'/m;
    const connectors = SOURCES.filter((file) => file.startsWith('connectors/'));
    expect(connectors.filter((file) => eager.test(read(file)))).toEqual([]);
  });

  it.each(CLIENTS)('are not asked for what breaks a promise (%s)', (file) => {
    expect(DANGEROUS.exec(withoutComments(read(file)))?.[0]).toBeUndefined();
  });

  it.each([
    ['await org.query(soql)'],
    ['job.poll(1)'],
    ['await job.getAllResults()'],
    ['new hubspot.Client({})'],
    ['super({ version, accessToken: token })'],
  ])('would be found out: %s', (code) => {
    expect(code).toMatch(DANGEROUS);
  });

  it('set no dispatcher for the whole process, since Node reads it for its own fetch', () => {
    // The stub of undici must export this function.
    const setter = /\bsetGlobalDispatcher\b(?! = refuse)/;
    expect(SOURCES.filter((file) => setter.test(read(file)))).toEqual([]);
  });
});
