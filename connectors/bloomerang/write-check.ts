/**
 * Checks the first write. Bloomerang does not document whether a PUT request keeps parts that its body does not
 * contain.
 */
import { z } from 'zod';
import type { ConnectorOptions, CrmAccount } from '../contract.ts';
import type { Http } from '../requests/http.ts';
import { openWriteCheck, type WriteCheck } from '../writing/write-check.ts';
import type { CustomFields } from './fields.ts';
import { customPart, DEFAULTS, ID_LISTS, toParts, toRestoration } from './parts.ts';
import { type BloomerangRecord, recordSchema } from './record.ts';
import type { BloomerangSettings } from './settings.ts';

export type BloomerangCheck = WriteCheck<BloomerangRecord>;

/**
 * Opens the check, which runs before the first write. The function `custom` returns the custom fields that were last
 * read from Bloomerang.
 */
export function openBloomerangCheck(
  { settings, deps }: Pick<ConnectorOptions<BloomerangSettings>, 'settings' | 'deps'>,
  http: Http,
  account: CrmAccount,
  custom: () => CustomFields,
): Promise<BloomerangCheck> {
  return openWriteCheck({
    crm: 'Bloomerang',
    nouns: { contact: 'constituent', values: 'custom values' },
    deps,
    account,
    round: settings.writeCheck,
    storedSchema: recordSchema,
    toParts,
    partOf: (name) => customPart(custom().get(name)?.id ?? 0),
    defaults: DEFAULTS,
    idKinds: ID_LISTS,
    async readOne(id) {
      const answer = await http.ask({ path: `/constituent/${id}` }, recordSchema);
      if (answer.ok) return answer.body;
      if (answer.status === 404) return null;
      // The function throws any other refusal, because it does not mean that the constituent is deleted.
      return http.read({ path: `/constituent/${id}` }, recordSchema);
    },
    async restore(id, former) {
      const json = toRestoration(former, custom());
      await http.ask({ method: 'PUT', path: `/constituent/${id}`, json }, recordSchema);
    },
    async wroteLast({ AuditTrail }) {
      // Bloomerang's audit trail contains the user's name, possibly after the name of the API key.
      const author = AuditTrail?.LastModifiedName ?? null;
      if (author === null) return true;
      const { Name } = await http.read({ path: '/user/current' }, z.object({ Name: z.string() }));
      return author.includes(Name.trim());
    },
  });
}
