/** Reads the lists in docs/salesforce-surface.md. Also signs in for the cases in these lists. */
import { createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import jsforce from 'jsforce';
import { expect } from 'vitest';
import { z } from 'zod';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import type { connect } from '../org.ts';

const PAGE = await readFile(
  new URL('../../../../docs/salesforce-surface.md', import.meta.url),
  'utf8',
);

/**
 * Reads the lines of a list. Returns the first cell of each line without quotes, and a flag for lines that an
 * administrator uses.
 */
export function readList(heading: string, nameOf: (cells: string[]) => string) {
  const section = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Command|Section) /.test(line));
  return lines.map((line) => {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''));
    return { name: nameOf(cells), isUsed: /^yes|layouts yes/.test(cells.at(-2) ?? '') };
  });
}

type Connection = ReturnType<typeof connect>;
export type Case = (org: SalesforceSandbox, connection: Connection) => Promise<void>;

export function expectAll(
  cases: Readonly<Record<string, Case>>,
  list: readonly { name: string; isUsed: boolean }[],
) {
  const used = list.filter(({ isUsed }) => isUsed).map(({ name }) => name);
  expect(used.length).toBeGreaterThan(18);
  expect(Object.keys(cases).toSorted()).toEqual(used.toSorted());
}

const REDIRECT = 'http://localhost:1717/OauthRedirect';

export const savedSchema = z.object({ id: z.string(), success: z.literal(true) });

export function jwtOf(one: SalesforceSandbox): string {
  const claims = {
    iss: one.clientId,
    sub: one.username,
    aud: `${one.baseUrl}/`,
    exp: Date.now() + 180_000,
  };
  const head = [{ alg: 'RS256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('RSA-SHA256', Buffer.from(head), createPrivateKey(one.privateKey));
  return `${head}.${signature.toString('base64url')}`;
}

/** Returns a jsforce connection that has signed in with the web server flow. */
export async function signedIn(one: SalesforceSandbox): Promise<Connection> {
  const { baseUrl: loginUrl, clientId, clientSecret } = one;
  const oauth2 = new jsforce.OAuth2({
    loginUrl,
    clientId,
    clientSecret,
    redirectUri: REDIRECT,
    useVerifier: true,
  });
  const url = oauth2.getAuthorizationUrl({ scope: 'api refresh_token', state: 's' });
  const response = await fetch(`${url}&login_hint=${one.username}`, { redirect: 'manual' });
  const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const connection = new jsforce.Connection({ oauth2, version: '67.0' });
  await connection.authorize(code);
  return connection;
}
