/** The data of a request on its way through the org. */

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { SalesforceError } from '../core/errors.ts';
import type { User } from '../metadata/access.ts';
import type { WriteOptions } from '../records/record-store.ts';
import type { SalesforceFault } from './faults.ts';

/** The Hono environment of the org. */
export interface SalesforceEnv {
  /** True for a part of a composite request, which does not count as a separate request. */
  Bindings: HttpBindings & { isSubrequest?: boolean };
  Variables: {
    fault: SalesforceFault | undefined;
    /** The user of the request. The authentication middleware sets it. */
    user: User;
    /** The parsed JSON body, or undefined if the request has none. */
    body: unknown;
    /** The path of the API version, for example `/services/data/v67.0`. */
    basePath: string;
  };
}

/** A request to this org. */
export type SalesforceContext = Context<SalesforceEnv>;

/** Returns a required query parameter. */
export function requiredQuery(c: SalesforceContext, name: string): string {
  const value = c.req.query(name);
  if (value !== undefined) return value;
  throw new SalesforceError(400, 'MALFORMED_QUERY', `A query string parameter is missing: ${name}`);
}

/** Reads the write options. With `Sforce-Duplicate-Rule-Header: allowSave=true`, Salesforce ignores duplicate rules. */
export function writeOptionsOf(c: SalesforceContext): WriteOptions {
  const header = c.req.header('sforce-duplicate-rule-header') ?? '';
  return { allowDuplicates: /allowSave\s*=\s*true/i.test(header) };
}
