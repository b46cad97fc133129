/** Parses SOQL. */

import { parseQuery, type Query } from '@jetstreamapp/soql-parser-js';
import { malformed } from './query-error.ts';

/** The maximum length of a query. Salesforce rejects longer queries. */
const MAX_LENGTH = 100_000;

/** Returns the tree of a query. Throws MALFORMED_QUERY if it cannot be parsed. */
export function parseSoql(soql: string): Query & { sObject: string } {
  if (soql.length > MAX_LENGTH) {
    throw malformed(
      soql.slice(0, 100),
      'SOQL statements cannot be longer than 100000 characters.',
      '',
    );
  }
  const query = parse(soql);
  const { sObject } = query;
  if (sObject === undefined) throw malformed(soql, "unexpected token: '<EOF>'", '');
  return { ...query, sObject };
}

function parse(soql: string): Query {
  try {
    return parseQuery(soql);
  } catch (error) {
    const found = error instanceof Error ? /but found:? .*?'(.*?)'/s.exec(error.message)?.[1] : '';
    const token = found === undefined || found === '' ? '<EOF>' : found;
    throw malformed(soql, `unexpected token: '${token}'`, token);
  }
}
