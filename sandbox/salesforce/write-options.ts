/** What the headers of a request say about its writes. */

import type { SalesforceContext } from './context.ts';
import type { WriteOptions } from './record-store.ts';

/** `Sforce-Duplicate-Rule-Header: allowSave=true` saves records that a duplicate rule would refuse. */
export function writeOptionsOf(c: SalesforceContext): WriteOptions {
  const header = c.req.header('sforce-duplicate-rule-header') ?? '';
  return { allowDuplicates: /allowSave\s*=\s*true/i.test(header) };
}
