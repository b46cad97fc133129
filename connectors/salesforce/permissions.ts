import { z } from 'zod';
import { isConfigurationError, messageOf } from '../../src/core/errors.ts';
import { foreignCode } from '../../src/core/foreign-text.ts';
import { readAs } from './errors.ts';
import { type QueryRecord, queryRecords, quoted, quotedList } from './query.ts';
import type { SalesforceSession } from './session.ts';

/** The permission set that holds the access to fields that donor-sync writes. */
const NAME = 'donor_sync_fields';
const LABEL = 'donor-sync fields';

const createdSchema = z.object({ id: z.string() });

const saveResultsSchema = z.array(
  z.object({
    success: z.boolean(),
    errors: z.array(z.object({ statusCode: z.string() })).default([]),
  }),
);

/** Records of one request to the collections. */
const COLLECTION_ROWS = 200;

/**
 * Grants the integration's user read and edit access to fields of Contact, through a permission
 * set of our own that is created or used again. Returns what went wrong, by field.
 */
export async function grantFields(
  session: SalesforceSession,
  names: readonly string[],
): Promise<Map<string, string>> {
  try {
    const setId = await findOrCreateSet(session);
    const problems = await grantTo(session, setId, names);
    await assign(session, setId);
    return problems;
  } catch (error) {
    if (!isConfigurationError(error) || error.code !== 'crm_request_refused') throw error;
    const problem = `The field exists, but access to it could not be granted: ${messageOf(error)} An admin can grant it in a permission set.`;
    return new Map(names.map((name) => [name, problem]));
  }
}

type PermissionDeps = Pick<SalesforceSession, 'api' | 'userId'>;

async function findOrCreateSet({ api }: PermissionDeps): Promise<string> {
  const [found] = await queryRecords(
    api,
    `SELECT Id FROM PermissionSet WHERE Name = ${quoted(NAME)}`,
  );
  if (found !== undefined) return String(found['Id']);
  const body = { Name: NAME, Label: LABEL, Description: 'Fields that donor-sync writes.' };
  return readAs(createdSchema, await api.send('POST', '/sobjects/PermissionSet', body)).id;
}

/** Inserts what the set lacks and lifts what it has without edit access. */
async function grantTo(
  { api }: PermissionDeps,
  ParentId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const fields = new Map(names.map((name) => [`Contact.${name}`, name]));
  const present = await queryRecords(
    api,
    `SELECT Id, Field, PermissionsEdit FROM FieldPermissions WHERE ParentId = ${quoted(ParentId)} AND SobjectType = 'Contact' AND Field IN ${quotedList([...fields.keys()])}`,
  );
  const presentFields = new Map(present.map((record) => [String(record['Field']), record]));
  const access = { PermissionsRead: true, PermissionsEdit: true };
  const type = { type: 'FieldPermissions' };
  const missing = [...fields.keys()].filter((field) => !presentFields.has(field));
  const weak = [...presentFields.values()].filter(
    ({ PermissionsEdit }) => PermissionsEdit !== true,
  );
  return new Map([
    ...(await save(
      api,
      'POST',
      missing.map((Field) => ({
        attributes: type,
        ParentId,
        SobjectType: 'Contact',
        Field,
        ...access,
      })),
      (at) => fields.get(missing[at] ?? ''),
    )),
    ...(await save(
      api,
      'PATCH',
      weak.map(({ Id }) => ({ attributes: type, id: Id, ...access })),
      (at) => fields.get(String(weak[at]?.['Field'])),
    )),
  ]);
}

/** Saves records and returns the problem of each that was refused, by its field. */
async function save(
  api: PermissionDeps['api'],
  method: 'POST' | 'PATCH',
  records: readonly QueryRecord[],
  fieldAt: (position: number) => string | undefined,
): Promise<[string, string][]> {
  const problems: [string, string][] = [];
  for (let start = 0; start < records.length; start += COLLECTION_ROWS) {
    const portion = records.slice(start, start + COLLECTION_ROWS);
    const body = { allOrNone: false, records: portion };
    const saved = readAs(saveResultsSchema, await api.send(method, '/composite/sobjects', body));
    for (const [at, { success, errors }] of saved.entries()) {
      const field = fieldAt(start + at);
      if (success || field === undefined) continue;
      const code = foreignCode(errors[0]?.statusCode ?? 'UNKNOWN_EXCEPTION');
      problems.push([field, `Access to the field could not be granted (${code}).`]);
    }
  }
  return problems;
}

async function assign({ api, userId }: PermissionDeps, PermissionSetId: string): Promise<void> {
  const [assigned] = await queryRecords(
    api,
    `SELECT Id FROM PermissionSetAssignment WHERE AssigneeId = ${quoted(userId)} AND PermissionSetId = ${quoted(PermissionSetId)}`,
  );
  if (assigned !== undefined) return;
  const body = { AssigneeId: userId, PermissionSetId };
  await api.send('POST', '/sobjects/PermissionSetAssignment', body);
}
