/** The errors of queries, which show the position of the problem in the query. */

import { SalesforceError } from '../../core/errors.ts';

/** The number of characters of the query that an error shows before and after the position. */
const SHOWN = 30;

/** Creates the error for a rejected query. `token` is the part of the query that is wrong. */
export function queryError(
  soql: string,
  errorCode: string,
  message: string,
  token: string,
): SalesforceError {
  const line = soql.replaceAll(/\s/g, ' ');
  const at = placeOf(line, token);
  const start = Math.max(0, at - SHOWN);
  const shown = line.slice(start, at + token.length + SHOWN);
  const pointer = `${' '.repeat(at - start)}^`;
  const place = `ERROR at Row:1:Column:${at + 1}`;
  return new SalesforceError(400, errorCode, `\n${shown}\n${pointer}\n${place}\n${message}`);
}

/** Creates the error for a query that cannot be parsed. */
export function malformed(soql: string, message: string, token: string): SalesforceError {
  return queryError(soql, 'MALFORMED_QUERY', message, token);
}

/** Creates the error for a column that does not exist or that this user cannot see. */
export function noSuchColumn(soql: string, path: string, entity: string): SalesforceError {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const message = `No such column '${name}' on entity '${entity}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.`;
  return queryError(soql, 'INVALID_FIELD', message, path);
}

/** Creates the error for a relationship that does not exist. */
export function noSuchRelationship(soql: string, name: string): SalesforceError {
  const message = `Didn't understand relationship '${name}' in field path. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.`;
  return queryError(soql, 'INVALID_FIELD', message, name);
}

function placeOf(line: string, token: string): number {
  const escaped = token.replaceAll(/[\\^$.|?+*()[\]{}]/g, '\\$&');
  const at = line.search(new RegExp(`(?<![\\w.])${escaped}(?!\\w)`, 'i'));
  return Math.max(0, at);
}
